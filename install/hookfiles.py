"""The files that our hooks run, as install and doctor see them; what is in them is the bundle's affair."""

from ..core.append import make_private_folder
from ..core.errors import TellbackError
from ..core.shapes import Places
from .bundle import is_current, write_hook
from .manifest import hold_install_lock


def put_hook_files(places: Places, interpreter: str) -> bool:
    """Write the hook's entry file and its code unless they are current; say whether it was done.

    Raises:
        TellbackError: they cannot be written, or *interpreter* is not the Python that runs this.
    """
    if is_current(places, interpreter):
        return False
    try:
        make_private_folder(places.data)
        make_private_folder(places.cache)  # an entry that finds no code can only say so in the log there
        with hold_install_lock(places):  # an uninstall removes them
            write_hook(places, interpreter)
    except OSError as error:
        raise TellbackError(f"the hook cannot be written to {places.data}: {error.strerror or error}") from error
    return True
