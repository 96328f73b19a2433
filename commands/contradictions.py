"""``tellback contradictions``: corrections of a skill that undo each other, rules that cannot both hold."""

from pathlib import Path

import click

from ..core.config import load_settings
from ..core.escape import show_line
from ..core.paths import find_places
from ..core.place import find_knowledge
from ..learning.contradictions import ContradictionDetector
from ..learning.reports import format_contradictions
from ..learning.statements import Clash, collect_statements, find_clashes, read_small
from ..learning.where import find_skill_stores
from .learning import open_learning
from .result import Result, run


@click.command("contradictions")
@click.argument("skill", required=False)
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(skill: str | None, project: Path, as_json: bool) -> None:
    """Show where corrections of SKILL contradict each other; exit code 1 when two reverse each other.

    Without SKILL, compare the rules files, the learnings and all skills of the project with each other.
    """
    folder = project.resolve()
    run(lambda: _show_project(folder) if skill is None else _show(skill, folder), as_json)


def _show(skill: str, project: Path) -> Result:
    detected = ContradictionDetector(open_learning(skill, project).feedback).detect(skill)
    text = format_contradictions(skill, detected)
    return Result(detected.to_json(), text, exit_code=1 if detected.has_conflicts else 0)


def _show_project(project: Path) -> Result:
    places = find_places()
    where = find_knowledge(str(project), places)
    learnings = read_small(Path(where.folder) / ".knowledge" / "learnings" / "index.md")
    statements = collect_statements(project, find_skill_stores(project, load_settings(places)), learnings)
    clashes = find_clashes(statements)
    summary = f"{len(statements)} statements compared, {len(clashes)} contradictions found"
    data = {"statements": len(statements), "clashes": [_as_json(clash) for clash in clashes]}
    return Result(data, "\n\n".join([summary, *map(_tell, clashes)]), exit_code=1 if clashes else 0)


def _as_json(clash: Clash) -> dict[str, object]:
    sides = [{"source": side.source, "text": side.text} for side in (clash.one, clash.other)]
    return {"kind": clash.kind, "sides": sides}


def _tell(clash: Clash) -> str:
    title = (
        "CONFLICT  Reversal detected" if clash.kind == "reversal" else "CONFLICT  One demands what the other forbids"
    )
    sides = [f"          {show_line(side.source)}: {show_line(side.text)}" for side in (clash.one, clash.other)]
    return "\n".join([title, *sides, "          Action: decide which of the two holds, or when each does"])
