"""Payload in, turn out: who sent it, which event it is, whose words they are."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tellback
from tellback.core.shapes import Turn
from tellback.hooks.table import FAMILIES, load_family, tell_harness

ROOT = Path(tellback.__file__).parent
FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"

AT = 1_796_032_515.5


def read_turn(payload: dict[str, Any], argument: str = "claude-code") -> Turn:
    return load_family(tell_harness(payload, argument)).read_turn(payload, AT)


def test_each_family_is_one_module_and_one_row() -> None:
    modules = {path.stem for path in (ROOT / "hooks").glob("*.py") if "\ndef read_turn(" in path.read_text("utf-8")}

    assert set(FAMILIES.values()) == modules


@pytest.mark.parametrize(
    ("payload", "harness"),
    [
        pytest.param({"hook_event_name": "Stop", "session_id": "s"}, "claude-code", id="no sign of another"),
        pytest.param({"cursor_version": "3.18", "session_id": "s", "hook_event_name": "x"}, "cursor", id="its version"),
        pytest.param({"conversation_id": "c", "hook_event_name": "stop"}, "cursor", id="a conversation"),
        pytest.param({"turn_id": "t", "session_id": "s", "hook_event_name": "Stop"}, "codex", id="a turn"),
        pytest.param(
            {"transcript_path": "/h/.codex/sessions/2026/rollout-1.jsonl", "session_id": "s", "hook_event_name": "x"},
            "codex",
            id="a rollout",
        ),
        pytest.param({"sessionId": "s", "timestamp": 1, "prompt": "x"}, "copilot", id="camel case"),
        pytest.param(
            {"session_id": "s", "timestamp": "2026", "hook_event_name": "UserPromptSubmit", "cwd": "/"},
            "copilot",
            id="a time and no transcript",
        ),
        pytest.param(
            {"timestamp": "2026", "transcript_path": "/h/.gemini/tmp/x", "hook_event_name": "BeforeAgent"},
            "gemini-cli",
            id="a time and its folder",
        ),
        pytest.param(
            {
                "session_id": "s",
                "timestamp": "2026",
                "transcript_path": "/h/.claude/x.jsonl",
                "hook_event_name": "Stop",
            },
            "claude-code",
            id="a member that it has not yet",
        ),
    ],
)
def test_the_payload_tells_the_harness_and_not_the_argument(payload: dict[str, Any], harness: str) -> None:
    assert tell_harness(payload, "claude-code") == harness
    assert tell_harness(payload, "cursor") == harness


def test_without_signs_the_argument_counts_if_it_is_a_harness() -> None:
    assert tell_harness({}, "cursor") == "cursor"
    with pytest.raises(ValueError, match="nobody"):
        tell_harness({}, "nobody")


def test_cursors_project_is_its_first_root_and_not_the_folder_it_runs_in() -> None:
    turn = read_turn(
        {
            "conversation_id": "c",
            "generation_id": "g",
            "hook_event_name": "beforeSubmitPrompt",
            "workspace_roots": ["/home/dev/a", "/home/dev/b", 7, "relative"],
            "cwd": "/home/dev/.cursor",
            "prompt": "x",
            "transcript_path": None,
        }
    )

    assert (turn.harness, turn.event, turn.project) == ("cursor", "prompt", "/home/dev/a")
    assert (turn.roots, turn.cwd, turn.transcript) == (("/home/dev/a", "/home/dev/b"), "/home/dev/.cursor", "")
    assert (turn.session_id, turn.prompt_id) == ("c", "g")


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"session_id": "s", "hook_event_name": "UserPromptSubmit", "agent_id": "a"}, id="claude-code"),
        pytest.param(
            {"session_id": "s", "turn_id": "t", "hook_event_name": "UserPromptSubmit", "agent_id": "a"}, id="codex"
        ),
        pytest.param({"sessionId": "s", "prompt": "x", "agentId": "a", "parentAgentId": "p"}, id="copilot"),
    ],
)
def test_a_sub_agents_instruction_is_not_the_persons(payload: dict[str, Any]) -> None:
    turn = read_turn(payload)

    assert turn.event == "prompt"
    assert not turn.is_person


@pytest.mark.parametrize(
    ("member", "value"),
    [
        pytest.param("session_id", ["x"], id="a list for an id"),
        pytest.param("session_id", "x" * 201, id="an id without end"),
        pytest.param("session_id", "a\nb", id="an id of two lines"),
        pytest.param("prompt", 5, id="a number for a prompt"),
        pytest.param("cwd", "relative/path", id="a relative folder"),
        pytest.param("cwd", "/a\0b", id="a folder with a zero byte"),
        pytest.param("cwd", "/a\ud800", id="a folder with half a character"),
        pytest.param("cwd", {"x": 1}, id="an object for a folder"),
        pytest.param("transcript_path", "../x.jsonl", id="a relative transcript"),
        pytest.param("hook_event_name", {"x": 1}, id="an object for the event"),
    ],
)
def test_a_member_of_a_wrong_kind_is_as_good_as_none(member: str, value: object) -> None:
    good = {
        "session_id": "s",
        "hook_event_name": "UserPromptSubmit",
        "cwd": "/c",
        "transcript_path": "/t",
        "prompt": "p",
    }

    turn = read_turn({**good, member: value})

    names = {"session_id": "session_id", "prompt": "prompt", "cwd": "cwd", "transcript_path": "transcript"}
    if member == "hook_event_name":
        assert turn.event == "other"
    else:
        assert getattr(turn, names[member]) == ""


def test_halves_of_characters_in_a_prompt_become_the_sign_for_them() -> None:
    turn = read_turn({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "a\ud800b \U0001f600"})

    turn.prompt.encode()
    assert turn.prompt[0] == "a"
    assert turn.prompt.endswith("b \U0001f600")


def recorded() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield harness, the recorder's word for the event, payload: all that the real programs sent."""
    for path in sorted(FIXTURES.glob("*/*/hooks.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            call = json.loads(line)
            if isinstance(call.get("stdin"), dict):
                yield path.parts[-3], call["event"], call["stdin"]


# What the recorder called an event, in lower case, to what it is to us; what is not here is "other".
OURS = {
    "userpromptsubmit": "prompt",
    "userpromptsubmitted": "prompt",
    "beforesubmitprompt": "prompt",
    "beforeagent": "prompt",
    "posttoolusefailure": "tool_failed",
    "stop": "turn_end",
    "agentstop": "turn_end",
    "afteragent": "turn_end",
    "interrupt": "turn_end",
    "sessionend": "session_end",
    "sessionstart": "session_start",
}


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded payloads are not beside this checkout")
def test_every_recorded_payload_is_told_for_what_it_is() -> None:
    wrong: list[object] = []
    counts: dict[str, int] = {}
    for harness, event, payload in recorded():
        if event == "notify" and harness == "codex":
            continue  # its older interface, which sends no hook payload
        turn = read_turn(payload)
        counts[harness] = counts.get(harness, 0) + 1
        expected = OURS.get(event.lower(), "other")
        is_agent = "agent_id" in payload or "agentId" in payload
        if (turn.harness, turn.event, turn.is_person) != (harness, expected, not is_agent):
            wrong.append((harness, event, turn.harness, turn.event, payload))
        elif expected == "prompt" and not (turn.prompt and turn.session_id and turn.project):
            wrong.append((harness, event, "incomplete", payload))

    assert wrong == []
    assert set(counts) == set(FAMILIES)
