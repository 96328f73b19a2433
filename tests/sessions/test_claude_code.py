"""What the records of a Claude Code log mean, where its sessions lie, and that forks and resumes count once."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.sessions import claude_code
from tellback.sessions import claude_records as records
from tellback.sessions.claude_calls import OpenCalls
from tellback.sessions.entry import NOTHING, Call, Entry, Resume, Tally, Want
from tellback.sessions.lines import FileLog
from tellback.sessions.reader import Listed, LogError

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "claude-code"
RECORDED = sorted(FIXTURES.glob("*/home/.claude/projects/*/*.jsonl"))
recorded = pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not here")

_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)


def user(content: Any, **marks: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **marks}


def result(text: Any, is_error: bool | None = None, **marks: Any) -> dict[str, Any]:
    block = {"tool_use_id": "t1", "type": "tool_result", "content": text}
    return user([block if is_error is None else block | {"is_error": is_error}], **marks)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        pytest.param(user("Fix it", promptSource="typed"), ("prompt", "typed", "Fix it"), id="typed"),
        pytest.param(user("Fix it", promptSource="sdk"), ("prompt", "sdk", "Fix it"), id="sent by a program"),
        pytest.param(user("Fix it"), ("prompt", "unknown", "Fix it"), id="an earlier release without marks"),
        pytest.param(
            user([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]),
            ("prompt", "unknown", "a\nb"),
            id="text beside an image",
        ),
        pytest.param(
            user("<bash-stdout>is what I see", promptSource="typed"),
            ("prompt", "typed", "<bash-stdout>is what I see"),
            id="a mark beats how the text opens",
        ),
        pytest.param(
            user("/nosuch thing", promptSource="sdk"), ("prompt", "sdk", "/nosuch thing"), id="unknown command"
        ),
        pytest.param(
            {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "Wait", "commandMode": "prompt"}},
            ("prompt", "queued", "Wait"),
            id="typed while a tool ran",
        ),
        pytest.param(
            user([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
            ("interrupt", "", "[Request interrupted by user for tool use]"),
            id="an interrupt",
        ),
        pytest.param(user("<bash-input>git status</bash-input>"), ("other", "typed", "git status"), id="a command run"),
    ],
)
def test_what_a_person_said(record: dict[str, Any], said: tuple[str, str, str]) -> None:
    found = records.find_said(record)

    assert found is not None
    assert (found.kind, found.origin, found.text) == said


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(user("Base directory for this skill: /x", isMeta=True), id="a skill's body"),
        pytest.param(user("This session is being continued", isCompactSummary=True), id="a compaction's summary"),
        pytest.param(user("<local-command-stdout>ok</local-command-stdout>"), id="a command's output"),
        pytest.param(
            user("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>", turnOrigin="human"), id="bash echo"
        ),
        pytest.param(user("<task-notification>done", promptSource="system"), id="a task's end, marked"),
        pytest.param(user("<task-notification>done"), id="a task's end, without marks"),
        pytest.param(user("Go on", origin={"kind": "task-notification"}), id="another agent's words"),
        pytest.param(user("  \n"), id="white space"),
        pytest.param(user([{"type": "image"}]), id="an image alone"),
        pytest.param(result("ok"), id="a result"),
        pytest.param(
            user("<command-name>/compact</command-name>\n <command-message>compact</command-message>"), id="built-in"
        ),
        pytest.param(
            {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x", "commandMode": "bash"}},
            id="a queued command line",
        ),
        pytest.param(
            {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "<task-notification>x"}},
            id="a queued notification",
        ),
        pytest.param({"type": "attachment", "attachment": {"type": "date", "prompt": "x"}}, id="machine context"),
        pytest.param({"type": "queue-operation", "content": "typed"}, id="the queue's own note"),
        pytest.param({"type": "last-prompt", "lastPrompt": "typed"}, id="a copy of the prompt"),
    ],
)
def test_what_nobody_said(record: dict[str, Any]) -> None:
    assert records.find_said(record) is None


@pytest.mark.parametrize(
    ("record", "skill", "arguments"),
    [
        pytest.param(
            user(
                "<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>Ada</command-args>"
            ),
            "greet",
            "Ada",
            id="a user record",
        ),
        pytest.param(
            {"type": "system", "subtype": "local_command", "content": "<command-name>/greet</command-name>"},
            "greet",
            "",
            id="a system record",
        ),
    ],
)
def test_a_typed_skill_is_a_call_of_it(record: dict[str, Any], skill: str, arguments: str) -> None:
    said = records.find_said(record)

    assert said == records.Said("skill_call", arguments, "typed", skill)


@pytest.mark.parametrize(
    ("record", "outcome"),
    [
        pytest.param(result("fine"), ("ok", None, ""), id="no mark"),
        pytest.param(result("The command has been denied", is_error=False), ("ok", None, ""), id="a quoted denial"),
        pytest.param(result("Exit code 3\n1 failed", is_error=True), ("error", 3, ""), id="an exit code"),
        pytest.param(result("Exit code 3 is odd", is_error=True), ("error", None, ""), id="a sentence on exit codes"),
        pytest.param(result("x\nExit code 3", is_error=True), ("error", None, ""), id="an exit code further down"),
        pytest.param(result("<tool_use_error>no</tool_use_error>", is_error=True), ("error", None, ""), id="bad input"),
        pytest.param(
            result([{"type": "text", "text": "Exit code 2"}], is_error=True), ("error", 2, ""), id="text in blocks"
        ),
        pytest.param(
            result("Permission to use Bash has been denied.", is_error=True, toolDenialKind="permission-rule"),
            ("denied", None, "rule"),
            id="a rule",
        ),
        pytest.param(
            result("Permission to use Bash has been denied.", is_error=True),
            ("denied", None, "rule"),
            id="a rule, unmarked",
        ),
        pytest.param(
            result(
                "This command requires approval",
                is_error=True,
                toolDenialKind="user-rejected",
                permissionDecision={"decision": "reject", "source": "config"},
            ),
            ("denied", None, "nobody"),
            id="nobody to ask",
        ),
        pytest.param(
            result(_REFUSED + "STOP", is_error=True, toolDenialKind="user-rejected", toolDenialBeforeRun=True),
            ("denied", None, "person"),
            id="refused in the dialog",
        ),
        pytest.param(
            result(_REFUSED + "STOP", is_error=True, toolDenialKind="user-rejected"),
            ("interrupted", None, ""),
            id="interrupted while it ran, in the same words",
        ),
        pytest.param(
            result(
                _REFUSED + "To tell you how to proceed, the user said:\nask first",
                is_error=True,
                toolDenialKind="user-rejected",
                userFeedback="ask first",
            ),
            ("denied", None, "person"),
            id="refused with words",
        ),
        pytest.param(result(_REFUSED + "STOP", is_error=True), ("denied", None, "person"), id="refused, unmarked"),
        pytest.param(
            result("aborted", is_error=True, toolUseResult={"interrupted": True}),
            ("interrupted", None, ""),
            id="marked so",
        ),
        pytest.param(
            result("[Request interrupted by user for tool use]", is_error=True), ("interrupted", None, ""), id="told so"
        ),
    ],
)
def test_what_became_of_a_call(record: dict[str, Any], outcome: tuple[str, int | None, str]) -> None:
    (found,) = records.find_outcomes(record)

    assert (found.status, found.exit_code, found.denied_by) == outcome


@pytest.mark.parametrize(
    ("tool", "arguments", "edits"),
    [
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, [("a", "x", "y")]),
        ("Write", {"file_path": "a", "content": "y"}, [("a", None, "y")]),
        ("NotebookEdit", {"notebook_path": "a", "new_source": "y"}, [("a", None, "y")]),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}, [("a", "x", "y")]),
        ("Read", {"file_path": "a"}, []),
    ],
)
def test_what_a_call_changes(tool: str, arguments: dict[str, Any], edits: list[tuple[str, str | None, str]]) -> None:
    assert [tuple(edit) for edit in records.find_edits(Call("t1", tool, arguments))] == edits


def write_log(path: Path, rows: list[dict[str, Any]]) -> Listed:
    path.write_bytes(b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows))
    return Listed("claude-code", path.stem, str(path), path.stat().st_size, path.stat().st_mtime_ns)


def call(uuid: str, call_id: str, command: str, tool: str = "Bash") -> dict[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": tool, "input": {"command": command}}
    return {"type": "assistant", "uuid": uuid, "message": {"role": "assistant", "content": [block]}}


def answer(call_id: str, text: str, is_error: bool) -> dict[str, Any]:
    return user(
        [{"tool_use_id": call_id, "type": "tool_result", "content": text, "is_error": is_error}], uuid=f"r-{call_id}"
    )


def read(listed: Listed, want: Want = Want()) -> list[Entry]:  # noqa: B008 - a constant
    with claude_code.open_log(listed) as log:
        return list(claude_code.read_entries(log, Resume(), Tally(), want))


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_call_before_a_digest_s_end_is_known_to_the_next(tmp_path: Path, separators: tuple[str, str]) -> None:
    rows = [user("a", uuid="u0"), call("u1", "t1", "make"), answer("t1", "Exit code 2", is_error=True)]
    lines = [json.dumps(row, separators=separators).encode() + b"\n" for row in rows]
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(lines))
    tally = Tally()

    with claude_code.open_log(Listed("claude-code", "s", str(path), 0, 0)) as log:
        whole, log.complete_bytes = log.complete_bytes, len(lines[0] + lines[1])
        list(claude_code.read_entries(log, Resume(), tally, NOTHING))
        log.complete_bytes = whole
        (failed,) = claude_code.read_entries(log, tally.resume, Tally(), Want())

    assert failed.call is not None
    assert (failed.span, failed.call.command, failed.call.status) == ("u1", "make", "error")


def test_a_person_s_words_of_refusal_are_a_prompt_after_the_denied_call(tmp_path: Path) -> None:
    refusal = result(_REFUSED + "To tell you how to proceed, the user said:\nask first", is_error=True, uuid="u2")
    listed = write_log(tmp_path / "s.jsonl", [call("u1", "t1", "rm x"), refusal])

    denied, prompt = read(listed)

    assert denied.call is not None
    assert (denied.span, denied.call.status) == ("u1", "denied")
    assert (prompt.kind, prompt.span, prompt.origin, prompt.text) == ("prompt", "u2", "refusal", "ask first")


def test_feedback_beside_a_call_that_succeeded_is_nobody_s_words(tmp_path: Path) -> None:
    row = result("fine", is_error=False, userFeedback="quoted by a tool")
    listed = write_log(tmp_path / "s.jsonl", [call("u1", "t1", "ls"), row])

    assert [entry.kind for entry in read(listed)] == ["tool_call"]


def test_a_call_without_a_result_comes_last_and_open(tmp_path: Path) -> None:
    listed = write_log(tmp_path / "s.jsonl", [call("u1", "t1", "sleep 9"), user("hello", uuid="u2")])

    prompt, waiting = read(listed)

    assert waiting.call is not None
    assert (prompt.kind, waiting.span, waiting.call.status) == ("prompt", "u1", "open")


def test_failed_calls_and_what_repeats_them_are_told_without_the_rest(tmp_path: Path) -> None:
    rows = [
        *(call("u1", "t1", "make"), answer("t1", "Exit code 2", is_error=True)),
        *(call("u2", "t2", "ls"), answer("t2", "fine", is_error=False)),
        *(call("u3", "t3", "make"), answer("t3", "fine", is_error=False)),
    ]
    listed = write_log(tmp_path / "s.jsonl", rows)

    assert [entry.span for entry in read(listed, Want("none", "failed", git=False))] == ["u1", "u3"]


def test_a_sub_agent_s_record_in_a_session_s_log_is_nobody_s_words(tmp_path: Path) -> None:
    listed = write_log(tmp_path / "s.jsonl", [user("look it up", isSidechain=True, uuid="u1")])

    assert read(listed) == []


def test_the_instruction_in_a_sub_agent_s_own_log_is_the_agent_s(tmp_path: Path) -> None:
    listed = write_log(tmp_path / "agent-1.jsonl", [user("look it up", isSidechain=True, uuid="u1")])

    (prompt,) = read(listed._replace(parent="s1"))

    assert (prompt.kind, prompt.origin) == ("prompt", "agent")


def test_results_without_calls_do_not_cost_a_search_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [answer(f"t{number}", "Exit code 1", is_error=True) for number in range(200)]
    listed = write_log(tmp_path / "s.jsonl", rows)
    searches: list[bytes] = []
    real = FileLog.lines_with
    monkeypatch.setattr(FileLog, "lines_with", lambda *args: (searches.append(args[1]), real(*args))[1])

    assert read(listed) == []
    assert len(searches) < 20


def test_a_call_in_a_copied_request_is_not_the_call(tmp_path: Path) -> None:
    copy = {"type": "api-request-blob", "message": call("", "t1", "make")["message"]}
    listed = write_log(
        tmp_path / "s.jsonl", [call("u1", "t1", "make"), copy, answer("t1", "Exit code 2", is_error=True)]
    )

    with FileLog(listed) as log:
        found = OpenCalls(log, Resume()).take("t1", reads=True, before=log.complete_bytes)

    assert found is not None
    assert found.span == "u1"


@recorded
def test_a_fork_repeats_the_spans_of_the_session_that_it_continues() -> None:
    spans: dict[str, set[str]] = {}
    for path in RECORDED:
        if path.parts[-6] == "fork":
            entries = read(Listed("claude-code", path.stem, str(path), 0, 0))
            spans[path.stem[:8]] = {entry.span for entry in entries if entry.kind == "prompt"}

    assert spans["7a061f9a"] < spans["7a857b3b"]
    assert len(spans["7a061f9a"] | spans["7a857b3b"]) == 4


@recorded
@given(data=st.data())
@settings(max_examples=40)
def test_a_log_that_grows_gives_what_one_pass_gives(
    data: st.DataObject, check_cuts: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = data.draw(st.sampled_from(RECORDED)).read_bytes()
    cuts = data.draw(st.lists(st.integers(0, len(source)), max_size=6))
    path = tmp_path_factory.getbasetemp() / "growing.jsonl"

    check_cuts(claude_code, Listed("claude-code", "growing", str(path), 0, 0), source, cuts)


def test_sessions_are_listed_with_their_encoded_folder(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-home-dev-project"
    (folder / "s1" / "subagents").mkdir(parents=True)
    (folder / "memory").mkdir()
    for name in ("s1.jsonl", "s2.jsonl", "notes.txt", "s1/subagents/agent-1.jsonl", "s1/subagents/agent-1.meta.json"):
        (folder / name).write_bytes(b"{}\n")

    listing = claude_code.list_sessions(tmp_path / "projects")
    whole = claude_code.list_sessions(tmp_path / "projects", subagents=True)

    assert [listed.session_id for listed in listing.sessions] == ["s1", "s2"]
    assert [(listed.session_id, listed.parent) for listed in whole.sessions] == [
        ("agent-1", "s1"),
        ("s1", ""),
        ("s2", ""),
    ]
    assert {claude_code.read_gate(listed).encoded for listed in whole.sessions} == {"-home-dev-project"}


def test_an_absent_store_is_absent_and_a_file_in_its_place_unreadable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    assert claude_code.list_sessions(tmp_path / "nothing").state == "absent"
    assert claude_code.list_sessions(tmp_path / "file").state == "unreadable"


def test_a_linked_folder_of_the_store_is_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "s1.jsonl").write_bytes(b"{}\n")
    (tmp_path / "projects" / "-x").symlink_to(tmp_path / "elsewhere")

    listing = claude_code.list_sessions(tmp_path / "projects")

    assert listing.sessions == ()
    assert [problem.what for problem in listing.problems] == ["is a link, which is not followed"]


def make_fifo(path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no FIFOs here")
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(make_fifo, "the log is not a regular file", id="a FIFO"),
        pytest.param(lambda path: path.symlink_to("/etc/hostname"), "the log is a link", id="a link"),
        pytest.param(lambda path: path.mkdir(), "the log is not a regular file", id="a folder"),
        pytest.param(lambda path: None, "the log could not be opened: No such file or directory", id="nothing"),
    ],
)
def test_only_a_regular_file_is_opened(make: Callable[[Path], None], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    make(path)

    with pytest.raises(LogError, match=reason):
        claude_code.open_log(Listed("claude-code", "s1", str(path), 0, 0))


def test_a_log_rewritten_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    listed = write_log(path, [user(f"prompt {number}", uuid=f"u{number}") for number in range(9)])

    with claude_code.open_log(listed) as log:
        entries = claude_code.read_entries(log, Resume(), Tally(), Want())
        next(entries)
        path.write_bytes(path.read_bytes().replace(b"prompt", b"PROMPT"))
        os.utime(path, ns=(1, 1))
        with pytest.raises(LogError, match="rewritten while it was read"):
            list(entries)


def test_a_log_cut_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellback.sessions.lines._BLOCK", 256)
    path = tmp_path / "s1.jsonl"
    listed = write_log(path, [user(f"prompt {number}", uuid=f"u{number}") for number in range(30)])

    with claude_code.open_log(listed) as log:
        entries = claude_code.read_entries(log, Resume(), Tally(), Want())
        next(entries)
        os.truncate(path, 300)
        with pytest.raises(LogError, match="shrank while it was read"):
            list(entries)


def test_a_log_replaced_while_it_is_read_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    listed = write_log(path, [user("first", uuid="u1"), user("second", uuid="u2")])

    with claude_code.open_log(listed) as log:
        write_log(tmp_path / "other.jsonl", [user("other", uuid="u9")])
        (tmp_path / "other.jsonl").replace(path)

        entries = list(claude_code.read_entries(log, Resume(), Tally(), Want()))

    assert [entry.text for entry in entries] == ["first", "second"]


def test_lines_with_a_text_are_found_backwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellback.sessions.lines._BLOCK", 64)
    monkeypatch.setattr("tellback.sessions.lines._STEP", 48)
    source = random.Random(7)
    rows = [f"{number} {'needle ' * source.choice([0, 0, 1, 3])}{'x' * source.randrange(90)}" for number in range(60)]
    path = tmp_path / "s1.jsonl"
    path.write_text("\n".join(rows) + "\n")

    with FileLog(Listed("claude-code", "s1", str(path), 0, 0)) as log:
        found = [line.decode() for _, line in log.lines_with(b"needle", log.complete_bytes, 1 << 20)]

    assert found == [row for row in reversed(rows) if "needle" in row]
