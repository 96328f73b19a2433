"""What Claude Code is about to delete: sessions older than its ``cleanupPeriodDays``."""

import os
from pathlib import Path
from typing import NamedTuple

from ..core.errors import TellbackError
from .harness import Harness
from .jsonspans import JsonError, load_value, parse_spans
from .settings_file import read_settings

SOON_DAYS = 7
DAY_S = 86400.0


class Retention(NamedTuple):
    """How long a harness keeps sessions, how many there are, and how many go within ``SOON_DAYS``."""

    days: float
    sessions: int
    vanishing: int


def read_retention(harness: Harness, now: float) -> Retention | None:
    """Return what the person's settings and session logs say at *now* (UTC seconds); ``None``: nothing is deleted."""
    if harness.retention_days is None:
        return None
    file = harness.find_user_file()
    days = _read_days(file, harness.retention_days)
    ages = [now - written_at for written_at in _list_session_times(file.parent / "projects")]
    return Retention(days, len(ages), sum(age > (days - SOON_DAYS) * DAY_S for age in ages))


def describe_retention(retention: Retention | None, title: str) -> str:
    """Return what a person should know before it is too late; ``""`` when nothing goes soon."""
    if retention is None or not retention.vanishing:
        return ""
    kept = f"{title} deletes sessions after {retention.days:g} days"
    of_all = f"{retention.vanishing} of {retention.sessions} on this machine go within {SOON_DAYS} days"
    return f"{kept}: {of_all}. `tellback backfill` reads them all now and keeps what they teach."


def _read_days(file: Path, default: float) -> float:
    try:
        settings = read_settings(file)
        node = parse_spans(settings.text).get("cleanupPeriodDays") if settings.data else None
        value = load_value(settings.text, node) if node else None
    except (TellbackError, JsonError):
        return default
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 else default


def _list_session_times(projects: Path) -> list[float]:
    """Return when each session log was last written; folders that cannot be read count for nothing."""
    times: list[float] = []
    for folder in _scan(projects):
        if folder.is_dir(follow_symlinks=False):
            logs = [entry for entry in _scan(Path(folder.path)) if entry.name.endswith(".jsonl")]
            times += [log.stat(follow_symlinks=False).st_mtime for log in logs]
    return times


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
