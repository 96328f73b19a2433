"""A launched sweep that finds nothing changed: it looks, says so in the last-run file, and ends. Light.

What it loads decides what it costs: the whole sweep, with its stages and their libraries, is loaded only by one that
has something to do.
"""

import os
import time

from ..core.shapes import Places
from .guard import Terminated, end_on_signals, hard_limit, lower_priority
from .inherited import is_held_by, sweep_lock_path
from .lastrun import LastRun, write_last_run
from .look import is_settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .lastrun import EndState

# For the look alone: a folder on a network that no longer answers.
LIMIT_S = 60.0


def read_places() -> "Places | None":
    """Return Tellback's folders from the variables that a launched sweep gets; ``None`` when one is missing."""
    home = os.environ.get("USERPROFILE" if os.name == "nt" else "HOME", "")
    names = ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    folders = [home, *(os.environ.get(name, "") for name in names)]
    if not all(os.path.isabs(folder) for folder in folders):
        return None
    data, cache, config = (os.path.join(folder, "tellback") for folder in folders[1:])
    return Places(home, data, cache, config)


def ends_early(places: "Places | None", lock_fd: int) -> bool:
    """Whether nothing is to be done; then the last-run file says that this sweep is over.

    Raises:
        Terminated: a signal ended it; the last-run file says so.
    """
    if places is None or not is_held_by(lock_fd, sweep_lock_path(places)):
        return False
    last_run = LastRun(time.time())
    try:
        with end_on_signals(), hard_limit(LIMIT_S, lambda: _end(places, last_run, "timed out")):
            lower_priority()
            if not is_settled(places, last_run.started_at):
                return False
    except Terminated:
        _end(places, last_run, "terminated")
        raise
    _end(places, last_run, "finished")
    return True


def _end(places: "Places", last_run: LastRun, state: "EndState") -> None:
    last_run.end(state)
    write_last_run(places, last_run)
