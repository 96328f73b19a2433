"""Start a sweep when one is due: look at a stamp, take the lock, spawn, and be gone. Hot.

The quiet interval throttles launches. The lock is taken on a raw descriptor that the child inherits and keeps as long
as it lives, so that at most one sweep runs and the kernel frees the lock however it ends. The child is a session of
its own with nothing of the harness's: no descriptor but the lock, an environment made at install, null for stdin,
stdout and stderr. The harness never waits for it, and once the hook has ended it is nobody's descendant.
"""

import sys

from ..core.append import nt_or_posix, open_regular
from .stamp import GRACE_S, is_due, read_stamp, write_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.shapes import Places

    Word = Literal["throttled", "held", "launched", "unlockable"]


class Order:
    """What install recorded of the sweep to launch.

    Attributes:
        argv: the whole command line; the lock's descriptor is added as ``--lock-fd N``.
        environment: all that the child gets.
        quiet_s: seconds between two launches; ``budget_s``: what a run may take.
    """

    __slots__ = ("argv", "budget_s", "environment", "quiet_s")

    def __init__(self, argv: "list[str]", environment: "dict[str, str]", quiet_s: float, budget_s: float) -> None:
        self.argv = argv
        self.environment = environment
        self.quiet_s = quiet_s
        self.budget_s = budget_s


def trigger(places: "Places", now: float, order: Order) -> "Word":
    """Launch a sweep, unless one was launched within the quiet interval or is running.

    Raises:
        OSError: a file could not be read or written, or the child not be started.
    """
    if not is_due(read_stamp(places), now, order.quiet_s) and not _is_abandoned(places, now, order):
        return "throttled"
    return _launch_alone(places, now, order)


def _is_abandoned(places: "Places", now: float, order: Order) -> bool:
    """Whether the last launch recorded no end within its budget and a minute (S-54); the lock has the last word."""
    last = read_stamp(places)
    wait_s = order.budget_s + GRACE_S
    return last is not None and wait_s < order.quiet_s and now - last >= wait_s and not _has_ended(places, last)


def _has_ended(places: "Places", last_started_at: float) -> bool:
    """Whether the last-run file tells of the end of a run that began at or after *last_started_at*."""
    from ..core.wire import load_object

    try:
        fd = open_regular(places.cache + "/push.last-run.json", nt_or_posix.O_RDONLY)
    except OSError:
        return False
    try:
        size = nt_or_posix.fstat(fd).st_size
        is_of_this_launch = nt_or_posix.fstat(fd).st_mtime >= last_started_at
        return is_of_this_launch and load_object(nt_or_posix.read(fd, size)).get("finished_at") is not None
    except (OSError, ValueError):
        return False
    finally:
        nt_or_posix.close(fd)


def _launch_alone(places: "Places", now: float, order: Order) -> "Word":
    from ..core.append import make_private_folder
    from ..core.locks import NoFlock, take_lock

    make_private_folder(places.cache)
    try:
        lock = take_lock(places.cache + "/push.lock", 0)
    except NoFlock:
        return "unlockable"
    if lock is None:
        return "held"
    try:
        if not is_due(read_stamp(places), now, order.quiet_s) and not _is_abandoned(places, now, order):
            return "throttled"  # another hook launched between our look and our lock, and that sweep is over
        write_stamp(places, now)
        _spawn(places, order, lock)
    finally:
        nt_or_posix.close(lock)  # the child's copy keeps it locked
    return "launched"


if sys.platform == "win32":

    def _spawn(places: "Places", order: Order, lock: int) -> None:
        """Start the child detached; it takes the lock itself, so ours is freed first."""
        import msvcrt

        nt_or_posix.lseek(lock, 0, 0)
        msvcrt.locking(lock, msvcrt.LK_UNLCK, 1)
        import subprocess  # outside the budget: Windows has no posix_spawn

        detached = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        null = subprocess.DEVNULL
        subprocess.Popen(
            order.argv,
            stdin=null,
            stdout=null,
            stderr=null,
            cwd=places.data,
            env=order.environment,
            close_fds=True,
            creationflags=detached,
        )

else:

    def _spawn(places: "Places", order: Order, lock: int) -> None:
        """Start the child: a session of its own, null for the three streams, the lock and nothing else."""
        nt_or_posix.chdir(places.data)  # posix_spawn has no folder of its own to give, and we are about to end
        nt_or_posix.set_inheritable(lock, True)
        null = (nt_or_posix.O_RDWR, 0)
        actions = [(nt_or_posix.POSIX_SPAWN_OPEN, fd, "/dev/null", *null) for fd in (0, 1, 2)]
        actions += [(nt_or_posix.POSIX_SPAWN_CLOSE, fd) for fd in _list_inheritable() if fd > 2 and fd != lock]
        argv = [*order.argv, "--lock-fd", str(lock)]
        try:
            nt_or_posix.posix_spawn(argv[0], argv, order.environment, file_actions=actions, setsid=True)
        except NotImplementedError:  # a C library without POSIX_SPAWN_SETSID
            nt_or_posix.posix_spawn(argv[0], argv, order.environment, file_actions=actions, setpgroup=0)

    def _list_inheritable() -> "list[int]":
        """Return the open descriptors that a child would get: what a harness left open when it started us."""
        try:
            fds = [int(name) for name in nt_or_posix.listdir("/dev/fd")]
        except (OSError, ValueError):
            fds = list(range(3, 256))
        return [fd for fd in fds if _is_inheritable(fd)]

    def _is_inheritable(fd: int) -> bool:
        try:
            return nt_or_posix.get_inheritable(fd)
        except OSError:
            return False
