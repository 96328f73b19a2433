"""What the commands of the learning group print, letter for letter where the document shows it (L-91 to L-98)."""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from ..core.escape import show_line
from .bounds import Bounds
from .contradictions import Detected
from .drift import Drift
from .feedback_store import Event
from .patterns import Pattern
from .refinement import Considered, Eligibility, Suggestion

_NOUNS = (("correction", "corrections"), ("override", "overrides"), ("rating", "ratings"))


def format_eligibility(
    skill: str, eligibility: Eligibility, patterns: Sequence[Pattern], bounds: Bounds, now: datetime
) -> str:
    """Return the report of ``refine --check``."""
    title = f"Refinement Eligibility: {skill}"
    lines = [
        show_line(title),
        "=" * (len(title) + 2),
        f"Corrections recorded: {eligibility.correction_count}",
        f"Minimum required: {bounds.min_corrections_for_refinement}",
        f"Last refined: {_tell_last(eligibility.last_refined, now)}",
        f"Cooldown period: {bounds.cooldown_days:g} days",
        f"Status: {_tell_status(eligibility)}",
    ]
    if eligibility.next_eligible is not None:
        lines += ["", f"Next eligible: {eligibility.next_eligible:%Y-%m-%d}"]
    if eligibility.eligible:
        if patterns:
            lines += ["", "Correction patterns detected:"]
        for number, pattern in enumerate(patterns, 1):
            lines.append(
                f"  Pattern {number} (freq: {pattern.frequency}): {_arrow(pattern.original, pattern.corrected)}"
            )
        lines += ["", f"Run 'tellback refine {show_line(skill)}' to generate a suggestion."]
    return "\n".join(lines)


def _tell_last(last: datetime | None, now: datetime) -> str:
    if last is None:
        return "never"
    days = (now.date() - last.astimezone(timezone.utc).date()) // timedelta(days=1)
    return f"{last:%Y-%m-%d} ({days} {'day' if days == 1 else 'days'} ago)"


def _tell_status(eligibility: Eligibility) -> str:
    match eligibility.reason:
        case None:
            return "ELIGIBLE"
        case "cooldown":
            days = eligibility.days_remaining
            return f"IN COOLDOWN ({days} {'day' if days == 1 else 'days'} remaining)"
        case "insufficient_feedback":
            needed = eligibility.corrections_needed
            return f"NOT ELIGIBLE ({needed} more {'correction' if needed == 1 else 'corrections'} needed)"
        case "skill_not_found":
            return "NOT ELIGIBLE (skill not found)"


def format_suggestion(suggestion: Suggestion) -> str:
    """Return a proposal as it is shown before the question (L-93)."""
    lines = [
        "Proposed refinement:",
        f"  Confidence: {suggestion.confidence * 100:.0f}%",
        f"  Based on {suggestion.based_on_corrections} corrections",
    ]
    for change in suggestion.suggested_changes:
        lines += [f"  {_arrow(change.original, change.suggested)}", f"  Reason: {change.reason}"]
    return "\n".join([*lines, f"  Preview: {show_line(suggestion.preview)}"])


def explain_obstacle(skill: str, considered: Considered, bounds: Bounds) -> str:
    """Return why there is no suggestion, and what would help (L-102, L-106)."""
    eligibility = considered.eligibility
    match considered.obstacle:
        case "too_varied":
            return "No suggestion: the corrections are too varied; none was made twice."
        case "not_in_body":
            return "No suggestion: no text that was corrected repeatedly stands in the skill any more."
        case "low_confidence":
            return "\n".join(
                (
                    f"No suggestion: confidence {considered.confidence:.2f} is below {bounds.min_confidence:g}.",
                    "Two ways on: make the most common change by hand and commit it,",
                    f"  {_arrow(considered.patterns[0].original, considered.patterns[0].corrected)}",
                    "or lower the bound for this call with --min-confidence (not recommended for production).",
                )
            )
        case _ if eligibility.reason == "skill_not_found":
            return f"No suggestion: there is no skill {show_line(skill)}."
        case _:
            return f"No suggestion: {_tell_status(eligibility)}."


def format_drift(skill: str, version: int, drift: Drift, average: float | None) -> str:
    """Return the report of ``drift`` (L-95, L-96); *average* is the usual change of one refinement, in percent."""
    title = f"Drift Report: {skill}"
    percent, threshold = drift.cumulative_drift_percent, drift.threshold
    lines = [show_line(title), "=" * (len(title) + 1), f"Current version: {version}"]
    if drift.origin is not None:
        at = datetime.fromtimestamp(drift.origin.at, timezone.utc)
        lines.append(f"Original commit: {drift.origin.short} ({at:%Y-%m-%d})")
    lines += [f"Cumulative drift: {_percent(percent)}", f"Threshold: {_percent(threshold)}"]
    if drift.threshold_exceeded:
        return "\n".join([*lines, *_DRIFTED])
    lines += ["Status: WITHIN BOUNDS", ""]
    if drift.origin is None:
        lines.append("Drift needs a second commit of the skill to compare with." if drift.commits else _NOT_IN_GIT)
    else:
        left = round(threshold - percent, 1)
        lines.append(f"Remaining capacity: {_percent(left)} before automatic refinements are halted.")
        if average:
            lines.append(
                f"Estimated refinements remaining: ~{int(left / average)} (at average {average:.0f}% per refinement)"
            )
    return "\n".join(lines)


_NOT_IN_GIT = "The skill has no Git history: only the bound on each single change holds."
_DRIFTED = (
    "Status: THRESHOLD EXCEEDED",
    "",
    "Automatic refinement is halted for this skill.",
    "Options:",
    "  1. Review the skill manually and reset drift tracking",
    "  2. Create a new skill based on current content",
    "  3. Increase the drift threshold (not recommended)",
    "  4. Go back to an earlier version through Git history, if the skill drifted in the wrong direction",
)


def format_contradictions(skill: str, detected: Detected) -> str:
    """Return the report of ``contradictions`` (L-97, X-31)."""
    title = f"Contradiction Report: {skill}"
    lines = [
        show_line(title),
        "=" * (len(title) + 1),
        f"Corrections analyzed: {detected.analyzed}",
        f"Contradictions found: {len(detected.contradictions)}",
    ]
    for found in detected.contradictions:
        is_conflict = found.severity == "conflict"
        lines += ["", "CONFLICT  Reversal detected" if is_conflict else "WARNING   Partial reversal"]
        lines += [f"          {_tell_correction(event)}" for event in (found.correction1, found.correction2)]
        lines.append(f"          Action: {_ACTIONS[found.severity]}")
    if detected.contradictions:
        lines += ["", "Recommendation: This skill has contradictory feedback. Consider:"]
        lines += [f"  {number}. {advice}" for number, advice in enumerate(_advise(skill), 1)]
        lines += ["", _RESOLUTIONS]
    return "\n".join(lines)


_ACTIONS = {
    "conflict": "Decide which of the two holds, or when each does",
    "warning": "Consider a condition in the skill that says when each holds",
}


def _advise(skill: str) -> tuple[str, ...]:
    name = show_line(skill)
    return (
        "Adding trigger conditions to differentiate use cases",
        f"Splitting into {name}-dev and {name}-prod",
        "Reviewing with the team to establish consensus",
    )


# What each of them comes to (L-89).
_RESOLUTIONS = (
    "It is resolved by splitting the skill, by context triggers (`contexts`), by discarding one set of\n"
    "corrections in a cleaned copy of the log, or by rewriting the skill with explicit conditions."
)


def _tell_correction(event: Event) -> str:
    return (
        f"Session {show_line(str(event['sessionId']))} ({_day(event)}): "
        f"changed '{show_line(event['original'])}' to '{show_line(event['corrected'])}'"
    )


def format_feedback(skill: str, events: Sequence[Event]) -> str:
    """Return the history of ``feedback <skill>`` (L-98)."""
    title = f"Feedback History: {skill}"
    by_type = {singular: [event for event in events if event["type"] == singular] for singular, _ in _NOUNS}
    counts = ", ".join(
        f"{len(by_type[singular])} {singular if len(by_type[singular]) == 1 else plural}" for singular, plural in _NOUNS
    )
    lines = [show_line(title), "=" * (len(title) + 1), f"Total events: {len(events)} ({counts})"]
    if corrections := by_type["correction"]:
        lines += ["", "Corrections:", *(f"  [{_day(event)}] {_tell_texts(event)}" for event in corrections)]
    if overrides := by_type["override"]:
        lines += ["", "Overrides:", *(f"  [{_day(e)}] Rejected — {_quote(e.get('reason'))}" for e in overrides)]
    if ratings := by_type["rating"]:
        lines += ["", "Ratings:", *(f"  [{_day(event)}] Score: {event.get('score', '?')}/5" for event in ratings)]
        scores = [event["score"] for event in ratings if isinstance(event.get("score"), int)]
        if scores:
            lines.append(f"  Average rating: {sum(scores) / len(scores):.1f}/5")
    return "\n".join(lines)


def _tell_texts(event: Event) -> str:
    return f"{_quote(event.get('original'))} -> {_quote(event.get('corrected'))}"


def _arrow(original: str, corrected: str) -> str:
    return f"{_quote(original)} -> {_quote(corrected)}"


def _quote(text: Any) -> str:
    return f'"{show_line(text)}"' if isinstance(text, str) else "(not given)"


def _day(event: Event) -> str:
    return show_line(str(event.get("timestamp", ""))[:10])


def _percent(value: float) -> str:
    return f"{value:.1f}%" if value % 1 else f"{value:.0f}%"
