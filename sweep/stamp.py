"""When a sweep was last launched, ``<cache>/push.last-started``, and whether one is due. Hot; every hook call looks."""

from ..core.append import nt_or_posix, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import Places

GRACE_S = 60.0  # S-54: a run that recorded no end is given up one minute after its budget
OVERDUE = 3  # a prompt launches after this many quiet intervals: no turn end came, the person interrupts every time
_STAMP_BYTES = 64


def stamp_path(places: "Places") -> str:
    """Return where the start of the last launch is noted."""
    return places.cache + "/push.last-started"


def read_stamp(places: "Places") -> "float | None":
    """Return when a sweep was last launched, in UTC seconds; ``None``: never, or the stamp is malformed or zero."""
    try:
        fd = open_regular(stamp_path(places), nt_or_posix.O_RDONLY)
    except OSError:
        return None
    try:
        seconds = float(nt_or_posix.read(fd, _STAMP_BYTES))
    except (OSError, ValueError):
        return None
    finally:
        nt_or_posix.close(fd)
    return seconds if 0 < seconds < float("inf") else None


def write_stamp(places: "Places", now: float) -> None:
    """Note a launch; only the holder of the lock does, and so it also repairs what was no time."""
    fd = open_regular(stamp_path(places), nt_or_posix.O_WRONLY | nt_or_posix.O_CREAT | nt_or_posix.O_TRUNC)
    try:
        nt_or_posix.write(fd, b"%d\n" % now)
    finally:
        nt_or_posix.close(fd)


def is_due(last_started_at: "float | None", now: float, quiet_s: float) -> bool:
    """Whether the quiet interval has passed; no start, or a stamp that is not to be believed, counts as passed."""
    return last_started_at is None or last_started_at > now or now - last_started_at >= quiet_s
