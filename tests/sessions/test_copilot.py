"""Copilot CLI sessions, as 1.0.102 writes them."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.sessions import copilot
from tellback.sessions.entry import Entry, Tally
from tellback.sessions.reader import AnyReader, Listed

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "copilot"
CheckCuts = Callable[[AnyReader, Listed, bytes, list[int]], None]
Read = Callable[..., tuple[list[Entry], Tally]]

_ids = iter(range(10**9))


def event(event_type: str, agent: str = "", **data: Any) -> bytes:
    number = next(_ids)
    record: dict[str, Any] = {"type": event_type, "data": data}
    if agent:
        record["agentId"] = agent
    record |= {"id": f"e{number}", "timestamp": "2026-11-30T10:00:00.000Z", "parentId": None}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


START = event("session.start", copilotVersion="1.0.102", selectedModel="m1", context={"cwd": "/p"})


def start(call_id: str, tool: str = "bash", **arguments: Any) -> bytes:
    return event("tool.execution_start", toolCallId=call_id, toolName=tool, arguments=arguments)


def complete(call_id: str, text: str = "", **data: Any) -> bytes:
    return event("tool.execution_complete", toolCallId=call_id, result={"content": text}, **data)


def permission(call_id: str, kind: str, **result: Any) -> bytes:
    return event("permission.completed", toolCallId=call_id, result={"kind": kind, **result})


def write(folder: Path, *lines: bytes, workspace: str | None = "cwd: /p\n") -> Listed:
    session = folder / "s1"
    session.mkdir(parents=True, exist_ok=True)
    (session / "events.jsonl").write_bytes(START + b"".join(lines))
    if workspace is not None:
        (session / "workspace.yaml").write_text(workspace)
    return copilot.list_sessions(folder).sessions[0]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([complete("c1", success=True)], ("ok", None, ""), id="success without a code"),
        pytest.param([complete("c1", success=True, shellExecution={"exitCode": 0})], ("ok", 0, ""), id="code 0"),
        pytest.param(
            [complete("c1", success=True, shellExecution={"exitCode": 1})], ("error", 1, ""), id="a success with code 1"
        ),
        pytest.param(
            [complete("c1", "x\n<shellId: 0 completed with exit code 3>", success=True)],
            ("error", 3, ""),
            id="the closing line alone",
        ),
        pytest.param(
            [complete("c1", "<shellId: 0 completed with exit code 3>\nmore", success=True)],
            ("ok", None, ""),
            id="the same line before the end is the command's",
        ),
        pytest.param(
            [complete("c1", success=False, error={"code": "failure"})],
            ("error", None, ""),
            id="failure",
        ),
        pytest.param(
            [complete("c1", success=False, error={"message": "Denied by preToolUse hook: no", "code": "denied"})],
            ("denied", None, "rule"),
            id="denied by a hook",
        ),
        pytest.param([complete("c1", success=False, error={"code": "rejected"})], ("denied", None, ""), id="rejected"),
        pytest.param(
            [permission("c1", "denied-interactively-by-user"), complete("c1", success=False, error={"code": "denied"})],
            ("denied", None, "person"),
            id="refused by the person",
        ),
        pytest.param(
            [permission("c1", "denied-no-approval-rule-and-could-not-request-from-user")],
            ("denied", None, "nobody"),
            id="nobody to ask, and no result",
        ),
        pytest.param([permission("c1", "cancelled")], ("interrupted", None, ""), id="Esc at the question"),
        pytest.param([permission("c1", "approved"), complete("c1", success=True)], ("ok", None, ""), id="approved"),
        pytest.param(
            [complete("c1", success=True), permission("c1", "denied-by-rules")],
            ("ok", None, ""),
            id="a permission after the result changes nothing",
        ),
        pytest.param(
            [complete("c1", success=True), complete("c1", success=False)], ("ok", None, ""), id="the first result holds"
        ),
        pytest.param([event("abort", reason="user_abort")], ("interrupted", None, ""), id="Esc while it ran"),
        pytest.param([], ("open", None, ""), id="killed: neither ok nor interrupted"),
    ],
)
def test_a_call_ends_as_the_records_say(
    tmp_path: Path, read: Read, lines: list[bytes], expected: tuple[str, int | None, str]
) -> None:
    entries, tally = read(copilot, write(tmp_path, start("c1", command="make"), *lines))

    calls = [e.call for e in entries if e.call]
    assert [(c.status, c.exit_code, c.denied_by) for c in calls] == [expected]
    assert tally.calls == 1


def test_a_closing_line_counts_for_shells_alone(tmp_path: Path, read: Read) -> None:
    text = "<shellId: 0 completed with exit code 3>"

    entries, _ = read(copilot, write(tmp_path, start("c1", "view", path="/p/log"), complete("c1", text, success=True)))

    assert [(e.call.status, e.call.exit_code) for e in entries if e.call] == [("ok", None)]


@pytest.mark.parametrize(
    ("line", "origin"),
    [
        pytest.param(event("user.message", content="do it", delivery="idle"), "unknown", id="typed"),
        pytest.param(event("user.message", content="do it", source="user"), "unknown", id="source user"),
        pytest.param(event("user.message", content="do it", delivery="queued"), "queued", id="queued"),
        pytest.param(event("user.message", content="do it", source="agent-1"), None, id="an agent's"),
        pytest.param(event("user.message", content="do it", isAutopilotContinuation=True), None, id="autopilot"),
        pytest.param(event("user.message", "a1", content="do it"), None, id="inside a sub-agent"),
        pytest.param(event("user.message", content=" \n"), None, id="blank"),
        pytest.param(event("hook.start", input={"prompt": "do it"}), None, id="what a hook was given"),
        pytest.param(
            permission("c9", "denied-interactively-by-user", feedback="do it"), "refusal", id="words of a refusal"
        ),
        pytest.param(permission("c9", "denied-interactively-by-user"), None, id="a refusal without words"),
    ],
)
def test_a_persons_words_are_prompts_and_nothing_else_is(
    tmp_path: Path, read: Read, line: bytes, origin: str | None
) -> None:
    entries, _ = read(copilot, write(tmp_path, line))

    assert [(e.text, e.origin) for e in entries if e.kind == "prompt"] == ([("do it", origin)] if origin else [])


def test_edits_and_skills_are_told_from_other_calls(tmp_path: Path, read: Read) -> None:
    listed = write(
        tmp_path,
        start("c1", "create", path="/p/a", file_text="one"),
        complete("c1", success=True),
        start("c2", "edit", path="/p/a", old_str="one", new_str="two"),
        complete("c2", success=True),
        start("c3", "edit", path="/p/a", old_str="x", new_str="y"),
        complete("c3", success=False, error={"message": "No match found"}),
        start("c4", "skill", skill="greet"),
        complete("c4", success=True),
    )

    entries, _ = read(copilot, listed)

    assert [(e.kind, e.skill, [tuple(edit) for edit in e.edits]) for e in entries] == [
        ("edit", "", [("/p/a", None, "one")]),
        ("edit", "", [("/p/a", "one", "two")]),
        ("tool_call", "", []),
        ("skill_call", "greet", []),
    ]


@pytest.mark.parametrize(
    ("workspace", "folder"),
    [
        pytest.param("id: 1\ncwd: /p/q\nname: x\n", "/p/q", id="plain"),
        pytest.param("cwd: '/it''s here'\n", "/it's here", id="single quotes"),
        pytest.param('cwd: "/a \\"b\\""\n', '/a "b"', id="double quotes"),
        pytest.param("cwd: /p # home\r\n", "/p", id="a comment"),
        pytest.param('{"id": 1, "cwd": "/p"}', "/p", id="JSON"),
        pytest.param("\ufeffcwd: /p\n", "/p", id="a byte order mark"),
    ],
)
def test_the_gate_takes_the_folder_from_workspace_yaml(tmp_path: Path, workspace: str, folder: str) -> None:
    assert copilot.read_gate(write(tmp_path, workspace=workspace)).dirs == (folder,)


@pytest.mark.parametrize(
    "workspace",
    [
        pytest.param("name: x\n", id="no cwd"),
        pytest.param("deep:\n  cwd: /p\n", id="not at the top level"),
        pytest.param("cwd: p/q\n", id="not absolute"),
        pytest.param("cwd:\n  - /p\n", id="no scalar"),
        pytest.param("cwd: /p\n" + "#" * (1 << 16), id="longer than 64 KiB"),
        pytest.param('{"cwd": 7}', id="JSON of another type"),
    ],
)
def test_a_workspace_file_that_names_no_folder_is_said_to_be_unknown(tmp_path: Path, workspace: str) -> None:
    gate = copilot.read_gate(write(tmp_path, workspace=workspace))

    assert gate.unknown
    assert not gate.dirs


def test_a_link_in_the_place_of_workspace_yaml_is_not_read(tmp_path: Path) -> None:
    listed = write(tmp_path / "store", workspace=None)
    (tmp_path / "real").write_text("cwd: /p\n")
    Path(listed.path).with_name("workspace.yaml").symlink_to(tmp_path / "real")

    assert "link" in copilot.read_gate(listed).unknown


def test_without_workspace_yaml_the_gate_knows_nothing(tmp_path: Path, read: Read) -> None:
    listed = write(tmp_path, workspace=None)

    assert copilot.read_gate(listed) == copilot.Gate()
    assert read(copilot, listed)[1].cwds == ["/p"]


def test_a_changed_folder_is_recorded(tmp_path: Path, read: Read) -> None:
    _, tally = read(copilot, write(tmp_path, event("session.context_changed", cwd="/q"), event("brand.new")))

    assert tally.cwds == ["/p", "/q"]
    assert tally.cwd == "/q"
    assert tally.unknown == {"brand.new": 1}


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(b"\xff\x00\n", id="no UTF-8"),
        pytest.param(b"[]\n", id="an array"),
        pytest.param(b'{"type":"user.message"}\n', id="no data"),
        pytest.param(b'{"type":"hook.start","data":\n', id="cut, of a type that is passed over"),
        pytest.param(b'{"type":"user.message","data":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n", id="deep"),
    ],
)
def test_a_line_that_is_no_event_is_counted_and_passed_over(tmp_path: Path, read: Read, odd: bytes) -> None:
    entries, tally = read(copilot, write(tmp_path, odd, event("user.message", content="go on")))

    assert [e.text for e in entries] == ["go on"]
    assert (tally.entries, tally.unparsed) == (2, 1)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(event("user.message", content=5), id="content"),
        pytest.param(event("tool.execution_start", toolCallId=[], toolName={}, arguments=[1]), id="a call's"),
        pytest.param(event("tool.execution_complete", toolCallId="?", error="x", result="y"), id="a result's"),
        pytest.param(event("permission.completed", result=[]), id="a permission's"),
        pytest.param(event("session.start", context="x"), id="a context's"),
        pytest.param(event("assistant.message", content=[], model=3), id="an answer's"),
    ],
)
def test_values_of_the_wrong_type_hurt_nobody(tmp_path: Path, read: Read, odd: bytes) -> None:
    entries, _ = read(copilot, write(tmp_path, odd, event("user.message", content="go on")))

    assert [e.text for e in entries if e.kind == "prompt"] == ["go on"]


def fixture_logs() -> list[Any]:
    logs = sorted(FIXTURES.glob("*/logs/session-state/*/events.jsonl"))
    return [pytest.param(path, id=f"{path.parts[-5]}-{path.parts[-2][:4]}") for path in logs]


@pytest.mark.parametrize("source", fixture_logs())
def test_any_cuts_of_recorded_events_give_the_same_entries(source: Path, tmp_path: Path, check_cuts: CheckCuts) -> None:
    data = source.read_bytes()
    listed = write(tmp_path)
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]

    for first in range(0, len(ends), 7):
        check_cuts(copilot, listed, data, [ends[first], ends[first] + 100])
    check_cuts(copilot, listed, data, ends)


PIECES = [
    start("c1", command="make"), start("c2", "edit", path="/p/a"), complete("c1", success=True),
    complete("c2", success=False), permission("c1", "denied-by-rules"), permission("c2", "cancelled"),
    permission("c1", "denied-interactively-by-user", feedback="no"), event("abort", reason="user_abort"),
    event("user.message", content="again"), event("assistant.message", content="Done.", model="m2"), b"broken\n",
    event("hook.end", x=1), event("session.context_changed", cwd="/q"),
]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.integers(0, 3000), max_size=5))
def test_any_cuts_of_any_events_give_the_same_entries(
    check_cuts: CheckCuts, pieces: list[bytes], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = START + b"".join(pieces)

        check_cuts(copilot, write(Path(folder)), data, [min(cut, len(data)) for cut in cuts])
