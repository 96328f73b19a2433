"""Begin and end a pause; ``core/pause.py`` tells what the file says.

The file was last modified when the pause began: the sweep leaves out what was said in between, and so an ended pause
keeps its file.
"""

import math
import os
from pathlib import Path

from ..core.append import make_private_folder
from ..core.pause import pause_path, read_pause_end
from ..core.shapes import Places


def find_pause(places: Places) -> Path:
    """Return the file's path, whether or not it is there."""
    return Path(pause_path(places))


def read_pause(places: Places, now: float) -> float | None:
    """Return when the pause ends; ``None``: there is none, or it is over; infinity: what it says cannot be read."""
    until = read_pause_end(places)
    return until if until is not None and until > now else None


def write_pause(places: Places, now: float, until: float) -> None:
    """Capture nothing from *now* to *until*; a pause that holds already goes on."""
    path = find_pause(places)
    began_at = path.lstat().st_mtime if read_pause(places, now) is not None else now
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
