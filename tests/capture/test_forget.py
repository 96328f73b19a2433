"""Forgetting takes the words out of every file and keeps the number; taking back adds one line."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.capture.forget import forget, forget_learning
from tellback.capture.points import Point
from tellback.capture.retract import retract
from tellback.capture.waiting import write_queued

if TYPE_CHECKING:
    from conftest import Project

SECRET = "my sister's salary"


def words_left(project: "Project") -> list[str]:
    """Return the files below project and data folder that still hold the secret."""
    folders = (project.folder, Path(project.places.data))
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if SECRET in path.read_text(errors="replace")]


def fill(point: Point) -> None:
    point.severity, point.category = "critical", "logic"
    point.fix = point.sql_before = point.sql_after = point.prevented_by = f"use {SECRET}"
    point.tables = [SECRET]


def test_the_words_go_and_the_number_stays(project: "Project") -> None:
    project.say("wrong 1", prompt_id="p1")
    project.say(f"wrong: {SECRET}", prompt_id="p2", change=fill)
    project.say("wrong 3", prompt_id="p3")

    forgotten = forget(project.where, project.places, "CORR-002")

    assert (forgotten.ids, forgotten.entries) == (("CORR-002",), 1)
    assert words_left(project) == []
    one, two, three = project.entries()
    assert (two["id"], two["severity"], two["category"]) == ("CORR-002", "critical", "logic")
    assert (two["description"], two["tables"], two["fix"], two["sql_before"]) == ("[forgotten]", [], None, None)
    assert (one["description"], three["description"]) == ("wrong 1", "wrong 3")
    assert project.say("wrong 4").ids == ["CORR-004"]
    assert project.counts()["total_corrections"] == 4


def test_what_is_forgotten_is_not_heard_again(project: "Project") -> None:
    project.say(f"wrong: {SECRET}", prompt_id="p1", at=1e9)
    forget(project.where, project.places, "CORR-001")

    assert project.say(f"wrong: {SECRET}", prompt_id="p1", at=1e9, is_late=True, uuid="u1").kind == "double"
    assert words_left(project) == []


def test_an_entry_is_named_by_its_key_too(project: "Project") -> None:
    project.say(f"wrong: {SECRET}")
    key = project.log.read_text().partition("# tellback ")[2][:12]

    assert forget(project.where, project.places, key).ids == ("CORR-001",)
    assert words_left(project) == []


def test_words_that_wait_in_the_queue_are_never_written(project: "Project") -> None:
    project.write(project.log, "corrections: {}\n")
    project.say(f"wrong: {SECRET}", prompt_id="p1")
    key = project.queue.read_text().partition('"key":"')[2][:12]
    project.log.write_text("corrections:\n")

    forgotten = forget(project.where, project.places, key)

    assert forgotten.waiting == 1
    assert words_left(project) == []
    assert write_queued(project.places).written == 0


def test_reasons_and_torn_rests_are_forgotten_too(project: "Project") -> None:
    project.say(f"wrong: {SECRET}", prompt_id="p1")
    retract(project.where, "CORR-001", f"it was about {SECRET}", "2026-01-31")
    key = project.log.read_text().partition("# tellback ")[2][:12]
    torn = project.log.with_name("log.yaml.torn")
    project.log.with_name(".log.yaml.tellback").write_text(SECRET)  # the draft of a replacement that was killed
    torn.write_text(f'  # tellback {key}\n  - id: "CORR-001"\n    description: "{SECRET}')

    forget(project.where, project.places, "CORR-001")

    assert words_left(project) == []
    assert project.load(project.log.with_name("retracted.yaml"))["retracted"][0]["reason"] == "[forgotten]"


def test_a_log_of_an_odd_shape_is_forgotten_in_too(project: "Project") -> None:
    project.write(
        project.log,
        f"# ours\ncorrections:\n- id: CORR-001 # one\n  description: |\n    {SECRET}\n    more\n  fix: ok\n"
        "- id: CORR-002\n",
    )

    assert forget(project.where, project.places, "CORR-001").entries == 1

    assert words_left(project) == []
    assert project.entries() == [{"id": "CORR-001", "description": "[forgotten]", "fix": None}, {"id": "CORR-002"}]
    assert "# ours" in project.log.read_text()


def test_every_entry_of_a_doubled_id_is_forgotten(project: "Project") -> None:
    project.write(project.log, f'corrections:\n- id: CORR-001\n  fix: "{SECRET}"\n- id: CORR-001\n  fix: "{SECRET}"\n')

    assert forget(project.where, project.places, "CORR-001").entries == 2
    assert words_left(project) == []


def test_a_learning_keeps_its_place_and_date(project: "Project") -> None:
    project.say(f"always {SECRET}", label="learning", at=1e9)
    project.say("always x", label="learning", at=1e9)

    assert forget_learning(project.where, project.places, f"always {SECRET}").bullets == 1

    assert words_left(project) == []
    assert project.learnings.read_text().endswith(
        "- [forgotten] (source: user feedback, 2001-09-09)\n- always x (source: user feedback, 2001-09-09)\n"
    )


@pytest.mark.parametrize("target", ["CORR-099", "0123456789ab", "", "CORR-0"])
def test_an_unknown_name_changes_nothing(target: str, project: "Project") -> None:
    project.say("wrong")
    before = project.log.read_bytes()

    assert forget(project.where, project.places, target).entries == 0
    assert project.log.read_bytes() == before


def test_nothing_is_made_where_nothing_was_kept(project: "Project") -> None:
    assert forget(project.where, project.places, "CORR-001").entries == 0
    assert not project.knowledge.exists()


# --- taking a verdict back ----------------------------------------------------------------------------------------


def test_a_verdict_taken_back_is_one_line_and_the_log_stays(project: "Project") -> None:
    project.say("wrong 1")
    project.say("wrong 2")
    before = project.log.read_bytes()

    assert retract(project.where, "CORR-001", 'a "question"\nafter all', "2026-01-31")
    assert retract(project.where, "CORR-002", "b", "2026-02-01")
    assert not retract(project.where, "CORR-001", "again", "2026-02-01")

    assert project.log.read_bytes() == before
    assert project.load(project.log.with_name("retracted.yaml")) == {
        "retracted": [
            {"id": "CORR-001", "reason": 'a "question"\nafter all', "date": "2026-01-31"},
            {"id": "CORR-002", "reason": "b", "date": "2026-02-01"},
        ]
    }
