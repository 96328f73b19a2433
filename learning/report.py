"""What ``tellback report`` tells of each skill: its rate in time, by version, by model, and the sentences behind it.

Pure: events and calls in, JSON types out. An event knows neither version nor model of its call; the table of calls
does, and the two are joined by the event's id. What cannot be told stands under the key ``""``.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import NamedTuple, TypedDict

from .events import FeedbackEvent, parse_time
from .ledger import Call
from .metrics import (
    MIN_INVOCATIONS,
    STABLE_DELTA,
    TREND_DAYS,
    Rate,
    Trend,
    compute_correction_rate,
    compute_correction_trend,
    compute_hotspot_dimensions,
    select_events,
)

WRONG_CHOICE = "trigger_quality"  # the wrong skill was called; what it made may have been fine
WEEKS = 12
NOT_ENOUGH = "not enough yet"
_WEEK = timedelta(days=7)

Effects = Callable[[str], list[str]]


class Group(Rate):
    """The rate of the events that share a version, model, harness or week; *key* names it, a week by its end."""

    key: str


class Sentence(TypedDict):
    """What a person said that counted against a skill, scrubbed; the keys of the groups that it counts in."""

    at: str
    outcome: str
    correction_type: str | None
    dimension: str
    text: str
    version: str
    week: str


class SkillReport(Rate):
    """All about one skill.

    Attributes:
        calls: how often it was called; ``None`` when only events are known.
        wrong_choices: corrections and partials that say the wrong skill was called.
        rightly_chosen: the rate without them: how the skill's own work is taken.
        before: the rate up to ``since``; ``None`` without it.
        trend_word: direction, or ``not enough yet`` when one of the two windows has too few events.
        weeks: the last ones, oldest first; versions: oldest first.
        effects: a line for each refinement that stands: what became of the rate.
        sentences: newest first.
    """

    skill_id: str
    calls: int | None
    wrong_choices: int
    rightly_chosen: Rate
    before: Rate | None
    trend: Trend
    trend_word: str
    hotspots: dict[str, int]
    weeks: list[Group]
    versions: list[Group]
    models: list[Group]
    harnesses: list[Group]
    sentences: list[Sentence]
    effects: list[str]


class Report(TypedDict):
    """The report; *dead* are the installed skills that were never called, ``None`` when only events are known."""

    computed_at: str
    since: str | None
    until: str | None
    min_invocations: int
    skills: list[SkillReport]
    dead: list[str] | None


class Asked(NamedTuple):
    """What to report: skills called after *after* and up to *until*; ``None`` for no limit or for all skills."""

    now: datetime
    skill: str | None = None
    after: datetime | None = None
    until: datetime | None = None
    min_invocations: int = MIN_INVOCATIONS
    trend_days: int = TREND_DAYS
    stable_delta: float = STABLE_DELTA


def make_report(
    events: Sequence[FeedbackEvent],
    calls: Sequence[Call] | None,
    installed: Iterable[str],
    asked: Asked,
    effects: Effects = lambda _: [],
) -> Report:
    """Return the report, the most corrected skill first, those without enough events last.

    Args:
        calls: every call that is known; ``None`` when *events* come from a file alone.
        installed: names of the skills that are there.
        effects: what to say of the refinements of a skill.
    """
    names = {event["skill_id"] for event in events} | {call.skill for call in calls or ()}
    wanted = sorted(names if asked.skill is None else names & {asked.skill})
    skills = [_describe(skill, events, calls, asked, effects) for skill in wanted]
    skills = [of for of in skills if of["sample_size"] or of["calls"]]
    skills.sort(key=lambda of: (not of["sufficient_data"], -of["correction_rate"], of["skill_id"]))
    return Report(
        computed_at=asked.now.isoformat(),
        since=asked.after.isoformat() if asked.after else None,
        until=asked.until.isoformat() if asked.until else None,
        min_invocations=asked.min_invocations,
        skills=skills,
        dead=None if calls is None else sorted(name for name in set(installed) - names if asked.skill in (None, name)),
    )


def _describe(
    skill: str, events: Sequence[FeedbackEvent], calls: Sequence[Call] | None, asked: Asked, effects: Effects
) -> SkillReport:
    own = select_events(events, skill_id=skill)
    chosen = select_events(own, after=asked.after, until=asked.until)
    called = {call.event_id: call for call in calls or () if call.skill == skill}
    end = asked.until or asked.now
    trend = compute_correction_trend(own, skill, end, days=asked.trend_days, stable_delta=asked.stable_delta)
    least = asked.min_invocations

    def rate(of: Sequence[FeedbackEvent]) -> Rate:
        return compute_correction_rate(of, skill, least)

    def group(key_of: Callable[[FeedbackEvent], str]) -> list[Group]:
        return _group(chosen, key_of, rate)

    return SkillReport(
        **rate(chosen),
        skill_id=skill,
        calls=None if calls is None else sum(_is_within(call, asked) for call in called.values()),
        wrong_choices=sum(map(_is_wrong_choice, chosen)),
        rightly_chosen=rate([event for event in chosen if not _is_wrong_choice(event)]),
        before=rate(select_events(own, until=asked.after)) if asked.after else None,
        trend=trend,
        trend_word=trend["direction"] if min(trend["recent_sample"], trend["prior_sample"]) >= least else NOT_ENOUGH,
        hotspots=compute_hotspot_dimensions(chosen, skill),
        weeks=[Group(**rate(of), key=f"{day:%Y-%m-%d}") for day, of in list_weeks(chosen, end)],
        versions=group(lambda event: _version(called, event)),
        models=group(lambda event: call.model if (call := called.get(event["event_id"])) else ""),
        harnesses=group(lambda event: call.harness if (call := called.get(event["event_id"])) else ""),
        sentences=_list_sentences(chosen, called, end),
        effects=effects(skill),
    )


def list_weeks(
    events: Sequence[FeedbackEvent], end: datetime, count: int = WEEKS
) -> list[tuple[datetime, list[FeedbackEvent]]]:
    """Return the last *count* weeks up to *end*, oldest first: the day that each ends on, and its events."""
    ends = [end - number * _WEEK for number in reversed(range(count))]
    return [(until, select_events(events, after=until - _WEEK, until=until)) for until in ends]


def _group(
    events: Sequence[FeedbackEvent],
    key_of: Callable[[FeedbackEvent], str],
    rate: Callable[[Sequence[FeedbackEvent]], Rate],
) -> list[Group]:
    """Return the rate of each group, in the order in which the groups first came."""
    groups: dict[str, list[FeedbackEvent]] = {}
    for event in sorted(events, key=lambda event: event["timestamp"]):
        groups.setdefault(key_of(event), []).append(event)
    return [Group(**rate(of), key=key) for key, of in groups.items()]


def _list_sentences(events: Iterable[FeedbackEvent], called: dict[str, Call], end: datetime) -> list[Sentence]:
    told = [event for event in events if event["outcome"] != "acceptance"]
    told.sort(key=lambda event: event["timestamp"], reverse=True)
    return [
        Sentence(
            at=event["timestamp"],
            outcome=event["outcome"],
            correction_type=event["correction_type"],
            dimension=event["dimension_hint"] or "unknown",
            text=event["user_message_snippet"],
            version=_version(called, event),
            week=_week_of(event, end),
        )
        for event in told
    ]


def _week_of(event: FeedbackEvent, end: datetime) -> str:
    """Return the key of the week that *event* counts in; ``""`` for one without a time."""
    at = parse_time(event)
    return "" if at is None else f"{end - (end - at) // _WEEK * _WEEK:%Y-%m-%d}"


def _version(called: dict[str, Call], event: FeedbackEvent) -> str:
    call = called.get(event["event_id"])
    return call.skill_hash if call else ""


def _is_wrong_choice(event: FeedbackEvent) -> bool:
    return event["outcome"] != "acceptance" and event["dimension_hint"] == WRONG_CHOICE


def _is_within(call: Call, asked: Asked) -> bool:
    if asked.after is None and asked.until is None:
        return True
    if call.at is None:
        return False
    at = datetime.fromtimestamp(call.at, timezone.utc)
    return (asked.after is None or at > asked.after) and (asked.until is None or at <= asked.until)
