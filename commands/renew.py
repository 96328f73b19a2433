"""Keep the hook's own files of this version: whoever runs a newer Tellback renews what the hooks run."""

import sys

from .. import __version__
from ..core.errors import TellbackError
from ..core.log import log_failure
from ..core.shapes import Places
from ..install.interpreter import is_same_python
from ..install.manifest import hold_install_lock, read_manifest
from ..install.record import read_record


def renew_hook_files(places: Places) -> None:
    """Rewrite the hook's files when they are of another version or of other settings; a failure is doctor's to tell.

    Byte code belongs to the Python that made it, so only the one that the hooks run does it, by whatever name.
    """
    try:
        interpreter = read_manifest(places).interpreter
        if interpreter and is_same_python(interpreter, sys.executable):
            _renew(places, interpreter)
    except (TellbackError, OSError) as error:
        log_failure(places, "renew hook files", error)


def _renew(places: Places, interpreter: str) -> None:
    from ..install.bundle import is_current  # loads the whole detector
    from ..install.hookfiles import put_hook_files

    if is_current(places, interpreter):
        return
    with hold_install_lock(places):
        if read_manifest(places).interpreter == interpreter:  # no uninstall was faster
            put_hook_files(places, interpreter)


def renew_after_upgrade(places: Places) -> None:
    """Do so where they are of another version; the look is cheap enough for every command."""
    record = read_record(places)
    if record is not None and record.get("version") != __version__:
        renew_hook_files(places)
