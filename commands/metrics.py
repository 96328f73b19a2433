"""``tellback metrics``: how often people correct each skill, from an event file."""

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from ..core.config import load_settings
from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.paths import find_places
from ..learning.event_store import load_with_archive
from ..learning.events import FeedbackEvent
from ..learning.metrics import (
    Trend,
    compute_all_skill_metrics,
    compute_correction_trend,
    format_metrics_report,
    load_feedback_events,
    select_events,
)
from .result import Result, run
from .since import SINCE


@click.command("metrics")
@click.option("--input", "path", type=click.Path(path_type=Path), help="The event file; default: analyze.output.")
@click.option("--skill", help="Only this skill.")
@click.option("--since", type=SINCE, help="Only calls after this time (2026-01-31, 30d ...).")
@click.option("--until", type=SINCE, help="Only calls up to this time.")
@click.option("--trend", "with_trend", is_flag=True, help="Compare the last 30 days with the 30 before.")
@click.option("--now", type=SINCE, help="The moment that counts as now.")
@click.option("--min-invocations", type=click.IntRange(1), help="Events below which a rate is not enough.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool, **asked: Any) -> None:
    """Show correction rates, hotspots and trends per skill."""
    run(lambda: _show(**asked), as_json)


def _show(
    path: Path | None,
    skill: str | None,
    since: float | None,
    until: float | None,
    with_trend: bool,
    now: float | None,
    min_invocations: int | None,
) -> Result:
    settings = load_settings(find_places())
    at = _as_time(now) or datetime.now(timezone.utc)
    has_moment = any(moment is not None for moment in (since, until, now))
    events = read_events(path or Path(settings.analyze_output), with_archive=has_moment)
    chosen = select_events(events, skill_id=skill, after=_as_time(since), until=_as_time(until))
    least = min_invocations or settings.analyze_min_invocations
    metrics = compute_all_skill_metrics(chosen, least)
    data: dict[str, Any] = {"computed_at": at.isoformat(), "skills": metrics}
    lines = [format_metrics_report({show_line(name): of for name, of in metrics.items()})]
    if with_trend:
        days, delta = settings.analyze_trend_days, settings.analyze_stable_delta
        trends = {name: compute_correction_trend(events, name, at, days=days, stable_delta=delta) for name in metrics}
        data["trends"] = trends
        lines += [
            "",
            f"Trend, last {days} days against the {days} before",
            *(_format_trend(trend, least) for trend in trends.values()),
        ]
    return Result(data, "\n".join(lines))


def read_events(path: Path, with_archive: bool = False) -> list[FeedbackEvent]:
    """Return the events in *path*, and those that were moved from it when asked for; none when it is not there.

    Raises:
        TellbackError: it cannot be read.
    """
    try:
        return load_with_archive(path) if with_archive else load_feedback_events(path)
    except OSError as error:
        raise TellbackError(f"{path} cannot be read: {error.strerror}") from error


def _format_trend(trend: Trend, least: int) -> str:
    mark = " [not enough data yet]" if min(trend["recent_sample"], trend["prior_sample"]) < least else ""
    return (
        f"  {show_line(trend['skill_id'])}: {trend['direction']} ({trend['trend']:+.2f}: "
        f"{trend['recent_rate']:.2f} of {trend['recent_sample']} after "
        f"{trend['prior_rate']:.2f} of {trend['prior_sample']}){mark}"
    )


def _as_time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, timezone.utc)
