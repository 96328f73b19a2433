"""``tellback analyze``: what people made of the skills' work, from the session logs into an event file."""

from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..capture.tables import default_tables
from ..core.config import Loaded, load, make_policy
from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.paths import find_claude_config, find_places
from ..core.scrub_own import make_scrub_rules
from ..learning.analyze import Analyzed, Wish, analyze_sessions, list_claude_sessions
from ..learning.event_file import Written, append_events, archive_old_events, rebuild_events
from ..learning.metrics import compute_all_skill_metrics, load_feedback_events
from ..learning.reading import make_read_turn, read_by_document
from ..sessions import claude_code
from ..sessions.gate import Gatekeeper
from ..sessions.reader import Listed
from ..sessions.table import READERS
from .progress import show_progress
from .result import Result, run

_TOP = 5


class Asked(NamedTuple):
    """The command line; ``None`` stands for the setting, no harness for Claude Code."""

    harness: tuple[str, ...]
    session_dir: Path | None
    output: Path | None
    no_snippets: bool
    skill_filter: str | None
    min_invocations: int | None
    overwrite: bool
    classifier: str
    window: int | None
    include_headless: bool


@click.command("analyze")
@click.option(
    "--harness",
    type=click.Choice([name for name, reader in READERS.items() if reader.HAS_ENTRIES]),
    multiple=True,
    help="Whose sessions, once for each; default: claude-code.",
)
@click.option("--session-dir", type=click.Path(path_type=Path), help="Root of the session logs.")
@click.option("--output", type=click.Path(path_type=Path), help="The event file; default: analyze.output.")
@click.option("--no-snippets", is_flag=True, help="Quote nothing of what people said.")
@click.option("--skill-filter", metavar="SKILL", help="Only calls of exactly this skill.")
@click.option("--min-invocations", type=click.IntRange(1), help="Events below which a rate is not enough.")
@click.option("--overwrite", is_flag=True, help="Rebuild the event file; the former one stays as <name>.before.")
@click.option(
    "--classifier",
    type=click.Choice(["detector", "document"]),
    default="detector",
    show_default=True,
    help="Who reads a turn: our detector, or the document's keywords alone.",
)
@click.option("--window", type=click.IntRange(1), help="User turns after a call that tell its outcome.")
@click.option("--include-headless", is_flag=True, help="Also sessions that a program drove.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool, **asked: Any) -> None:
    """Read the session logs and write one event for every reaction to a skill call."""
    of = Asked(**asked)
    if of.session_dir is not None and len(set(of.harness)) > 1:
        raise click.UsageError("--session-dir holds the sessions of one --harness")
    run(lambda: _analyze(of, as_json), as_json)


def _analyze(asked: Asked, as_json: bool) -> Result:
    loaded = load(find_places())
    if loaded.switch != "on" or loaded.settings.collect_disabled:
        return Result({"disabled": True, "events": 0}, "Collection is switched off; nothing was read or written.")
    output = asked.output or Path(loaded.settings.analyze_output)
    with show_progress(not as_json) as progress:
        analyzed = analyze_sessions(
            _list_sessions(asked, loaded),
            Gatekeeper(make_policy(loaded)),
            _make_wish(asked, loaded),
            lambda done, total: progress("sessions", done, total),
        )
    written = _write(output, analyzed, asked, loaded)
    return _summarise(output, analyzed, written, asked.min_invocations or loaded.settings.analyze_min_invocations)


def _list_sessions(asked: Asked, loaded: Loaded) -> list[Listed]:
    """List the sessions; a folder that holds none, or is none, has none (A-9)."""
    sessions: list[Listed] = []
    for harness in dict.fromkeys(asked.harness or (claude_code.HARNESS,)):
        if harness == claude_code.HARNESS:
            sessions += list_claude_sessions(_find_root(asked, loaded))
        else:
            reader = READERS[harness]
            sessions += reader.list_sessions(asked.session_dir or reader.find_store()).sessions
    return sessions


def _find_root(asked: Asked, loaded: Loaded) -> Path:
    """Return the folder of logs: as asked, else as set, where the default follows ``$CLAUDE_CONFIG_DIR`` (O-12)."""
    if asked.session_dir is not None:
        return asked.session_dir
    if "analyze.session_dir" in loaded.origins:
        return Path(loaded.settings.analyze_session_dir)
    return find_claude_config() / "projects"


def _make_wish(asked: Asked, loaded: Loaded) -> Wish:
    settings = loaded.settings
    return Wish(
        read=read_by_document if asked.classifier == "document" else make_read_turn(default_tables()),
        scrub_rules=make_scrub_rules(settings),
        skill=asked.skill_filter,
        with_snippets=settings.capture_snippets and not asked.no_snippets,
        window=asked.window or settings.analyze_window,
        skills_roots=settings.recorder_skills_roots,
        with_headless=asked.include_headless,
    )


def _write(output: Path, analyzed: Analyzed, asked: Asked, loaded: Loaded) -> Written:
    days = loaded.settings.analyze_archive_days
    try:
        if asked.overwrite:
            return rebuild_events(output, analyzed.events, datetime.now(timezone.utc), days)
        written = append_events(output, analyzed.events)
        archive_old_events(output, days=days)
    except OSError as error:
        raise TellbackError(f"{output} could not be written: {error.strerror}", hint="name another --output") from error
    return written


def _summarise(output: Path, analyzed: Analyzed, written: Written, min_invocations: int) -> Result:
    outcomes = Counter(event["outcome"] for event in analyzed.events)
    metrics = compute_all_skill_metrics(load_feedback_events(output), min_invocations)
    top = analyzed.calls.most_common(_TOP)
    lines = [
        f"{len(analyzed.events)} events, {written.added} of them new, in {output}",
        "Outcomes: " + ", ".join(f"{name} {outcomes[name]}" for name in ("correction", "partial", "acceptance")),
    ]
    if written.lost:
        lines.append(
            f"{written.lost} events of the former file were not found again; it is kept as {output.name}.before"
        )
    if top:
        lines.append("Skills by number of calls:")
        lines += [f"  {show_line(skill)}: {calls}{_tell_rate(metrics.get(skill))}" for skill, calls in top]
    data = {
        "output": str(output),
        "events": len(analyzed.events),
        "added": written.added,
        "known": written.known,
        "lost": written.lost,
        "outcomes": dict(outcomes),
        "calls": dict(analyzed.calls),
        "sessions": dict(analyzed.sessions),
        "skills": metrics,
    }
    messages = (f"{unread} sessions could not be read",) if (unread := analyzed.sessions["unreadable"]) else ()
    return Result(data, "\n".join(lines), messages)


def _tell_rate(of: Any) -> str:
    if of is None:
        return ""
    return (
        f", correction rate {of['correction_rate']:.2f}" if of["sufficient_data"] else ", not enough events for a rate"
    )
