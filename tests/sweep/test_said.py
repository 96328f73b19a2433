"""What was said over all projects, and the headline that it makes."""

import json
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from tellback.capture.detector import Verdict
from tellback.capture.knowledge import capture_turn
from tellback.capture.points import Point
from tellback.cli import main
from tellback.core.db import open_db, transaction
from tellback.core.keys import Settings
from tellback.core.place import find_knowledge
from tellback.core.shapes import Places, Turn
from tellback.sweep.captures import Capture, add_late, list_captures, settle
from tellback.sweep.said import collect_said

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


def test_the_report_begins_with_what_had_to_be_said_again(tmp_path: Path, places: Places) -> None:
    say(tmp_path / "a", places, "s1", WORDS, 1000.0)
    say(tmp_path / "b", places, "s2", f"no, {WORDS}!", 2000.0)

    text = CliRunner().invoke(main, ["report"], catch_exceptions=False).stdout
    data = json.loads(CliRunner().invoke(main, ["report", "--json"], catch_exceptions=False).stdout)

    assert text.startswith("Said again: 1 of 2 corrections (50%) repeat one of an earlier session, ")
    assert data["repeats"] == {"corrections": 2, "repeats": 1, "share": 0.5, "told": 0, "told_share": 0.0}
