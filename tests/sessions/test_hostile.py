"""Logs that mean harm or are broken: no reader raises anything but a reason, and none loses what stands beside."""

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.sessions import sqlite_copy
from tellback.sessions.entry import Resume, Tally, Want
from tellback.sessions.reader import Listed, LogError
from tellback.sessions.table import READERS

CORPUS = Path(__file__).parent / "corpus"

# Readers of lines, and where in its store a log of theirs lies.
LINE_READERS = {
    "claude-code": "-home-ada-shop/11111111-0000-4000-8000-000000000001.jsonl",
    "codex": "sessions/2025/10/03/rollout-2025-10-03T10-00-00-0199a5c0-0002-7000-8000-000000000002.jsonl",
    "copilot": "5f0c0001/events.jsonl",
    "gemini-cli": "shop/chats/session-2026-11-30T12-00-0ba35702.jsonl",
}

WRONG = st.sampled_from(
    [None, True, 7, -1, 1.5, 10**30, "", "x", "\ud800", "/", "a\0b", [], [[]], [None, 1], {}, {"a": []}, {"text": 3}]
)


def paths_in(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [prefix] if prefix else []
    for name, part in inner:
        found += paths_in(part, (*prefix, name))
    return found


def spoil(record: Any, data: st.DataObject) -> Any:
    """Replace a value somewhere in *record* by one of another type."""
    path = data.draw(st.sampled_from(paths_in(record)))
    spoilt = json.loads(json.dumps(record))
    place = spoilt
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = data.draw(WRONG)
    return spoilt


@pytest.mark.parametrize("harness", LINE_READERS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_no_value_of_another_type_stops_a_reading(harness: str, data: st.DataObject) -> None:
    reader = READERS[harness]
    lines = (CORPUS / harness / "store" / LINE_READERS[harness]).read_text().splitlines()
    for number in data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=3)):
        lines[number] = json.dumps(spoil(json.loads(lines[number]), data), separators=(",", ":"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / LINE_READERS[harness]
        path.parent.mkdir(parents=True)
        path.write_text("".join(line + "\n" for line in lines))
        listed = reader.list_sessions(Path(folder)).sessions[0]
        reader.read_gate(listed)
        tally = Tally()

        with reader.open_log(listed) as log:
            entries = list(reader.read_entries(log, Resume(), tally, Want()))

    assert tally.entries + tally.unparsed == len(lines)
    assert entries
    json.dumps(tally.resume.carry)


@pytest.mark.parametrize("harness", ["opencode-v1", "opencode-v2"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_stored_value_of_another_type_stops_a_reading(harness: str, data: st.DataObject) -> None:
    reader = READERS[harness]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "opencode.db"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript((CORPUS / harness / "store" / "opencode.db.sql").read_text())
            for table in ("message", "part", "session_message", "session_part"):
                try:
                    rows = connection.execute(f"SELECT id, data FROM {table}").fetchall()
                except sqlite3.OperationalError:
                    continue
                row_id, stored = data.draw(st.sampled_from(rows))
                spoilt = json.dumps(spoil(json.loads(stored), data))
                connection.execute(f"UPDATE {table} SET data = ? WHERE id = ?", (spoilt, row_id))
        sqlite_copy.set_scratch(folder)

        for listed in reader.list_sessions(Path(folder), subagents=True).sessions:
            with reader.open_log(listed) as log:
                list(reader.read_entries(log, Resume(), Tally(), Want()))


@pytest.mark.parametrize("harness", LINE_READERS)
@settings(max_examples=40, deadline=None)
@given(carry=st.dictionaries(st.sampled_from(["calls", "scripts", "aborted", "running", "told", "cwd", "turn"]), WRONG))
def test_a_carry_that_was_tampered_with_stops_no_reading(harness: str, carry: dict[str, Any]) -> None:
    reader = READERS[harness]
    path = CORPUS / harness / "store" / LINE_READERS[harness]
    listed = Listed(harness, "x", str(path), 0, 0)
    offset = path.read_bytes().index(b"\n") + 1
    if harness == "claude-code":
        carry = {name: value for name, value in carry.items() if name != "calls"}  # written and read by one module

    with reader.open_log(listed) as log:
        assert list(reader.read_entries(log, Resume(offset, carry), Tally(), Want()))


@pytest.mark.parametrize("harness", LINE_READERS)
def test_a_log_that_is_cut_while_it_is_read_gives_a_reason(harness: str, tmp_path: Path) -> None:
    reader = READERS[harness]
    path = tmp_path / LINE_READERS[harness]
    path.parent.mkdir(parents=True)
    path.write_bytes((CORPUS / harness / "store" / LINE_READERS[harness]).read_bytes() * 40)
    listed = reader.list_sessions(tmp_path).sessions[0]

    with reader.open_log(listed) as log:
        path.write_bytes(b"")

        with pytest.raises(LogError, match="shrank"):
            list(reader.read_entries(log, Resume(), Tally(), Want()))
