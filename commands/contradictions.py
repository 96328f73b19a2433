"""``tellback contradictions``: corrections of a skill that undo each other."""

from pathlib import Path

import click

from ..learning.contradictions import ContradictionDetector
from ..learning.reports import format_contradictions
from .learning import open_learning
from .result import Result, run


@click.command("contradictions")
@click.argument("skill")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(skill: str, project: Path, as_json: bool) -> None:
    """Show where corrections of SKILL contradict each other; exit code 1 when two reverse each other."""
    run(lambda: _show(skill, project.resolve()), as_json)


def _show(skill: str, project: Path) -> Result:
    detected = ContradictionDetector(open_learning(skill, project).feedback).detect(skill)
    text = format_contradictions(skill, detected)
    return Result(detected.to_json(), text, exit_code=1 if detected.has_conflicts else 0)
