"""The analyzer's event file: nothing twice, nothing lost, old events moved away once."""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import orjson
import pytest

from tellback.learning.event_file import Written, append_events, archive_old_events, rebuild_events
from tellback.learning.events import FeedbackEvent, load_feedback_events, make_event_id

NOW = datetime(2026, 4, 30, 23, 30, tzinfo=timezone(timedelta(hours=-2)))  # already May in UTC


def make_event(name: str, days_ago: float = 1) -> FeedbackEvent:
    return {
        "event_id": make_event_id(name, "lint"),
        "timestamp": (NOW - timedelta(days=days_ago)).astimezone(timezone.utc).isoformat(),
        "session_id": "s",
        "skill_id": "lint",
        "invocation_uuid": name,
        "outcome": "correction",
        "confidence": 0.9,
        "correction_type": "rejection",
        "user_message_snippet": "that is wrong",
        "turns_to_feedback": 1,
        "ai_tools_used": [],
        "dimension_hint": "unknown",
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "feedback-store" / "feedback.jsonl"


ARCHIVE = "archive/feedback-20260501.jsonl"


def test_the_same_events_twice_add_no_line(path: Path) -> None:
    events = [make_event("a"), make_event("b")]

    first, second = append_events(path, events), append_events(path, events)

    assert (first, second) == (Written(2, 0), Written(0, 2))
    assert load_feedback_events(path) == events


def test_old_events_are_moved_and_do_not_come_back(path: Path) -> None:
    events = [make_event("old", 91), make_event("young", 89)]
    append_events(path, events)

    moved = archive_old_events(path, NOW)
    again = append_events(path, events)

    assert (moved, again) == (1, Written(0, 2))
    assert load_feedback_events(path) == events[1:]
    assert load_feedback_events(path.parent / ARCHIVE) == events[:1]


def test_archiving_again_on_the_same_day_appends(path: Path) -> None:
    for name in "ab":
        append_events(path, [make_event(name, 100)])
        assert archive_old_events(path, NOW) == 1

    assert len(load_feedback_events(path.parent / ARCHIVE)) == 2


def test_archiving_killed_between_its_steps_writes_nothing_twice(path: Path) -> None:
    append_events(path, [make_event("old", 100)])
    before = path.read_bytes()
    archive_old_events(path, NOW)
    path.write_bytes(before)  # as if the second step never came

    archive_old_events(path, NOW)

    assert path.read_bytes() == b""
    assert len(load_feedback_events(path.parent / ARCHIVE)) == 1


def test_archiving_leaves_lines_of_others_alone(path: Path) -> None:
    other: dict[str, Any] = {"id": "1", "type": "rating", "skillName": "lint", "sessionId": "s"}
    append_events(path, [make_event("old", 100)])
    path.write_bytes(path.read_bytes() + orjson.dumps(other) + b"\ntorn")

    archive_old_events(path, NOW)

    assert path.read_bytes() == orjson.dumps(other) + b"\ntorn\n"


def test_a_missing_file_has_nothing_to_archive(path: Path) -> None:
    assert archive_old_events(path, NOW) == 0
    assert not path.parent.exists()


def test_a_rebuild_keeps_the_former_file_and_counts_what_it_lost(path: Path) -> None:
    append_events(path, [make_event("gone"), make_event("stays")])
    before = path.read_bytes()
    new = [make_event("stays"), make_event("new"), make_event("old", 200)]

    written = rebuild_events(path, new, NOW)

    assert written == Written(added=2, known=1, lost=1)
    assert load_feedback_events(path) == new[:2]
    assert load_feedback_events(path.parent / ARCHIVE) == new[2:]
    assert path.with_name("feedback.jsonl.before").read_bytes() == before


def test_a_torn_last_line_does_not_swallow_the_next_event(path: Path) -> None:
    append_events(path, [make_event("a")])
    path.write_bytes(path.read_bytes()[:-20])

    append_events(path, [make_event("b")])

    assert [event["invocation_uuid"] for event in load_feedback_events(path)] == ["b"]
