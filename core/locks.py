"""Take turns between processes: a kernel lock on a file that stays. Hot: posix and fcntl (nt and msvcrt) only.

The lock is ``flock`` on a raw descriptor, the same that ``filelock.FileLock`` takes on the same path. The kernel frees
it when its last descriptor closes, so a killed owner leaves nothing to break, and a child that inherits the descriptor
keeps it (``os.set_inheritable``; closing here does not unlock there, so do not call ``free_lock`` after handing over:
close).
"""

import sys
import time

from .append import nt_or_posix, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING or sys.platform != "win32":
    import fcntl

    _OPEN_LOCK = nt_or_posix.O_RDWR | nt_or_posix.O_CREAT

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)

    _NO_FLOCK = (38, 37, 95, 45, 102)  # ENOSYS, ENOLCK, EOPNOTSUPP on Linux; ENOTSUP, EOPNOTSUPP on macOS
    if sys.platform == "darwin":
        _NO_FLOCK = (78, 77, 45, 102)
else:
    import msvcrt

    _OPEN_LOCK = nt_or_posix.O_RDWR | nt_or_posix.O_CREAT

    def _lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

    def _unlock(fd: int) -> None:
        nt_or_posix.lseek(fd, 0, 0)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

    _NO_FLOCK = ()

_FIRST_NAP_S, _LONGEST_NAP_S = 0.0005, 0.005
_HELD = (11, 13, 35, 36)  # EAGAIN, EACCES, EWOULDBLOCK on macOS, EDEADLOCK on Windows


class NoFlock(OSError):  # noqa: N818 - said aloud it is a fact about the file system
    """This file system has no locks (some network and bind mounts); writing unlocked would not be safe."""


def take_lock(path: str, wait_s: float, *, dir_fd: "int | None" = None) -> "int | None":
    """Lock *path*, created with mode 0600 if need be, waiting at most *wait_s* seconds.

    Returns:
        The descriptor that holds the lock, not inheritable; ``None`` when another holds it all that time.

    Raises:
        NoFlock: the file system has no locks.
        OSError: the file cannot be opened, is a link or not a regular file.
    """
    give_up_at = time.monotonic() + wait_s
    nap_s = _FIRST_NAP_S
    while True:
        fd = _try_lock(path, dir_fd)
        if fd is not None:
            return fd
        left_s = give_up_at - time.monotonic()
        if left_s <= 0:
            return None
        time.sleep(min(nap_s, left_s))
        nap_s = min(nap_s * 2, _LONGEST_NAP_S)


def free_lock(fd: int) -> None:
    """Unlock and close; the file stays, for a waiter may already have it open."""
    try:
        _unlock(fd)
    finally:
        nt_or_posix.close(fd)


def _try_lock(path: str, dir_fd: "int | None") -> "int | None":
    fd = open_regular(path, _OPEN_LOCK, dir_fd=dir_fd)
    try:
        _lock(fd)
        if _is_still_at(fd, path, dir_fd):
            return fd
    except OSError as error:
        if error.errno in _NO_FLOCK:
            nt_or_posix.close(fd)
            raise NoFlock(error.errno, "this file system has no locks", path) from None
        if error.errno not in _HELD:
            nt_or_posix.close(fd)
            raise
    nt_or_posix.close(fd)
    return None


def _is_still_at(fd: int, path: str, dir_fd: "int | None") -> bool:
    """Whether the locked file is the one at *path*: somebody may have removed it between our open and our lock."""
    if sys.platform == "win32":
        return True  # an open file cannot be removed there
    mine = nt_or_posix.fstat(fd)
    try:
        there = nt_or_posix.stat(path, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return mine.st_ino == there.st_ino and mine.st_dev == there.st_dev
