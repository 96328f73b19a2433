"""``tellback feedback``: the feedback history of one skill."""

from datetime import datetime, timezone
from pathlib import Path

import click

from ..core.moment import format_moment
from ..learning.reports import format_feedback
from .learning import open_learning
from .result import Result, run
from .since import SINCE


@click.command("feedback")
@click.argument("skill")
@click.option("--session", metavar="ID", help="Only the events of this session.")
@click.option("--since", type=SINCE, help="Only events at or after this time (2025-07-01, 7d ...).")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(skill: str, session: str | None, since: float | None, project: Path, as_json: bool) -> None:
    """Show what people said of SKILL: corrections, overrides and ratings."""
    run(lambda: _show(skill, session, since, project.resolve()), as_json)


def _show(skill: str, session: str | None, since: float | None, project: Path) -> Result:
    store = open_learning(skill, project).feedback
    if since is None:
        events = store.get_by_skill(skill)
    else:
        events = store.get_since(format_moment(datetime.fromtimestamp(since, timezone.utc)), skill)
    if session is not None:
        events = [event for event in events if event["sessionId"] == session]
    return Result({"skill": skill, "events": events}, format_feedback(skill, events))
