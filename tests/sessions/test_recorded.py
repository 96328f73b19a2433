"""Every reader over the sessions that the real programs left; ``recorded.golden.json`` was checked by eye.

A session is told by its prompts, what became of its calls (status, exit code, who refused), its interrupts, edits and
skills. After a change that somebody wants: ``python tests/sessions/test_recorded.py`` writes the file anew.
"""

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tellback.sessions import sqlite_copy
from tellback.sessions.entry import Entry, Resume, Tally, Want
from tellback.sessions.reader import AnyReader, Listed
from tellback.sessions.table import READERS

HERE = Path(__file__).parent
FIXTURES = HERE.parents[2] / "shared" / "fixtures"
GOLDEN = HERE / "recorded.golden.json"

# Where a harness's stores lie in a scenario's folder. Cursor is never read.
STORES = {
    "claude-code": "claude-code/*/home/.claude/projects",
    "codex": "codex/*/logs",
    "copilot": "copilot/*/logs/session-state",
    "gemini-cli": "gemini-cli/*/home/.gemini/tmp",
    "opencode-v1": "opencode-v[12]/*/logs",
    "opencode-v2": "opencode-v2/synthetic",
}


def find_stores() -> list[tuple[str, Path]]:
    return [(harness, store) for harness, where in STORES.items() for store in sorted(FIXTURES.glob(where))]


def tell_store(harness: str, store: Path) -> dict[str, Any]:
    reader = READERS[harness]
    listing = reader.list_sessions(store, subagents=True)
    return {listed.session_id: _tell_session(reader, listed) for listed in listing.sessions}


def _tell_session(reader: AnyReader, listed: Listed) -> dict[str, Any]:
    tally = Tally()
    with reader.open_log(listed) as log:
        entries = list(reader.read_entries(log, Resume(), tally, Want()))
    last = {(e.span, e.call.id if e.call else e.kind): e for e in entries}
    calls = Counter(_tell_call(entry) for entry in last.values() if entry.call)
    assert calls.total() == tally.calls
    gate = reader.read_gate(listed)
    told = {
        "folders": sorted({*gate.dirs, *tally.cwds}),
        "entries": tally.entries,
        "unparsed": tally.unparsed,
        "unknown": tally.unknown,
        "prompts": [f"{e.origin}: {e.text}" for e in entries if e.kind == "prompt"],
        "interrupts": sum(e.kind == "interrupt" for e in entries),
        "calls": dict(sorted(calls.items())),
        "edits": [edit.path for e in last.values() for edit in e.edits],
        "skills": [f"{e.origin}: {e.skill} {e.text}".strip() for e in last.values() if e.kind == "skill_call"],
        "model": tally.model,
        "version": tally.version,
        "is_subagent": bool(listed.parent or gate.parent),
    }
    return {name: value for name, value in told.items() if value or name == "prompts"}


def _tell_call(entry: Entry) -> str:
    assert entry.call is not None
    code = "" if entry.call.exit_code is None else f" {entry.call.exit_code}"
    by = f" by {entry.call.denied_by}" if entry.call.denied_by else ""
    return f"{entry.call.status}{code}{by}"


def name_of(store: Path) -> str:
    return "/".join(store.relative_to(FIXTURES).parts[:2])


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded sessions are not here")
@pytest.mark.parametrize(("harness", "store"), [pytest.param(h, s, id=f"{h}:{name_of(s)}") for h, s in find_stores()])
def test_a_recorded_session_reads_as_it_was(harness: str, store: Path, tmp_path: Path) -> None:
    golden = json.loads(GOLDEN.read_text())
    sqlite_copy.set_scratch(str(tmp_path))

    assert tell_store(harness, store) == golden[f"{harness}:{name_of(store)}"]


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded sessions are not here")
def test_no_recorded_session_is_left_out() -> None:
    assert {f"{harness}:{name_of(store)}" for harness, store in find_stores()} == set(json.loads(GOLDEN.read_text()))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sqlite_copy.set_scratch(folder)
        told = {f"{harness}:{name_of(store)}": tell_store(harness, store) for harness, store in find_stores()}
        GOLDEN.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
