"""May this turn be listened to: the user's rules, a repository's restriction, a pause. Hot.

Everything here only ever narrows. What cannot be understood counts as "no".
"""

import sys

from ..core.append import nt_or_posix
from .settings import HookSettings, is_unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.shapes import Places, Turn
    from .installed import Installed

    Word = Literal["ok", "disabled", "denied", "paused"]

_MODE, _FOLDER = 0o170000, 0o040000


def find_settings(installed: "Installed") -> "HookSettings | None":
    """Return the settings as they are now; ``None`` when a file of theirs cannot be parsed."""
    if is_unchanged(installed.stamps):
        return HookSettings(**installed.packed)
    from .slow import read_settings  # outside the budget: until the next command or sweep packs the change

    return read_settings(installed)


def judge_turn(turn: "Turn", settings: "HookSettings | None", installed: "Installed") -> "Word":
    """Judge every folder that the payload names; the strictest word counts, a pause comes last."""
    if settings is None or settings.policy[0]:
        return "disabled"
    folders = {folder for folder in (turn.project, turn.cwd, *turn.roots) if folder}
    if settings.has_paths and (word := _judge_folders(folders, settings)) != "ok":
        return word
    for folder in folders:
        if may_be_restricted(folder):
            from ..core.repository import read_restriction

            if sys.version_info < (3, 11):
                add_libraries(installed)  # it may hold more than the plain lines that are read without a TOML reader
            if read_restriction(folder).disabled:
                return "disabled"
    return "paused" if is_paused(installed.places, turn.at) else "ok"


def add_libraries(installed: "Installed") -> None:
    """Let the hook import what was installed beside Tellback: it starts without ``site``."""
    folders = installed.tables.load("rare")["libraries"]
    sys.path += [folder for folder in folders if folder not in sys.path]


def _judge_folders(folders: "set[str]", settings: "HookSettings") -> "Word":
    """Judge by the user's lists of folders; outside the budget, for those who have some."""
    from os.path import realpath

    from ..core.policy import Policy, judge_path

    policy = Policy(*settings.policy)
    is_fine = all(judge_path(policy, folder, realpath(folder)) == "ok" for folder in folders)
    return "ok" if folders and is_fine else "denied"  # no folder: nothing says that it is not one of the denied ones


def may_be_restricted(folder: str) -> bool:
    """Whether a ``.tellback.toml`` may count for *folder*; the usual "no" without loading what reads one.

    No: from here up to a plain ``.git`` folder, or to the top, there is none. A ``.git`` file may lead elsewhere.
    """
    if folder[0] != "/":
        return True  # a drive: rare enough for the thorough look
    while True:
        base = folder.rstrip("/")
        if _has_entry(f"{base}/.tellback.toml"):
            return True
        if nt_or_posix.access(f"{base}/.git", 0):
            return nt_or_posix.stat(f"{base}/.git").st_mode & _MODE != _FOLDER
        if not base:
            return False
        folder = base[: base.rfind("/") + 1]


def _has_entry(path: str) -> bool:
    try:
        nt_or_posix.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def is_paused(places: "Places", now: float) -> bool:
    """Whether ``tellback pause`` still holds; a pause whose end cannot be read does."""
    if not _has_entry(places.data + "/hook/pause"):  # the usual case, without loading what reads one
        return False
    from ..core.pause import read_pause_end

    until = read_pause_end(places)
    return until is not None and until > now
