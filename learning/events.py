"""The analyzer's events: one reaction to one skill call, one line of ``feedback-store/feedback.jsonl`` (A-63, A-64).

The file is an interface: improvement-generator and others read it. Its lines are JSON objects with the twelve fields
of ``FeedbackEvent``; lines of the other ``feedback.jsonl`` (document L: ``id`` and ``type``) may stand in the same
file and are passed over (O-1).
"""

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeGuard

import orjson

from ..core.moment import parse_moment

Outcome = Literal["correction", "partial", "acceptance"]
CorrectionType = Literal["rejection", "revert", "redo", "partial"]

OUTCOMES: frozenset[str] = frozenset({"correction", "partial", "acceptance"})
SNIPPET_LENGTH = 200  # characters


class FeedbackEvent(TypedDict):
    """One reaction to one skill call; every field stands on every line.

    ``timestamp`` is the time of the call (ISO 8601, UTC), ``turns_to_feedback`` counts user turns from 1,
    ``confidence`` lies in 0.6 to 0.9, ``dimension_hint`` is ``None`` for an acceptance and ``unknown`` where no
    dimension shows (X-7).
    """

    event_id: str
    timestamp: str
    session_id: str
    skill_id: str
    invocation_uuid: str
    outcome: Outcome
    confidence: float
    correction_type: CorrectionType | None
    user_message_snippet: str
    turns_to_feedback: int
    ai_tools_used: list[str]
    dimension_hint: str | None


def make_event_id(invocation_id: str, skill_id: str) -> str:
    """Return the id of the event of a call: the same call gives the same id, which is the deduplication (A-65)."""
    return hashlib.sha256(f"{invocation_id}:{skill_id}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def load_feedback_events(path: Path) -> list[FeedbackEvent]:
    """Return the events in *path*, in the order of the file.

    A missing file gives an empty list; a line that is torn, no object, or no event of this kind is passed over.

    Raises:
        OSError: the file is there and cannot be read.
    """
    events: list[FeedbackEvent] = []
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return events
    with file:
        events.extend(event for line in file if (event := parse_event(line)))
    return events


def parse_event(line: bytes) -> FeedbackEvent | None:
    """Return the event on one *line*; ``None`` for any other line."""
    try:
        members: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return members if _is_event(members) else None


def _is_event(members: Any) -> TypeGuard[FeedbackEvent]:
    return (
        isinstance(members, dict)
        and all(isinstance(members.get(name), str) for name in ("event_id", "skill_id", "outcome"))  # pyright: ignore[reportUnknownMemberType]
        and members["outcome"] in OUTCOMES
    )


def parse_time(event: FeedbackEvent) -> datetime | None:
    """Return when the skill was called, with a time zone; ``None`` when the event does not tell."""
    return parse_moment(event.get("timestamp"))
