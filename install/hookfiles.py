"""The files that our hooks run, as install and doctor see them; what is in them is the bundle's affair."""

from ..core.config import load_settings
from ..core.shapes import Places
from .bundle import is_current, write_hook


def is_hook_current(places: Places, interpreter: str) -> bool:
    """Whether the hook's entry file and its code are there and of this version and these settings."""
    return is_current(places, interpreter, load_settings(places))


def put_hook_files(places: Places, interpreter: str) -> bool:
    """Write the hook's entry file and its code unless they are current; say whether it was done."""
    if is_hook_current(places, interpreter):
        return False
    write_hook(places, interpreter, load_settings(places))
    return True
