"""The lock that a launched sweep was given by its launcher, on a descriptor. Light."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import Places


def sweep_lock_path(places: "Places") -> str:
    """Return where the one lock of all sweeps is or will be."""
    return places.cache + "/push.lock"


def is_held_by(fd: int, lock: str) -> bool:
    """Whether *fd* is this very lock file and its lock is ours; takes the lock when nobody has it."""
    try:
        ours, there = os.fstat(fd), os.stat(lock)
    except OSError:
        return False
    if (ours.st_dev, ours.st_ino) != (there.st_dev, there.st_ino):
        return False
    try:
        import fcntl  # not on Windows, where the child takes the lock itself
    except ImportError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
