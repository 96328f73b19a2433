"""Rates, trends, hotspots and the report, with the worked values of the documents."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.learning.events import FeedbackEvent, make_event_id
from tellback.learning.metrics import (
    compute_all_skill_metrics,
    compute_correction_rate,
    compute_correction_trend,
    compute_hotspot_dimensions,
    compute_interval,
    format_metrics_report,
    load_feedback_events,
    select_events,
)

NOW = datetime(2026, 4, 30, 12, tzinfo=timezone.utc)


def make_event(
    outcome: str = "correction", skill: str = "cpp-expert", days_ago: float = 1, hint: str | None = "unknown"
) -> FeedbackEvent:
    return {
        "event_id": make_event_id(f"{skill}-{outcome}-{days_ago}-{hint}", skill),
        "timestamp": (NOW - timedelta(days=days_ago)).isoformat().replace("+00:00", "Z"),
        "session_id": "s1",
        "skill_id": skill,
        "invocation_uuid": "u1",
        "outcome": outcome,  # type: ignore[typeddict-item]
        "confidence": 0.9,
        "correction_type": None,
        "user_message_snippet": "",
        "turns_to_feedback": 1,
        "ai_tools_used": [],
        "dimension_hint": None if outcome == "acceptance" else hint,
    }


def make_events(corrections: int, partials: int, acceptances: int, skill: str = "cpp-expert") -> list[FeedbackEvent]:
    outcomes = ["correction"] * corrections + ["partial"] * partials + ["acceptance"] * acceptances
    return [make_event(outcome, skill) for outcome in outcomes]


@pytest.mark.parametrize(
    ("counts", "rate", "n"),
    [
        pytest.param((5, 4, 11), 0.35, 20, id="the interface sample"),
        pytest.param((6, 4, 10), 0.40, 20, id="the report's cpp-expert"),
        pytest.param((4, 4, 32), 0.15, 40, id="the report's deslop"),
    ],
)
def test_the_documents_rates_come_out(counts: tuple[int, int, int], rate: float, n: int) -> None:
    result = compute_correction_rate(make_events(*counts), "cpp-expert")

    assert (result["correction_rate"], result["sample_size"], result["sufficient_data"]) == (rate, n, True)
    assert (result["corrections"], result["partials"], result["acceptances"]) == counts


def test_no_events_give_a_rate_of_zero_that_is_not_enough() -> None:
    result = compute_correction_rate([], "cpp-expert")

    assert (result["correction_rate"], result["sample_size"], result["sufficient_data"]) == (0.0, 0, False)


@pytest.mark.parametrize(("minimum", "sufficient"), [(5, True), (6, False)])
def test_a_small_sample_still_has_a_rate_but_is_marked(minimum: int, sufficient: bool) -> None:
    result = compute_correction_rate(make_events(1, 0, 4), "cpp-expert", min_invocations=minimum)

    assert (result["correction_rate"], result["sufficient_data"]) == (0.2, sufficient)


def test_other_skills_do_not_count() -> None:
    events = make_events(5, 0, 0) + make_events(0, 0, 5, skill="deslop")

    assert compute_correction_rate(events, "deslop")["correction_rate"] == 0.0


def spread(corrections: int, acceptances: int, days_ago: float) -> list[FeedbackEvent]:
    return [make_event("correction", days_ago=days_ago)] * corrections + [
        make_event("acceptance", days_ago=days_ago)
    ] * acceptances


@pytest.mark.parametrize(
    ("recent", "prior", "trend", "direction"),
    [
        pytest.param((3, 7), (3, 5), -0.075, "improving", id="3 of 10 after 3 of 8"),
        pytest.param((1, 9), (11, 39), -0.12, "improving", id="0.10 after 0.22"),
        pytest.param((30, 70), (38, 62), -0.08, "improving", id="0.30 after 0.38"),
        pytest.param((5, 5), (4, 6), 0.10, "worsening", id="0.50 after 0.40"),
        pytest.param((11, 9), (10, 10), 0.05, "stable", id="0.55 after 0.50 is stable in spite of floats"),
        pytest.param((9, 11), (10, 10), -0.05, "stable", id="0.45 after 0.50"),
    ],
)
def test_a_trend_compares_thirty_days_with_the_thirty_before(
    recent: tuple[int, int], prior: tuple[int, int], trend: float, direction: str
) -> None:
    events = spread(*recent, days_ago=5) + spread(*prior, days_ago=40)

    result = compute_correction_trend(events, "cpp-expert", NOW)

    assert (result["trend"], result["direction"], result["skill_id"]) == (trend, direction, "cpp-expert")
    assert (result["recent_sample"], result["prior_sample"]) == (sum(recent), sum(prior))


def test_an_event_on_the_border_of_two_windows_counts_once() -> None:
    result = compute_correction_trend([make_event(days_ago=30)], "cpp-expert", NOW)

    assert (result["recent_sample"], result["prior_sample"]) == (0, 1)


def test_events_of_the_future_and_older_than_both_windows_do_not_count() -> None:
    events = [make_event(days_ago=-1), make_event(days_ago=60), make_event(days_ago=61)]

    result = compute_correction_trend(events, "cpp-expert", NOW)

    assert (result["recent_sample"], result["prior_sample"], result["direction"]) == (0, 0, "stable")


def test_rates_before_and_after_a_moment_share_no_event() -> None:
    events = [make_event(days_ago=days) for days in range(10)]
    moment = NOW - timedelta(days=4)

    before, after = select_events(events, until=moment), select_events(events, after=moment)

    assert (len(before), len(after)) == (6, 4)


def test_hotspots_leave_out_acceptances_and_unknown_dimensions() -> None:
    events = [
        *[make_event("correction", hint="accuracy")] * 3,
        *[make_event("partial", hint="accuracy")] * 2,
        *[make_event("partial", hint="coverage")] * 3,
        *[make_event("correction", hint="unknown")] * 9,
        *[make_event("acceptance", hint="accuracy")] * 9,
        make_event("correction", hint="security", skill="deslop"),
    ]

    hotspots = compute_hotspot_dimensions(events, "cpp-expert")

    assert list(hotspots.items()) == [("accuracy", 5), ("coverage", 3)]


def test_the_report_is_the_documents_line_for_line() -> None:
    cpp = make_events(6, 4, 10)
    for event, hint in zip(cpp, ["accuracy"] * 5 + ["coverage"] * 3 + ["unknown"] * 2, strict=False):
        event["dimension_hint"] = hint
    deslop = make_events(4, 4, 32, skill="deslop")
    for event, hint in zip(deslop, ["accuracy"] * 3 + ["efficiency"], strict=False):
        event["dimension_hint"] = hint

    report = format_metrics_report(compute_all_skill_metrics(deslop + cpp))

    assert report == (
        "Skill Feedback Metrics\n"
        "========================================\n"
        "  cpp-expert: correction_rate=0.40 (n=20, corrections=6, partials=4, acceptances=10)\n"
        "    hotspots: accuracy=5, coverage=3\n"
        "  deslop: correction_rate=0.15 (n=40, corrections=4, partials=4, acceptances=32)\n"
        "    hotspots: accuracy=3, efficiency=1"
    )


def test_the_report_marks_a_skill_with_too_few_events() -> None:
    report = format_metrics_report(compute_all_skill_metrics(make_events(1, 0, 1)))

    assert report.endswith(
        "  cpp-expert: correction_rate=0.50 (n=2, corrections=1, partials=0, acceptances=1) [not enough data yet]"
    )


def test_a_missing_file_has_no_events(tmp_path: Path) -> None:
    assert load_feedback_events(tmp_path / "feedback.jsonl") == []


def test_broken_lines_and_lines_of_the_other_feedback_log_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    event = make_event()
    other = {"id": "1", "type": "correction", "skillName": "cpp-expert", "sessionId": "s"}
    lines = [b'{"event_id": "torn', b"[]", b"", b"\xff\xfe", orjson.dumps(other), orjson.dumps(event)]
    path.write_bytes(b"\n".join(lines))

    assert load_feedback_events(path) == [event]


@given(hits=st.integers(0, 400), more=st.integers(0, 400))
def test_an_interval_holds_its_rate_and_narrows_with_more_of_the_same(hits: int, more: int) -> None:
    n = hits + more
    if not n:
        return

    low, high = compute_interval(hits, n)
    low_of_ten, high_of_ten = compute_interval(hits * 10, n * 10)

    assert 0 <= low <= hits / n + 1e-4 <= high + 2e-4 <= 1.0002
    assert high_of_ten - low_of_ten < high - low


def test_the_interval_is_wilsons() -> None:
    assert compute_interval(10, 50) == (0.1124, 0.3304)  # 20 % of 50, as statistical tables have it
