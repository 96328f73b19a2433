"""What a sweep laid ready is shown by the real hook: a question once, the brief at each start of a session."""

import json
from pathlib import Path
from typing import Any

import pytest

from tellback.core.ready import MAX_BYTES, brief_path, question_path

QUESTION = "刚才的问题属于哪个 skill？ (lint or deploy?)"
BRIEF = "Notes by Tellback on what this person said here before.\n- correction: “use pnpm”\n"


def lay(path: str, text: str) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def lay_question(hook: Any, text: str = QUESTION) -> Path:
    return lay(question_path(hook.payload("Stop")["session_id"], hook.places), text)


def lay_brief(hook: Any, text: str = BRIEF) -> Path:
    return lay(brief_path(str(hook.project), hook.places), text)


def read_context(stdout: bytes) -> tuple[str, str]:
    """Return event and context of an answer of Claude Code's."""
    output: dict[str, Any] = json.loads(stdout)["hookSpecificOutput"]
    return output["hookEventName"], output["additionalContext"]


def test_the_next_prompt_asks_and_the_one_after_it_does_not(hook: Any) -> None:
    lay_question(hook)

    first, second = hook.fire(hook.task()), hook.fire(hook.task())

    assert read_context(first.stdout) == ("UserPromptSubmit", QUESTION)
    assert "systemMessage" not in json.loads(first.stdout)  # the agent asks, in its own words
    assert (second.status, second.stdout, second.stderr) == (0, b"", b"")
    assert hook.read_log() == ""


def test_a_correction_is_acknowledged_beside_the_question(hook: Any) -> None:
    lay_question(hook)

    answer = hook.fire(hook.correction())

    assert read_context(answer.stdout)[1] == f"Got it, logged as CORR-001.\n{QUESTION}"
    assert json.loads(answer.stdout)["systemMessage"] == "Got it, logged as CORR-001."


def test_another_session_is_not_asked(hook: Any) -> None:
    file = lay_question(hook)

    answer = hook.fire(hook.task(session_id="11111111-2222-4333-8444-555555555555"))

    assert answer.stdout == b""
    assert file.exists()


@pytest.mark.parametrize("more", [{"agent_id": "a1"}, {"session_id": "../ready"}, {"session_id": ""}])
def test_sub_agents_and_odd_sessions_are_not_asked(hook: Any, more: dict[str, Any]) -> None:
    file = lay_question(hook)

    answer = hook.fire(hook.task(**more))

    assert (answer.status, answer.stdout) == (0, b"")
    assert file.exists()
    assert hook.read_log() == ""


def test_nothing_is_asked_where_nothing_may_be_heard(hook: Any) -> None:
    file = lay_question(hook)
    (hook.project / ".tellback.toml").write_text("[collect]\ndisabled = true\n")

    assert hook.fire(hook.task()).stdout == b""
    assert file.exists()


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_the_brief_is_given_at_every_start_of_a_session(hook: Any, source: str) -> None:
    lay_brief(hook)

    answer = hook.fire(hook.payload("SessionStart", source=source))

    assert read_context(answer.stdout) == ("SessionStart", BRIEF.strip())
    assert "systemMessage" not in json.loads(answer.stdout)


NESTED = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": BRIEF.strip()}}


@pytest.mark.parametrize(
    ("harness", "payload", "expected"),
    [
        pytest.param(
            "codex",
            {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup", "model": "m",
             "permission_mode": "default"},
            NESTED, id="codex",
        ),
        pytest.param(
            "gemini-cli",
            {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup", "timestamp": "2026-11-30",
             "transcript_path": "/home/dev/.gemini/tmp/p/chats/session-1.jsonl"},
            NESTED, id="gemini-cli",
        ),
        pytest.param(
            "claude-code",
            {"session_id": "s1", "hook_event_name": "SessionStart", "source": "new", "timestamp": "2026-11-30"},
            {"additionalContext": BRIEF.strip()}, id="copilot, by Claude Code's hook",
        ),
        pytest.param(
            "copilot", {"sessionId": "s1", "source": "new", "timestamp": 1}, {"additionalContext": BRIEF.strip()},
            id="copilot",
        ),
        pytest.param(
            "cursor", {"conversation_id": "c1", "hook_event_name": "sessionStart", "cursor_version": "2.0"},
            {"additional_context": BRIEF.strip()}, id="cursor",
        ),
    ],
)  # fmt: skip
def test_each_harness_takes_the_brief_in_its_own_form(
    hook: Any, harness: str, payload: dict[str, Any], expected: dict[str, Any]
) -> None:
    lay_brief(hook)

    answer = hook.fire({**payload, "cwd": str(hook.project), "workspace_roots": [str(hook.project)]}, harness)

    assert json.loads(answer.stdout) == expected


@pytest.mark.parametrize(
    ("harness", "payload", "is_asked"),
    [
        pytest.param("codex", {"turn_id": "t1", "hook_event_name": "UserPromptSubmit"}, True, id="codex"),
        pytest.param("copilot", {"sessionId": "s1", "timestamp": 1}, True, id="copilot"),
        pytest.param("cursor", {"conversation_id": "s1", "hook_event_name": "beforeSubmitPrompt"}, False, id="cursor"),
    ],
)
def test_a_question_is_taken_only_where_it_reaches_the_model(
    hook: Any, harness: str, payload: dict[str, Any], is_asked: bool
) -> None:
    file = lay(question_path("s1", hook.places), QUESTION)
    more = {"session_id": "s1", "cwd": str(hook.project), "workspace_roots": [str(hook.project)], "prompt": "go on"}

    answer = hook.fire({**more, **payload}, harness)

    told = json.loads(answer.stdout or b"{}")
    assert QUESTION in (told.get("additionalContext"), told.get("hookSpecificOutput", {}).get("additionalContext")) or (
        not is_asked
    )
    assert (told == {}, file.exists()) == (not is_asked, not is_asked)


def test_a_session_below_the_root_gets_the_projects_brief(hook: Any) -> None:
    lay_brief(hook)
    below = hook.project / "src"
    below.mkdir()

    answer = hook.fire(hook.payload("SessionStart", cwd=str(below)))

    assert read_context(answer.stdout)[1] == BRIEF.strip()


def test_a_brief_is_bounded_whatever_its_file_holds(hook: Any) -> None:
    lay_brief(hook, "字" * 100_000)

    context = read_context(hook.fire(hook.payload("SessionStart")).stdout)[1]

    assert context == "字" * (MAX_BYTES // 3)


@pytest.mark.parametrize("case", ["no brief", "switched off", "sub-agent", "a link", "denied"])
def test_no_brief_is_given(hook: Any, tmp_path: Path, case: str) -> None:
    payload = hook.payload("SessionStart", **({"agent_id": "a1"} if case == "sub-agent" else {}))
    file = lay_brief(hook)
    if case == "no brief":
        file.unlink()
    elif case == "switched off":
        lay(f"{hook.places.config}/config.toml", "[capture]\nbrief = false\n")
    elif case == "a link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    elif case == "denied":
        lay(f"{hook.places.config}/config.toml", f'[collect]\ndeny_paths = ["{hook.project}"]\n')

    answer = hook.fire(payload)

    assert (answer.status, answer.stdout, answer.stderr) == (0, b"", b"")
