"""The feedback log: what is recorded, what queries give back, and what the log survives."""

import re
import subprocess
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import orjson
import pytest

from tellback.core.errors import TellbackError
from tellback.learning.feedback_store import FeedbackStore

NOW = datetime(2025, 7, 5, 10, 0, 0, 123_000, tzinfo=timezone.utc)


def make_event(kind: str = "correction", skill: str = "lint", session: str = "s1", **more: Any) -> dict[str, Any]:
    return {"type": kind, "skillName": skill, "sessionId": session, **more}


@pytest.fixture
def store(tmp_path: Path) -> FeedbackStore:
    return FeedbackStore(tmp_path / "deep" / "patterns", now=lambda: NOW)


def test_a_recorded_event_gets_an_id_and_a_time(store: FeedbackStore) -> None:
    stored = store.record(make_event(original="a", corrected="b"))

    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", stored["id"])
    assert stored["timestamp"] == "2025-07-05T10:00:00.123Z"
    assert store.get_all() == [stored]


def test_lines_are_compact_so_that_grep_counts_them(store: FeedbackStore) -> None:
    store.record(make_event(original="a", corrected="b"))

    line = store.path.read_text()

    assert '"type":"correction"' in line
    assert re.findall(r'"skillName":"[^"]*"', line) == ['"skillName":"lint"']


def test_a_sample_event_takes_about_two_hundred_bytes(store: FeedbackStore) -> None:
    store.record(make_event(original="npx eslint --fix .", corrected="npx eslint --fix --ext .ts,.tsx ."))

    assert 150 < store.path.stat().st_size < 250


def test_earlier_lines_never_change(store: FeedbackStore) -> None:
    store.record(make_event())
    before = store.path.read_bytes()

    store.record(make_event("rating", score=5))

    assert store.path.read_bytes().startswith(before)


@pytest.mark.parametrize(
    "event",
    [
        {},
        make_event("praise"),
        make_event(skill=""),
        make_event(session=""),
        {"type": "rating", "skillName": 3, "sessionId": "s"},
        make_event("rating", score=0),
        make_event("rating", score=6),
        make_event("rating", score=4.5),
        make_event("rating", score=True),
        make_event(original=1),
    ],
)
def test_an_event_that_is_not_valid_is_refused(store: FeedbackStore, event: dict[str, Any]) -> None:
    with pytest.raises(TellbackError):
        store.record(event)

    assert not store.path.exists()


def test_queries_filter_by_skill_type_time_and_session(store: FeedbackStore) -> None:
    clock = iter([datetime(2025, 7, day, tzinfo=timezone.utc) for day in (1, 2, 3, 4)])
    store = FeedbackStore(store.path.parent, now=lambda: next(clock))
    one = store.record(make_event())
    two = store.record(make_event("rating", score=3))
    three = store.record(make_event(skill="deploy", session="s2"))
    four = store.record(make_event("override", session="s2", rejected=True, reason="not wanted"))

    assert store.get_by_skill("lint") == [one, two, four]
    assert store.get_corrections("lint") == [one]
    assert store.get_since("2025-07-02T00:00:00Z") == [two, three, four]
    assert store.get_since("2025-07-02T02:00:00+02:00", "lint") == [two, four]
    assert store.get_by_session("s2") == [three, four]
    assert (store.count(), store.count("lint"), store.count("nosuch")) == (4, 3, 0)
    assert store.count_corrections_by_session() == {"s1": 1, "s2": 1}


def test_a_time_that_is_none_is_told(store: FeedbackStore) -> None:
    with pytest.raises(ValueError, match="yesterday"):
        store.get_since("yesterday")


def test_a_missing_log_is_empty(store: FeedbackStore) -> None:
    assert (store.get_all(), store.count(), store.check()) == ([], 0, (0, ()))


def test_corrupt_lines_are_told_and_skipped(store: FeedbackStore) -> None:
    stored = store.record(make_event())
    with store.path.open("ab") as log:
        log.write(b'{"type":"correc\n\n\xff\xfe\n[1]\n')
    warnings: list[str] = []
    store = FeedbackStore(store.path.parent, warn=warnings.append, now=lambda: NOW)
    again = store.record(make_event())

    assert store.get_all() == [stored, again]
    assert len(warnings) == 3
    assert "line 2 is corrupt" in warnings[0]
    assert [line[:5] for line in store.check().corrupt] == ['{"typ', "\ufffd\ufffd", "[1]"]


def test_a_torn_last_line_does_not_swallow_the_next_event(store: FeedbackStore) -> None:
    store.record(make_event())
    store.path.write_bytes(store.path.read_bytes()[:-10])
    warnings: list[str] = []

    stored = FeedbackStore(store.path.parent, warn=warnings.append).record(make_event())

    assert FeedbackStore(store.path.parent, warn=warnings.append).get_all() == [stored]


def test_events_of_the_analyzer_in_the_same_file_are_passed_over(store: FeedbackStore) -> None:
    stored = store.record(make_event())
    with store.path.open("ab") as log:
        log.write(orjson.dumps({"event_id": "1", "outcome": "correction", "skill_id": "lint"}) + b"\n")

    assert store.get_all() == [stored]
    assert store.check() == (2, ())


def test_cleaning_drops_corrupt_lines_alone(store: FeedbackStore) -> None:
    store.record(make_event())
    good = store.path.read_bytes()
    store.path.write_bytes(b"junk\n" + good + b"\n" + good)

    assert store.clean() == (2, 1)
    assert store.path.read_bytes() == good + good


@pytest.mark.parametrize(
    ("month", "quarter"), [(1, 1), (3, 1), (4, 2), (7, 3), (8, 3), (9, 3), (10, 4), (11, 4), (12, 4)]
)
def test_rotating_keeps_a_copy_named_by_the_quarter(tmp_path: Path, month: int, quarter: int) -> None:
    store = FeedbackStore(tmp_path, now=lambda: datetime(2025, month, 9, tzinfo=timezone.utc))
    for session in "abc":
        store.record(make_event(session=session))
    whole = store.path.read_bytes()

    rotated = store.rotate(keep=2)

    assert (rotated.copy.name, rotated.kept) == (f"feedback-2025-Q{quarter}.jsonl", 2)
    assert rotated.copy.read_bytes() == whole
    assert [event["sessionId"] for event in store.get_all()] == ["b", "c"]


def test_rotating_twice_in_a_quarter_overwrites_nothing(store: FeedbackStore) -> None:
    store.record(make_event())
    first = store.rotate()
    store.record(make_event(session="s2"))

    second = store.rotate()

    assert second.copy.name == "feedback-2025-Q3-2.jsonl"
    assert len(first.copy.read_bytes().splitlines()) == 1


@pytest.mark.parametrize("act", ["clean", "rotate"])
def test_maintaining_a_log_that_is_not_there_says_so(store: FeedbackStore, act: str) -> None:
    with pytest.raises(TellbackError, match="not there"):
        getattr(store, act)()


def test_a_write_that_fails_keeps_none_behind_it_from_being_written(tmp_path: Path) -> None:
    store = FeedbackStore(tmp_path / "patterns")
    (tmp_path / "patterns").mkdir()
    store.path.mkdir()  # nothing can be appended to a folder
    with pytest.raises(OSError, match="directory"):
        store.record(make_event())
    store.path.rmdir()

    stored = store.record(make_event())

    assert store.get_all() == [stored]


def test_threads_write_in_the_order_in_which_they_called(store: FeedbackStore) -> None:
    started = threading.Lock()
    order: list[int] = []

    def record(number: int) -> None:
        with started:
            order.append(number)
            thread = threading.Thread(target=store.record, args=(make_event(session=str(number)),))
            thread.start()
        thread.join()

    threads = [threading.Thread(target=record, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(event["sessionId"] for event in store.get_all()) == sorted(map(str, order))


_WRITER = """
import sys
from tellback.learning.feedback_store import FeedbackStore
store = FeedbackStore(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(50):
    event = {"type": "correction", "skillName": "lint", "original": "x" * 500}
    store.record({**event, "sessionId": f"{sys.argv[2]}-{number:02}"})
"""


def test_processes_never_interleave_and_each_keeps_its_order(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "abcd"
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0

    sessions = [event["sessionId"] for event in FeedbackStore(tmp_path).get_all()]

    assert len(sessions) == 200
    for name in "abcd":
        own = [session for session in sessions if session.startswith(name)]
        assert own == sorted(own)
