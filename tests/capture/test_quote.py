"""Quoted words: one line, nothing that steers a terminal, and back exactly from any YAML reader."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tellback.capture.quote import one_line, quote

any_text = st.text(st.characters(codec=None))
HOSTILE = 'a"b\\c\nd\re\tf\0g\x1b[31mh\u202ei\u2028j\x85k\ufeffl\ud800m\U000e0041n\uffffo\x7fp\u200eq#: -'


@given(any_text)
def test_every_text_comes_back_exactly(text: str) -> None:
    assert YAML(typ="safe", pure=True).load(f"- x: {quote(text)}\n")[0]["x"] == text


@given(any_text)
def test_quoted_text_is_one_printable_line(text: str) -> None:
    assert all(c.isprintable() or c == "\u3000" for c in quote(text))


def test_nothing_is_null() -> None:
    assert quote(None) == "null"


def test_hostile_text_comes_back_and_shows_no_control_characters() -> None:
    quoted = quote(HOSTILE)

    assert YAML(typ="safe", pure=True).load(quoted) == HOSTILE
    assert not [c for c in quoted if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


@pytest.mark.parametrize("text", ["那一列不对", "それは違う　です", "naïve façade", "emoji 😀 stays"])
def test_words_of_other_languages_stay_readable(text: str) -> None:
    assert quote(text) == f'"{text}"'


@given(any_text)
def test_a_learning_is_one_line_without_control_characters(text: str) -> None:
    line = one_line(text)

    assert line == " ".join(line.split())
    assert line.isprintable()


def test_a_learning_cannot_hide_the_rest_of_the_file() -> None:
    assert "<!--" not in one_line("always <!-- this")
