"""The installed hook, called as a harness calls it: what it writes, what it answers, when it keeps quiet."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

QUIET = (0, b"", b"")


def cursor_prompt(hook: Any, text: str) -> dict[str, Any]:
    return {
        "conversation_id": "c0ffee00",
        "generation_id": os.urandom(8).hex(),
        "hook_event_name": "beforeSubmitPrompt",
        "cursor_version": "3.18.9",
        "workspace_roots": [str(hook.project)],
        "transcript_path": None,
        "prompt": text,
        "attachments": [],
    }


def test_a_correction_is_kept_counted_and_acknowledged_to_person_and_model(hook: Any) -> None:
    answer = hook.fire(hook.correction(prompt_id="p-1"))

    assert (answer.status, answer.stderr) == (0, b"")
    assert json.loads(answer.stdout) == {
        "systemMessage": "Got it, logged as CORR-001.",
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": "Got it, logged as CORR-001.",
        },
    }
    assert "must use order_date, not ship_date" in hook.read_corrections()
    news = hook.last_news()
    assert (news.event, news.verdict, news.outcome, news.ids) == ("prompt", "correction", "logged", ("CORR-001",))
    assert (news.prompt_id, news.harness, news.via) == ("p-1", "claude-code", "")
    assert len(news.hash) == 12
    assert hook.read_log() == ""


def test_a_task_leaves_one_line_of_news_and_nothing_else(hook: Any) -> None:
    assert hook.fire(hook.task()) == QUIET

    (news,) = hook.read_news()
    assert (news.verdict, news.outcome, news.ids) == ("none", "", ())
    assert news.transcript.endswith("573ad00f.jsonl")
    assert hook.read_log() == ""
    assert not (hook.project / ".knowledge").exists()


def test_no_word_of_the_person_is_in_the_news(hook: Any) -> None:
    hook.fire(hook.correction())
    hook.fire(hook.task())

    text = (Path(hook.places.cache) / "news.jsonl").read_text()
    assert "order_date" not in text
    assert "files" not in text


def test_cursor_is_answered_with_nothing_whichever_hook_it_runs(hook: Any) -> None:
    payload = cursor_prompt(hook, "No, that is wrong. The total must use order_date, not ship_date.")

    first = hook.fire(payload, "claude-code")
    second = hook.fire(payload, "cursor")

    assert (first, second) == (QUIET, QUIET)
    assert [(news.harness, news.via, news.outcome) for news in hook.read_news()] == [
        ("cursor", "claude-code", "logged"),
        ("cursor", "", "double"),
    ]
    assert hook.read_corrections().count("- id:") == 1


def test_the_same_prompt_twice_is_one_and_the_same_words_again_are_a_repeat(hook: Any) -> None:
    payload = hook.correction(prompt_id="p-1")

    answers = [hook.fire(each) for each in (payload, payload, {**payload, "prompt_id": "p-2"})]

    assert [news.outcome for news in hook.read_news()] == ["logged", "double", "repeat"]
    assert hook.read_corrections().count("- id:") == 1
    assert answers[1].stdout == b""
    assert b"CORR-001" in answers[2].stdout


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"agent_id": "a1", "agent_type": "Explore"}, id="a sub-agent's instruction"),
        pytest.param(
            {"prompt": "<task-notification>wrong: use order_date, not ship_date</task-notification>"},
            id="a background task's end",
        ),
    ],
)
def test_what_no_person_typed_is_never_a_correction(hook: Any, change: dict[str, Any]) -> None:
    assert hook.fire(hook.correction(**change)) == QUIET

    assert hook.last_news().outcome == "machine"
    assert hook.read_corrections() == ""


def write_config(hook: Any, text: str) -> None:
    path = Path(hook.places.config) / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def switch_off(hook: Any) -> None:
    path = hook.home / ".claude" / "feedback-config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"enabled": false}')


@pytest.mark.parametrize("is_packed", [pytest.param(True, id="packed"), pytest.param(False, id="changed since")])
@pytest.mark.parametrize(
    ("outcome", "setting"),
    [
        pytest.param("disabled", "[collect]\ndisabled = true", id="all collection off"),
        pytest.param("disabled", "[capture]\nenabled = false", id="capture off"),
        pytest.param("denied", '[collect]\ndeny_paths = ["~/project"]', id="the folder denied"),
        pytest.param("denied", "[collect]\nopt_in_only = true", id="the folder not opted in"),
        pytest.param("disabled", "[collect]\ndisabled = ", id="no TOML"),
        pytest.param("disabled", "switch", id="the feedback switch"),
    ],
)
def test_a_setting_counts_at_once(hook: Any, is_packed: bool, outcome: str, setting: str) -> None:
    if setting == "switch":
        switch_off(hook)
    else:
        write_config(hook, setting + "\n")
    if is_packed:
        hook.write()

    assert hook.fire(hook.correction()) == QUIET

    assert hook.last_news().outcome == outcome
    assert hook.read_corrections() == ""


def test_a_setting_that_was_mended_counts_at_once_too(hook: Any) -> None:
    write_config(hook, "[collect]\ndisabled = \n")
    hook.write()
    write_config(hook, "[collect]\ndisabled = false\n")

    hook.fire(hook.correction())

    assert hook.last_news().outcome == "logged"


def test_a_project_that_is_left_alone_is_not_named_in_the_news(hook: Any) -> None:
    write_config(hook, '[collect]\ndeny_paths = ["~/project"]\n')

    hook.fire(hook.correction())

    text = (Path(hook.places.cache) / "news.jsonl").read_text()
    assert "project" not in text
    assert "573ad00f" not in text


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        pytest.param("[collect]\ndisabled = true\n", "disabled", id="switched off"),
        pytest.param("[collect]\ndisabled =\n", "disabled", id="not understood"),
        pytest.param('[collect]\ndisabled = false\n[capture]\npoint = "report"\n', "logged", id="widening is no use"),
    ],
)
def test_a_repositorys_file_only_restricts(hook: Any, text: str, outcome: str) -> None:
    folder = hook.project / "src" / "deep"
    folder.mkdir(parents=True)
    (hook.project / ".tellback.toml").write_text(text)

    hook.fire(hook.correction(cwd=str(folder)))

    assert hook.last_news().outcome == outcome


def test_every_root_of_cursor_must_agree(hook: Any) -> None:
    other = hook.home / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".tellback.toml").write_text("[collect]\ndisabled = true\n")
    payload = cursor_prompt(hook, "No, that is wrong. The total must use order_date, not ship_date.")

    hook.fire({**payload, "workspace_roots": [str(hook.project), str(other)]}, "cursor")

    assert hook.last_news().outcome == "disabled"


@pytest.mark.parametrize(
    ("until", "outcome"),
    [
        pytest.param(lambda: f"{time.time() + 60:.0f}\n", "paused", id="for a minute yet"),
        pytest.param(lambda: f"{time.time() - 60:.0f}\n", "logged", id="over"),
        pytest.param(lambda: "soon\n", "paused", id="not understood"),
    ],
)
def test_a_pause_holds_until_its_time(hook: Any, until: Any, outcome: str) -> None:
    (hook.entry.parent / "pause").write_text(until())

    hook.fire(hook.correction())

    assert hook.last_news().outcome == outcome


def test_variables_lead_the_hook_nowhere(hook: Any, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    names = ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TELLBACK_HOME", "CLAUDE_PROJECT_DIR")

    hook.fire(hook.correction(), env={name: str(trap) for name in names})

    assert hook.last_news().outcome == "logged"
    assert not trap.exists()


def test_another_store_than_at_install_is_news_for_doctor(hook: Any) -> None:
    hook.fire(hook.task(), env={"CLAUDE_CONFIG_DIR": "/elsewhere"})

    assert hook.last_news().note == "CLAUDE_CONFIG_DIR=/elsewhere"


def test_an_acknowledgement_can_be_silenced(hook: Any) -> None:
    write_config(hook, "[capture]\nacknowledge = false\n")

    assert hook.fire(hook.correction()) == QUIET

    assert hook.last_news().outcome == "logged"


def test_a_secret_is_gone_before_anything_is_written(hook: Any) -> None:
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dE3fG6"

    hook.fire(hook.prompt(f"No, that is wrong. It must use the token {token} from the vault, not the other one."))

    assert hook.last_news().outcome == "logged"
    assert "[REDACTED:" in hook.read_corrections()
    written = [path for path in hook.home.rglob("*") if path.is_file() and path.suffix != ".bin"]
    assert [path for path in written if token.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    ("event", "ours"),
    [
        pytest.param("SessionStart", "session_start", id="start"),
        pytest.param("PostToolUseFailure", "tool_failed", id="a failed tool"),
        pytest.param("Stop", "turn_end", id="turn end"),
        pytest.param("SessionEnd", "session_end", id="end"),
        pytest.param("PreCompact", "other", id="one that is not ours"),
    ],
)
def test_every_event_leaves_news_and_prints_nothing(hook: Any, event: str, ours: str) -> None:
    (Path(hook.places.cache)).mkdir(parents=True)
    (Path(hook.places.cache) / "push.last-started").write_text(f"{int(time.time())}\n")

    assert hook.fire(hook.payload(event)) == QUIET

    assert hook.last_news().event == ours
    assert hook.read_log() == ""
