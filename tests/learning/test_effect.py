"""Whether a refinement helped, and what people had to say again."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.learning.effect import compute_effect, format_effect
from tellback.learning.events import FeedbackEvent
from tellback.learning.repeats import Repeats, Said, count_repeats, find_subject, is_same

MOMENT = datetime(2026, 4, 1, tzinfo=timezone.utc)


def make_events(corrections: int, acceptances: int, days: float) -> list[FeedbackEvent]:
    return [
        {
            "event_id": f"{days}{number}",
            "timestamp": (MOMENT + timedelta(days=days)).isoformat(),
            "session_id": "s",
            "skill_id": "lint",
            "invocation_uuid": "u",
            "outcome": "correction" if number < corrections else "acceptance",
            "confidence": 0.9,
            "correction_type": None,
            "user_message_snippet": "",
            "turns_to_feedback": 1,
            "ai_tools_used": [],
            "dimension_hint": None,
        }
        for number in range(corrections + acceptances)
    ]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ((25, 55), (3, 23), "corrections fell from 0.31 to 0.12 (n = 26, 95 % 0.04 to 0.29)"),
        ((5, 45), (20, 20), "worse: corrections rose from 0.10 to 0.50 (n = 40, 95 % 0.35 to 0.65); undo?"),
        ((4, 6), (3, 7), "no effect seen yet: from 0.40 to 0.30 (n = 10, 95 % 0.11 to 0.60)"),
        ((4, 6), (0, 4), "no effect seen yet: 4 events since"),
        ((4, 6), (0, 1), "no effect seen yet: 1 event since"),
        ((1, 1), (0, 9), "no effect seen yet: 9 events since"),
    ],
)
def test_an_effect_is_told_only_when_the_interval_shows_it(
    before: tuple[int, int], after: tuple[int, int], told: str
) -> None:
    events = make_events(*before, days=-5) + make_events(*after, days=5)

    assert format_effect(compute_effect(events, "lint", MOMENT)) == told


def test_each_refinement_is_measured_on_its_own_version() -> None:
    events = make_events(9, 0, -50) + make_events(5, 5, -5) + make_events(5, 5, 5) + make_events(0, 9, 50)

    effect = compute_effect(
        events, "lint", MOMENT, since=MOMENT - timedelta(days=30), until=MOMENT + timedelta(days=30)
    )

    assert (effect.before["sample_size"], effect.after["sample_size"]) == (10, 10)


counts = st.tuples(st.integers(0, 60), st.integers(0, 60))


@given(counts, counts)
def test_the_interval_holds_the_difference(before: tuple[int, int], after: tuple[int, int]) -> None:
    effect = compute_effect(make_events(*before, days=-5) + make_events(*after, days=5), "lint", MOMENT)

    difference = effect.after["correction_rate"] - effect.before["correction_rate"]
    assert effect.low - 1e-3 <= difference <= effect.high + 1e-3


@pytest.mark.parametrize(
    ("one", "other", "is_repeat"),
    [
        ("use pnpm, not npm, for installing", "For installing use PNPM not npm!", True),
        ("不要用 mock，先看代码", "先看代码，不要用 mock", True),
        ("still wrong", "still wrong", False),
        ("use pnpm, not npm, for installing", "use tabs, not spaces, for indenting", False),
        ("the total of march is too high by a factor of two", "the total of march is too high", False),
    ],
)
def test_a_repeat_says_what_another_session_heard_before(one: str, other: str, is_repeat: bool) -> None:
    counted = count_repeats([Said(1, "a", one), Said(2, "b", other)])

    assert counted == Repeats(2, int(is_repeat))


def test_the_same_session_repeating_itself_is_no_repeat() -> None:
    words = "use pnpm, not npm, for installing"

    assert count_repeats([Said(1, "a", words), Said(2, "a", words)]) == Repeats(2, 0)


def test_only_corrections_of_the_period_count_but_earlier_ones_are_known() -> None:
    words = "use pnpm, not npm, for installing"
    counted = count_repeats([Said(1, "a", words), Said(5, "b", words)], since=3)

    assert (counted, counted.share) == (Repeats(1, 1), 1.0)
    assert Repeats(0, 0).share == 0.0


@given(st.lists(st.tuples(st.integers(0, 4), st.lists(st.sampled_from("abcdefghij"), max_size=8)), max_size=25))
def test_finding_repeats_by_rare_words_finds_what_comparing_all_finds(rows: list[tuple[int, list[str]]]) -> None:
    said = [
        Said(float(at), f"s{session}", " ".join(f"word{letter}" for letter in letters))
        for at, (session, letters) in enumerate(rows)
    ]
    subjects = [find_subject(one.words) for one in said]

    expected = sum(
        any(said[m].session != one.session and is_same(subjects[n], subjects[m]) for m in range(n))
        for n, one in enumerate(said)
    )

    assert count_repeats(said).repeats == expected
