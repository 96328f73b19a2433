"""Foreign text on a terminal steers nothing and hides nothing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.escape import show_line, show_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain text", "plain text", id="plain"),
        pytest.param("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m", id="a colour"),
        pytest.param("\x1b]0;title\x07", "\\x1b]0;title\\x07", id="a window title"),
        pytest.param("\x9b31m", "\\x9b31m", id="an eight-bit control"),
        pytest.param("a\rb\tc\nd", "a\\rb\\tc\\nd", id="line ends"),
        pytest.param("user\u202etxt.exe", "user\\u202etxt.exe", id="turned around"),
        pytest.param("a\u2066b\u2069", "a\\u2066b\\u2069", id="isolates"),
        pytest.param("a\u200bb\ufeff", "a\\u200bb\\ufeff", id="invisible"),
        pytest.param("a\U000e0041", "a\\U000e0041", id="tags"),
        pytest.param("\ud800", "\\ud800", id="a lone surrogate"),
        pytest.param(
            "日本語 Ünï 👩\u200d💻 می\u200cخواهم", "日本語 Ünï 👩\u200d💻 می\u200cخواهم", id="scripts and emoji stay"
        ),
    ],
)
def test_what_steers_or_hides_is_shown(text: str, shown: str) -> None:
    assert show_line(text) == shown


@given(st.text(st.characters()))
def test_one_line_is_one_line_of_printable_text(text: str) -> None:
    shown = show_line(text)

    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in shown)
    assert show_line(shown) == shown


def test_a_text_keeps_its_lines() -> None:
    assert show_text("a\n\tb\r\x1b") == "a\n\tb\\r\\x1b"
