"""Friction in a log: operations that went through only after failing, and work that a person urged."""

import pytest

from tellback.learning.friction import find_repeated, is_finished_after, name_operation
from tellback.sessions.entry import Call, Entry


def call(command: str, status: str, tool: str = "Bash") -> Entry:
    made = Call("c", tool, {}, command, status)  # type: ignore[arg-type]
    return Entry(0, 1, "u", None, "", "", "tool_call", call=made)


def step(kind: str, text: str = "x") -> Entry:
    return Entry(0, 1, "u", None, "", "", kind, text=text)  # type: ignore[arg-type]


def test_an_operation_that_failed_twice_and_then_went_through_is_friction() -> None:
    entries = [call("pytest a", "error"), call("ls", "ok"), call("pytest b", "error"), call("pytest c", "ok")]

    (found,) = find_repeated(entries)

    assert (found.operation, found.failures, found.entry) == ("Bash pytest", 2, entries[3])


@pytest.mark.parametrize(
    "statuses",
    [["error", "ok"], ["error", "error"], ["ok", "ok", "ok"], ["denied", "denied", "ok"], ["interrupted"] * 2 + ["ok"],
     ["error", "ok", "error", "ok"]],
    ids=["once", "never done", "never failed", "refused", "interrupted", "each done at the second try"],
)  # fmt: skip
def test_other_courses_are_none(statuses: list[str]) -> None:
    assert find_repeated([call("pytest", status) for status in statuses]) == []


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (Call("c", "Bash", {}, "git commit -m x"), "Bash git commit"),
        (Call("c", "Bash", {}, "pytest -q tests"), "Bash pytest"),
        (Call("c", "Edit", {"file_path": "/a.py"}), "Edit /a.py"),
        (Call("c", "WebFetch", {"url": "x"}), "WebFetch"),
        (Call("c", "Bash", {}, ""), "Bash"),
    ],
)
def test_an_operation_is_named_by_tool_and_program_or_file(made: Call, name: str) -> None:
    assert name_operation(made) == name


@pytest.mark.parametrize(
    ("after", "finished"),
    [
        (["assistant_text"], True),
        (["tool_call", "assistant_text", "prompt"], True),
        ([], False),
        (["interrupt", "assistant_text"], False),
        (["prompt"], False),
    ],
)
def test_urged_work_got_done_when_the_agent_answered_and_nobody_stopped_it(after: list[str], finished: bool) -> None:
    entries = [step("prompt"), *(step(kind) for kind in after)]

    assert is_finished_after(entries, 0) is finished
