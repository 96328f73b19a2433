"""Keep the hook's own files of this version: whoever runs a newer Tellback renews what the hooks run."""

import sys

from .. import __version__
from ..core.errors import TellbackError
from ..core.log import log_failure
from ..core.shapes import Places
from ..install.interpreter import is_same_python
from ..install.manifest import read_manifest
from ..install.record import read_record


def renew_hook_files(places: Places) -> None:
    """Rewrite the hook's files when they are of another version or of other settings; a failure is doctor's to tell.

    Byte code belongs to the Python that made it, so only the one that the hooks run does it, by whatever name.
    """
    try:
        interpreter = read_manifest(places).interpreter
        if interpreter and is_same_python(interpreter, sys.executable):
            from ..install.hookfiles import put_hook_files  # loads the whole detector

            put_hook_files(places, interpreter)
    except (TellbackError, OSError) as error:
        log_failure(places, "renew hook files", error)


def renew_after_upgrade(places: Places) -> None:
    """Do so where they are of another version; the look is cheap enough for every command."""
    record = read_record(places)
    if record is not None and record.get("version") != __version__:
        renew_hook_files(places)
