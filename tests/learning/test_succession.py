"""Which learning replaces which, and when that is sure."""

from datetime import datetime

import pytest

from tellback.capture.learnings import make_ident
from tellback.capture.notebook import Learned
from tellback.learning.succession import find_said_again, find_successions

NOON = datetime(2026, 11, 30, 12).timestamp()


def learn(*said: tuple[str, str]) -> list[Learned]:
    return [Learned(line, "Notes", words, day) for line, (words, day) in enumerate(said)]


@pytest.mark.parametrize(
    ("older", "newer", "is_sure"),
    [
        pytest.param("use npm, not pnpm", "use pnpm, not npm", True, id="the other way round"),
        pytest.param("use npm instead of pnpm", "From now on always use pnpm, not npm", True, id="in other words"),
        pytest.param("use pnpm, not npm", "use yarn, not pnpm", True, id="turned away from"),
        pytest.param("always squash commits", "never squash commits", True, id="demanded, then forbidden"),
        pytest.param("use yarn, not pnpm", "use pnpm, not npm", False, id="taken up what was turned away from"),
        pytest.param("use npm, not pnpm in the docs", "use pnpm, not npm", False, id="of something narrower"),
        pytest.param("always run lint before tests", "never run tests before lint", False, id="in another order"),
    ],
)
def test_a_later_learning_that_contradicts_replaces_the_earlier(older: str, newer: str, is_sure: bool) -> None:
    learned = learn((older, "2026-01-07"), (newer, "2026-11-30"))

    (found,) = find_successions(learned, {make_ident(newer): NOON})

    assert (found.older.words, found.newer.words, found.is_sure) == (older, newer, is_sure)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use pnpm, not npm", "use uv, not pip"),
        ("the column is user_id, not id", "the key is id, not name"),
        ("always run the tests", "never skip the linter"),
    ],
)
def test_learnings_of_different_things_replace_nothing(one: str, other: str) -> None:
    assert find_successions(learn((one, "2026-01-07"), (other, "2026-11-30")), {make_ident(other): NOON}) == []


def test_the_later_one_is_the_newer_wherever_it_stands() -> None:
    learned = learn(("use pnpm, not npm", "2026-11-30"), ("use npm, not pnpm", "2026-01-07"))

    (found,) = find_successions(learned, {learned[0].ident: NOON})

    assert (found.newer, found.is_sure) == (learned[0], True)


def test_words_of_somebody_else_replace_nothing_without_being_asked_about() -> None:
    learned = learn(("use npm, not pnpm", "2026-01-07"), ("use pnpm, not npm", "2026-11-30"))

    (found,) = find_successions(learned, {learned[0].ident: NOON - 3e7})

    assert not found.is_sure


def test_on_one_day_the_times_decide_if_they_are_known() -> None:
    learned = learn(("use pnpm, not npm", "2026-11-30"), ("use npm, not pnpm", "2026-11-30"))
    pnpm, npm = learned

    (by_time,) = find_successions(learned, {npm.ident: NOON, pnpm.ident: NOON + 60})
    (by_line,) = find_successions(learned, {npm.ident: NOON})
    (unknown,) = find_successions(learned, {pnpm.ident: NOON})

    assert (by_time.newer, by_time.is_sure) == (pnpm, True)
    assert (by_line.newer, by_line.is_sure) == (npm, True)
    assert not unknown.is_sure


def test_a_learning_that_no_longer_stands_replaces_nothing() -> None:
    learned = learn(("use npm, not pnpm", "2026-01-07"), ("use pnpm, not npm", "2026-11-30"))
    gone = [learned[0], learned[1]._replace(retired="2026-11-30")]

    assert find_successions(gone, {learned[1].ident: NOON}) == []


def test_saying_it_again_lets_it_stand_again() -> None:
    old, new = learn(("use npm, not pnpm", "2026-01-07"), ("use pnpm, not npm", "2026-11-29"))
    old = old._replace(superseded="2026-11-29", by=new.words)
    idle = Learned(2, "Notes", "ask first", "2026-01-07", retired="2026-11-30")
    learned = [old, new, idle]

    def again(said: dict[str, float], retired_at: dict[str, float]) -> list[str]:
        return [one.words for one in find_said_again(learned, said, retired_at)]

    assert again({old.ident: NOON}, {}) == [old.words]
    assert again({old.ident: NOON - 3e7}, {}) == []
    assert again({idle.ident: NOON}, {idle.ident: NOON - 60}) == [idle.words]
    assert again({idle.ident: NOON}, {idle.ident: NOON + 60}) == []
    assert again({idle.ident: NOON}, {}) == []  # retired elsewhere on the same day: nobody knows which came first
