"""Pairs of texts out of a correction: only what stands there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.learning.pairs import find_edited_pair, find_pair
from tellback.sessions.entry import Edit, Entry


@pytest.mark.parametrize(
    ("words", "original", "corrected"),
    [
        ("use pnpm, not npm", "npm", "pnpm"),
        ("the column is order_date not created_at", "created_at", "order_date"),
        ("it should be pyproject.toml, not setup.py", "setup.py", "pyproject.toml"),
        ("use `npm ci` instead of `npm install`", "npm install", "npm ci"),
        ("prefer ruff over flake8 here", "flake8", "ruff"),
        ("instead of axios, use fetch", "axios", "fetch"),
        ("don't use unittest, use pytest", "unittest", "pytest"),
        ('replace "foo bar" with "foo baz"', "foo bar", "foo baz"),
        ("不对，用 uv 而不是 pip", "pip", "uv"),
        ("不要用 mock，用 fixture", "mock", "fixture"),
        ("把 userId 改成 user_id", "userId", "user_id"),
    ],
)
def test_a_pair_that_the_words_name(words: str, original: str, corrected: str) -> None:
    assert find_pair(words) == (original, corrected)


@pytest.mark.parametrize(
    "words",
    [
        "that is wrong",
        "still blank",
        "use the other column",
        "this is not what I asked for",
        "不对",
        "use tabs, not Tabs",
    ],
)
def test_words_without_both_sides_name_no_pair(words: str) -> None:
    assert find_pair(words) is None


def edit(path: str, before: str | None, after: str) -> Entry:
    return Entry(0, 1, "u", None, "", "", "edit", edits=(Edit(path, before, after),))


def test_the_edit_that_answers_a_correction_gives_the_pair() -> None:
    first = [edit("a.py", "x = 1", "x = load()\nprint(x)")]
    answer = [edit("b.py", "y", "z"), edit("a.py", "x = load()", "x = load_all()")]

    assert find_edited_pair(first, answer) == ("x = load()", "x = load_all()")


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param([], id="no edit"),
        pytest.param([edit("a.py", "old text", "new")], id="a text that the agent had not written"),
        pytest.param([edit("b.py", "load", "l")], id="another file"),
        pytest.param([edit("a.py", "load", "l"), edit("a.py", "print", "p")], id="two edits, either may be meant"),
        pytest.param([edit("a.py", "load", "x" * 501)], id="a whole file"),
    ],
)
def test_an_answer_that_is_not_clear_gives_no_pair(answer: list[Entry]) -> None:
    assert find_edited_pair([edit("a.py", None, "x = load()\nprint(x)")], answer) is None


@given(st.text(max_size=400))
def test_both_sides_of_a_pair_stand_in_the_words(words: str) -> None:
    if pair := find_pair(words):
        assert pair.original in words
        assert pair.corrected in words
