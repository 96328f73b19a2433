"""Where things are: Tellback's own folders and the harnesses' stores, from the environment of a person's command."""

import os
import sys
from pathlib import Path

from .errors import TellbackError
from .shapes import Places


def find_home() -> Path:
    """Return the home folder: ``$HOME`` when absolute, else the user database's; on Windows ``%USERPROFILE%``.

    An empty ``$HOME`` would mean ``/``, and a relative one whatever folder the person stands in.

    Raises:
        TellbackError: there is none.
    """
    found = read_dir_variable("HOME") if sys.platform != "win32" else None
    found = found or Path(_read_account_home())
    if not found.is_absolute():
        raise TellbackError("there is no home folder", hint="set HOME to an absolute path")
    return found


def _read_account_home() -> str:
    """Return the home of this user's account; ``""`` when it has none."""
    if sys.platform == "win32":
        return os.path.expanduser("~")
    import pwd  # not on Windows

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a container's made-up user
        return ""


def has_cwd() -> bool:
    """Whether the folder that the person stands in is still there; without it no relative path leads anywhere."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def read_dir_variable(name: str) -> Path | None:
    """Return the folder that a variable names; ``None`` when unset or not absolute (S-73)."""
    value = os.environ.get(name, "")
    return Path(value) if value and os.path.isabs(value) else None


def _own_folder(xdg: str, windows: str, below_home: str) -> Path:
    if folder := read_dir_variable(xdg):
        return folder / "tellback"
    if sys.platform == "win32" and (folder := read_dir_variable(windows)):
        return folder / "tellback"
    return find_home() / below_home / "tellback"


def find_places() -> Places:
    """Return Tellback's folders as a person's command sees them; none of them need exist."""
    return Places(
        home=str(find_home()),
        data=str(_own_folder("XDG_DATA_HOME", "LOCALAPPDATA", ".local/share")),
        cache=str(_own_folder("XDG_CACHE_HOME", "LOCALAPPDATA", ".cache")),
        config=str(_own_folder("XDG_CONFIG_HOME", "APPDATA", ".config")),
    )


def find_claude_config() -> Path:
    """Return Claude Code's folder: ``$CLAUDE_CONFIG_DIR`` when absolute, else ``~/.claude``."""
    return read_dir_variable("CLAUDE_CONFIG_DIR") or find_home() / ".claude"


def find_cursor_config() -> Path:
    """Return Cursor's folder, ``~/.cursor``."""
    return find_home() / ".cursor"
