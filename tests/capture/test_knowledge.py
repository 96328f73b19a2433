"""What is said is kept once, counted, acknowledged, and never lost."""

import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.capture import corrections, ledger
from tellback.capture.index import CATEGORIES, SEVERITIES
from tellback.capture.points import Point
from tellback.core.locks import NoFlock

if TYPE_CHECKING:
    from conftest import Project

DAY = time.mktime((2026, 1, 31, 12, 0, 0, 0, 0, -1))


def test_the_first_correction_makes_every_file_and_is_acknowledged(project: "Project") -> None:
    def fill(point: Point) -> None:
        point.severity, point.category, point.fix = "high", "join_error", "use the left join"
        point.tables = ["orders"]

    outcome = project.say("that join is wrong", prompt_id="p1", at=DAY, change=fill, dataset="sales")

    assert (outcome.kind, outcome.ids, outcome.ack) == ("logged", ["CORR-001"], "Got it, logged as CORR-001.")
    assert project.entries() == [
        {
            "id": "CORR-001",
            "date": "2026-01-31",
            "severity": "high",
            "category": "join_error",
            "dataset": "sales",
            "tables": ["orders"],
            "description": "that join is wrong",
            "fix": "use the left join",
            "sql_before": None,
            "sql_after": None,
            "prevented_by": None,
        }
    ]
    assert project.counts() == {
        "total_corrections": 1,
        "by_severity": {**dict.fromkeys(SEVERITIES, 0), "high": 1},
        "by_category": {**dict.fromkeys(CATEGORIES, 0), "join_error": 1},
        "last_correction_id": "CORR-001",
        "last_updated": "2026-01-31",
        "log_bytes": project.log.stat().st_size,
    }


def test_a_knowledge_folder_that_is_made_is_not_committed_by_accident(project: "Project") -> None:
    project.say("wrong")

    assert (project.knowledge / ".gitignore").read_text() == "*\n"
    assert (project.knowledge / ".gitattributes").read_text() == "corrections/log.yaml merge=union eol=lf\n"


def test_a_knowledge_folder_that_is_there_gets_no_gitignore(project: "Project") -> None:
    project.knowledge.mkdir()

    project.say("wrong")

    assert sorted(os.listdir(project.knowledge)) == ["corrections"]


def test_entries_get_one_number_after_the_other(project: "Project") -> None:
    for number in range(1, 5):
        assert project.say(f"wrong {number}").ids == [f"CORR-{number:03d}"]

    assert [entry["id"] for entry in project.entries()] == [f"CORR-{n:03d}" for n in range(1, 5)]
    assert project.counts()["total_corrections"] == 4


def test_every_point_of_a_message_has_its_entry(project: "Project") -> None:
    outcome = project.say("the join is wrong", "the title too", prompt_id="p1")

    assert outcome.ack == "Got it, logged as CORR-001, CORR-002."
    assert [entry["description"] for entry in project.entries()] == ["the join is wrong", "the title too"]
    assert project.say("the join is wrong", "the title too", prompt_id="p1").kind == "double"


def test_a_point_that_only_the_sweep_sees_is_added_to_those_of_the_hook(project: "Project") -> None:
    project.say("the join is wrong", prompt_id="p1", at=DAY, prompt="both")

    late = project.say(
        "the join is wrong", "the title too", prompt_id="p1", at=DAY, prompt="both", is_late=True, uuid="u1"
    )

    assert (late.kind, late.ids) == ("logged", ["CORR-002"])
    assert [entry["description"] for entry in project.entries()] == ["the join is wrong", "the title too"]


def test_the_log_only_grows(project: "Project") -> None:
    before = b""
    for number in range(3):
        project.say(f"wrong {number}")
        now = project.log.read_bytes()
        assert now.startswith(before)
        assert len(now) > len(before)
        before = now


@pytest.mark.parametrize(
    ("text", "first"),
    [
        pytest.param("corrections:\n", 1, id="an empty list"),
        pytest.param("", 1, id="an empty file"),
        pytest.param("# our corrections\n", 1, id="a comment"),
        pytest.param('owner: "me"\n', 1, id="no list yet"),
        pytest.param("corrections: []\n", 1, id="an empty flow list"),
        pytest.param("# corrections: [] is empty\ncorrections: null\n# end\n", 1, id="null between comments"),
        pytest.param('corrections:\n- id: "CORR-007"\n  severity: low\n', 8, id="dashes at column 0"),
        pytest.param('corrections:\n  - id: "CORR-007"\n    severity: low', 8, id="no final line end"),
        pytest.param("\ufeffcorrections:\n- id: CORR-999\n", 1000, id="a byte order mark"),
    ],
)
def test_a_log_by_another_hand_is_continued_in_its_own_way(text: str, first: int, project: "Project") -> None:
    project.write(project.log, text)
    old = project.load(project.log)

    assert [project.say(f"wrong {n}").ids for n in (1, 2)] == [[f"CORR-{first:03d}"], [f"CORR-{first + 1:03d}"]]

    assert project.entries()[:-2] == ((old or {}).get("corrections") or [])
    assert project.log.read_text().startswith(
        text.replace("corrections: []\n", "").replace("corrections: null\n# end\n", "")
    )
    assert project.counts()["total_corrections"] == len(project.entries())
    if "- id" in text:
        column = text.index("- id") - text.index("corrections:\n") - len("corrections:\n")
        assert all(line.index("-") == column for line in project.log.read_text().split("\n") if "- id" in line)


@pytest.mark.parametrize("text", [None, "", "garbage: [", "total_corrections: 99\nby_severity: {high: 3}\n", "\0\0"])
def test_an_index_that_cannot_be_read_is_made_anew_from_the_log(text: str | None, project: "Project") -> None:
    for number in range(3):
        project.say(f"wrong {number}")
    project.index.unlink() if text is None else project.index.write_text(text)

    assert project.say("wrong again").ids == ["CORR-004"]

    assert project.counts()["total_corrections"] == 4
    assert project.counts()["by_severity"]["medium"] == 4


def test_a_log_that_got_shorter_is_counted_anew(project: "Project") -> None:
    project.say("wrong 1")
    short = project.log.read_text()
    project.say("wrong 2")
    project.log.write_text(short)

    assert project.say("wrong 3").ids == ["CORR-003"]

    assert project.counts()["total_corrections"] == 2


def test_entries_that_another_program_appended_are_adopted(project: "Project") -> None:
    project.say("wrong 1")
    with project.log.open("a") as log:
        log.write('  - id: "CORR-002"\n    severity: critical\n    category: logic\n')

    assert project.say("wrong 2").ids == ["CORR-003"]

    assert project.counts()["total_corrections"] == 3
    assert project.counts()["by_severity"]["critical"] == 1


def test_entries_that_another_program_counted_too_are_not_counted_twice(project: "Project") -> None:
    project.say("wrong 1")
    with project.log.open("a") as log:
        log.write('  - id: "CORR-002"\n    severity: critical\n    category: logic\n')
    index = project.index.read_text().replace("total_corrections: 1", "total_corrections: 2")
    project.index.write_text(index.replace("CORR-001", "CORR-002").replace("critical: 0", "critical: 1"))

    assert project.say("wrong 2").ids == ["CORR-003"]

    assert project.counts()["total_corrections"] == 3
    assert project.counts()["by_severity"] == {"critical": 1, "high": 0, "medium": 2, "low": 0}


def test_a_correction_inside_the_log_by_hand_is_noticed(project: "Project") -> None:
    project.say("wrnog 1")
    project.say("wrong 2")
    project.log.write_text(project.log.read_text().replace("wrnog", "quite wrong"))

    assert project.say("wrong 3").ids == ["CORR-003"]

    assert project.counts()["total_corrections"] == 3
    assert project.counts()["log_bytes"] == project.log.stat().st_size


# --- exactly once -------------------------------------------------------------------------------------------------


def test_the_same_prompt_id_is_a_double_firing_even_hours_later(project: "Project") -> None:
    project.say("wrong", prompt_id="p1", at=DAY)

    again = project.say("wrong", prompt_id="p1", at=DAY + 7200)

    assert (again.kind, again.ids, again.ack) == ("double", ["CORR-001"], "")
    assert len(project.entries()) == 1


def test_the_same_words_under_another_prompt_id_are_a_repeat(project: "Project") -> None:
    project.say("wrong", prompt_id="p1")

    repeat = project.say("wrong", prompt_id="p2")

    assert (repeat.kind, repeat.ids) == ("repeat", ["CORR-001"])
    assert repeat.ack == "Got it, logged as CORR-001 (said before)."
    assert project.say("wrong", prompt_id="p2").kind == "double"
    assert len(project.entries()) == 1
    assert project.counts()["total_corrections"] == 1
    repeats = (Path(project.places.data) / "repeats.jsonl").read_text().splitlines()
    assert len(repeats) == 1
    assert '"prompt_id":"p2"' in repeats[0]
    assert "wrong" not in repeats[0]


@pytest.mark.parametrize(("later_s", "kind"), [(0, "double"), (59, "double"), (61, "repeat")])
def test_without_prompt_ids_sixty_seconds_tell_a_double_firing_from_a_repeat(
    later_s: int, kind: str, project: "Project"
) -> None:
    project.say("wrong", at=DAY)

    assert project.say("wrong", at=DAY + later_s).kind == kind


def test_the_same_words_in_another_session_are_another_correction(project: "Project") -> None:
    project.say("wrong", session="s1")

    assert project.say("wrong", session="s2").ids == ["CORR-002"]


def test_late_capture_knows_what_the_hook_kept(project: "Project") -> None:
    project.say("wrong", prompt_id="p1", at=DAY)

    late = project.say("wrong", prompt_id="p1", at=DAY + 0.05, is_late=True, uuid="u1")

    assert late.kind == "double"


def test_a_fork_counts_nothing_twice_whichever_log_is_read_first(project: "Project") -> None:
    project.say("wrong", prompt_id="p1", at=DAY)
    project.say("missing", prompt_id="p9", at=DAY, is_late=True, uuid="u9")

    copy_of_hooked = project.say("wrong", session="fork", prompt_id="new", at=DAY + 0.05, is_late=True, uuid="u1")
    copy_of_late = project.say("missing", session="fork", prompt_id="new", at=DAY + 500, is_late=True, uuid="u9")

    assert (copy_of_hooked.kind, copy_of_late.kind) == ("double", "double")
    assert len(project.entries()) == 2


def test_what_no_hook_heard_is_kept_late_with_its_own_date(project: "Project") -> None:
    project.knowledge.mkdir()

    project.say("wrong", prompt_id="p1", at=DAY, is_late=True, uuid="u1")

    assert project.entries()[0]["date"] == "2026-01-31"


def test_a_capture_killed_behind_the_append_is_healed_and_claimed_by_its_second_firing(
    project: "Project", monkeypatch: pytest.MonkeyPatch
) -> None:
    project.say("wrong 1", prompt_id="p1")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(corrections, "remember", die)
        with pytest.raises(KeyboardInterrupt):
            project.say("wrong 2", prompt_id="p2")
    assert project.counts()["total_corrections"] == 1

    again = project.say("wrong 2", prompt_id="p2")

    assert (again.kind, again.ids) == ("logged", ["CORR-002"])
    assert project.say("wrong 2", prompt_id="p2").kind == "double"
    assert len(project.entries()) == project.counts()["total_corrections"] == 2


def test_a_key_store_that_is_gone_is_replaced_by_the_keys_in_the_log(project: "Project") -> None:
    project.say("wrong 1", prompt_id="p1")
    project.say("wrong 2", prompt_id="p2")
    os.rename(Path(project.places.data) / "keys", Path(project.places.data) / "gone")

    again = project.say("wrong 1", prompt_id="p1")

    assert again.ids == ["CORR-001"]
    assert len(project.entries()) == 2


@pytest.mark.parametrize("cut", [1, 20, 60, 150, 240])
def test_a_torn_entry_is_set_aside_and_its_words_are_kept_again(cut: int, project: "Project") -> None:
    project.say("wrong 1", prompt_id="p1")
    whole = project.log.read_bytes()
    index = project.index.read_bytes()
    project.say("wrong 2", prompt_id="p2")
    torn = project.log.read_bytes()[: len(whole) + cut]
    project.log.write_bytes(torn)
    project.index.write_bytes(index)
    os.rename(Path(project.places.data) / "keys", Path(project.places.data) / "gone")

    again = project.say("wrong 2", prompt_id="p2")

    assert (again.kind, again.ids) == ("logged", ["CORR-002"])
    assert [entry["description"] for entry in project.entries()] == ["wrong 1", "wrong 2"]
    assert project.counts()["total_corrections"] == 2
    assert project.log.with_name("log.yaml.torn").read_bytes() == torn[len(whole) :] + b"\n"


# --- learnings and praise -----------------------------------------------------------------------------------------


def test_a_learning_is_a_bullet_under_its_heading(project: "Project") -> None:
    outcome = project.say("always use\nthe view", label="learning", at=DAY)

    assert (outcome.kind, outcome.ids, outcome.ack) == ("logged", [], "Noted for future analyses.")
    assert project.learnings.read_text().endswith(
        "### 6. Methodology Notes\n\n- always use the view (source: user feedback, 2026-01-31)\n"
    )


def test_a_learning_is_kept_once(project: "Project") -> None:
    kinds = [project.say("always", label="learning", prompt_id=prompt_id).kind for prompt_id in ("p1", "p1", "p2")]

    assert kinds == ["logged", "double", "repeat"]
    assert project.say("always", label="learning", prompt_id="p3", session="s2").kind in ("logged", "repeat")
    assert project.learnings.read_text().count("- always") == 1


def test_praise_is_thanked_for_and_writes_nothing(project: "Project") -> None:
    outcome = project.say("perfect", label="positive")

    assert (outcome.kind, outcome.ack) == ("nothing", "Thanks!")
    assert not project.knowledge.exists()


def test_nothing_is_said_or_written_without_a_signal(project: "Project") -> None:
    outcome = project.say("make a plot", label="none")

    assert (outcome.kind, outcome.ack) == ("nothing", "")
    assert not project.knowledge.exists()


@pytest.mark.parametrize("label", ["correction", "learning", "positive"])
def test_acknowledgement_can_be_switched_off(label: str, project: "Project") -> None:
    assert project.say("x", label=label, acknowledge=False).ack == ""


# --- what cannot be appended at once ------------------------------------------------------------------------------


def queued(project: "Project") -> int:
    return len(project.queue.read_text().splitlines()) if project.queue.exists() else 0


def test_an_odd_log_goes_to_the_queue_untouched(project: "Project") -> None:
    project.write(project.log, "corrections:\n- id: CORR-001\n  fix: |\n    two\n    lines\n")
    before = project.log.read_bytes()

    outcome = project.say("wrong", prompt_id="p1")

    assert (outcome.kind, outcome.ids, outcome.ack) == ("queued", [], "Got it, noted.")
    assert project.log.read_bytes() == before
    assert queued(project) == 1
    assert stat.S_IMODE(project.queue.stat().st_mode) == 0o600 or os.name == "nt"


def test_a_prompt_is_queued_once(project: "Project") -> None:
    project.write(project.log, "corrections: {}\n")
    project.say("wrong", prompt_id="p1")

    assert project.say("wrong", prompt_id="p1").kind == "double"
    repeat = project.say("wrong", prompt_id="p2")

    assert (repeat.kind, repeat.ack) == ("repeat", "Got it, noted.")
    assert queued(project) == 1


def test_a_lock_that_is_held_sends_the_words_to_the_queue(project: "Project") -> None:
    project.say("wrong 1")
    folder = corrections.open_part(project.where, "corrections")
    held = folder.take_lock(ledger.LOCK, 0)

    outcome = project.say("wrong 2", wait_s=0.02)

    folder.free_lock(held)
    folder.close()
    assert outcome.kind == "queued"
    assert project.say("wrong 3").ids == ["CORR-002"]


def test_a_file_system_without_locks_sends_the_words_to_the_queue(
    project: "Project", monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise NoFlock(95, "none here")

    monkeypatch.setattr("tellback.capture.folder.take_lock", refuse)

    assert project.say("wrong").kind == "queued"


def test_a_long_log_without_its_index_goes_to_the_queue(project: "Project", monkeypatch: pytest.MonkeyPatch) -> None:
    project.say("wrong 1")
    project.index.unlink()
    monkeypatch.setattr(ledger.Ledger, "scan_bytes", 100)

    assert project.say("wrong 2").kind == "queued"


def test_an_index_that_cannot_be_replaced_loses_no_entry(project: "Project", monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "full")

    with monkeypatch.context() as patched:
        patched.setattr("tellback.capture.folder.Folder.swap", refuse)
        outcome = project.say("wrong 1", prompt_id="p1")
    assert outcome.ids == ["CORR-001"]

    assert project.say("wrong 2", prompt_id="p2").ids == ["CORR-002"]

    assert project.counts()["total_corrections"] == 2


def test_a_learnings_file_that_is_too_long_goes_to_the_queue(project: "Project") -> None:
    project.write(project.learnings, "x" * (256 * 1024))

    assert project.say("always", label="learning").ack == "Got it, noted."


def test_when_not_even_the_queue_takes_it_the_prompt_passes_in_silence(project: "Project") -> None:
    project.write(project.log, "corrections: {}\n")
    project.write(Path(project.places.data), "a file where the folder should be")

    outcome = project.say("wrong")

    assert (outcome.kind, outcome.ack) == ("failed", "")


def test_an_index_of_absurd_length_is_not_cut(project: "Project") -> None:
    text = "# words\n" * 200_000
    project.write(project.index, text)

    assert project.say("wrong").kind == "queued"
    assert project.index.read_text() == text


@pytest.mark.parametrize("at", [-1e30, 1e30, float("inf")])
def test_a_time_that_no_calendar_has_does_no_harm(at: float, project: "Project") -> None:
    assert project.say("wrong", at=at, prompt_id="p1").kind == "logged"


def test_a_path_that_no_system_takes_does_no_harm(project: "Project") -> None:
    project.folder = Path("/half\ud800pair")

    assert project.say("wrong").kind in ("logged", "queued")
