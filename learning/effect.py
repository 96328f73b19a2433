"""Did a refinement help? The rate before it held against the rate after it, with the interval of the difference.

Rates are those of ``metrics`` (a partial counts half). The interval is Newcombe's, made of the two Wilson intervals:
it holds for small samples, where the usual one pretends to know.
"""

from collections.abc import Sequence
from datetime import datetime
from math import sqrt
from typing import Literal, NamedTuple

from .events import FeedbackEvent
from .metrics import MIN_INVOCATIONS, Rate, compute_correction_rate, select_events


class Effect(NamedTuple):
    """What became of a skill's rate at one moment.

    Attributes:
        before, after: the rates on both sides.
        low, high: the 95 % interval of the difference, after minus before.
        verdict: ``fell`` or ``rose`` when the whole interval lies on one side of 0, ``unseen`` when it does not, ``too
            early`` when one side has too few events.
    """

    before: Rate
    after: Rate
    low: float
    high: float
    verdict: Literal["fell", "rose", "unseen", "too early"]


def compute_effect(
    events: Sequence[FeedbackEvent],
    skill: str,
    moment: datetime,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    min_events: int = MIN_INVOCATIONS,
) -> Effect:
    """Hold the calls of *skill* after *moment* against those before it.

    Args:
        since, until: the refinements before and after this one, so that each is measured on its own version.
    """
    before = compute_correction_rate(select_events(events, skill_id=skill, after=since, until=moment), skill)
    after = compute_correction_rate(select_events(events, skill_id=skill, after=moment, until=until), skill)
    low, high = compare_rates(before, after)
    return Effect(before, after, low, high, _judge(before, after, low, high, min_events))


def compare_rates(before: Rate, after: Rate) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two rates, after minus before."""
    p, q = before["correction_rate"], after["correction_rate"]
    (p_low, p_high), (q_low, q_high) = before["interval"], after["interval"]
    low = q - p - sqrt((q - q_low) ** 2 + (p_high - p) ** 2)
    high = q - p + sqrt((q_high - q) ** 2 + (p - p_low) ** 2)
    return round(max(-1.0, low), 4), round(min(1.0, high), 4)


def _judge(
    before: Rate, after: Rate, low: float, high: float, min_events: int
) -> Literal["fell", "rose", "unseen", "too early"]:
    if min(before["sample_size"], after["sample_size"]) < min_events:
        return "too early"
    if high < 0:
        return "fell"
    return "rose" if low > 0 else "unseen"


def format_effect(effect: Effect) -> str:
    """Return the one line that a report says of a refinement."""
    before, after = effect.before["correction_rate"], effect.after["correction_rate"]
    n = effect.after["sample_size"]
    low, high = effect.after["interval"]
    figures = f"from {before:.2f} to {after:.2f} (n = {n}, 95 % {low:.2f} to {high:.2f})"
    match effect.verdict:
        case "fell":
            return f"corrections fell {figures}"
        case "rose":
            return f"worse: corrections rose {figures}; undo?"
        case "unseen":
            return f"no effect seen yet: {figures}"
        case "too early":
            return f"no effect seen yet: {n} {'event' if n == 1 else 'events'} since"
