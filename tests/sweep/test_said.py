"""What was said over all projects, and the headline that it makes."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from tellback.capture.detector import Verdict
from tellback.capture.knowledge import capture_turn
from tellback.capture.learnings import make_ident
from tellback.capture.points import Point
from tellback.cli import main
from tellback.core.db import open_db, transaction
from tellback.core.keys import Settings
from tellback.core.place import find_knowledge
from tellback.core.shapes import Places, Turn
from tellback.learning.audit import AuditLog
from tellback.learning.pairs import cut_pair
from tellback.learning.repeats import Repeats, count_repeats
from tellback.sweep.captures import Capture, add_late, list_captures, settle
from tellback.sweep.said import collect_said
from tellback.sweep.uses import note_laid

WORDS = "use pnpm, not npm, for installing packages"


def say(project: Path, places: Places, session: str, words: str, at: float) -> None:
    (project / ".git").mkdir(parents=True, exist_ok=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (project / ".knowledge").mkdir(exist_ok=True)
    turn = Turn("claude-code", "prompt", at)
    turn.session_id = session
    turn.project = turn.cwd = str(project)
    verdict = Verdict()
    verdict.label, verdict.points = "correction", [Point(words)]
    where = find_knowledge(str(project), places)
    outcome = capture_turn(turn, verdict, where, places, prompt_hash=words, dataset=None)
    ids = tuple(outcome.ids)
    with closing(open_db(places)) as db, transaction(db):
        add_late(
            db,
            Capture(0, "claude-code", session, "", words, at, session, str(project), "correction", "logged", ids, True,
                    "", ""),
        )  # fmt: skip


def test_the_words_of_all_projects_are_found_and_what_is_taken_back_is_not(tmp_path: Path, places: Places) -> None:
    say(tmp_path / "a", places, "s1", WORDS, 1000.0)
    say(tmp_path / "b", places, "s2", "the total is off by one", 2000.0)
    say(tmp_path / "b", places, "s3", "taken back later on", 3000.0)
    with closing(open_db(places)) as db, transaction(db):
        (*_, last) = list_captures(db)
        settle(db, last._replace(retracted="not one"))

    with closing(open_db(places)) as db:
        said = collect_said(db, places, Settings())

    assert [(one.session, one.words) for one in said] == [("s1", WORDS), ("s2", "the total is off by one")]


def test_a_correction_that_comes_again_after_it_stood_in_the_brief_is_told(tmp_path: Path, places: Places) -> None:
    folder = str(tmp_path / "a")
    say(tmp_path / "a", places, "s1", WORDS, 1000.0)
    say(tmp_path / "a", places, "s2", f"no, {WORDS}!", 2000.0)
    with closing(open_db(places)) as db, transaction(db):
        note_laid(db, folder, [(folder, make_ident(WORDS))], 1500.0)
        told = count_repeats(collect_said(db, places, Settings()))
        note_laid(db, folder, [(folder, make_ident(WORDS))], 2500.0)  # it stood there since 1500
        again = count_repeats(collect_said(db, places, Settings()))

    assert told == again == Repeats(2, 1, 1)


def test_another_projects_brief_told_nobody_here(tmp_path: Path, places: Places) -> None:
    folder = str(tmp_path / "a")
    say(tmp_path / "a", places, "s1", WORDS, 1000.0)
    say(tmp_path / "b", places, "s2", f"no, {WORDS}!", 2000.0)
    with closing(open_db(places)) as db, transaction(db):
        note_laid(db, folder, [(folder, make_ident(WORDS))], 1500.0)

        assert count_repeats(collect_said(db, places, Settings())) == Repeats(2, 1, 0)


@pytest.mark.parametrize(("kind", "told"), [("refine", 1), ("refine-undo", 0)])
def test_a_correction_that_comes_again_after_it_was_put_into_the_skill_is_told(
    tmp_path: Path, places: Places, kind: str, told: int
) -> None:
    words = "use 'pnpm install', not 'npm install', in this place"
    (pair, _) = cut_pair(words) or (None, "")
    assert pair is not None
    say(tmp_path / "a", places, "s1", words, 1000.0)
    say(tmp_path / "b", places, "s2", f"no, {words}!", 3000.0)
    skill = tmp_path / "a" / ".claude" / "skills" / "lint" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("x")
    audit = AuditLog(skill.parents[1])
    change = {"original": pair.original, "suggested": pair.corrected}
    for of in dict.fromkeys(("refine", kind)):
        at = "1970-01-01T00:30:00.000Z"
        audit.append({"type": of, "timestamp": at, "filePath": str(skill), "changes": [change, "odd"]})

    with closing(open_db(places)) as db:
        assert count_repeats(collect_said(db, places, Settings())) == Repeats(2, 1, told)


def test_the_report_begins_with_what_had_to_be_said_again(tmp_path: Path, places: Places) -> None:
    say(tmp_path / "a", places, "s1", WORDS, 1000.0)
    say(tmp_path / "b", places, "s2", f"no, {WORDS}!", 2000.0)

    text = CliRunner().invoke(main, ["report"], catch_exceptions=False).stdout
    data = json.loads(CliRunner().invoke(main, ["report", "--json"], catch_exceptions=False).stdout)

    assert text.startswith("Said again: 1 of 2 corrections (50%) repeat one of an earlier session, ")
    assert data["repeats"] == {"corrections": 2, "repeats": 1, "share": 0.5, "told": 0, "told_share": 0.0}
