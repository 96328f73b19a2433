"""What no hook heard is found in the session log, exactly once; what a hook wrote gets its final verdict."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Home

WRONG = "No, that's wrong, use uv instead of pip"
STILL = "Still wrong. Why did you not read the README?"

Descriptions = Callable[[], list[str]]


def test_a_prompt_that_no_hook_heard_is_kept_late_and_once(home: "Home", descriptions: Descriptions) -> None:
    log = home.new_log()
    log.prompt("How do I install the dependencies?")
    log.answer("I would use pip for that.")
    log.prompt(WRONG)

    first, second = home.sweep(), home.sweep()

    assert descriptions() == [WRONG]
    assert [(one.label, one.ids, one.is_late) for one in home.captures()] == [("correction", ("CORR-001",), True)]
    assert first.stages["late"]["logged"] == 1
    assert "logged" not in second.stages["late"]


def test_a_prompt_that_a_hook_heard_is_not_kept_again(home: "Home", descriptions: Descriptions) -> None:
    log = home.new_log()
    home.tell(log, WRONG, log.prompt(WRONG), verdict="correction", outcome="logged", ids=("CORR-001",))

    home.sweep()

    assert descriptions() == []
    assert [(one.ids, one.is_late) for one in home.captures()] == [(("CORR-001",), False)]


@pytest.mark.parametrize("outcome", ["failed", "too long", "unreadable"])
def test_a_prompt_whose_hook_failed_is_kept_late(home: "Home", descriptions: Descriptions, outcome: str) -> None:
    log = home.new_log()
    at = log.prompt(WRONG)
    home.tell(log, WRONG, at, verdict="", outcome=outcome, hash="")

    home.sweep()

    assert descriptions() == [WRONG]


@pytest.mark.parametrize("outcome", ["denied", "disabled"])
def test_what_was_said_where_nobody_may_listen_stays_unheard(
    home: "Home", descriptions: Descriptions, outcome: str
) -> None:
    log = home.new_log()
    at = log.prompt(WRONG)
    home.tell(log, WRONG, at, verdict="", outcome=outcome, hash="", session="", transcript="", project="")

    home.sweep()

    assert descriptions() == []


def test_what_was_said_during_a_pause_stays_unheard(home: "Home", descriptions: Descriptions) -> None:
    log = home.new_log()
    at = log.prompt(WRONG)
    home.tell(log, WRONG, at, verdict="", outcome="paused", hash="")
    log.refusal("No, that's wrong, the file is called two.txt, not one.txt")

    home.sweep()

    assert descriptions() == []


def test_queued_words_and_words_of_refusal_are_kept(home: "Home", descriptions: Descriptions) -> None:
    log = home.new_log()
    home.tell(log, "Install it", log.prompt("Install it"), hash="", outcome="")
    log.answer("I used npm.")
    log.queued(WRONG)
    log.refusal("No, that's wrong, the file is called two.txt, not one.txt")

    home.sweep()

    assert descriptions() == [WRONG, "No, that's wrong, the file is called two.txt, not one.txt"]


def test_queued_words_that_a_hook_heard_long_before_they_were_logged_are_not_kept_again(
    home: "Home", descriptions: Descriptions
) -> None:
    log = home.new_log()
    at = log.queued(WRONG)
    home.tell(log, WRONG, at - 300, verdict="correction", outcome="logged", ids=("CORR-001",))

    home.sweep()

    assert descriptions() == []


@pytest.mark.parametrize("is_original_first", [True, False], ids=["original first", "fork first"])
@pytest.mark.parametrize("is_heard", [True, False], ids=["heard by a hook", "heard by none"])
def test_a_fork_counts_nothing_twice(
    home: "Home", descriptions: Descriptions, is_original_first: bool, is_heard: bool
) -> None:
    log = home.new_log()
    log.prompt("How do I install it?")
    log.answer("With pip.")
    at = log.prompt(WRONG)
    if is_heard:
        home.tell(log, WRONG, at, verdict="correction", outcome="logged", ids=("CORR-001",))
    fork = log.fork(home.path)
    hidden = fork.path if is_original_first else log.path
    text = hidden.read_text()
    hidden.unlink()

    home.sweep()
    hidden.write_text(text)
    home.sweep()

    assert len(descriptions()) == (0 if is_heard else 1)
    assert len(home.captures()) == 1


def test_a_resumed_session_is_read_from_where_the_last_sweep_ended(home: "Home", descriptions: Descriptions) -> None:
    log = home.new_log()
    log.prompt("How do I install it?")
    log.answer("With pip.")
    home.sweep()
    log.prompt(WRONG)

    again = home.sweep()

    assert descriptions() == [WRONG]
    assert again.stages["late"] == {"sessions": 1, "logged": 1}


def test_a_log_that_was_rewritten_counts_nothing_twice(home: "Home", descriptions: Descriptions) -> None:
    log = home.new_log()
    log.prompt("How do I install it?")
    log.prompt(WRONG)
    home.sweep()
    lines = log.path.read_text().splitlines(keepends=True)
    log.path.write_text(json.dumps({"type": "mode", "mode": "normal"}) + "\n" + "".join(lines))
    log.prompt(STILL)

    home.sweep()

    assert descriptions() == [WRONG, STILL]


def test_a_torn_last_line_is_read_once_it_is_whole(home: "Home", descriptions: Descriptions) -> None:
    log = home.new_log()
    log.prompt("How do I install it?")
    log.prompt(WRONG)
    text = log.path.read_text()
    log.path.write_text(text[:-20])
    home.sweep()
    log.path.write_text(text)

    home.sweep()

    assert descriptions() == [WRONG]


@pytest.mark.parametrize(
    "text",
    [
        "<task-notification>\n<task-id>a1</task-id>\n<summary>No, that's wrong</summary>\n</task-notification>",
        "This session is being continued from a previous conversation. No, that's wrong, use uv.",
        "[Request interrupted by user]",
        "<system-reminder>That's wrong, use uv instead</system-reminder>",
    ],
)
def test_machine_text_is_never_kept(home: "Home", descriptions: Descriptions, text: str) -> None:
    log = home.new_log()
    log.prompt("Do it")
    log.prompt(text)

    home.sweep()

    assert descriptions() == []


def test_late_words_make_no_knowledge_folder_in_a_project(home: "Home") -> None:
    home.new_log().prompt(WRONG)

    home.sweep()

    assert not (home.project / ".knowledge").exists()
    assert len(home.entries()) == 1


def test_late_words_go_to_the_knowledge_folder_that_is_there(home: "Home") -> None:
    (home.project / ".knowledge").mkdir()
    home.new_log().prompt(WRONG)

    home.sweep()

    assert (home.project / ".knowledge" / "corrections" / "log.yaml").exists()


@pytest.mark.parametrize("deny", ["config", "repository"])
def test_a_project_that_is_switched_off_is_not_listened_to(
    home: "Home", descriptions: Descriptions, deny: str
) -> None:
    if deny == "config":
        config = Path(home.places.config) / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[collect]\ndeny_paths = ["{home.project}"]\n')
    else:
        (home.project / ".tellback.toml").write_text("[collect]\ndisabled = true\n")
    home.new_log().prompt(WRONG)

    done = home.sweep()

    assert descriptions() == []
    assert done.stages["late"]["not listened"] == 1


def test_words_said_while_a_folder_was_denied_stay_unheard_when_it_no_longer_is(
    home: "Home", descriptions: Descriptions
) -> None:
    config = Path(home.places.config) / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[collect]\ndeny_paths = ["{home.project}"]\n')
    log = home.new_log()
    log.at -= 1e9
    log.prompt(WRONG)
    home.sweep()
    config.unlink()
    log.answer("Done.")

    home.sweep()

    assert descriptions() == []


def test_news_of_a_log_that_is_no_log_are_ignored(home: "Home", tmp_path: Path) -> None:
    log = home.new_log()
    log.prompt("Do it")
    for path in ("/etc/passwd", str(tmp_path), "/nowhere/x.jsonl", f"{log.path}\0"):
        home.tell(log, "Do it", log.at, transcript=path)

    done = home.sweep(look_around=False)

    assert done.stages["late"].get("logged", 0) == 0


def test_a_secret_in_late_words_is_scrubbed(home: "Home", descriptions: Descriptions) -> None:
    token = "ghp_" + "a1B2" * 9
    home.new_log().prompt(f"No, that's wrong, use the token {token} instead of the password")

    home.sweep()

    assert token not in descriptions()[0]
    assert "[REDACTED:" in descriptions()[0]


def test_an_hourly_look_finds_what_no_news_told_of(home: "Home", descriptions: Descriptions) -> None:
    home.sweep(look_around=False)
    log = home.new_log()
    log.prompt(WRONG)
    assert home.sweep(look_around=False).stages["late"] == {}

    from contextlib import closing

    from tellback.core.db import open_db
    from tellback.sweep.captures import write_state

    with closing(open_db(home.places)) as db:
        write_state(db, "looked.claude-code", "0")
    home.sweep(look_around=False)

    assert descriptions() == [WRONG]
