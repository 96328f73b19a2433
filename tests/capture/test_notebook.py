"""The marks in ``learnings/index.md``: readable, taken away again without a trace, and every other byte as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.capture.learnings import add_bullet, bullet_text, has_bullet, make_ident
from tellback.capture.notebook import (
    drop_quotes,
    keep_standing,
    mark_retired,
    mark_superseded,
    parse_notebook,
    unmark,
)

OLD, NEW = "use npm, not pnpm", "use pnpm, not npm"
TEXT = f"""# Learnings

### 1. Data Patterns

- a line of the person's own
* {OLD} (source: user feedback, 2026-01-07)

### 6. Methodology Notes

- {OLD} (source: user feedback, 2026-01-07)
- {NEW} (source: user feedback, 2026-11-30)

```
- {OLD} (source: user feedback, 2026-01-07)
```
"""
OLD_ID, NEW_ID = make_ident(OLD), make_ident(NEW)


def test_the_older_one_links_to_its_successor_and_the_newer_one_names_what_it_replaces() -> None:
    marked = mark_superseded(TEXT, OLD_ID, NEW_ID, "2026-11-30")

    changed = [new for old, new in zip(TEXT.split("\n"), marked.split("\n"), strict=True) if old != new]
    assert changed == [
        f"- {OLD} (source: user feedback, 2026-01-07) → superseded 2026-11-30 by [{NEW}](#6-methodology-notes)",
        f"- {NEW} (source: user feedback, 2026-11-30) → replaces “{OLD}”",
    ]


def test_marks_are_read_back() -> None:
    old, new = parse_notebook(mark_superseded(TEXT, OLD_ID, NEW_ID, "2026-11-30"))

    assert (old.stands, old.superseded, old.by) == (False, "2026-11-30", NEW)
    assert (new.stands, new.replaces) == (True, (OLD,))


def test_undoing_gives_the_bytes_back() -> None:
    for marked in (mark_superseded(TEXT, OLD_ID, NEW_ID, "2026-11-30"), mark_retired(TEXT, OLD_ID, "2026-11-30")):
        assert marked != TEXT
        assert unmark(marked, OLD_ID) == TEXT


def test_what_is_said_again_changes_places_with_its_successor() -> None:
    once = mark_superseded(TEXT, OLD_ID, NEW_ID, "2026-11-30")
    old, new = parse_notebook(mark_superseded(once, NEW_ID, OLD_ID, "2026-12-01"))

    assert (old.stands, old.replaces) == (True, (NEW,))
    assert (new.stands, new.by, new.replaces) == (False, OLD, ())


def test_marks_stand_behind_remarks_of_the_person_and_carriage_returns_stay() -> None:
    text = TEXT.replace("2026-01-07)\n- use pnpm", "2026-01-07) but see the wiki \n- use pnpm").replace("\n", "\r\n")
    marked = mark_superseded(text, OLD_ID, NEW_ID, "2026-11-30")

    assert f"2026-01-07) but see the wiki → superseded 2026-11-30 by [{NEW}]" in marked
    assert marked.count("\r\n") == text.count("\n") == marked.count("\n")


def test_a_learning_that_is_marked_is_still_known_as_said() -> None:
    assert has_bullet(mark_retired(TEXT, OLD_ID, "2026-11-30"), OLD)


def test_only_what_stands_is_left_for_those_who_compare() -> None:
    standing = keep_standing(mark_superseded(TEXT, OLD_ID, NEW_ID, "2026-11-30"))

    assert f"- {NEW} (source: user feedback, 2026-11-30)\n" in standing
    assert "- use npm, not pnpm (source: user feedback, 2026-01-07) →" not in standing
    assert "a line of the person's own" in standing


def test_a_quotation_of_forgotten_words_goes_and_the_mark_stays() -> None:
    marked = mark_superseded(TEXT, OLD_ID, NEW_ID, "2026-11-30")

    old, _ = parse_notebook(drop_quotes(marked, NEW))
    _, new = parse_notebook(drop_quotes(marked, OLD))

    assert (old.stands, old.by, new.replaces) == (False, "[forgotten]", ("[forgotten]",))


HOSTILE = {
    "a mark of its own": "x → retired 2026-01-01",
    "a source of its own": "x (source: user feedback, 2020-01-01) → superseded 2020-01-01 by [y](#z)",
    "what ends a link": "x](#evil) (source: user feedback, 2020-01-01)",
    "quotation marks": "“x” and ” (source: user feedback, 2020-01-01)",
    "backslashes": "x\\] \\\\ \\” y",
    "markup": "<b>x</b> `y` *z* _w_",
    "very long": "word " * 200,
    "an invalid day": "x (source: user feedback, 2026-99-99)",
}


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_words_that_look_like_marks_are_words(words: str) -> None:
    _check_round_trip(words, "the other one")
    _check_round_trip("the other one", words)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_words_are_marked_and_unmarked(old: str, new: str) -> None:
    if old.strip() and make_ident(old) != make_ident(new) and new.strip():
        _check_round_trip(old, new)


def _check_round_trip(old: str, new: str) -> None:
    text = add_bullet("", "Data Patterns", bullet_text(old, "2026-01-07"))
    text = add_bullet(text, "Methodology Notes", bullet_text(new, "2026-11-30"))

    marked = mark_superseded(text, make_ident(old), make_ident(new), "2026-12-01")

    older, newer = parse_notebook(marked)
    assert (older.ident, older.stands, newer.ident, newer.stands) == (make_ident(old), False, make_ident(new), True)
    assert len(newer.replaces) == 1
    assert unmark(marked, older.ident) == text
    assert unmark(mark_retired(text, newer.ident, "2026-12-01"), newer.ident) == text
