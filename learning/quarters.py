"""Names of rotated logs: ``feedback-YYYY-Qn.jsonl``."""

from datetime import datetime
from pathlib import Path


def find_quarter(at: datetime) -> int:
    """Return the quarter of the year, 1 to 4; the document's shell formula is wrong in five months (X-34)."""
    return (at.month - 1) // 3 + 1


def name_quarter_file(log: Path, at: datetime) -> Path:
    """Return a path beside *log* for its copy of this quarter that no file has yet (``-2``, ``-3`` ... if need be)."""
    stem = f"{log.stem}-{at:%Y}-Q{find_quarter(at)}"
    path = log.with_name(f"{stem}{log.suffix}")
    number = 2
    while path.exists():
        path = log.with_name(f"{stem}-{number}{log.suffix}")
        number += 1
    return path
