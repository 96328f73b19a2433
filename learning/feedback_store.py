"""FeedbackStore: corrections, overrides and ratings of skills, one compact JSON line each (L-3 to L-30, L-99 to L-101).

The log only grows. Its lines are an interface: ``grep '"type":"correction"'`` must count, so there is no space after
a colon or comma and the names are camelCase. Lines of the analyzer's events may stand in the same file and are passed
over (O-1). Writers of several processes take turns by ``feedback.jsonl.lock``, threads of one by ticket.
"""

import sys
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple, cast

import orjson
from filelock import FileLock

from ..core.append import append_line
from ..core.errors import TellbackError
from ..core.files import replace_file
from ..core.moment import format_moment, parse_moment
from .quarters import name_quarter_file

Event = dict[str, Any]

TYPES = ("correction", "override", "rating")
FILE_NAME = "feedback.jsonl"
KEEP_LINES = 200
_OPTIONAL_TEXTS = ("original", "corrected", "reason")


class Checked(NamedTuple):
    """What an integrity check finds: how many lines are events, and the lines that are no JSON object."""

    valid: int
    corrupt: tuple[str, ...]


class Rotated(NamedTuple):
    """What a rotation did: the copy it made and how many lines stayed in the active file."""

    copy: Path
    kept: int


def warn_on_stderr(message: str) -> None:
    """Tell the person of a line that was skipped."""
    print(f"tellback: {message}", file=sys.stderr)


class FeedbackStore:
    """The log in *folder*, ``.planning/patterns`` by document; the folder is made on the first write.

    Args:
        warn: called once for each line that a query had to skip.
        now: the clock, as UTC.
    """

    def __init__(
        self,
        folder: str | Path = ".planning/patterns",
        *,
        warn: Callable[[str], None] = warn_on_stderr,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self.path = Path(folder) / FILE_NAME
        self._warn = warn
        self._now = now
        self._turn = threading.Condition()
        self._next_ticket = 0
        self._served = 0

    def record(self, event: Event, event_id: str | None = None) -> Event:
        """Give *event* an id (a new one, or the UUID *event_id*) and a time, append it and return it as stored.

        Calls are written in the order in which they were made; one that fails keeps none behind it from being written.

        Raises:
            TellbackError: it has no valid type, skill or session, or a member of its type is of the wrong kind.
            OSError: it was not written.
        """
        check_event(event)
        given = {name: value for name, value in event.items() if name not in ("id", "timestamp")}
        stored = {"id": event_id or str(uuid.uuid4()), "timestamp": format_moment(self._now()), **given}
        with self._turn:
            ticket = self._next_ticket
            self._next_ticket += 1
            self._turn.wait_for(lambda: self._served == ticket)
        try:
            with self._locked(make_folder=True):
                append_line(str(self.path), orjson.dumps(stored))
        finally:
            with self._turn:
                self._served += 1
                self._turn.notify_all()
        return stored

    def get_all(self) -> list[Event]:
        """Return every event of every skill, in the order of the log."""
        return list(self._events())

    def get_by_skill(self, skill: str) -> list[Event]:
        """Return all events of a skill, of any type."""
        return [event for event in self._events() if event["skillName"] == skill]

    def get_corrections(self, skill: str) -> list[Event]:
        """Return the corrections of a skill."""
        return [event for event in self.get_by_skill(skill) if event["type"] == "correction"]

    def get_since(self, timestamp: str, skill: str | None = None) -> list[Event]:
        """Return the events at or after an ISO 8601 time, of one skill if named; one without a time is left out.

        Raises:
            ValueError: *timestamp* is no such time.
        """
        since = parse_moment(timestamp)
        if since is None:
            raise ValueError(f"not an ISO 8601 time: {timestamp}")
        events = self.get_all() if skill is None else self.get_by_skill(skill)
        return [event for event in events if (at := parse_moment(event.get("timestamp"))) is not None and at >= since]

    def get_by_session(self, session_id: str) -> list[Event]:
        """Return the events of a session, which is its feedback history (L-28)."""
        return [event for event in self._events() if event["sessionId"] == session_id]

    def count(self, skill: str | None = None) -> int:
        """Return the number of events, of one skill if named."""
        return len(self.get_all() if skill is None else self.get_by_skill(skill))

    def count_corrections_by_session(self) -> Counter[str]:
        """Return how many corrections each session saw: many point at a skill to refine, or a task beyond it (L-30)."""
        return Counter(event["sessionId"] for event in self._events() if event["type"] == "correction")

    def check(self) -> Checked:
        """Return how many lines are JSON objects, and those that are not (L-99)."""
        lines = self._lines()
        corrupt = [line for line in lines if line.strip() and _parse_object(line) is None]
        valid = sum(bool(line.strip()) for line in lines) - len(corrupt)
        return Checked(valid, tuple(line.decode("utf-8", "replace") for line in corrupt))

    def clean(self) -> tuple[int, int]:
        """Put a new file with the valid lines alone in the log's place; return how many were kept and dropped."""
        with self._locked():
            lines = [line for line in self._lines() if line.strip()]
            valid = [line for line in lines if _parse_object(line) is not None]
            if len(valid) < len(lines):
                replace_file(self.path, b"".join(line + b"\n" for line in valid))
        return len(valid), len(lines) - len(valid)

    def rotate(self, keep: int = KEEP_LINES) -> Rotated:
        """Copy the log to ``feedback-YYYY-Qn.jsonl`` beside it and keep only the last *keep* lines (L-101, X-34).

        A copy of the quarter that is there already is never overwritten: the next one gets a number.

        Raises:
            TellbackError: there is no log.
        """
        with self._locked():
            if not self.path.exists():
                raise TellbackError(f"{self.path} is not there, so there is nothing to rotate")
            lines = [line for line in self._lines() if line.strip()]
            copy = name_quarter_file(self.path, self._now())
            replace_file(copy, b"".join(line + b"\n" for line in lines))
            kept = lines[-keep:] if keep > 0 else []
            replace_file(self.path, b"".join(line + b"\n" for line in kept))
        return Rotated(copy, len(kept))

    def _locked(self, make_folder: bool = False) -> FileLock:
        if make_folder:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        elif not self.path.parent.is_dir():
            raise TellbackError(f"{self.path.parent} is not there, so nothing was recorded in it yet")
        return FileLock(f"{self.path}.lock")

    def _lines(self) -> list[bytes]:
        try:
            return self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []

    def _events(self) -> Iterator[Event]:
        """Yield the events of this kind; a line that is no JSON is told once and skipped (L-27)."""
        for number, line in enumerate(self._lines(), 1):
            if not line or line.isspace():
                continue
            event = _parse_object(line)
            if event is None:
                self._warn(f"{self.path}, line {number} is corrupt and was skipped")
            elif is_event(event):
                yield event


def check_event(event: Event) -> None:
    """Raise ``TellbackError`` unless *event* may be recorded (L-14)."""
    if event.get("type") not in TYPES:
        raise TellbackError(f"the type of an event is one of {', '.join(TYPES)}")
    for name in ("skillName", "sessionId"):
        if not isinstance(event.get(name), str) or not event[name]:
            raise TellbackError(f"an event needs {name}")
    for name in _OPTIONAL_TEXTS:
        if event.get(name) is not None and not isinstance(event[name], str):
            raise TellbackError(f"{name} is a text")
    score = event.get("score")
    if score is not None and (isinstance(score, bool) or score not in (1, 2, 3, 4, 5)):
        raise TellbackError("a score is a whole number from 1 to 5")


def is_event(event: Event) -> bool:
    """Whether a line's object is an event of this log and not of another (O-1)."""
    return (
        event.get("type") in TYPES
        and isinstance(event.get("skillName"), str)
        and isinstance(event.get("sessionId"), str)
    )


def _parse_object(line: bytes) -> Event | None:
    try:
        event: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return cast("Event", event) if isinstance(event, dict) else None
