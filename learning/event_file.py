"""The analyzer's event file: appended to without repeating, rebuilt, and its old events moved away (A-29, A-74).

Everything happens under ``feedback.jsonl.lock``; a rewrite is one rename. What archiving moved still counts as known,
else the next run, whose sessions still hold it, would append it again (X-13).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

import orjson
from filelock import FileLock

from ..core.append import append_line
from ..core.files import refuse_skill, replace_file
from .events import FeedbackEvent, load_feedback_events, parse_event, parse_time

ARCHIVE_DAYS = 90


class Written(NamedTuple):
    """What a run wrote.

    Attributes:
        added: events that were not there before.
        known: events that were there, in the file or its archive.
        lost: events of the former file that a rebuild did not find again (X-81).
    """

    added: int
    known: int
    lost: int = 0


def append_events(path: Path, events: Iterable[FeedbackEvent]) -> Written:
    """Append those of *events* whose id is neither in *path* nor in its archive.

    Raises:
        OSError: the file cannot be read or written; what was appended before stays.
    """
    return EventLog(path).append(events)


class EventLog:
    """An event file that is appended to again and again: what it holds is read once, and again when others wrote."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ids: set[str] = set()
        self._seen: tuple[int, int, int] | None = None

    def append(self, events: Iterable[FeedbackEvent]) -> Written:
        """Append those of *events* whose id is neither in the file nor in its archive.

        Raises:
            OSError: the file cannot be read or written; what was appended before stays.
        """
        refuse_skill(self._path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        added = known = 0
        with FileLock(f"{self._path}.lock"):
            if self._seen is None or self._seen != self._stat():
                found = load_feedback_events(self._path)
                self._ids = {event["event_id"] for event in found} | _archived_ids(self._path)
            try:
                for event in events:
                    if event["event_id"] in self._ids:
                        known += 1
                        continue
                    append_line(str(self._path), orjson.dumps(event))
                    self._ids.add(event["event_id"])
                    added += 1
            finally:
                self._seen = self._stat()
        return Written(added, known)

    def _stat(self) -> tuple[int, int, int] | None:
        """Return what changes when somebody writes; archiving replaces the file, so its number changes too."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def rebuild_events(path: Path, events: Sequence[FeedbackEvent], now: datetime, days: int = ARCHIVE_DAYS) -> Written:
    """Make *events* the whole of the file, those older than *days* going to the archive.

    The former file is kept as ``<name>.before``, one generation (X-81).

    Raises:
        OSError: the file cannot be read or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        before = {event["event_id"] for event in load_feedback_events(path)}
        if path.exists():
            replace_file(path.with_name(f"{path.name}.before"), path.read_bytes())
        by_id = {event["event_id"]: event for event in events}
        old = [event for event in by_id.values() if _is_older(event, now, days)]
        _archive(path, [orjson.dumps(event) for event in old], now)
        young = [event for event in by_id.values() if not _is_older(event, now, days)]
        replace_file(path, b"".join(orjson.dumps(event) + b"\n" for event in young))
    return Written(len(by_id.keys() - before), len(by_id.keys() & before), len(before - by_id.keys()))


def archive_old_events(path: Path, now: datetime | None = None, days: int = ARCHIVE_DAYS) -> int:
    """Move events older than *days* to ``archive/feedback-YYYYMMDD.jsonl`` beside *path* and return how many.

    Lines that are no such events stay where they are. Killed between its two steps, the next run moves the same
    events and does not write them to the archive twice.

    Raises:
        OSError: a file cannot be read or written.
    """
    now = now or datetime.now(timezone.utc)
    if not path.exists():
        return 0
    with FileLock(f"{path}.lock"):
        lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
        old = [line for line in lines if (event := parse_event(line)) and _is_older(event, now, days)]
        if old:
            _archive(path, old, now)
            moved = set(old)
            replace_file(path, b"".join(line + b"\n" for line in lines if line not in moved))
    return len(old)


def _archive(path: Path, lines: Sequence[bytes], now: datetime) -> None:
    """Append *lines* to the archive of this day, in UTC (X-14); an event that the archive has is left out."""
    known = _archived_ids(path)
    new = [line for line in lines if (event := parse_event(line)) and event["event_id"] not in known]
    if not new:
        return
    folder = path.parent / "archive"
    folder.mkdir(exist_ok=True)
    target = folder / f"feedback-{now.astimezone(timezone.utc):%Y%m%d}.jsonl"
    former = target.read_bytes() if target.exists() else b""
    replace_file(target, former + b"".join(line + b"\n" for line in new))


def _archived_ids(path: Path) -> set[str]:
    files = sorted((path.parent / "archive").glob("feedback-*.jsonl"))
    return {event["event_id"] for file in files for event in load_feedback_events(file)}


def _is_older(event: FeedbackEvent, now: datetime, days: int) -> bool:
    at = parse_time(event)
    return at is not None and at < now - timedelta(days=days)
