"""Where things are: Tellback's own folders and the harnesses' stores, from the environment of a person's command."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from .errors import TellbackError
from .shapes import Places


def find_home(variables: Mapping[str, str] = os.environ) -> Path:
    """Return the home folder: ``$HOME`` when absolute, else the user database's; on Windows ``%USERPROFILE%``.

    An empty ``$HOME`` would mean ``/``, and a relative one whatever folder the person stands in.

    Raises:
        TellbackError: there is none.
    """
    found = read_dir_variable("HOME", variables) if sys.platform != "win32" else None
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


def read_dir_variable(name: str, variables: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder that a variable names; ``None`` when unset or not absolute (S-73)."""
    value = variables.get(name, "")
    return Path(value) if value and os.path.isabs(value) else None


def find_places(variables: Mapping[str, str] = os.environ) -> Places:
    """Return Tellback's folders as a person's command sees them; none of them need exist.

    Args:
        variables: of this process, or of the one that is asked about.
    """

    def find(xdg: str, windows: str, below_home: str) -> str:
        named = read_dir_variable(xdg, variables)
        if named is None and sys.platform == "win32":
            named = read_dir_variable(windows, variables)
        return str((named or find_home(variables) / below_home) / "tellback")

    return Places(
        home=str(find_home(variables)),
        data=find("XDG_DATA_HOME", "LOCALAPPDATA", ".local/share"),
        cache=find("XDG_CACHE_HOME", "LOCALAPPDATA", ".cache"),
        config=find("XDG_CONFIG_HOME", "APPDATA", ".config"),
    )


def find_claude_config() -> Path:
    """Return Claude Code's folder: ``$CLAUDE_CONFIG_DIR`` when absolute, else ``~/.claude``."""
    return read_dir_variable("CLAUDE_CONFIG_DIR") or find_home() / ".claude"


def find_cursor_config() -> Path:
    """Return Cursor's folder, ``~/.cursor``."""
    return find_home() / ".cursor"
