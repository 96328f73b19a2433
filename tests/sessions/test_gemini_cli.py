"""Gemini CLI sessions, as 0.61.0 writes them."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.sessions import gemini_cli
from tellback.sessions.entry import Entry, Tally
from tellback.sessions.reader import AnyReader, Gate, Listed

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "gemini-cli"
CheckCuts = Callable[[AnyReader, Listed, bytes, list[int]], None]
Read = Callable[..., tuple[list[Entry], Tally]]

CONTEXT = "<session_context>\nThis is the Gemini CLI."


def dump(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def message(kind: str, message_id: str, content: Any, **fields: Any) -> bytes:
    stamp = "2026-11-30T10:00:00.000Z"
    return dump({"id": message_id, "timestamp": stamp, "type": kind, "content": content, **fields})


def user(message_id: str, *texts: str, **fields: Any) -> bytes:
    return message("user", message_id, [{"text": text} for text in texts], **fields)


def calls(message_id: str, *records: dict[str, Any]) -> bytes:
    return message("gemini", message_id, "", model="g1", toolCalls=list(records))


def shell(call_id: str, output: str, status: str = "success", field: str = "output", **fields: Any) -> dict[str, Any]:
    result = [{"functionResponse": {"id": call_id, "response": {field: output}}}]
    call = {"id": call_id, "name": "run_shell_command", "args": {"command": "make"}}
    return call | {"result": result, "status": status, **fields}


def wrapped(*lines: str) -> str:
    return "\n".join(["<untrusted_context>", *lines, "</untrusted_context>"])


META = dump({"sessionId": "0ba35702-88c1", "projectHash": "x", "startTime": "2026-11-30T09:59:00.000Z", "kind": "main"})


def write(tmp: Path, *lines: bytes, root: str | None = "/p") -> Listed:
    chats = tmp / "project" / "chats"
    chats.mkdir(parents=True, exist_ok=True)
    (chats / "session-2026-11-30T10-02-0ba35702.jsonl").write_bytes(META + b"".join(lines))
    if root is not None:
        (chats.parent / ".project_root").write_text(root)
    return gemini_cli.list_sessions(tmp).sessions[0]


@pytest.mark.parametrize(
    ("record", "status", "exit_code", "denied_by"),
    [
        pytest.param(shell("c1", wrapped("Output: x", "Process Group PGID: 3")), "ok", None, "", id="no code"),
        pytest.param(
            shell("c1", wrapped("Output: x", "Exit Code: 3", "Process Group PGID: 3")), "error", 3, "", id="code 3"
        ),
        pytest.param(
            shell("c1", "Command: x\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 3"),
            "ok",
            None,
            "",
            id="the earlier trailer, all well",
        ),
        pytest.param(shell("c1", "Output: x\nExit Code: 2\nSignal: (none)"), "error", 2, "", id="earlier, code 2"),
        pytest.param(shell("c1", wrapped("Output: x", "Signal: 9")), "error", None, "", id="a signal"),
        pytest.param(
            shell("c1", wrapped("Output: a", "Exit Code: 3", "b", "Process Group PGID: 1")),
            "ok",
            None,
            "",
            id="a line that the command printed",
        ),
        pytest.param(
            shell("c1", wrapped("Output: a", "Exit Code: 3", "Exit Code: 4")), "error", 4, "", id="printed, and its own"
        ),
        pytest.param(
            shell("c1", wrapped("Output: a", "Exit Code: 3", "Process Group PGID: 1"), resultDisplay="a\nExit Code: 3"),
            "ok",
            None,
            "",
            id="printed as the last line",
        ),
        pytest.param(shell("c1", "no", "error", "error"), "error", None, "", id="an error"),
        pytest.param(
            shell("c1", "Tool execution denied by policy.", "error", "error"), "denied", None, "rule", id="a policy"
        ),
        pytest.param(
            shell("c1", "[Operation Cancelled] Reason: User denied execution.", "cancelled", "error"),
            "denied",
            None,
            "person",
            id="refused",
        ),
        pytest.param(
            shell("c1", "[Operation Cancelled] Reason: Operation cancelled by user", "cancelled", "error"),
            "interrupted",
            None,
            "",
            id="Esc",
        ),
        pytest.param(shell("c1", "", "executing"), "open", None, "", id="still running"),
        pytest.param(
            shell("c1", "Exit Code: 3", name="read_file"), "ok", None, "", id="a file that looks like a trailer"
        ),
    ],
)
def test_a_call_ends_as_its_status_and_trailer_say(
    tmp_path: Path, read: Read, record: dict[str, Any], status: str, exit_code: int | None, denied_by: str
) -> None:
    entries, tally = read(gemini_cli, write(tmp_path, calls("m1", record)))

    ends = [(e.span, e.call.status, e.call.exit_code, e.call.denied_by) for e in entries if e.call]
    assert ends == [("m1", status, exit_code, denied_by)]
    assert tally.calls == 1


@pytest.mark.parametrize(
    ("line", "kind", "text", "skill"),
    [
        pytest.param(user("u1", "fix it"), "prompt", "fix it", "", id="plain"),
        pytest.param(message("user", "u1", "fix it"), "prompt", "fix it", "", id="a string"),
        pytest.param(user("u1", "/home/u/x fix this"), "prompt", "/home/u/x fix this", "", id="a path first"),
        pytest.param(user("u1", "/nosuch thing"), "prompt", "/nosuch thing", "", id="an unknown command is sent"),
        pytest.param(user("u1", "/clear"), "", "", "", id="a built-in"),
        pytest.param(
            user("u1", "Shout: hi", displayContent=[{"text": "/shout hi"}]), "skill_call", "hi", "shout", id="command"
        ),
        pytest.param(
            user("u1", "see @a.py: ...", displayContent=[{"text": "see @a.py"}]), "prompt", "see @a.py", "", id="@file"
        ),
        pytest.param(user("u1", CONTEXT), "", "", "", id="context"),
        pytest.param(user("u1", CONTEXT, "fix it"), "", "", "", id="context with an old prompt"),
        pytest.param(message("user", "u1", [{"functionResponse": {}}]), "", "", "", id="results"),
        pytest.param(user("u1", "System: Please continue."), "", "", "", id="the program's own"),
        pytest.param(
            user("u1", "I ran the following shell command:\n```sh\ngit status\n```\n\nThis produced"),
            "other",
            "git status",
            "",
            id="run with !",
        ),
        pytest.param(message("info", "u1", "Request cancelled."), "interrupt", "Request cancelled.", "", id="Esc"),
        pytest.param(message("info", "u1", ""), "", "", "", id="a compression"),
    ],
)
def test_a_persons_words_are_told_from_the_programs(
    tmp_path: Path, read: Read, line: bytes, kind: str, text: str, skill: str
) -> None:
    entries, _ = read(gemini_cli, write(tmp_path, line))

    assert [(e.kind, e.text, e.skill) for e in entries] == ([(kind, text, skill)] if kind else [])


def test_what_a_resume_repeats_counts_once(tmp_path: Path, read: Read) -> None:
    replay = {"$set": {"messages": [{"id": "u1", "type": "user", "content": [{"text": "fix it"}]}]}}
    done = shell("c1", wrapped("Output: x", "Exit Code: 1"))
    listed = write(
        tmp_path,
        user("u1", "fix it"),
        message("gemini", "m1", "I fix it."),
        message("gemini", "m1", "I fix it.", toolCalls=[done]),
        META,
        dump(replay),
        dump(replay),
        user("u1", "fix it"),
        message("gemini", "m1", "I fixed it.", toolCalls=[done]),
    )

    entries, tally = read(gemini_cli, listed)

    assert [(e.kind, e.span) for e in entries] == [("prompt", "u1"), ("assistant_text", "m1"), ("tool_call", "m1")]
    assert (tally.calls, tally.unparsed) == (1, 0)


def test_a_refused_call_is_no_interrupt_besides(tmp_path: Path, read: Read) -> None:
    refused = shell("c1", "[Operation Cancelled] Reason: User denied execution.", "cancelled", "error")
    cancelled = message("info", "i1", "Request cancelled.")

    entries, _ = read(gemini_cli, write(tmp_path, calls("m1", refused), cancelled, user("u1", "two"), cancelled))

    assert [e.kind for e in entries] == ["tool_call", "prompt", "interrupt"]


def test_edits_and_skills_are_told_from_other_calls(tmp_path: Path, read: Read) -> None:
    def made(call_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
        return {"id": call_id, "name": tool, "args": arguments, "status": "success", "result": []}

    listed = write(
        tmp_path,
        calls("m1", made("c1", "write_file", file_path="/p/a", content="one")),
        calls("m2", made("c2", "replace", file_path="/p/a", old_string="one", new_string="two")),
        calls("m3", made("c3", "activate_skill", name="greet")),
        calls("m4", made("activate_skill-1796032886989-3851", "activate_skill", name="greet")),
    )

    entries, _ = read(gemini_cli, listed)

    assert [(e.kind, e.skill, [tuple(edit) for edit in e.edits]) for e in entries] == [
        ("edit", "", [("/p/a", None, "one")]),
        ("edit", "", [("/p/a", "one", "two")]),
        ("skill_call", "greet", []),
        ("tool_call", "", []),
    ]


def test_the_gate_takes_the_folder_from_project_root(tmp_path: Path, read: Read) -> None:
    listed = write(tmp_path / "a", user("u1", "fix it"), root="/p/q\n")

    assert gemini_cli.read_gate(listed) == Gate(dirs=("/p/q",))
    assert read(gemini_cli, listed)[0][0].cwd == "/p/q"
    assert gemini_cli.read_gate(write(tmp_path / "b", root=None)) == Gate()
    assert gemini_cli.read_gate(write(tmp_path / "c", root="p/q")).unknown
    assert gemini_cli.read_gate(write(tmp_path / "d", root="/" + "p" * 4096)).unknown


def test_added_folders_are_recorded(tmp_path: Path, read: Read) -> None:
    meta = dump({"sessionId": "s", "directories": ["/p", "relative"], "kind": "main"})

    _, tally = read(gemini_cli, write(tmp_path, meta, dump({"$set": {"directories": ["/p", "/q"]}})))

    assert tally.cwds == ["/p", "/q"]


def test_sub_agents_are_listed_on_request_alone(tmp_path: Path, read: Read) -> None:
    listed = write(tmp_path)
    inner = Path(listed.path).with_name("0ba35702-88c1") / "42c95fbe.jsonl"
    inner.parent.mkdir()
    inner.write_bytes(META + user("u1", "find it"))

    everything = gemini_cli.list_sessions(tmp_path, subagents=True).sessions

    assert gemini_cli.list_sessions(tmp_path).sessions == (listed,)
    assert [(s.session_id, s.parent) for s in everything] == [("42c95fbe", "0ba35702-88c1"), ("0ba35702", "")]
    assert gemini_cli.read_gate(everything[0]) == Gate(dirs=("/p",))
    assert [e.origin for e in read(gemini_cli, everything[0])[0]] == ["agent"]


def test_two_sessions_of_the_same_short_id_are_both_listed(tmp_path: Path) -> None:
    write(tmp_path)
    other = tmp_path / "other" / "chats" / "session-2026-12-01T10-02-0ba35702.jsonl"
    other.parent.mkdir(parents=True)
    other.write_bytes(META)

    ids = [s.session_id for s in gemini_cli.list_sessions(tmp_path).sessions]

    assert ids == ["0ba35702", "project/session-2026-11-30T10-02-0ba35702.jsonl"]


def test_a_document_of_an_earlier_release_is_unsupported(tmp_path: Path) -> None:
    chats = tmp_path / "project" / "chats"
    chats.mkdir(parents=True)
    (chats / "session-2025-01-01T10-02-0ba35702.json").write_text("{}")

    assert [bool(s.unsupported) for s in gemini_cli.list_sessions(tmp_path).sessions] == [True]


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(b"\xff\x00\n", id="no UTF-8"),
        pytest.param(b"[]\n", id="an array"),
        pytest.param(b'{"content":"x"}\n', id="no type"),
        pytest.param(b'{"type":"user","content":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n", id="deep"),
    ],
)
def test_a_line_that_is_no_entry_is_counted_and_passed_over(tmp_path: Path, read: Read, odd: bytes) -> None:
    entries, tally = read(gemini_cli, write(tmp_path, odd, user("u1", "go on")))

    assert [e.text for e in entries] == ["go on"]
    assert (tally.entries, tally.unparsed) == (2, 1)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(dump({"$set": [1]}), id="$set"),
        pytest.param(message("user", "u0", {"text": "x"}), id="content"),
        pytest.param(message("gemini", "m0", "", toolCalls=[1, {"name": 2, "args": 3, "result": 4}]), id="calls"),
        pytest.param(dump({"type": "gemini", "id": 7, "toolCalls": {"a": 1}, "timestamp": 5}), id="an id"),
        pytest.param(calls("m0", shell("c1", "Exit Code: " + "9" * 5000)), id="a code of 5,000 digits"),
        pytest.param(calls("m0", shell("c1", "Exit Code: --3")), id="a code that is none"),
    ],
)
def test_values_of_the_wrong_type_hurt_nobody(tmp_path: Path, read: Read, odd: bytes) -> None:
    entries, _ = read(gemini_cli, write(tmp_path, odd, user("u1", "go on")))

    assert [e.text for e in entries if e.kind == "prompt"] == ["go on"]


def fixture_logs() -> list[Any]:
    logs = sorted(FIXTURES.glob("*/home/.gemini/tmp/*/chats/*.jsonl"))
    return [pytest.param(path, id=f"{path.parts[-7]}-{path.stem[-8:]}") for path in logs]


@pytest.mark.parametrize("source", fixture_logs())
def test_any_cuts_of_a_recorded_session_give_the_same_entries(
    source: Path, tmp_path: Path, check_cuts: CheckCuts
) -> None:
    data = source.read_bytes()
    listed = write(tmp_path)
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]

    for first in range(0, len(ends), 4):
        check_cuts(gemini_cli, listed, data, [ends[first], ends[first] + 100])
    check_cuts(gemini_cli, listed, data, ends)


PIECES = [
    user("u1", "one"), user("u2", "two"), user("u3", CONTEXT), message("gemini", "m1", "Done.", model="g1"),
    calls("m1", shell("c1", "", "executing")), calls("m1", shell("c1", "Exit Code: 1")),
    calls("m2", shell("c2", "[Operation Cancelled] Reason: User denied execution.", "cancelled", "error")),
    message("info", "i1", "Request cancelled."), META, dump({"$set": {"lastUpdated": "2026-11-30T10:00:09Z"}}),
    message("user", "m2", [{"functionResponse": {}}]), b"broken\n",
]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.integers(0, 3000), max_size=5))
def test_any_cuts_of_any_session_give_the_same_entries(
    check_cuts: CheckCuts, pieces: list[bytes], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = META + b"".join(pieces)

        check_cuts(gemini_cli, write(Path(folder)), data, [min(cut, len(data)) for cut in cuts])
