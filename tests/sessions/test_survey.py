"""Sessions through the gate, with their states; digests and marks over a log that grows, shrinks, turns and goes."""

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.core.db import open_db
from tellback.core.errors import TellbackError
from tellback.core.policy import Policy
from tellback.core.scrub import default_rules
from tellback.core.shapes import Places
from tellback.sessions import claude_code, lines
from tellback.sessions.gate import Gatekeeper
from tellback.sessions.lines import FileLog
from tellback.sessions.marking import mark
from tellback.sessions.refs import Ref, parse_ref
from tellback.sessions.run import Run, order_waiting
from tellback.sessions.states import Mark, Standing, compare
from tellback.sessions.survey import Session, Surveyor
from tellback.sessions.table import READERS
from tellback.sessions.watermarks import read_watermarks

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "claude-code"
RECORDED = sorted(FIXTURES.glob("*/home/.claude/projects/*/*.jsonl"))
UID = "9f1c2b3a-0000-4000-8000-00000000000f"


@pytest.fixture
def db(places: Places) -> Iterator[sqlite3.Connection]:
    db = open_db(places)
    yield db
    db.close()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "projects"
    folder.mkdir()
    return folder


def put(store: Path, name: str, cwd: str, prompts: list[str], folder: str | None = None) -> Path:
    path = store / (folder or "".join(c if c.isalnum() else "-" for c in cwd)) / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        for number, text in enumerate(prompts):
            message = {"role": "user", "content": text}
            record = {"type": "user", "uuid": f"{name}-{text}", "message": message, "promptSource": "typed"}
            record |= {"timestamp": f"2026-11-30T09:00:{number:02d}.000Z"} | ({"cwd": cwd} if cwd else {})
            file.write(json.dumps(record).encode() + b"\n")
    return path


def look(db: sqlite3.Connection, store: Path, policy: Policy | None = None) -> dict[str, Session]:
    surveyor = Surveyor(db, Gatekeeper(policy or Policy()), read_watermarks(db))
    return {session.ref.session_id: session for session in surveyor.look_at(claude_code, store).sessions}


def digest(
    db: sqlite3.Connection, store: Path, *names: str, policy: Policy | None = None, allow_unknown: bool = False
) -> dict[str, Any]:
    run = Run(db, READERS, Gatekeeper(policy or Policy()), default_rules(), 1796029200.0)
    found = look(db, store, policy)
    for name in names:
        run.take(found[name], allow_unknown)
    return run.data()


def texts(data: dict[str, Any]) -> list[str]:
    return [event["summary"] for session in data["sessions"] for event in session["events"]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths of logs that are opened from here on."""
    paths: list[str] = []
    real = os.open

    def note(path: Any, *args: Any, **more: Any) -> int:
        if str(path).endswith(".jsonl"):
            paths.append(str(path))
        return real(path, *args, **more)

    monkeypatch.setattr(os, "open", note)
    return paths


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(Policy(disabled=True), id="switched off"),
        pytest.param(Policy(deny_paths=("/home/dev/private",)), id="a denied folder"),
        pytest.param(Policy(opt_in_only=True, opt_in_paths=("/home/dev/open",)), id="outside what is opted in"),
    ],
)
def test_a_denied_session_is_never_opened(
    policy: Policy, db: sqlite3.Connection, store: Path, opened: list[str]
) -> None:
    put(store, "s1", "/home/dev/private/x", ["hello"])

    session = look(db, store, policy)["s1"]
    data = digest(db, store, "s1", policy=policy)

    assert session.state == ("disabled" if policy.disabled else "denied")
    assert (session.summary, session.folders) == (None, ())
    assert data["sessions"] == []
    assert [error["state"] for error in data["errors"]] == [session.state]
    assert opened == []


def test_a_session_that_went_to_a_denied_folder_is_shown_with_nothing_of_its_log(
    db: sqlite3.Connection, store: Path
) -> None:
    put(store, "s1", "/home/dev/private", ["hello"], folder="-home-dev-open")

    session = look(db, store, Policy(deny_paths=("/home/dev/private",)))["s1"]

    assert (session.state, session.summary, session.folders) == ("denied", None, ())


def test_a_sibling_with_the_same_encoded_name_is_denied_too(db: sqlite3.Connection, store: Path) -> None:
    put(store, "s1", "/a/b-c", ["hello"])

    assert look(db, store, Policy(deny_paths=("/a/b",)))["s1"].state == "denied"


def test_a_sibling_of_an_opted_in_folder_is_opened_and_then_refused(
    db: sqlite3.Connection, store: Path, opened: list[str]
) -> None:
    put(store, "s1", "/a/b-c", ["hello"])

    session = look(db, store, Policy(opt_in_only=True, opt_in_paths=("/a/b",)))["s1"]

    assert (session.state, session.summary) == ("denied", None)
    assert len(opened) == 1


def test_a_repository_that_switches_itself_off_is_disabled(db: sqlite3.Connection, store: Path, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".tellback.toml").write_text("[collect]\ndisabled = true\n")
    put(store, "s1", str(tmp_path / "project"), ["hello"])

    assert look(db, store)["s1"].state == "disabled"


def test_a_repository_file_that_cannot_be_understood_counts_as_off(
    db: sqlite3.Connection, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".tellback.toml").write_text("[collect\n")
    put(store, "s1", str(tmp_path / "project"), ["hello"])

    session = look(db, store)["s1"]

    assert session.state == "disabled"
    assert "cannot be understood" in session.standing.reason


def test_a_policy_that_changed_counts_for_logs_that_did_not(db: sqlite3.Connection, store: Path) -> None:
    put(store, "s1", "/home/dev/private", ["hello"])

    assert look(db, store)["s1"].state == "new"
    assert look(db, store, Policy(deny_paths=("/home/dev/private",)))["s1"].state == "denied"


def test_an_unchanged_log_is_not_opened_again(db: sqlite3.Connection, store: Path, opened: list[str]) -> None:
    put(store, "s1", "/home/dev/project", ["hello"])
    first = look(db, store)
    opened.clear()

    assert look(db, store) == first
    assert opened == []


def test_of_a_log_that_grew_only_the_new_lines_are_read(
    db: sqlite3.Connection, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(store, "s1", "/home/dev/project", ["hello"])
    look(db, store)
    before = path.stat().st_size
    put(store, "s1", "/home/dev/project/below", ["again"], folder="-home-dev-project")
    starts: list[int] = []
    real = FileLog.blocks
    monkeypatch.setattr(FileLog, "blocks", lambda self, start=0: (starts.append(start), real(self, start))[1])

    session = look(db, store)["s1"]

    assert starts == [before]
    assert session.summary is not None
    assert session.summary.counts.prompts == 2
    assert session.folders == ("/home/dev/project", "/home/dev/project/below")


def test_a_log_without_a_folder_is_digested_only_on_request(db: sqlite3.Connection, store: Path) -> None:
    put(store, "s1", "", ["hello"], folder="-x")

    assert look(db, store)["s1"].state == "unknown-project"
    assert digest(db, store, "s1")["errors"][0]["state"] == "unknown-project"
    assert texts(digest(db, store, "s1", allow_unknown=True)) == ["hello"]


@pytest.mark.parametrize(
    ("data", "state"),
    [
        pytest.param(b"", "unsupported-format", id="empty"),
        pytest.param(b'{"type":"user"', "unsupported-format", id="no complete line"),
        pytest.param(b"not json\n\x00\x01\n", "unsupported-format", id="no entry"),
        pytest.param(b'{"kind":"another program"}\n', "unsupported-format", id="another program's"),
        pytest.param(b"[" * 10_000 + b"]" * 10_000 + b"\n", "unsupported-format", id="nested deep"),
        pytest.param(b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"\n", "unsupported-format", id="objects nested deep"),
    ],
)
def test_a_log_in_which_no_line_is_an_entry(data: bytes, state: str, db: sqlite3.Connection, store: Path) -> None:
    (store / "-x").mkdir()
    (store / "-x" / "s1.jsonl").write_bytes(data)

    assert look(db, store)["s1"].state == state


def test_hostile_lines_among_entries_are_counted_and_the_rest_is_read(db: sqlite3.Connection, store: Path) -> None:
    path = put(store, "s1", "/home/dev/project", ["first"])
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"' + b"\xff\xfe" * 40 + b'"},"uuid":"u-utf8"}\n')
        file.write(b'{"type":"user","x":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n")
        file.write(b"\x1b[2J\x07 not json \n")
    put(store, "s1", "/home/dev/project", ["last"])

    data = digest(db, store, "s1")

    assert texts(data) == ["first", "\ufffd" * 53, "last"]
    assert data["sessions"][0]["counts"]["unparsed"] == 2


def test_half_an_emoji_is_read_as_a_replacement(db: sqlite3.Connection, store: Path) -> None:
    path = put(store, "s1", "/home/dev/project", ["first"])
    with path.open("ab") as file:
        file.write(
            b'{"type":"user","message":{"content":"cut \\ud83d, whole \\ud83d\\ude00, \\\\ud83d"},"uuid":"u2"}\n'
        )

    assert texts(digest(db, store, "s1"))[1] == "cut \ufffd, whole \U0001f600, \\ud83d"


@pytest.mark.slow
def test_a_line_of_fifty_megabytes_is_read_in_bounded_memory(db: sqlite3.Connection, store: Path) -> None:
    psutil = pytest.importorskip("psutil")
    path = put(store, "s1", "/home/dev/project", ["first"])
    with path.open("ab") as file:
        file.write(b'{"type":"user","uuid":"u2","message":{"content":"' + b"x" * 50_000_000 + b'"}}\n')
    put(store, "s1", "/home/dev/project", ["last"])
    before = psutil.Process().memory_info().rss

    data = digest(db, store, "s1")

    assert texts(data) == ["first", "x" * 160, "last"]
    assert psutil.Process().memory_info().rss - before < 25_000_000 + 3 * 50_000_000


def test_a_line_too_long_to_hold_is_counted_and_passed(
    db: sqlite3.Connection, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_BLOCK", 1000)
    monkeypatch.setattr(lines, "LONGEST_LINE", 5000)
    put(store, "s1", "/home/dev/project", ["first", "x" * 9000, "last"])

    data = digest(db, store, "s1")

    assert texts(data) == ["first", "last"]
    assert data["sessions"][0]["counts"]["unparsed"] == 1


@pytest.mark.parametrize(
    ("size", "first", "marked", "standing"),
    [
        (100, "a", None, Standing("new")),
        (100, "a", Mark(100, "a"), Standing("processed", "", 100)),
        (120, "a", Mark(100, "a"), Standing("changed", "appended", 100)),
        (80, "a", Mark(100, "a"), Standing("changed", "truncated")),
        (100, "b", Mark(100, "a"), Standing("changed", "rotated")),
        (0, "", Mark(100, "a"), Standing("changed", "rotated")),
    ],
)
def test_how_a_log_stands_against_its_mark(size: int, first: str, marked: Mark | None, standing: Standing) -> None:
    assert compare(size, first, marked) == standing


def test_a_session_goes_from_new_to_processed_to_changed(db: sqlite3.Connection, store: Path) -> None:
    path = put(store, "s1", "/home/dev/project", ["one"])
    ref = Ref("claude-code", "s1")

    states = [look(db, store)["s1"].state]
    digest(db, store, "s1")
    states.append(look(db, store)["s1"].state)
    mark(db, [ref], "filed", [UID], 1.0)
    states.append(look(db, store)["s1"].state)
    put(store, "s1", "/home/dev/project", ["two"])
    grown = look(db, store)["s1"]
    again = digest(db, store, "s1")
    path.unlink()
    states += [grown.state, look(db, store)["s1"].state]

    assert states == ["new", "new", "processed", "changed", "absent"]
    assert grown.standing.reason == "appended"
    assert texts(again) == ["two"]
    assert read_watermarks(db)[ref].uids == (UID,)


def test_a_processed_session_that_is_named_is_digested_whole(db: sqlite3.Connection, store: Path) -> None:
    put(store, "s1", "/home/dev/project", ["one"])
    digest(db, store, "s1")
    mark(db, [Ref("claude-code", "s1")], "nothing", [], 1.0)

    assert texts(digest(db, store, "s1")) == ["one"]


@pytest.mark.parametrize("reason", ["truncated", "rotated"])
def test_a_log_that_was_cut_or_rewritten_is_digested_from_its_start(
    reason: str, db: sqlite3.Connection, store: Path
) -> None:
    path = put(store, "s1", "/home/dev/project", ["one", "two"])
    digest(db, store, "s1")
    mark(db, [Ref("claude-code", "s1")], "nothing", [], 1.0)
    kept = path.read_bytes().split(b"\n")[0] + b"\n"
    path.write_bytes(kept if reason == "truncated" else b'{"type":"mode","x":1}\n' + kept * 9)

    session = look(db, store)["s1"]

    assert (session.state, session.standing.reason, session.standing.from_offset) == ("changed", reason, 0)
    assert texts(digest(db, store, "s1"))[0] == "one"


@pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not here")
@given(data=st.data())
@settings(max_examples=25)
def test_any_way_of_growing_is_digested_to_the_same_events(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = data.draw(st.sampled_from(RECORDED)).read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), max_size=5)))
    folder = tmp_path_factory.mktemp("grown")
    store = folder / "projects"
    (store / "-x").mkdir(parents=True)
    db = open_db(Places(str(folder), str(folder), str(folder), str(folder)))
    told: list[dict[str, Any]] = []

    for cut in [*cuts, len(source)]:
        (store / "-x" / "s1.jsonl").write_bytes(source[:cut])
        waiting = order_waiting(look(db, store).values(), allow_unknown=True)
        made = digest(db, store, *(session.ref.session_id for session in waiting), allow_unknown=True)
        told += [event for session in made["sessions"] for event in session["events"]]
        if made["sessions"]:
            mark(db, [Ref("claude-code", "s1")], "nothing", [], 1.0)
    (store / "-x" / "s2.jsonl").write_bytes(source)
    whole = digest(db, store, "s2", allow_unknown=True)["sessions"][0]["events"]
    db.close()

    strip = [{name: value for name, value in event.items() if name != "ref"} for event in told]
    assert sorted(map(json.dumps, strip)) == sorted(
        json.dumps({name: value for name, value in event.items() if name != "ref"}) for event in whole
    )


def test_a_run_over_its_cap_defers_the_rest_and_leaves_their_watermarks(
    db: sqlite3.Connection, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tellback.sessions.run.RUN_BYTES", 1500)
    for name in ("s1", "s2", "s3"):
        put(store, name, "/home/dev/project", [f"{name} {number}" for number in range(5)])

    data = digest(db, store, "s1", "s2", "s3")

    assert [session["session_id"] for session in data["sessions"]] == ["s1"]
    assert data["deferred"] == ["claude-code:s2", "claude-code:s3"]
    assert [ref.session_id for ref in read_watermarks(db)] == ["s1"]


@pytest.mark.parametrize(
    ("uids", "names", "message"),
    [
        (["no uid"], ["s1"], "is no report's uid"),
        ([UID[:-1]], ["s1"], "is no report's uid"),
        ([], ["s1", "s2"], "was not digested yet"),
    ],
)
def test_a_mark_is_for_all_or_none(
    uids: list[str], names: list[str], message: str, db: sqlite3.Connection, store: Path
) -> None:
    put(store, "s1", "/home/dev/project", ["one"])
    digest(db, store, "s1")

    with pytest.raises(TellbackError, match=message):
        mark(db, [Ref("claude-code", name) for name in names], "filed", uids, 1.0)

    assert read_watermarks(db)[Ref("claude-code", "s1")].marked is None


def test_a_watermark_whose_folder_cannot_be_listed_is_unreadable_and_not_absent(
    db: sqlite3.Connection, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "s1", "/home/dev/project", ["one"])
    digest(db, store, "s1")
    real = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("-home-dev-project"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)

    session = look(db, store)["s1"]

    assert session.state == "unreadable"
    assert session.standing.reason.endswith("cannot be listed: Permission denied")


def test_a_vanished_log_of_a_folder_denied_since_is_denied(db: sqlite3.Connection, store: Path) -> None:
    path = put(store, "s1", "/home/dev/private", ["one"])
    digest(db, store, "s1")
    path.unlink()

    assert look(db, store, Policy(deny_paths=("/home/dev/private",)))["s1"].state == "denied"


def test_a_session_that_changed_folder_between_listing_and_digest_is_judged_again(
    db: sqlite3.Connection, store: Path
) -> None:
    policy = Policy(deny_paths=("/home/dev/private",))
    put(store, "s1", "/home/dev/project", ["one"])
    found = look(db, store, policy)["s1"]
    put(store, "s1", "/home/dev/private", ["secret"], folder="-home-dev-project")
    run = Run(db, READERS, Gatekeeper(policy), default_rules(), 1.0)

    run.take(found, allow_unknown=False)

    assert run.data()["sessions"] == []
    assert [error["state"] for error in run.data()["errors"]] == ["denied"]


def test_an_old_name_of_a_harness_names_the_same_session() -> None:
    assert parse_ref("opencode:x:y") == Ref("opencode-v1", "x:y")
    with pytest.raises(TellbackError):
        parse_ref("nothing")
