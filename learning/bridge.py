"""The hotspot summary in Markdown that QMD and study-brain take in (A-32)."""

from collections.abc import Sequence
from datetime import datetime

from ..core.escape import show_line
from .events import FeedbackEvent
from .metrics import (
    SkillMetrics,
    compute_all_skill_metrics,
    compute_correction_trend,
)

_EXAMPLES = 3  # sentences a skill


def format_bridge(events: Sequence[FeedbackEvent], now: datetime) -> str:
    """Return the summary of *events*: skills by rate, each with rate, trend, hotspots and the newest sentences."""
    metrics = compute_all_skill_metrics(events)
    ranked = sorted(metrics.items(), key=lambda item: (-item[1]["correction_rate"], item[0]))
    lines = [
        "# Session feedback hotspots",
        "",
        f"{now:%Y-%m-%d}, {len(events)} events, {len(metrics)} skills.",
    ]
    for skill, of in ranked:
        lines += ["", *_format_skill(skill, of, events, now)]
    return "\n".join(lines) + "\n"


def _format_skill(skill: str, of: SkillMetrics, events: Sequence[FeedbackEvent], now: datetime) -> list[str]:
    trend = compute_correction_trend(events, skill, now)
    low, high = of["interval"]
    enough = "" if of["sufficient_data"] else " (not enough data yet)"
    counts = f"{of['corrections']} corrections, {of['partials']} partials, {of['acceptances']} acceptances"
    lines = [
        f"## {_escape(skill)}",
        "",
        f"- correction rate: {of['correction_rate']:.2f}, 95 % interval {low:.2f} to {high:.2f}{enough}",
        f"- events: {of['sample_size']} ({counts})",
        f"- trend over 30 days: {trend['direction']} ({trend['trend']:+.2f})",
    ]
    if of["hotspots"]:
        lines.append("- hotspots: " + ", ".join(f"{name} {count}" for name, count in of["hotspots"].items()))
    lines += [f"- {sentence}" for sentence in _newest_sentences(skill, events)]
    return lines


def _newest_sentences(skill: str, events: Sequence[FeedbackEvent]) -> list[str]:
    told = [
        event
        for event in events
        if event["skill_id"] == skill and event["outcome"] != "acceptance" and event["user_message_snippet"]
    ]
    told.sort(key=lambda event: event["timestamp"], reverse=True)
    return [
        f"{event['timestamp'][:10]} {event['correction_type']}, {event['dimension_hint']}: "
        f"“{_escape(event['user_message_snippet'])}”"
        for event in told[:_EXAMPLES]
    ]


def _escape(text: str) -> str:
    """Return *text* on one line and none of it Markdown: it is evidence, and a model may read on."""
    return "".join("\\" + c if c in "\\`*_[]<>#|~!" else c for c in show_line(text))
