"""One bullet under its heading, every other byte as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.capture.learnings import LEARNING_CATEGORIES, add_bullet, bullet_text, has_bullet

BULLET = "- use the view (source: user feedback, 2026-01-31)"


def test_an_empty_file_gets_the_six_headings_in_their_order() -> None:
    text = add_bullet("", "Data Patterns", BULLET)

    headings = [line for line in text.split("\n") if line.startswith("###")]
    assert headings == [f"### {n}. {name}" for n, name in enumerate(LEARNING_CATEGORIES, 1)]
    assert f"### 1. Data Patterns\n\n{BULLET}\n\n### 2." in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "# L\n\n### 1. Data Patterns\n\n- a\n\n### 2. Query Techniques\n",
            f"# L\n\n### 1. Data Patterns\n\n- a\n{BULLET}\n\n### 2. Query Techniques\n",
            id="behind the last bullet",
        ),
        pytest.param(
            "### 9. data patterns\n### 2. Query Techniques\n- b",
            f"### 9. data patterns\n\n{BULLET}\n### 2. Query Techniques\n- b\n",
            id="another number, another case",
        ),
        pytest.param("### Data Patterns", f"### Data Patterns\n\n{BULLET}\n", id="no number, no final line end"),
        pytest.param(
            "### 1. Data Patterns\r\n\r\n- a\r\n", f"### 1. Data Patterns\r\n\r\n- a\r\n{BULLET}\r\n", id="CRLF"
        ),
        pytest.param("words\n", f"words\n\n### 1. Data Patterns\n\n{BULLET}\n", id="no such heading"),
        pytest.param(
            "```\n### 1. Data Patterns\n```\n",
            f"```\n### 1. Data Patterns\n```\n\n### 1. Data Patterns\n\n{BULLET}\n",
            id="a heading in a code fence is none",
        ),
        pytest.param(
            "### 1. Data Patterns\n\n- a\n\n```sql\n# not a heading\n```\n\n#### more\n\n- c\n\n## Other\n",
            f"### 1. Data Patterns\n\n- a\n\n```sql\n# not a heading\n```\n\n#### more\n\n- c\n{BULLET}\n\n## Other\n",
            id="code and lower headings belong to the section",
        ),
    ],
)
def test_the_bullet_goes_under_its_heading(text: str, expected: str) -> None:
    assert add_bullet(text, "Data Patterns", BULLET) == expected


LINES = ["### 1. Data Patterns", "### 3. Business Context", "## x", "- a", "", "```", "words", "\ttab", "- b\r"]


@given(st.lists(st.sampled_from(LINES)), st.sampled_from(LEARNING_CATEGORIES), st.booleans())
def test_nothing_but_the_bullet_and_a_heading_is_added(lines: list[str], category: str, has_end: bool) -> None:
    text = "\n".join(lines) + ("\n" if has_end else "")

    new = add_bullet(text, category, BULLET)

    assert [line for line in new.split("\n") if line.strip()].count(BULLET) + new.count(BULLET + "\r\n") == 1
    position = 0
    for piece in text.split("\n"):  # what was there is still there, in its order
        position = new.index(piece, position) + len(piece)


def test_a_learning_is_recognised_whatever_its_date() -> None:
    text = add_bullet("", "Data Patterns", bullet_text("use  the\nview", "2025-01-01"))

    assert has_bullet(text, "use the view")
    assert not has_bullet(text, "use the")
