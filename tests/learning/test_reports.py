"""The reports of the learning group, letter for letter as the document shows them."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.learning.bounds import Bounds
from tellback.learning.contradictions import find_contradictions
from tellback.learning.drift import Drift
from tellback.learning.patterns import Pattern
from tellback.learning.refinement import Change, Considered, Eligibility, Suggestion
from tellback.learning.reports import (
    explain_obstacle,
    format_contradictions,
    format_drift,
    format_eligibility,
    format_feedback,
    format_suggestion,
)
from tellback.learning.versions import Version

NOW = datetime(2025, 7, 24, 9, tzinfo=timezone.utc)
OLD, NEW = "npx eslint --fix .", "npx eslint --fix --ext .ts,.tsx ."


def test_the_check_of_an_eligible_skill() -> None:
    eligibility = Eligibility(True, None, 5, last_refined=datetime(2025, 6, 15, tzinfo=timezone.utc))
    patterns = [Pattern(OLD, NEW, 3, 3, 5), Pattern("eslint .", "eslint src/", 2, 2, 3)]

    report = format_eligibility("lint-on-save", eligibility, patterns, Bounds(), NOW)

    assert report == (
        "Refinement Eligibility: lint-on-save\n"
        "======================================\n"
        "Corrections recorded: 5\n"
        "Minimum required: 3\n"
        "Last refined: 2025-06-15 (39 days ago)\n"
        "Cooldown period: 7 days\n"
        "Status: ELIGIBLE\n"
        "\n"
        "Correction patterns detected:\n"
        '  Pattern 1 (freq: 3): "npx eslint --fix ." -> "npx eslint --fix --ext .ts,.tsx ."\n'
        '  Pattern 2 (freq: 2): "eslint ." -> "eslint src/"\n'
        "\n"
        "Run 'tellback refine lint-on-save' to generate a suggestion."
    )


def test_the_check_of_a_skill_in_cooldown() -> None:
    last = datetime(2025, 7, 20, 9, tzinfo=timezone.utc)
    eligibility = Eligibility(False, "cooldown", 7, 0, 5, last, last + timedelta(days=7))

    report = format_eligibility("lint-on-save", eligibility, [], Bounds(), last + timedelta(days=2))

    assert report == (
        "Refinement Eligibility: lint-on-save\n"
        "======================================\n"
        "Corrections recorded: 7\n"
        "Minimum required: 3\n"
        "Last refined: 2025-07-20 (2 days ago)\n"
        "Cooldown period: 7 days\n"
        "Status: IN COOLDOWN (5 days remaining)\n"
        "\n"
        "Next eligible: 2025-07-27"
    )


def test_the_check_of_a_skill_never_refined_and_with_too_few_corrections() -> None:
    report = format_eligibility("x", Eligibility(False, "insufficient_feedback", 1, 2), [], Bounds(), NOW)

    assert "Last refined: never\n" in report
    assert report.endswith("Status: NOT ELIGIBLE (2 more corrections needed)")


def test_a_proposal_as_it_is_shown_before_the_question() -> None:
    change = Change(OLD, NEW, "Pattern observed 3 times in user corrections")

    shown = format_suggestion(Suggestion("deploy", 2, (change,), 0.75, 5, "# Lint\n\nRun [CHANGED: x]"))

    assert shown == (
        "Proposed refinement:\n"
        "  Confidence: 75%\n"
        "  Based on 5 corrections\n"
        '  "npx eslint --fix ." -> "npx eslint --fix --ext .ts,.tsx ."\n'
        "  Reason: Pattern observed 3 times in user corrections\n"
        "  Preview: # Lint\\n\\nRun [CHANGED: x]"
    )


def drift(percent: float, commit: str, year_day: tuple[int, int, int]) -> Drift:
    at = int(datetime(*year_day, 12, tzinfo=timezone.utc).timestamp())
    return Drift("", "", percent, percent >= 60, 60, Version(commit, at), 4)


def test_a_drift_within_bounds() -> None:
    report = format_drift("lint-on-save", 4, drift(42.3, "a3b7c9d00", (2025, 6, 15)), 8)

    assert report == (
        "Drift Report: lint-on-save\n"
        "===========================\n"
        "Current version: 4\n"
        "Original commit: a3b7c9d (2025-06-15)\n"
        "Cumulative drift: 42.3%\n"
        "Threshold: 60%\n"
        "Status: WITHIN BOUNDS\n"
        "\n"
        "Remaining capacity: 17.7% before automatic refinements are halted.\n"
        "Estimated refinements remaining: ~2 (at average 8% per refinement)"
    )


def test_a_drift_over_the_threshold() -> None:
    report = format_drift("deploy-check", 7, drift(63.8, "f1a2b3c00", (2025, 5, 1)), 8)

    assert report.startswith(
        "Drift Report: deploy-check\n"
        "===========================\n"
        "Current version: 7\n"
        "Original commit: f1a2b3c (2025-05-01)\n"
        "Cumulative drift: 63.8%\n"
        "Threshold: 60%\n"
        "Status: THRESHOLD EXCEEDED\n"
        "\n"
        "Automatic refinement is halted for this skill.\n"
        "Options:\n"
        "  1. Review the skill manually and reset drift tracking\n"
        "  2. Create a new skill based on current content\n"
        "  3. Increase the drift threshold (not recommended)\n"
    )


@pytest.mark.parametrize(("commits", "told"), [(0, "no Git history"), (1, "a second commit")])
def test_a_drift_that_cannot_be_measured_says_why(commits: int, told: str) -> None:
    assert told in format_drift("x", 1, Drift("a", "a", 0.0, False, 60, None, commits), None)


def test_the_history_of_a_skill() -> None:
    def event(day: str, kind: str, **more: object) -> dict[str, object]:
        return {"timestamp": f"2025-07-{day}T10:00:00.000Z", "type": kind, "skillName": "l", "sessionId": "s", **more}

    events = [
        event("05", "correction", original=OLD, corrected=NEW),
        event("12", "correction", original="eslint .", corrected="eslint src/"),
        event("10", "override", rejected=True, reason="Tests need to run in watch mode for this task"),
        event("06", "rating", score=4),
        event("14", "rating", score=5),
    ]

    assert format_feedback("lint-on-save", events) == (
        "Feedback History: lint-on-save\n"
        "===============================\n"
        "Total events: 5 (2 corrections, 1 override, 2 ratings)\n"
        "\n"
        "Corrections:\n"
        '  [2025-07-05] "npx eslint --fix ." -> "npx eslint --fix --ext .ts,.tsx ."\n'
        '  [2025-07-12] "eslint ." -> "eslint src/"\n'
        "\n"
        "Overrides:\n"
        '  [2025-07-10] Rejected — "Tests need to run in watch mode for this task"\n'
        "\n"
        "Ratings:\n"
        "  [2025-07-06] Score: 4/5\n"
        "  [2025-07-14] Score: 5/5\n"
        "  Average rating: 4.5/5"
    )


def correction(session: str, day: str, original: str | None, corrected: str | None) -> dict[str, object]:
    texts = {"original": original, "corrected": corrected}
    given = {name: text for name, text in texts.items() if text is not None}
    return {"type": "correction", "skillName": "d", "sessionId": session, "timestamp": f"2025-07-{day}", **given}


BUILD, PRODUCTION = "npm run build", "npm run build -- --production"


def test_the_report_of_contradictions() -> None:
    detected = find_contradictions(
        [correction("s5", "22", "build --production", "build"), correction("s3", "15", "build", "build --production")]
    )

    report = format_contradictions("deploy-check", detected)

    assert report.startswith(
        "Contradiction Report: deploy-check\n"
        "===================================\n"
        "Corrections analyzed: 2\n"
        "Contradictions found: 1\n"
        "\n"
        "CONFLICT  Reversal detected\n"
        "          Session s3 (2025-07-15): changed 'build' to 'build --production'\n"
        "          Session s5 (2025-07-22): changed 'build --production' to 'build'\n"
        "          Action: "
    )
    assert (
        "\n\nRecommendation: This skill has contradictory feedback. Consider:\n"
        "  1. Adding trigger conditions to differentiate use cases\n"
        "  2. Splitting into deploy-check-dev and deploy-check-prod\n"
        "  3. Reviewing with the team to establish consensus\n\n"
    ) in report
    for resolution in ("splitting the skill", "`contexts`", "cleaned copy", "explicit"):
        assert resolution in report


@pytest.mark.parametrize(
    ("one", "other", "severity"),
    [
        pytest.param((BUILD, PRODUCTION), (PRODUCTION, BUILD), "conflict", id="there and back"),
        pytest.param(("ESLint --fix", "x"), (" X ", "eslint --FIX"), "conflict", id="but for case and space"),
        pytest.param(("run the tests now", "run the tests now with coverage"),
                     ("the tests now with coverage", "please run the tests now"), "warning", id="each holds the other"),
        pytest.param((BUILD, PRODUCTION), (BUILD, PRODUCTION), None, id="agreement"),
        pytest.param((BUILD, PRODUCTION), (BUILD, "make"), None, id="the same original"),
        pytest.param(("make", PRODUCTION), (BUILD, PRODUCTION), None, id="the same corrected text"),
        pytest.param(("the", "and the"), ("and", "the and"), None, id="too short to mean anything"),
        pytest.param((BUILD, None), (PRODUCTION, BUILD), None, id="a text is missing"),
        pytest.param(("same", "same"), ("same ", "same"), None, id="nothing was changed"),
    ],
)  # fmt: skip
def test_what_counts_as_a_contradiction(
    one: tuple[str, str | None], other: tuple[str, str | None], severity: str | None
) -> None:
    detected = find_contradictions([correction("a", "01", *one), correction("b", "02", *other)])

    assert [found.severity for found in detected.contradictions] == ([severity] if severity else [])
    assert detected.has_conflicts is (severity == "conflict")


@given(st.lists(st.tuples(*[st.text("ab ", max_size=14)] * 2), max_size=12))
def test_finding_contradictions_by_beginnings_finds_what_comparing_all_finds(pairs: list[tuple[str, str]]) -> None:
    events = [correction("s", f"{day:02}", *pair) for day, pair in enumerate(pairs, 1)]

    alone = sum(
        len(find_contradictions([one, other]).contradictions)
        for number, one in enumerate(events)
        for other in events[number + 1 :]
    )

    assert len(find_contradictions(events).contradictions) == alone


def test_the_summary_counts_by_severity() -> None:
    assert find_contradictions([]).summary == "No contradictions detected"
    there, back = correction("a", "01", BUILD, PRODUCTION), correction("b", "02", PRODUCTION, BUILD)
    detected = find_contradictions([there, back])
    assert detected.summary == "Found 1 contradiction(s): 1 conflict(s), 0 warning(s)"
    assert detected.contradictions[0].description == (
        f"Correction reversal: changed '{BUILD}' to '{PRODUCTION}' then back to '{BUILD}'"
    )
    assert detected.contradictions[0].correction1 is there


def test_a_low_confidence_names_the_number_and_two_ways_on() -> None:
    considered = Considered(Eligibility(True, None, 5), (Pattern(OLD, NEW, 5, 1, 5),), 0.5, None, "low_confidence")

    told = explain_obstacle("lint", considered, Bounds())

    assert "confidence 0.50 is below 0.7" in told
    assert "--min-confidence" in told
    assert "by hand" in told


def test_text_of_a_log_cannot_steer_the_terminal() -> None:
    events = [correction("s\x1b]0;x\x07", "01", "\x1b[31mred", "a\nb")]

    shown = format_feedback("lint", events)

    assert "\x1b" not in shown
    assert "a\\nb" in shown
