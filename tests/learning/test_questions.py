"""The question whose a correction is: laid ready once, withdrawn when it was settled."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tellback.core.db import open_db, transaction
from tellback.core.ready import MAX_BYTES, question_path, take_question
from tellback.core.shapes import Places
from tellback.learning.ledger import Attribution, add_attribution, list_attributions, settle_attribution
from tellback.learning.questions import lay_questions, withdraw_question
from tellback.learning.signals import Said

NOW = 1_796_000_000.0


@pytest.fixture
def db(places: Places) -> Iterator[sqlite3.Connection]:
    with closing(open_db(places)) as db:
        yield db


def add(db: sqlite3.Connection, ident: str, session: str = "s1", words: str = "no, use pnpm") -> None:
    said = Said("task", "intent", "problem", words, correction=words)
    with transaction(db):
        add_attribution(db, Attribution(ident, "claude-code", session, "/p", NOW, ("lint", "deploy"), (said,)))


def test_the_question_names_the_candidates_and_how_to_answer(db: sqlite3.Connection, places: Places) -> None:
    add(db, "abc123")

    assert lay_questions(db, places, NOW) == 1

    assert take_question("s1", places) == (
        "刚才的问题属于哪个 skill？ (Which skill was “no, use pnpm” about: lint, deploy? Ask once, then run "
        "`tellback record --resolve abc123 --skill NAME`; `--skill none` for none of them.)"
    )
    assert Path(question_path("s1", places)).parent.stat().st_mode & 0o777 == 0o700


def test_nobody_is_asked_twice(db: sqlite3.Connection, places: Places) -> None:
    add(db, "abc123")
    lay_questions(db, places, NOW)
    take_question("s1", places)

    assert lay_questions(db, places, NOW + 1) == 0
    assert take_question("s1", places) == ""
    assert [one.id for one in list_attributions(db)] == ["abc123"]


def test_each_session_is_asked_about_its_own(db: sqlite3.Connection, places: Places) -> None:
    add(db, "a1", "s1")
    add(db, "a2", "s2")
    lay_questions(db, places, NOW)

    assert "a1" in take_question("s1", places)
    assert "a2" in take_question("s2", places)


def test_what_was_settled_is_not_asked(db: sqlite3.Connection, places: Places) -> None:
    add(db, "a1")
    add(db, "a2")
    lay_questions(db, places, NOW)

    settle_attribution(db, "a1", "lint")
    withdraw_question(db, places, "s1", "a1")

    question = take_question("s1", places)
    assert "a2" in question
    assert "a1" not in question


def test_the_file_goes_with_its_last_question(db: sqlite3.Connection, places: Places) -> None:
    add(db, "a1")
    lay_questions(db, places, NOW)

    settle_attribution(db, "a1", "")
    withdraw_question(db, places, "s1", "a1")

    assert not Path(question_path("s1", places)).exists()


def test_a_question_is_one_bounded_line_whatever_was_said(db: sqlite3.Connection, places: Places) -> None:
    for number in range(20):
        add(db, f"a{number}", words="\x1b[31mno\n" + "字" * 5000)
    lay_questions(db, places, NOW)

    question = Path(question_path("s1", places)).read_bytes()
    assert len(question) <= MAX_BYTES
    assert b"\x1b" not in question
    assert question.decode().count("tellback record") == len(question.splitlines())


def test_a_session_without_a_file_name_lays_nothing(db: sqlite3.Connection, places: Places) -> None:
    add(db, "a1", session="../../x")

    lay_questions(db, places, NOW)

    assert not (Path(places.cache) / "ready").exists()
