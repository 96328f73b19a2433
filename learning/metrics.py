"""How often people correct a skill, in what way, and whether it gets better: the six functions of A-76 to A-83.

Each takes any list of events, so a rate before or after a moment is the rate of the events chosen (``select_events``).
A rate is ``(corrections + 0.5 * partials) / n`` where n counts the classified events of the skill (X-1). Values keep
four decimals; reports print two (X-19).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from math import sqrt
from typing import Any, Literal, TypedDict

from .events import FeedbackEvent, load_feedback_events, parse_time

__all__ = [
    "compute_all_skill_metrics",
    "compute_correction_rate",
    "compute_correction_trend",
    "compute_hotspot_dimensions",
    "format_metrics_report",
    "load_feedback_events",
]

Direction = Literal["worsening", "improving", "stable"]

PARTIAL_WEIGHT = 0.5
MIN_INVOCATIONS = 5
TREND_DAYS = 30
STABLE_DELTA = 0.05
_Z_95 = 1.959963984540054


class Rate(TypedDict):
    """What ``compute_correction_rate`` returns; ``interval`` is the 95 % interval, low and high."""

    correction_rate: float
    sample_size: int
    sufficient_data: bool
    corrections: int
    partials: int
    acceptances: int
    interval: tuple[float, float]


class Trend(TypedDict):
    """What ``compute_correction_trend`` returns: rates of the last days and of as many days before."""

    skill_id: str
    trend: float
    direction: Direction
    recent_rate: float
    prior_rate: float
    recent_sample: int
    prior_sample: int


class SkillMetrics(Rate):
    """A skill's rate with its hotspots, the input of the report."""

    hotspots: dict[str, int]


def select_events(
    events: Iterable[FeedbackEvent],
    *,
    skill_id: str | None = None,
    after: datetime | None = None,
    until: datetime | None = None,
) -> list[FeedbackEvent]:
    """Return the events of a skill called later than *after* and not later than *until*, so that borders count once.

    With a limit in time an event without a time is left out: nobody can say on which side it lies.
    """
    chosen: list[FeedbackEvent] = []
    for event in events:
        if skill_id is not None and event["skill_id"] != skill_id:
            continue
        if after is not None or until is not None:
            at = parse_time(event)
            if at is None or (after is not None and at <= after) or (until is not None and at > until):
                continue
        chosen.append(event)
    return chosen


def compute_correction_rate(
    events: Sequence[FeedbackEvent], skill_id: str, min_invocations: int = MIN_INVOCATIONS
) -> Rate:
    """Return the correction rate of a skill; no events give 0.0, and fewer than *min_invocations* are not enough."""
    counts = Counter(event["outcome"] for event in events if event["skill_id"] == skill_id)
    sample_size = counts.total()
    weighted = counts["correction"] + PARTIAL_WEIGHT * counts["partial"]
    return Rate(
        correction_rate=round(weighted / sample_size, 4) if sample_size else 0.0,
        sample_size=sample_size,
        sufficient_data=sample_size >= min_invocations,
        corrections=counts["correction"],
        partials=counts["partial"],
        acceptances=counts["acceptance"],
        interval=compute_interval(weighted, sample_size),
    )


def compute_interval(weighted: float, sample_size: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of ``weighted / sample_size``.

    The weighted count stands where Wilson has the number of hits: a partial is half a hit. As the variance of a value
    that may be a half is never larger than that of a yes or no with the same mean, the interval errs to the wide side.
    No sample says nothing: 0 to 1.
    """
    if not sample_size:
        return 0.0, 1.0
    rate, z2 = weighted / sample_size, _Z_95 * _Z_95
    middle = (rate + z2 / (2 * sample_size)) / (1 + z2 / sample_size)
    half = _Z_95 * sqrt(rate * (1 - rate) / sample_size + z2 / (4 * sample_size**2)) / (1 + z2 / sample_size)
    return round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4)


def compute_correction_trend(
    events: Sequence[FeedbackEvent],
    skill_id: str,
    now: datetime | None = None,
    *,
    days: int = TREND_DAYS,
    stable_delta: float = STABLE_DELTA,
) -> Trend:
    """Return how the rate of the last *days* differs from that of the *days* before.

    The windows are half open, (now - days, now] and (now - 2 days, now - days], so a border counts once (A-93). The
    delta is rounded before it is compared: 0.55 - 0.50 is more than 0.05 in floats (X-19).
    """
    now = now or datetime.now(timezone.utc)
    border = now - timedelta(days=days)
    recent = compute_correction_rate(select_events(events, skill_id=skill_id, after=border, until=now), skill_id)
    start = border - timedelta(days=days)
    prior = compute_correction_rate(select_events(events, skill_id=skill_id, after=start, until=border), skill_id)
    delta = round(recent["correction_rate"] - prior["correction_rate"], 4)
    return Trend(
        skill_id=skill_id,
        trend=delta,
        direction=_name_direction(delta, stable_delta),
        recent_rate=recent["correction_rate"],
        prior_rate=prior["correction_rate"],
        recent_sample=recent["sample_size"],
        prior_sample=prior["sample_size"],
    )


def _name_direction(delta: float, stable_delta: float) -> Direction:
    if delta > stable_delta:
        return "worsening"
    return "improving" if delta < -stable_delta else "stable"


def compute_hotspot_dimensions(events: Iterable[FeedbackEvent], skill_id: str) -> dict[str, int]:
    """Return how often each dimension was the matter of a correction or partial of a skill, most frequent first.

    ``unknown`` and none at all are no hotspots (X-8), so the counts may add up to less than the corrections.
    """
    hints = Counter(
        event["dimension_hint"]
        for event in events
        if event["skill_id"] == skill_id and event["outcome"] != "acceptance"
    )
    return {hint: count for hint, count in _rank(hints) if hint not in (None, "unknown")}


def _rank(counts: "Counter[Any]") -> list[tuple[Any, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))


def compute_all_skill_metrics(
    events: Sequence[FeedbackEvent], min_invocations: int = MIN_INVOCATIONS
) -> dict[str, SkillMetrics]:
    """Return rate and hotspots of every skill that has an event, by the skill's name."""
    by_skill: dict[str, list[FeedbackEvent]] = {}
    for event in events:
        by_skill.setdefault(event["skill_id"], []).append(event)
    return {
        skill: SkillMetrics(
            **compute_correction_rate(own, skill, min_invocations), hotspots=compute_hotspot_dimensions(own, skill)
        )
        for skill, own in by_skill.items()
    }


def format_metrics_report(metrics: dict[str, SkillMetrics]) -> str:
    """Return the text report of A-81: skills by rate, highest first, each with its hotspots."""
    lines = ["Skill Feedback Metrics", "=" * 40]
    for skill, of in sorted(metrics.items(), key=lambda item: (-item[1]["correction_rate"], item[0])):
        lines.append(
            f"  {skill}: correction_rate={of['correction_rate']:.2f} (n={of['sample_size']}, "
            f"corrections={of['corrections']}, partials={of['partials']}, acceptances={of['acceptances']})"
            + ("" if of["sufficient_data"] else " [not enough data yet]")
        )
        if of["hotspots"]:
            lines.append("    hotspots: " + ", ".join(f"{name}={count}" for name, count in of["hotspots"].items()))
    return "\n".join(lines)
