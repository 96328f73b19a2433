"""``tellback report``: how often people correct each skill, in what way, and whether it gets better."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

import click

from ..core.config import load_settings
from ..core.db import open_db
from ..core.errors import TellbackError
from ..core.files import replace_file
from ..core.keys import Settings
from ..core.paths import find_places
from ..core.scrub import scrub
from ..core.scrub_own import make_scrub_rules
from ..core.shapes import Places
from ..learning.event_store import find_event_file, load_with_archive
from ..learning.events import FeedbackEvent
from ..learning.ledger import Call, list_calls
from ..learning.repeats import Repeats, count_repeats, format_repeats
from ..learning.report import Asked, Report, make_report
from ..learning.skills import SkillStore
from ..learning.where import find_skill_store, find_skill_stores
from ..sweep.due import run_due_sweep
from ..sweep.said import collect_said
from .learning import tell_effects
from .report_text import render_report
from .result import Result, run
from .since import SINCE


class Source(NamedTuple):
    """What is reported on; ``calls`` is ``None`` when all that is known are the events of a file."""

    events: list[FeedbackEvent]
    calls: list[Call] | None


@click.command("report")
@click.option("--skill", help="Only this skill.")
@click.option(
    "--since", type=SINCE, help="Only calls after this time (2026-01-31, 30d ...); shows the rate before too."
)
@click.option("--until", type=SINCE, help="Only calls up to this time.")
@click.option("--input", "path", type=click.Path(path_type=Path), help="An event file; default: the sweep's own.")
@click.option("--include-headless", is_flag=True, help="Also sessions that a program drove.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with charts.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    skill: str | None,
    since: float | None,
    until: float | None,
    path: Path | None,
    include_headless: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Show for each skill the rate of corrections, its trend, and what people corrected."""

    def act() -> Result:
        places = find_places()
        settings = load_settings(places)
        source = _read_file(path) if path else _read_store(places, include_headless)
        report = _make(source, settings, skill, since, until)
        if html:
            return _write_page(html, report)
        if path or skill:
            return Result(dict(report), render_report(report))
        repeats = _count_repeats(places, settings, since)
        headline = format_repeats(repeats)
        return Result({**report, "repeats": repeats.to_json()}, f"{headline}\n\n{render_report(report)}")

    run(act, as_json)


def _read_file(path: Path) -> Source:
    """Return the events of a file, with its archive; what is in it is scrubbed, whoever wrote it."""
    if not path.exists():
        raise TellbackError(f"{path} is not there", hint="run `tellback analyze` first")
    try:
        events = load_with_archive(path)
    except OSError as error:
        raise TellbackError(f"{path} cannot be read: {error.strerror}") from error
    rules = make_scrub_rules(load_settings(find_places()))
    for event in events:
        event["user_message_snippet"] = scrub(str(event.get("user_message_snippet") or ""), rules)
    return Source(events, None)


def _read_store(places: Places, include_headless: bool) -> Source:
    """Return what the sweep knows, after a due sweep."""
    run_due_sweep(places)
    with closing(open_db(places)) as db:
        calls = [call for call in list_calls(db) if include_headless or not call.is_headless]
    files = [find_event_file(places), *([find_event_file(places, is_headless=True)] if include_headless else [])]
    return Source([event for file in files for event in load_with_archive(file)], calls)


def _count_repeats(places: Places, settings: Settings, since: float | None) -> Repeats:
    with closing(open_db(places)) as db:
        return count_repeats(collect_said(db, places, settings), since or 0.0)


def _make(source: Source, settings: Settings, skill: str | None, since: float | None, until: float | None) -> Report:
    asked = Asked(
        now=datetime.now(timezone.utc),
        skill=skill,
        after=_as_time(since),
        until=_as_time(until),
        min_invocations=settings.analyze_min_invocations,
        trend_days=settings.analyze_trend_days,
        stable_delta=settings.analyze_stable_delta,
    )
    stores = find_skill_stores(Path.cwd(), settings)
    installed = [name for store in stores for name in store.list_names()]
    return make_report(
        source.events, source.calls, installed, asked, lambda name: _tell_effects(stores, name, source.events)
    )


def _tell_effects(stores: list[SkillStore], skill: str, events: Sequence[FeedbackEvent]) -> list[str]:
    try:
        return tell_effects(find_skill_store(skill, stores), skill, events)
    except TellbackError:
        return []  # a plugin's skill: it is never refined here


def _write_page(path: Path, report: Report) -> Result:
    from .report_page import render_page  # loads the chart library

    page = render_page(report)
    try:
        replace_file(path, page.encode("utf-8", "replace"), mode=0o600)
    except OSError as error:
        raise TellbackError(
            f"{path} could not be written: {error.strerror}", hint="name another --html FILE"
        ) from error
    return Result({**report, "html": str(path)}, str(path))


def _as_time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, timezone.utc)
