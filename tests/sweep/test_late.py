"""What no hook heard is found in the session log, exactly once; what a hook wrote gets its final verdict."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.capture.queue import QUEUE, append_waiting, prompt_fields
from tellback.core.digest import hash_prompt
from tellback.core.locks import free_lock, take_lock
from tellback.core.scrub import ScrubRules, scrub
from tellback.core.shapes import Turn
from tellback.sweep.look import look_path
from tellback.sweep.work import LOCK_WAIT_S

if TYPE_CHECKING:
    from conftest import House

WRONG = "No, you used the wrong file, it should be pyproject.toml, not setup.py"
STILL = "Still wrong. Why did you not read the README?"

Descriptions = Callable[[], list[str]]


def test_a_prompt_that_no_hook_heard_is_kept_late_and_once(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    log.prompt("How do I install the dependencies?")
    log.answer("I would use pip for that.")
    log.prompt(WRONG)

    first, second = house.sweep(), house.sweep()

    assert descriptions() == [WRONG]
    assert [(one.label, one.ids, one.is_late) for one in house.captures()] == [("correction", ("CORR-001",), True)]
    assert first.stages["late"]["logged"] == 1
    assert "logged" not in second.stages["late"]


def test_a_log_from_a_future_that_no_database_holds_is_read_once(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    log.prompt(WRONG)
    os.utime(log.path, (10_413_792_000, 10_413_792_000))  # the year 2300, in nanoseconds more than 64 bits

    house.sweep()
    house.sweep()

    assert descriptions() == [WRONG]
    assert house.read_log() == ""


def test_a_prompt_that_a_hook_heard_is_not_kept_again(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    house.tell(log, WRONG, log.prompt(WRONG), verdict="correction", outcome="logged", ids=("CORR-001",))

    house.sweep()

    assert descriptions() == []
    assert [(one.ids, one.is_late) for one in house.captures()] == [(("CORR-001",), False)]


@pytest.mark.parametrize("outcome", ["failed", "too long", "unreadable"])
def test_a_prompt_whose_hook_failed_is_kept_late(house: "House", descriptions: Descriptions, outcome: str) -> None:
    log = house.new_log()
    at = log.prompt(WRONG)
    house.tell(log, WRONG, at, verdict="", outcome=outcome, hash="")

    house.sweep()

    assert descriptions() == [WRONG]


@pytest.mark.parametrize(
    ("members", "is_late"),
    [
        pytest.param({}, True, id="the hook heard nothing in it"),
        pytest.param({"outcome": "failed"}, True, id="the hook failed"),
        pytest.param({"verdict": "correction", "outcome": "logged", "ids": ["CORR-001"]}, False, id="the hook kept it"),
    ],
)
def test_what_a_sweep_kept_of_a_prompt_that_a_hook_told_of_counts_as_late(
    house: "House", members: dict[str, object], is_late: bool
) -> None:
    log = house.new_log()
    house.tell(log, WRONG, at=log.prompt(WRONG), **members)

    house.sweep()

    assert [(one.label, one.is_found_late) for one in house.captures()] == [("correction", is_late)]


@pytest.mark.parametrize("outcome", ["denied", "disabled"])
def test_what_was_said_where_nobody_may_listen_stays_unheard(
    house: "House", descriptions: Descriptions, outcome: str
) -> None:
    log = house.new_log()
    at = log.prompt(WRONG)
    house.tell(log, WRONG, at, verdict="", outcome=outcome, hash="", session="", transcript="", project="")

    house.sweep()

    assert descriptions() == []


def test_what_was_said_during_a_pause_stays_unheard(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    at = log.prompt(WRONG)
    house.tell(log, WRONG, at, verdict="", outcome="paused", hash="")
    log.refusal("No, that's wrong, the file is called two.txt, not one.txt")

    house.sweep()

    assert descriptions() == []


def test_queued_words_and_words_of_refusal_are_kept(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    house.tell(log, "Install it", log.prompt("Install it"), hash="", outcome="")
    log.answer("I used npm.")
    log.queued(WRONG)
    log.refusal("No, that's wrong, the file is called two.txt, not one.txt")

    house.sweep()

    assert descriptions() == [WRONG, "No, that's wrong, the file is called two.txt, not one.txt"]


def test_queued_words_that_a_hook_heard_long_before_they_were_logged_are_not_kept_again(
    house: "House", descriptions: Descriptions
) -> None:
    log = house.new_log()
    at = log.queued(WRONG)
    house.tell(log, WRONG, at - 300, verdict="correction", outcome="logged", ids=("CORR-001",))

    house.sweep()

    assert descriptions() == []


@pytest.mark.parametrize("is_original_first", [True, False], ids=["original first", "fork first"])
@pytest.mark.parametrize("is_heard", [True, False], ids=["heard by a hook", "heard by none"])
def test_a_fork_counts_nothing_twice(
    house: "House", descriptions: Descriptions, is_original_first: bool, is_heard: bool
) -> None:
    log = house.new_log()
    log.prompt("How do I install it?")
    log.answer("With pip.")
    at = log.prompt(WRONG)
    if is_heard:
        house.tell(log, WRONG, at, verdict="correction", outcome="logged", ids=("CORR-001",))
    fork = log.fork(house.path)
    hidden = fork.path if is_original_first else log.path
    text = hidden.read_text()
    hidden.unlink()

    house.sweep()
    hidden.write_text(text)
    house.sweep()

    assert len(descriptions()) == (0 if is_heard else 1)
    assert len(house.captures()) == 1


def test_a_resumed_session_is_read_from_where_the_last_sweep_ended(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    log.prompt("How do I install it?")
    log.answer("With pip.")
    house.sweep()
    log.prompt(WRONG)

    again = house.sweep()

    assert descriptions() == [WRONG]
    assert again.stages["late"] == {"sessions": 1, "logged": 1}


def test_a_log_that_was_rewritten_counts_nothing_twice(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    log.prompt("How do I install it?")
    log.prompt(WRONG)
    house.sweep()
    lines = log.path.read_text().splitlines(keepends=True)
    log.path.write_text(json.dumps({"type": "mode", "mode": "normal"}) + "\n" + "".join(lines))
    log.prompt(STILL)

    house.sweep()

    assert descriptions() == [WRONG, STILL]


def test_a_torn_last_line_is_read_once_it_is_whole(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    log.prompt("How do I install it?")
    log.prompt(WRONG)
    text = log.path.read_text()
    log.path.write_text(text[:-20])
    house.sweep()
    log.path.write_text(text)

    house.sweep()

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
def test_machine_text_is_never_kept(house: "House", descriptions: Descriptions, text: str) -> None:
    log = house.new_log()
    log.prompt("Do it")
    log.prompt(text)

    house.sweep()

    assert descriptions() == []


def test_late_words_make_no_knowledge_folder_in_a_project(house: "House") -> None:
    house.new_log().prompt(WRONG)

    house.sweep()

    assert not (house.project / ".knowledge").exists()
    assert len(house.entries()) == 1


def test_late_words_go_to_the_knowledge_folder_that_is_there(house: "House") -> None:
    (house.project / ".knowledge").mkdir()
    house.new_log().prompt(WRONG)

    house.sweep()

    assert (house.project / ".knowledge" / "corrections" / "log.yaml").exists()


@pytest.mark.parametrize("deny", ["config", "repository"])
def test_a_project_that_is_switched_off_is_not_listened_to(
    house: "House", descriptions: Descriptions, deny: str
) -> None:
    if deny == "config":
        config = Path(house.places.config) / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[collect]\ndeny_paths = ["{house.project}"]\n')
    else:
        (house.project / ".tellback.toml").write_text("[collect]\ndisabled = true\n")
    house.new_log().prompt(WRONG)

    done = house.sweep()

    assert descriptions() == []
    assert done.stages["late"]["not listened"] == 1


def test_words_said_while_a_folder_was_denied_stay_unheard_when_it_no_longer_is(
    house: "House", descriptions: Descriptions
) -> None:
    config = Path(house.places.config) / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[collect]\ndeny_paths = ["{house.project}"]\n')
    log = house.new_log()
    log.at -= 1e9
    log.prompt(WRONG)
    house.sweep()
    config.unlink()
    log.answer("Done.")

    house.sweep()

    assert descriptions() == []


def test_news_of_a_log_that_is_no_log_are_ignored(house: "House", tmp_path: Path) -> None:
    log = house.new_log()
    log.prompt("Do it")
    for path in ("/etc/passwd", str(tmp_path), "/nowhere/x.jsonl", f"{log.path}\0"):
        house.tell(log, "Do it", log.at, transcript=path)

    done = house.sweep(look_around=False)

    assert done.stages["late"].get("logged", 0) == 0


def test_a_secret_in_late_words_is_scrubbed(house: "House", descriptions: Descriptions) -> None:
    token = "ghp_" + "a1B2" * 9
    house.new_log().prompt(f"No, that's wrong, use the token {token} instead of the password")

    house.sweep()

    assert token not in descriptions()[0]
    assert "[REDACTED:" in descriptions()[0]


def test_an_hourly_look_finds_what_no_news_told_of(house: "House", descriptions: Descriptions) -> None:
    house.sweep(look_around=False)
    log = house.new_log()
    log.prompt(WRONG)
    assert house.sweep(look_around=False).stages["late"] == {}

    os.utime(look_path(house.places), (0, 0))
    house.sweep(look_around=False)

    assert descriptions() == [WRONG]


def keep_as_a_hook(house: "House", log: object, text: str, at: float) -> None:
    """Write *text* into the project's log as a hook does that took it for a correction, and tell the news."""
    from tellback.capture.detector import Verdict
    from tellback.capture.knowledge import capture_turn
    from tellback.capture.points import Point
    from tellback.core.digest import short_hash
    from tellback.core.place import find_knowledge
    from tellback.core.shapes import Turn

    turn = Turn("claude-code", "prompt", at)
    turn.session_id, turn.prompt_id, turn.project = log.session, f"id-{at}", str(house.project)  # type: ignore[attr-defined]
    verdict = Verdict()
    verdict.label, verdict.points = "correction", [Point(text)]
    where = find_knowledge(turn.project, house.places)
    outcome = capture_turn(turn, verdict, where, house.places, prompt_hash=short_hash(text.encode()))
    told = {"verdict": "correction", "outcome": outcome.kind, "ids": tuple(outcome.ids), "prompt_id": turn.prompt_id}
    house.tell(log, text, at, **told)  # type: ignore[arg-type]


def test_what_is_no_correction_after_all_is_taken_back_and_not_deleted(house: "House") -> None:
    log = house.new_log()
    log.prompt("Which of the two do you want, pip or uv?")
    log.answer("Which column should I use, a or b?")
    text = "What does this project do?"
    keep_as_a_hook(house, log, text, log.prompt(text))

    first, second = house.sweep(), house.sweep()

    retracted = house.project / ".knowledge" / "corrections" / "retracted.yaml"
    assert first.stages["late"]["retracted"] == 1
    assert retracted.read_text().count("CORR-001") == 1
    assert "retracted" not in second.stages["late"]
    assert [entry["id"] for entry in house.entries()] == ["CORR-001"]
    assert house.captures()[0].retracted != ""


def test_a_correction_that_a_hook_wrote_stands(house: "House", descriptions: Descriptions) -> None:
    log = house.new_log()
    log.prompt("How do I install it?")
    log.answer("I would use pip for that.")
    keep_as_a_hook(house, log, WRONG, log.prompt(WRONG))

    house.sweep()

    assert descriptions() == [WRONG]
    assert not (house.project / ".knowledge" / "corrections" / "retracted.yaml").exists()


def test_a_prompt_written_by_a_hook_that_was_killed_before_its_news_is_not_written_again(
    house: "House", descriptions: Descriptions
) -> None:
    log = house.new_log()
    keep_as_a_hook(house, log, WRONG, log.prompt(WRONG))
    (Path(house.places.cache) / "news.jsonl").unlink()

    house.sweep()

    assert descriptions() == [WRONG]
    assert [(one.ids, one.outcome) for one in house.captures()] == [(("CORR-001",), "logged")]


def test_a_learning_that_is_not_sure_waits_for_a_person_and_is_not_written(
    house: "House", monkeypatch: pytest.MonkeyPatch
) -> None:
    from tellback.capture.detector import Verdict
    from tellback.capture.points import Point
    from tellback.capture.waiting import read_unsure
    from tellback.sweep import ear

    def judge(text: str, *_: object, point: str, **__: object) -> Verdict:
        verdict = Verdict()
        if point == "report":
            verdict.label, verdict.points = "learning", [Point(text)]
        return verdict

    monkeypatch.setattr(ear, "judge", judge)
    house.new_log().prompt("prefer tabs here")

    first, second = house.sweep(), house.sweep()

    assert first.stages["late"]["unsure"] == 1
    assert second.stages["late"] == {}
    assert [fields["text"] for fields in read_unsure(house.places)] == ["prefer tabs here"]
    assert house.captures() == []
    assert not list(Path(house.places.data).glob("projects/*/.knowledge/learnings/index.md"))


def test_a_prompt_that_waits_to_be_judged_is_written_once_and_where_its_hook_would_have(
    house: "House", descriptions: Descriptions
) -> None:
    log = house.new_log()
    at = log.prompt(WRONG)
    turn = Turn("claude-code", "prompt", at)
    turn.session_id, turn.prompt_id, turn.project = log.session, "p1", str(house.project)
    append_waiting(house.places, QUEUE, prompt_fields(turn, WRONG, hash_prompt(WRONG), "write", None))
    house.tell(log, WRONG, at, prompt_id="p1", verdict="", outcome="queued")
    odd = house.project / ".knowledge/corrections/log.yaml"
    odd.parent.mkdir(parents=True)
    odd.write_text("corrections: {}\n")

    house.sweep()
    odd.write_text("corrections:\n")
    house.sweep()
    house.sweep()

    assert descriptions() == [WRONG]
    assert [(one.label, one.outcome, one.ids) for one in house.captures()] == [
        ("correction", "logged", ("CORR-001",)),
    ]


def test_a_log_that_is_busy_is_waited_for_once_and_its_words_wait_in_the_queue(
    house: "House", descriptions: Descriptions
) -> None:
    house.new_log().prompt(WRONG)
    house.sweep()
    other = house.new_log()
    said = [f"No, you used the wrong file, it should be part_{number}.toml, not setup.py" for number in range(5)]
    for text in said:
        other.answer("I used setup.py.")
        other.prompt(text)
    (where,) = Path(house.places.data).glob("projects/*")
    lock = take_lock(str(where / ".knowledge/corrections/log.yaml.lock"), 1)
    assert lock is not None

    started_at = time.monotonic()
    done = house.sweep()
    took_s = time.monotonic() - started_at
    free_lock(lock)

    assert (done.stages["late"]["queued"], done.stages["queue"]["waiting"], done.busy) == (5, 5, [str(where)])
    assert took_s < 3 * LOCK_WAIT_S, "once, not for each"
    house.sweep()
    assert sorted(descriptions()[1:]) == sorted(said)


def test_of_a_very_long_prompt_both_ends_are_looked_at_and_nothing_else(
    house: "House", descriptions: Descriptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths: list[int] = []

    def scrub_and_measure(text: str, rules: ScrubRules) -> str:
        lengths.append(len(text))
        return scrub(text, rules)

    monkeypatch.setattr("tellback.sweep.ear.scrub", scrub_and_measure)
    log = house.new_log()
    log.answer("I used setup.py.")
    log.prompt(f"{WRONG}\n" + "a line of a log that was pasted\n" * 100_000)

    done = house.sweep()

    assert done.stages["late"]["logged"] == 1
    assert descriptions()[0].startswith(WRONG[:40])
    assert max(lengths) < 140_000
