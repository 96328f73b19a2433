"""``<data>/hook/pause``: until when the hooks capture nothing, in UTC seconds; they read it at every prompt.

The file was last modified when the pause began: the sweep leaves out what was said in between, and so an ended pause
keeps its file.
"""

import math
import os
from pathlib import Path

from ..core.append import make_private_folder
from ..core.shapes import Places


def find_pause(places: Places) -> Path:
    """Return the file's path, whether or not it is there."""
    return Path(places.data) / "hook" / "pause"


def read_pause(places: Places, now: float) -> float | None:
    """Return when the pause ends; ``None``: there is none, or it is over; infinity: what it says cannot be read.

    The hook reads it in the same way: in doubt it captures nothing.
    """
    try:
        until = float(find_pause(places).read_text("ascii"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return math.inf
    return until if until > now else None


def write_pause(places: Places, now: float, until: float) -> None:
    """Capture nothing from *now* to *until*; a pause that holds already goes on."""
    path = find_pause(places)
    began_at = path.stat().st_mtime if read_pause(places, now) is not None else now
    make_private_folder(str(path.parent))
    draft = path.with_suffix(f".{os.getpid()}")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(f"{math.floor(until * 1000) / 1000:.3f}\n")  # never later than asked: an end of now is over now
    os.utime(draft, (began_at, began_at))
    os.replace(draft, path)


def end_pause(places: Places, now: float) -> None:
    """Listen again from *now* on."""
    if read_pause(places, now) is not None:
        write_pause(places, now, now)
