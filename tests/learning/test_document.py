"""The document's keyword classifier: its tables, its guards, its dimensions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.learning.document import find_dimension, read_message


@pytest.mark.parametrize(
    ("text", "reaction"),
    [
        ("that is wrong", "rejection"),
        ("this is incorrect", "rejection"),
        ("no, the other file", "rejection"),
        ("这个不对", "rejection"),
        ("错了", "rejection"),
        ("刚才那个不对", "rejection"),
        ("not right, should use const ref...", "rejection"),
        ("That’s not what I asked for", "rejection"),
        ("please try again", "redo"),
        ("redo the second part", "redo"),
        ("重新来", "redo"),
        ("换个方案吧", "redo"),
        ("looks good, but the naming is off", "partial"),
        ("No, that is wrong, but the idea is fine", "partial"),
        ("可以，但是命名不对", "partial"),
        ("correct, however one case is left", "partial"),
        ("LGTM", "explicit"),
        ("looks good", "explicit"),
        ("that is correct", "explicit"),
        ("好", "explicit"),
        ("好的", "explicit"),
        ("可以", "explicit"),
        ("对的", "explicit"),
        ("写得很好", "explicit"),
        ("now add a second endpoint for invoices", "implicit"),
    ],
)
def test_a_listed_word_gives_its_reaction(text: str, reaction: str) -> None:
    assert read_message(text).reaction == reaction


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("is it correct?", id="a question"),
        pytest.param("可以吗", id="a question without a mark"),
        pytest.param("你好", id="a greeting"),
        pytest.param("好像有点问题", id="a longer word"),
        pytest.param("不好", id="negated"),
        pytest.param("还没好", id="urging"),
        pytest.param("不可以", id="not allowed"),
        pytest.param("please correct it", id="correct as a verb"),
        pytest.param("isn't correct", id="negated in English"),
        pytest.param("ok next", id="short and without a word of the lists"),
        pytest.param("what does the second function do?", id="a long question"),
    ],
)
def test_a_guarded_word_gives_no_acceptance(text: str) -> None:
    assert read_message(text).reaction is None


@pytest.mark.parametrize("text", ["nothing wrong here", "the column is wrongly named", "it is not wrong"])
def test_a_negated_or_longer_rejection_word_is_no_rejection(text: str) -> None:
    assert read_message(text).reaction in (None, "implicit")


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("wrong naming", "accuracy"),
        ("不对，格式", "accuracy"),
        ("not right, should use const ref...", "accuracy"),
        ("wrong, you forgot the tests", "coverage"),
        ("漏了一个", "coverage"),
        ("try again", "reliability"),
        ("too verbose", "efficiency"),
        ("this leaks a token", "security"),
        ("wrong skill, the naming is not mine", "trigger_quality"),
        ("this shouldn’t trigger for a typo", "trigger_quality"),
        ("wrong typo and naming, missing one", "accuracy"),
        ("again missing", "coverage"),
        ("wrong", "unknown"),
    ],
)
def test_a_dimension_is_the_one_with_the_strongest_words(text: str, dimension: str) -> None:
    assert find_dimension(text) == dimension


def test_an_acceptance_has_no_dimension() -> None:
    assert read_message("looks good, nice naming").dimension is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    reading = read_message(text)

    assert (reading.dimension is None) == (reading.reaction in (None, "explicit", "implicit"))
