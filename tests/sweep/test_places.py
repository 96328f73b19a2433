"""What was found late in a project without `.knowledge` keeps its place when the project gets one."""

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tellback.capture.detector import judge
from tellback.capture.knowledge import capture_turn
from tellback.capture.tables import default_tables
from tellback.cli import main
from tellback.commands.log_rows import make_rows
from tellback.core.db import open_db
from tellback.core.digest import short_hash
from tellback.core.keys import Settings
from tellback.core.place import find_knowledge
from tellback.core.shapes import Turn
from tellback.learning.where import find_root
from tellback.sweep.brief import Heard
from tellback.sweep.captures import find_where

if TYPE_CHECKING:
    from conftest import House

LATE = "No, you used the wrong file, it should be pyproject.toml, not setup.py"
HEARD = "No, that is wrong, the column is user_id, not id"


def hear(house: "House", text: str, session: str, prompt_id: str) -> None:
    """Do what a prompt hook does, and tell of it."""
    turn = Turn("claude-code", "prompt", 1_796_000_500.0)
    turn.session_id, turn.prompt_id = session, prompt_id
    turn.project = turn.cwd = str(house.project)
    verdict = judge(text, None, tables=default_tables(), point="report")
    where = find_knowledge(turn.project, house.places)
    done = capture_turn(turn, verdict, where, house.places, prompt_hash=short_hash(text.encode()))
    log = house.new_log(session)
    house.tell(log, text, turn.at, verdict="correction", outcome=done.kind, ids=done.ids, prompt_id=prompt_id)


def show(house: "House") -> list[tuple[str, str]]:
    return [(row.name, row.text) for row in make_rows(house.places, house.captures())]


def test_two_entries_of_one_number_are_told_apart(house: "House", descriptions: Callable[[], list[str]]) -> None:
    log = house.new_log()
    log.prompt(LATE)
    house.sweep()

    hear(house, HEARD, "other", "p1")
    house.sweep()

    assert sorted(descriptions()) == sorted([LATE, HEARD])
    assert show(house) == [("CORR-001", LATE), ("CORR-001", HEARD)]


def test_words_said_again_are_those_of_the_first_time(house: "House") -> None:
    log = house.new_log()
    log.prompt(LATE)
    house.sweep()

    hear(house, HEARD, log.session, "p1")
    hear(house, LATE, log.session, "p2")
    house.sweep()

    assert show(house)[-1] == ("CORR-001", LATE)


def test_the_brief_counts_each_for_itself(house: "House") -> None:
    house.new_log().prompt(LATE)
    house.sweep()
    hear(house, HEARD, "other", "p1")
    house.sweep()

    with closing(open_db(house.places)) as db:
        heard = Heard(db, house.places, Settings(), 1_796_001_000.0)
        notes = heard.collect_notes(find_root(str(house.project), house.places))

    assert sorted((note.words, note.times) for note in notes) == sorted([(LATE, 1), (HEARD, 1)])


def test_forgetting_takes_the_one_that_is_meant(
    house: "House", descriptions: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    house.new_log().prompt(LATE)
    house.sweep()
    hear(house, HEARD, "other", "p1")
    store = find_where(house.captures()[0], house.places).folder

    for project in (store, str(house.project)):
        with pytest.raises(SystemExit) as caught:
            main(["forget", "CORR-001", "--project", project, "--yes"])

        assert caught.value.code == 0
        left = {HEARD} if project == store else set()
        assert {text for text in descriptions() if text != "[forgotten]"} == left
