"""Codex rollouts, of 0.171.0 and of the earlier releases that the documents describe."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.core.db import open_db
from tellback.core.policy import Policy
from tellback.core.shapes import Places
from tellback.sessions import codex
from tellback.sessions.entry import Entry, Resume, Tally, Want
from tellback.sessions.gate import Gatekeeper
from tellback.sessions.reader import AnyReader, Gate, Listed
from tellback.sessions.survey import Surveyor

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "codex"
CheckCuts = Callable[[AnyReader, Listed, bytes, list[int]], None]
META = {"id": "s1", "session_id": "s1", "cwd": "/p", "source": "cli", "thread_source": "user", "cli_version": "0.171.0"}


def line(kind: str, payload: dict[str, Any], second: int = 0) -> bytes:
    record = {"timestamp": f"2026-11-30T10:00:{second:02}.000Z", "type": kind, "payload": payload}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def event(event_type: str, **fields: Any) -> bytes:
    return line("event_msg", {"type": event_type, **fields})


def item(kind: str, turn: str = "t1", **fields: Any) -> bytes:
    return event("item_completed", turn_id=turn, item={"type": kind, **fields})


def call(call_id: str, command: str = "make") -> bytes:
    arguments = json.dumps({"cmd": command})
    return line(
        "response_item", {"type": "function_call", "name": "exec_command", "call_id": call_id, "arguments": arguments}
    )


def output(call_id: str, text: Any) -> bytes:
    return line("response_item", {"type": "function_call_output", "call_id": call_id, "output": text})


def script(call_id: str) -> bytes:
    return line("response_item", {"type": "custom_tool_call", "name": "exec", "call_id": call_id, "input": "tools..."})


def script_output(call_id: str, *texts: str) -> bytes:
    parts = [{"type": "input_text", "text": text} for text in texts]
    return line("response_item", {"type": "custom_tool_call_output", "call_id": call_id, "output": parts})


def command_item(item_id: str, exit_code: int, turn: str = "t1", **fields: Any) -> bytes:
    status = "failed" if exit_code else "completed"
    argv = ["/bin/bash", "-lc", "make"]
    return item("CommandExecution", turn, id=item_id, command=argv, status=status, exit_code=exit_code, **fields)


def write(folder: Path, *lines: bytes, meta: dict[str, Any] = META) -> Listed:
    path = folder / "sessions" / "2026" / "11" / "30" / "rollout-2026-11-30T10-00-00-s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(line("session_meta", meta) + b"".join(lines))
    return codex.list_sessions(folder).sessions[0]


def read(listed: Listed, resume: Resume | None = None) -> tuple[list[Entry], Tally]:
    tally = Tally()
    with codex.open_log(listed) as log:
        return list(codex.read_entries(log, resume or Resume(), tally, Want())), tally


def final(entries: list[Entry]) -> list[Entry]:
    """Return the entries with each call as it was told last."""
    last = {(entry.offset, entry.kind if entry.call is None else "", entry.span): entry for entry in entries}
    return sorted(last.values(), key=lambda entry: entry.offset)


def statuses(entries: list[Entry]) -> list[tuple[str, str, int | None]]:
    return [(e.span, e.call.status, e.call.exit_code) for e in final(entries) if e.call]


@pytest.mark.parametrize(
    ("text", "status", "exit_code"),
    [
        pytest.param("Chunk ID: 1\nProcess exited with code 0\nOutput:\nok\n", "ok", 0, id="code 0"),
        pytest.param("Chunk ID: 1\nProcess exited with code 2\nOutput:\n", "error", 2, id="code 2"),
        pytest.param("Exit code: 3\nWall time: 1 seconds\nOutput:\nx", "error", 3, id="the earlier header"),
        pytest.param("Wall time: 1 s\nOutput:\nProcess exited with code 9", "ok", None, id="the command printed it"),
        pytest.param("Wall time: 1 s\nOutput:\naborted by user", "ok", None, id="the command printed an abort"),
        pytest.param("see: exec command rejected by user", "ok", None, id="a denial quoted, not at the start"),
        pytest.param("Wall time: 2.0 seconds\naborted by user", "interrupted", None, id="aborted"),
        pytest.param("aborted by user after 2.1s", "interrupted", None, id="aborted, custom tool"),
        pytest.param("exec command rejected by user", "denied", None, id="rejected by the user"),
        pytest.param("patch rejected by user\nOutput:\n", "denied", None, id="rejected, with an Output line"),
        pytest.param("rejected by configuration", "denied", None, id="rejected by configuration"),
        pytest.param("automatic approval review denied the action: no", "denied", None, id="review"),
        pytest.param('exec_command failed: CreateProcess { message: "Rejected(\\"no\\")" }', "denied", None, id="rule"),
        pytest.param("approval policy is Never; reject command - you cannot ask", "denied", None, id="never asks"),
        pytest.param("patch rejected: writing is blocked by read-only sandbox; x", "denied", None, id="sandbox patch"),
        pytest.param("Command blocked by PreToolUse hook: no. Command: ls", "denied", None, id="hook"),
        pytest.param("apply_patch verification failed: no such lines", "error", None, id="patch does not apply"),
        pytest.param("exec_command failed: no such shell", "error", None, id="could not start"),
        pytest.param('{"output":"x","metadata":{"exit_code":4}}', "error", 4, id="the oldest form"),
        pytest.param('{"output":"aborted by user","metadata":{"exit_code":0}}', "ok", 0, id="oldest, code alone"),
        pytest.param("something new", "ok", None, id="an unknown wording"),
        pytest.param({"content": "boom", "success": False}, "error", None, id="an object without success"),
    ],
)
def test_an_output_is_judged_by_its_header_alone(tmp_path: Path, text: Any, status: str, exit_code: int | None) -> None:
    entries, _ = read(write(tmp_path, call("c1"), output("c1", text)))

    assert statuses(entries) == [("c1", status, exit_code)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([call("c1"), command_item("c1", 1), output("c1", "x")], [("c1", "error", 1)], id="item first"),
        pytest.param([call("c1"), output("c1", "x"), command_item("c1", 1)], [("c1", "error", 1)], id="item later"),
        pytest.param(
            [call("c1"), output("c1", "x"), item("FileChange", id="c1", status="declined")],
            [("c1", "denied", None)],
            id="declined later",
        ),
        pytest.param(
            [
                call("c1"),
                output("c1", "aborted by user after 1s"),
                event("turn_aborted", turn_id="t1", reason="interrupted"),
                command_item("c1", -1),
            ],
            [("c1", "interrupted", None)],
            id="an item after the interrupt is no error",
        ),
        pytest.param(
            [call("c1"), event("turn_aborted", turn_id="t1", reason="interrupted")],
            [("c1", "interrupted", None)],
            id="no output before the interrupt",
        ),
        pytest.param(
            [call("c1"), event("turn_aborted", turn_id="t1", reason="replaced")],
            [("c1", "open", None)],
            id="a turn that was replaced is no interrupt",
        ),
        pytest.param(
            [call("c1"), output("c1", "x"), event("patch_apply_end", call_id="c1", success=False, stderr="no")],
            [("c1", "error", None)],
            id="patch_apply_end",
        ),
        pytest.param(
            [call("c1"), output("c1", "x"), event("mcp_tool_call_end", call_id="c1", result={"Err": "gone"})],
            [("c1", "error", None)],
            id="mcp_tool_call_end",
        ),
        pytest.param(
            [call("c1"), output("c1", "x"), event("mcp_tool_call_end", call_id="c1", result={"Ok": {"isError": True}})],
            [("c1", "error", None)],
            id="an MCP tool's own error",
        ),
        pytest.param(
            [call("c1"), output("c1", "rejected by configuration"), command_item("c1", 1)],
            [("c1", "denied", None)],
            id="a refused call that also failed stays refused",
        ),
    ],
)
def test_the_worst_that_is_told_of_a_call_holds(
    tmp_path: Path, lines: list[bytes], expected: list[tuple[str, str, int | None]]
) -> None:
    entries, tally = read(write(tmp_path, *lines))

    assert statuses(entries) == expected
    assert tally.calls == 1


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            [script("c1"), command_item("exec-1", 1), script_output("c1", "Script completed\n", '{"exit_code":1}')],
            [("exec-1", "error", 1)],
            id="the command inside fails, the script does not",
        ),
        pytest.param(
            [script("c1"), command_item("exec-1", 0), command_item("exec-2", 3), script_output("c1", "Script failed")],
            [("exec-1", "ok", 0), ("exec-2", "error", 3)],
            id="a failed script tells nothing new",
        ),
        pytest.param(
            [
                script("c1"),
                command_item("exec-1", 0),
                script_output("c1", "Script failed\n", "Script error:\napply_patch verification failed: x"),
            ],
            [("c1", "error", None), ("exec-1", "ok", 0)],
            id="what failed inside has no item",
        ),
        pytest.param(
            [
                script("c1"),
                script_output("c1", "Script failed\n", "Script error:\nCommand blocked by PreToolUse hook: x"),
            ],
            [("c1", "denied", None)],
            id="refused before it ran",
        ),
        pytest.param(
            [script("c1"), script_output("c1", "Script completed\n", '{"chunk_id":"a","exit_code":1,"output":"no"}')],
            [("c1", "error", 1)],
            id="a command without an item, printed by the script",
        ),
        pytest.param(
            [script("c1"), script_output("c1", "Script completed\n", "42")],
            [("c1", "ok", None)],
            id="no command at all",
        ),
        pytest.param(
            [
                script("c1"),
                output("c1", "aborted by user after 2.1s"),
                event("turn_aborted", turn_id="t1", reason="interrupted"),
                command_item("exec-1", -1),
            ],
            [("c1", "interrupted", None)],
            id="interrupted; the item comes late",
        ),
        pytest.param(
            [script("c1"), command_item("exec-1", 0), event("turn_aborted", turn_id="t1", reason="interrupted")],
            [("c1", "interrupted", None), ("exec-1", "ok", 0)],
            id="interrupted after one command",
        ),
        pytest.param([script("c1")], [], id="whether a running script is a call is not known yet"),
    ],
)
def test_a_script_is_a_container_of_the_calls_inside_it(
    tmp_path: Path, lines: list[bytes], expected: list[tuple[str, str, int | None]]
) -> None:
    entries, tally = read(write(tmp_path, *lines))

    assert statuses(entries) == expected
    assert tally.calls == len(expected)


def test_a_failure_told_by_item_and_poll_counts_once(tmp_path: Path) -> None:
    poll = {"type": "function_call", "name": "write_stdin", "call_id": "c2", "arguments": '{"session_id": 7}'}
    lines = [
        call("c1"),
        output("c1", "Process running with session ID 7\nOutput:\nstart"),
        line("response_item", poll),
        command_item("c1", 3, process_id="7"),
        output("c2", "Process exited with code 3\nOutput:\nend"),
    ]

    with_item, _ = read(write(tmp_path, *lines))
    without_item, _ = read(write(tmp_path, *lines[:3], lines[4]))

    assert statuses(with_item) == [("c1", "error", 3), ("c2", "ok", None)]
    assert statuses(without_item) == [("c1", "error", 3), ("c2", "ok", None)]


def test_prompts_come_from_items_and_events_and_never_from_what_the_model_was_sent(tmp_path: Path) -> None:
    sent = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]}
    listed = write(
        tmp_path,
        line("response_item", sent),
        item("UserMessage", id="m1", content=[{"type": "text", "text": "fix it"}, {"type": "image"}]),
        event("user_message", message="fix it", kind="plain"),
        item("AgentMessage", id="a1", content=[{"type": "Text", "text": "Done."}]),
        event("user_message", message="fix it"),
        event("user_message", message="<cwd>", kind="environment_context"),
        event("user_message", message="   "),
    )

    entries, _ = read(listed)

    assert [(e.kind, e.span, e.text) for e in entries] == [
        ("prompt", "m1", "fix it"),
        ("assistant_text", entries[1].span, "Done."),
        ("prompt", f"L{entries[2].offset}", "fix it"),
    ]
    assert {e.origin for e in entries if e.kind == "prompt"} == {"typed"}


def test_a_patch_is_an_edit_of_each_file(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: b.py\n@@\n x\n-old\n+new\n*** End Patch\n"
    made = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c1", "input": patch}
    changes = {
        "/p/a.txt": {"type": "add", "content": "one\n"},
        "/p/c": {"type": "update", "unified_diff": "@@\n-1\n+2"},
    }
    listed = write(
        tmp_path,
        line("response_item", made),
        line(
            "response_item", {"type": "custom_tool_call_output", "call_id": "c1", "output": "Exit code: 0\nOutput:\n"}
        ),
        item("FileChange", id="exec-1", changes=changes, status="completed"),
    )

    edits = [(e.kind, [tuple(edit) for edit in e.edits]) for e in read(listed)[0]]

    assert edits == [
        ("edit", [("/p/a.txt", None, "one"), ("/p/b.py", "x\nold", "x\nnew")]),
        ("edit", [("/p/a.txt", None, "one\n"), ("/p/c", "1", "2")]),
    ]


def test_the_gate_reads_the_first_line_and_nothing_behind_it(tmp_path: Path) -> None:
    listed = write(tmp_path, b"never to be read")

    gate = codex.read_gate(listed)

    assert gate.dirs == ("/p",)
    assert not gate.unknown
    assert not gate.parent


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b'{"type":"session_meta","payload":{}}', id="no newline"),
        pytest.param(b'{"type":"session_meta"' + b" " * (1 << 20) + b"}\n", id="longer than 1 MiB"),
        pytest.param(b'{"type":"turn_context","payload":{"cwd":"/p"}}\n', id="another record"),
        pytest.param(b"not json\n", id="not JSON"),
        pytest.param(b"", id="empty"),
    ],
)
def test_metadata_that_cannot_be_read_is_said_to_be_unknown(tmp_path: Path, head: bytes) -> None:
    listed = write(tmp_path)
    Path(listed.path).write_bytes(head)

    gate = codex.read_gate(listed)

    assert gate.unknown
    assert not gate.dirs


def test_a_sub_agents_rollout_names_its_parent(tmp_path: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "root"}}}
    listed = write(tmp_path, event("user_message", message="count"), meta=META | {"source": spawned})

    assert codex.read_gate(listed).parent == "root"
    assert [e.origin for e in read(listed)[0]] == ["agent"]


def test_a_rollout_replaced_after_its_policy_was_checked_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "codex", event("user_message", message="fix it"))
    read_gate = codex.read_gate

    def replace_after_gate(listed: Listed) -> Gate:
        gate = read_gate(listed)
        write(tmp_path / "codex", event("user_message", message="secret"), meta=META | {"cwd": "/elsewhere"})
        return gate

    monkeypatch.setattr(codex, "read_gate", replace_after_gate)
    places = Places(*(str(tmp_path / name) for name in ("home", "data", "cache", "config")))
    with closing(open_db(places)) as db:
        session = Surveyor(db, Gatekeeper(Policy()), {}).look_at(codex, tmp_path / "codex").sessions[0]

    assert (session.state, session.standing.reason) == (
        "unreadable",
        "the session changed since its policy was checked",
    )
    assert session.summary is None


def test_an_id_in_both_folders_is_listed_from_sessions(tmp_path: Path) -> None:
    listed = write(tmp_path)
    archived = tmp_path / "archived_sessions" / Path(listed.path).name
    archived.parent.mkdir()
    archived.write_bytes(Path(listed.path).read_bytes())

    listing = codex.list_sessions(tmp_path)

    assert [s.path for s in listing.sessions] == [listed.path]
    assert [problem.path for problem in listing.problems] == [str(archived)]


def test_a_link_in_the_place_of_a_rollout_is_not_followed(tmp_path: Path) -> None:
    listed = write(tmp_path, event("user_message", message="secret"))
    link = Path(listed.path).with_name("rollout-2026-11-30T11-00-00-s2.jsonl")
    link.symlink_to(listed.path)

    linked = next(s for s in codex.list_sessions(tmp_path).sessions if s.session_id == "s2")

    assert "link" in codex.read_gate(linked).unknown
    with pytest.raises(codex.LogError, match="link"), codex.open_log(linked):
        pass


def test_a_compressed_rollout_reads_like_the_plain_one(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    plain = write(tmp_path, call("c1"), output("c1", "x" * 300_000), event("user_message", message="again"))
    packed = zstandard.ZstdCompressor().compress(Path(plain.path).read_bytes())
    path = tmp_path / "archived_sessions" / "rollout-2026-11-30T10-00-00-s2.jsonl.zst"
    path.parent.mkdir()
    path.write_bytes(packed)
    compressed = next(s for s in codex.list_sessions(tmp_path).sessions if s.session_id == "s2")

    with codex.open_log(compressed) as log, codex.open_log(plain) as other:
        assert list(log.lines(0)) == list(other.lines(0))
        assert (log.complete_bytes, log.first_line_hash) == (other.complete_bytes, other.first_line_hash)
    assert read(compressed)[0] == read(plain)[0]
    assert codex.read_gate(compressed) == codex.read_gate(plain)


def test_a_damaged_compressed_rollout_is_unreadable(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "archived_sessions" / "rollout-2026-11-30T10-00-00-s2.jsonl.zst"
    path.parent.mkdir()
    path.write_bytes(zstandard.ZstdCompressor().compress(line("session_meta", META))[:12] + b"garbage" * 100)
    listed = codex.list_sessions(tmp_path).sessions[0]

    with pytest.raises(codex.LogError, match="unpacked"), codex.open_log(listed) as log:
        list(log.lines(0))


def test_without_zstandard_a_compressed_rollout_is_unsupported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codex, "has_zstd", lambda: False)
    path = tmp_path / "archived_sessions" / "rollout-2026-11-30T10-00-00-s2.jsonl.zst"
    path.parent.mkdir()
    path.write_bytes(b"")

    listed = codex.list_sessions(tmp_path).sessions[0]

    assert listed.unsupported
    with pytest.raises(codex.LogError) as caught, codex.open_log(listed):
        pass
    assert caught.value.state == "unsupported-format"


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(b"\xff\xfe\x00", id="no UTF-8"),
        pytest.param(b'{"type":"event_msg","payload":' + b"[" * 10_000 + b"]" * 10_000 + b"}", id="deep"),
        pytest.param(b"[]", id="an array"),
        pytest.param(b'{"type":"event_msg","payload":7}', id="a payload that is none"),
        pytest.param(b"", id="an empty line"),
        pytest.param(b'{"timestamp":"2026-11-30T10:00:00Z","type":"world_state","payload":', id="cut, of a known type"),
    ],
)
def test_a_line_that_is_no_record_is_counted_and_passed_over(tmp_path: Path, bad: bytes) -> None:
    entries, tally = read(write(tmp_path, bad + b"\n", event("user_message", message="go on")))

    assert [e.text for e in entries] == ["go on"]
    assert (tally.unparsed, tally.entries) == (1, 2)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(item("CommandExecution", id=7, command={"a": 1}, status=["failed"], exit_code="1"), id="types"),
        pytest.param(item("FileChange", id="x", changes=[1], status="completed"), id="changes as a list"),
        pytest.param(line("response_item", {"type": "function_call", "arguments": "{{"}), id="arguments"),
        pytest.param(line("response_item", {"type": "function_call_output", "output": None}), id="no output"),
        pytest.param(event("turn_aborted"), id="no reason"),
        pytest.param(event("mcp_tool_call_end", result=3), id="a result that is none"),
        pytest.param(line("turn_context", {"cwd": "relative", "model": 5}), id="a relative folder"),
        pytest.param(line("session_meta", {"cwd": "/q\u0000x", "source": {"subagent": 1}}), id="a second meta"),
        pytest.param(line("brand_new", {}), id="an unknown type"),
    ],
)
def test_values_of_the_wrong_type_hurt_nobody(tmp_path: Path, odd: bytes) -> None:
    entries, tally = read(write(tmp_path, odd, event("user_message", message="go on")))

    assert entries[-1].text == "go on" or entries[-2].text == "go on"
    assert tally.cwds == ["/p"]


def fixture_logs() -> Iterator[Any]:
    for path in sorted(FIXTURES.glob("*/logs/sessions/*/*/*/*.jsonl")):
        yield pytest.param(path, id=f"{path.parts[-7]}-{path.stem[-6:]}")


@pytest.mark.parametrize("source", list(fixture_logs()))
def test_any_cuts_of_a_recorded_rollout_give_the_same_entries(
    source: Path, tmp_path: Path, check_cuts: CheckCuts
) -> None:
    data = source.read_bytes()
    listed = write(tmp_path)
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]

    for first in range(0, len(ends), 3):
        check_cuts(codex, listed, data, [ends[first], ends[first] + 100])
    check_cuts(codex, listed, data, ends)


PIECES = [
    call("c1"), call("c2", "ls"), output("c1", "Process exited with code 1\nOutput:\n"), output("c2", "aborted by"),
    script("x1"), script_output("x1", "Script failed\n", "Script error:\nboom"), command_item("exec-1", 1),
    command_item("c1", 2), command_item("exec-2", 0, "t2"), event("turn_aborted", turn_id="t1", reason="interrupted"),
    event("user_message", message="again"), item("UserMessage", id="m1", content=[{"text": "again"}]),
    item("AgentMessage", id="a1", content=[{"text": "Done."}]), b"broken\n", event("task_started", turn_id="t2"),
    output("c1", "Process running with session ID 7\nOutput:\n"), command_item("c2", 3, process_id="7"),
    line("turn_context", {"cwd": "/q", "model": "m2", "turn_id": "t2"}),
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14), st.lists(st.integers(0, 4000), max_size=5))
def test_any_cuts_of_any_rollout_give_the_same_entries(
    check_cuts: CheckCuts, pieces: list[bytes], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        listed = write(Path(folder))
        data = line("session_meta", META) + b"".join(pieces)

        check_cuts(codex, listed, data, [min(cut, len(data)) for cut in cuts])


SPACED = [
    {"timestamp": "2026-11-30T10:00:01Z", "type": "world_state", "payload": {"state": 'x","type":"event_msg"'}},
    {"type": "event_msg", "timestamp": "2026-11-30T10:00:02Z", "payload": {"type": "user_message", "message": "one"}},
    {"timestamp": "2026-11-30T10:00:03Z", "type": "compacted", "payload": {"message": "user_message"}},
    {"timestamp": "2026-11-30T10:00:04Z", "type": "event_msg", "payload": {"message": "two", "type": "user_message"}},
    {"timestamp": "2026-11-30T10:00:05Z", "type": "response_item", "payload": {"type": "message", "role": "user"}},
    {"timestamp": "2026-11-30T10:00:06Z", "type": "event_msg", "payload": {"type": "token_count", "info": None}},
]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" , ", " : ")])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_how_a_line_is_spaced_and_ordered_changes_nothing(
    tmp_path: Path, separators: tuple[str, str], ending: str
) -> None:
    text = "".join(json.dumps(record, separators=separators) + ending for record in SPACED)

    entries, tally = read(write(tmp_path, text.encode()))

    assert [e.text for e in entries] == ["one", "two"]
    assert (tally.entries, tally.unparsed) == (7, 0)
    assert tally.ended_at == 1796032806.0


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is in other units elsewhere")
def test_a_line_of_fifty_megabytes_is_held_three_times_at_most(tmp_path: Path) -> None:
    huge = output("c1", "Output:\n" + "x" * 50_000_000)
    listed = write(tmp_path, call("c1"), huge, event("user_message", message="go on"))
    script = (
        "import resource, sys\n"
        "from tellback.sessions import codex\n"
        "from tellback.sessions.entry import Resume, Tally\n"
        "listed = codex.list_sessions(codex.Path(sys.argv[1])).sessions[0]\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "with codex.open_log(listed) as log:\n"
        "    kinds = [e.kind for e in codex.read_entries(log, Resume(), Tally())]\n"
        "print(*kinds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )

    told = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True).stdout

    first, second, growth_kib = told.split()
    assert (first, second) == ("tool_call", "prompt")
    assert int(growth_kib) * 1024 < 25 * 2**20 + 3 * len(huge)
    assert listed.size > len(huge)
