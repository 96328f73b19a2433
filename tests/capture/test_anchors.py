"""Tier 0 says "surely nothing" exactly when no anchor is in the text."""

from types import SimpleNamespace

import pytest

from tellback.capture.anchors import may_hold_signal, prepare_anchors

TABLES = SimpleNamespace(**prepare_anchors(["wrong", "dont", "不对", "größe", "não"]))
FILL = b" ".join(b"w%d" % number for number in range(20_000))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("that is Wrong.", id="a word in another case, before a stop"),
        pytest.param("don't", id="a straight apostrophe"),
        pytest.param("don\u2019t", id="a curly apostrophe"),
        pytest.param("这不对吧", id="a piece inside a run"),
        pytest.param("GRÖSSE? GRÖßE", id="capitals outside ASCII"),
        pytest.param("Não", id="a capital before the accent"),
    ],
)
def test_a_text_with_an_anchor_is_looked_at(text: str) -> None:
    assert may_hold_signal(text.encode(), TABLES)
    assert may_hold_signal(FILL + b" " + text.encode(), TABLES)
    assert may_hold_signal(text.encode() + b" " + FILL, TABLES)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("wrongly wrong_x wrong1 xwrong", id="an anchor inside a word"),
        pytest.param("tout va bien, l\u2019été \u2014 d\u2019accord", id="accents and dashes of no anchor"),
        pytest.param("对不起", id="the same characters in another order"),
    ],
)
def test_a_text_without_an_anchor_is_not(text: str) -> None:
    assert not may_hold_signal(text.encode(), TABLES)
    assert not may_hold_signal(FILL + b" " + text.encode(), TABLES)


def test_only_both_ends_of_a_long_text_count() -> None:
    assert not may_hold_signal(FILL + b" wrong " + FILL, TABLES)


def test_bytes_that_are_no_text_are_no_error() -> None:
    assert may_hold_signal(b"\xff\xfe wrong", TABLES)
    assert not may_hold_signal(b"\xed\xa0\x80\xff", TABLES)
