"""The files that our hooks run, as install and doctor see them; what is in them is the bundle's affair."""

from ..core.config import load_settings
from ..core.shapes import Places
from .bundle import is_current, write_hook


def put_hook_files(places: Places, interpreter: str) -> bool:
    """Write the hook's entry file and its code unless they are there and of this version; say whether it was done."""
    settings = load_settings(places)
    if is_current(places, interpreter, settings):
        return False
    write_hook(places, interpreter, settings)
    return True
