"""The word-level diff: its worked values, and that nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.learning.word_diff import diff_words, measure_change

SENTENCE = "Run eslint on all files in the project directory"
LONGER = "Run eslint --ext .ts,.tsx on all TypeScript files in the src directory"
COMPREHENSIVE = (
    "Execute comprehensive linting with ESLint including TypeScript strict checks, "
    "import validation, accessibility rules, and performance optimization hints"
)


@pytest.mark.parametrize(
    ("before", "after", "added", "removed"),
    [(SENTENCE, LONGER, 29, 7), ("Run eslint.", COMPREHENSIVE, 151, 10)],
)
def test_the_documents_sentences_count_as_computed(before: str, after: str, added: int, removed: int) -> None:
    pieces = diff_words(before, after)

    assert sum(len(piece.value) for piece in pieces if piece.added) == added
    assert sum(len(piece.value) for piece in pieces if piece.removed) == removed


@pytest.mark.parametrize(
    ("before", "after", "percent"),
    [(SENTENCE, LONGER, 75), ("Run eslint.", COMPREHENSIVE, 1464), ("", "", 0), ("", "a", 100), ("a b", "a b", 0)],
)
def test_a_change_is_measured_against_the_text_before(before: str, after: str, percent: int) -> None:
    assert round(measure_change(before, after)) == percent


words = st.text(st.sampled_from("ab .\n日"), max_size=60)


@given(words, words)
def test_the_pieces_give_both_texts_back(before: str, after: str) -> None:
    pieces = diff_words(before, after)

    assert "".join(piece.value for piece in pieces if not piece.added) == before
    assert "".join(piece.value for piece in pieces if not piece.removed) == after
