"""The log of commands and sweeps, which ``doctor`` shows: what failed behind a door that told one line. Cold.

The hook keeps a log of its own, ``hook.log``.
"""

import os
import time
import traceback
from pathlib import Path

from .append import append_line, make_private_folder
from .escape import show_line
from .scrub import default_rules, scrub
from .shapes import Places

_LARGEST_BYTES = 1024 * 1024


def log_path(places: Places) -> Path:
    """Return where the log is, there or not."""
    return Path(places.cache) / "tellback.log"


def log_failure(places: Places, where: str, error: BaseException, now: float | None = None) -> bool:
    """Add one line: time, *where* it happened, the error and its traceback, scrubbed; whether that could be written.

    A log over 1 MiB moves aside first, over the one that moved before.
    """
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    line = f"{at} {where}: {show_line(scrub(trace, default_rules()))}"
    path = log_path(places)
    try:
        make_private_folder(places.cache)
        if path.exists() and path.stat().st_size > _LARGEST_BYTES:
            os.replace(path, path.with_suffix(".log.1"))
        append_line(str(path), line.encode("utf-8", "replace"))
    except OSError:
        return False  # a full disk or a read-only home: there is no further place to say it
    return True
