"""May this turn be listened to: the user's rules, a repository's restriction, a pause. Hot.

Everything here only ever narrows. What cannot be understood counts as "no".
"""

from ..core.append import nt_or_posix, open_regular
from ..core.policy import judge_path
from ..core.repository import read_restriction
from .settings import HookSettings, is_unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.shapes import Places, Turn
    from .installed import Installed

    Word = Literal["ok", "disabled", "denied", "paused"]


def find_settings(installed: "Installed") -> "HookSettings | None":
    """Return the settings as they are now; ``None`` when a file of theirs cannot be parsed."""
    if is_unchanged(installed.stamps):
        return HookSettings(installed.packed)
    from .slow import read_settings  # outside the budget: until the next command or sweep packs the change

    return read_settings(installed)


def judge_turn(turn: "Turn", settings: "HookSettings | None", installed: "Installed") -> "Word":
    """Judge every folder that the payload names; the strictest word counts, a pause comes last."""
    if settings is None or settings.policy.disabled:
        return "disabled"
    folders = {folder for folder in (turn.project, turn.cwd, *turn.roots) if folder}
    if settings.policy.has_paths():
        if not folders:
            return "denied"  # nothing says that it is not one of the folders that must be left alone
        from os.path import realpath  # outside the budget: only for those who set paths

        for folder in folders:
            word = judge_path(settings.policy, folder, realpath(folder))
            if word != "ok":
                return word
    if any(read_restriction(folder).disabled for folder in folders):
        return "disabled"
    return "paused" if is_paused(installed.places, turn.at) else "ok"


def is_paused(places: "Places", now: float) -> bool:
    """Whether ``tellback pause`` still holds; a pause whose end cannot be read does."""
    try:
        fd = open_regular(places.data + "/hook/pause", nt_or_posix.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return float(nt_or_posix.read(fd, 64)) > now
    except (OSError, ValueError):
        return True
    finally:
        nt_or_posix.close(fd)
