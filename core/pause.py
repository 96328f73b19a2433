"""``<data>/hook/pause``: until when nothing is captured (UTC seconds); hot; hook, sweep and commands read it alike."""

from .append import nt_or_posix, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shapes import Places

_PAUSE_BYTES = 64
FOR_EVER = float("inf")


def pause_path(places: "Places") -> str:
    """Return where the pause is noted, whether or not there is one."""
    return places.data + "/hook/pause"


def read_pause_end(places: "Places") -> "float | None":
    """Return when the last pause ends or ended; ``None``: there was none; ``FOR_EVER``: what is there cannot be read.

    In doubt nothing is captured: a link, a folder, an empty file or a text that is no time is a pause without end.
    """
    try:
        fd = open_regular(pause_path(places), nt_or_posix.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError:
        return FOR_EVER
    try:
        text = nt_or_posix.read(fd, _PAUSE_BYTES + 1)
        until = float(text) if len(text) <= _PAUSE_BYTES else FOR_EVER
    except (OSError, ValueError):
        return FOR_EVER
    finally:
        nt_or_posix.close(fd)
    return until if until == until else FOR_EVER  # not a number is no time
