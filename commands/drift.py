"""``tellback drift``: how far a skill has come from where it began."""

import os
import sys
from datetime import datetime, timezone
from pathlib import Path

import click

from ..core.errors import TellbackError
from ..core.moment import format_moment
from ..learning.audit import AuditLog
from ..learning.reports import format_drift
from ..learning.skills import Skill
from .learning import Learning, open_learning
from .result import Result, run


@click.command("drift")
@click.argument("skill")
@click.option("--threshold", type=click.FloatRange(0, min_open=True), help="Percent at which refinement halts.")
@click.option("--reset", is_flag=True, help="Measure from the newest commit on; asks first.")
@click.option("--yes", is_flag=True, help="With --reset: do not ask.")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(skill: str, threshold: float | None, reset: bool, yes: bool, project: Path, as_json: bool) -> None:
    """Show how far SKILL has drifted from its first commit; exit code 1 at or over the threshold."""
    run(lambda: _act(skill, threshold, reset, yes, project.resolve()), as_json)


def _act(skill: str, threshold: float | None, reset: bool, is_sure: bool, project: Path) -> Result:
    learning = open_learning(skill, project)
    found = learning.skills.read(skill)
    if found is None:
        raise TellbackError(f"there is no skill {skill!r} in {learning.skills.folder}")
    if reset:
        return _reset(learning, found, is_sure)
    return _show(learning, found, threshold)


def _show(learning: Learning, skill: Skill, threshold: float | None) -> Result:
    drift = learning.tracker().check_threshold(skill.name, threshold or learning.settings.learning_drift_threshold)
    entries = AuditLog(learning.skills.folder).find_entries(skill.path, "refine")
    percents = [float(entry["changePercent"]) for entry in entries if "changePercent" in entry]
    version = skill.extension.version
    average = sum(percents) / len(percents) if percents else None
    if average is None and version > 1:
        average = drift.cumulative_drift_percent / (version - 1)
    text = format_drift(skill.name, version, drift, average)
    return Result(drift.to_json(), text, exit_code=1 if drift.threshold_exceeded else 0)


def _reset(learning: Learning, skill: Skill, is_sure: bool) -> Result:
    drift = learning.tracker().compute_drift(skill.name)
    history = learning.history(skill.name)
    if not history:
        raise TellbackError(f"{skill.name} has no Git history to measure from", hint="commit it first")
    newest = history[0]
    if not is_sure:
        if not sys.stdin.isatty():
            raise TellbackError("resetting the drift needs a yes", hint="answer at a terminal, or give --yes")
        percent = drift.cumulative_drift_percent
        if not click.confirm(f"Measure the drift of {skill.name} (now {percent:g}%) from commit {newest.short} on?"):
            return Result({"skill": skill.name, "reset": False}, "Nothing was changed.")
    AuditLog(learning.skills.folder).append(
        {
            "type": "drift-reset",
            "timestamp": format_moment(datetime.now(timezone.utc)),
            "filePath": os.path.abspath(skill.path),
            "skill": skill.name,
            "commit": newest.commit,
        }
    )
    data = {"skill": skill.name, "reset": True, "commit": newest.commit}
    return Result(data, f"Drift of {skill.name} is measured from commit {newest.short} on.")
