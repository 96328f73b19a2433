"""Explicit scores: taken where a person gives one, not where numbers only look like it."""

import pytest

from tellback.learning.ratings import find_score


@pytest.mark.parametrize(
    ("words", "score"),
    [("4/5, the naming is off", 4), ("I'd give that 5 / 5", 5), ("three out of five", 3), ("2 out of 5", 2),
     ("★★★★☆", 4), ("⭐⭐⭐", 3), ("that's a 5-star answer", 5)],
)  # fmt: skip
def test_a_score_that_a_person_gives(words: str, score: int) -> None:
    assert find_score(words) == score


@pytest.mark.parametrize(
    "words",
    ["on 4/5/2026", "2026/4/5", "step 4/5 done", "4/5 tests passed", "3 out of 5 files", "see a/4/5", "1/50", "v4/5.1",
     "between 3/5 and 4/5", "7/5", "x" * 300 + " 4/5", "that is wrong"],
)  # fmt: skip
def test_numbers_that_only_look_like_one(words: str) -> None:
    assert find_score(words) is None
