"""``tellback contradictions``: corrections of a skill that undo each other, rules that cannot both hold."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import click

from ..capture.notebook import Learned
from ..core.config import load_settings
from ..core.db import open_db
from ..core.escape import show_line
from ..core.paths import find_places
from ..core.shapes import Places
from ..learning.contradictions import ContradictionDetector
from ..learning.reports import format_contradictions
from ..learning.statements import Clash, collect_statements, find_clashes
from ..learning.where import find_skill_stores
from ..sweep.due import run_due_sweep
from ..sweep.learned import Said, list_said, read_learned, settle_learnings
from ..sweep.texts import read_notebook
from .learning import open_learning
from .result import Result, run
from .review_learnings import list_folders


@click.command("contradictions")
@click.argument("skill", required=False)
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(skill: str | None, project: Path, as_json: bool) -> None:
    """Show where corrections of SKILL contradict each other; exit code 1 when two reverse each other.

    Without SKILL, compare the rules files, the learnings and all skills of the project with each other. A learning that
    a later one of yours surely replaces is marked as superseded.
    """
    folder = project.resolve()
    run(lambda: _show_project(folder) if skill is None else _show(skill, folder), as_json)


def _show(skill: str, project: Path) -> Result:
    detected = ContradictionDetector(open_learning(skill, project).feedback).detect(skill)
    text = format_contradictions(skill, detected)
    return Result(detected.to_json(), text, exit_code=1 if detected.has_conflicts else 0)


def _show_project(project: Path) -> Result:
    places = find_places()
    run_due_sweep(places)
    folders = list_folders(project, places)
    messages = _settle(places, folders)
    learnings = "\n".join(map(read_notebook, folders))
    statements = collect_statements(project, find_skill_stores(project, load_settings(places)), learnings)
    clashes = find_clashes(statements)
    fallen = [one for folder in folders for one in read_learned(folder) if not one.stands]
    summary = f"{len(statements)} statements compared, {len(clashes)} contradictions found"
    data = {
        "statements": len(statements),
        "clashes": [_as_json(clash) for clash in clashes],
        "fallen": [one._asdict() | {"id": one.ident} for one in fallen],
    }
    parts = [summary, *map(_tell, clashes)]
    if fallen:
        title = "Learnings that no longer stand (tellback review --undo ID):"
        parts.append("\n".join([title, *map(_tell_fallen, fallen)]))
    return Result(data, "\n\n".join(parts), messages, exit_code=1 if clashes else 0)


def _settle(places: Places, folders: list[str]) -> tuple[str, ...]:
    """Mark what is sure; returns what could not be written."""
    with closing(open_db(places)) as db:
        said = list_said(db, places)
        problems = [_settle_one(db, places, folder, said.get(folder, {})) for folder in folders]
    return tuple(filter(None, problems))


def _settle_one(db: sqlite3.Connection, places: Places, folder: str, said: Said) -> str:
    try:
        settle_learnings(db, places, folder, said, time.time())
    except OSError as error:
        return f"the learnings in {show_line(folder)} could not be marked: {error}"
    return ""


def _tell_fallen(learned: Learned) -> str:
    why = f"superseded {learned.superseded} by “{learned.by}”" if learned.superseded else f"retired {learned.retired}"
    return show_line(f"  {learned.ident}  “{learned.words}” {why}")


_TITLES = {
    "reversal": "Reversal detected",
    "turned": "One takes what the other turns away from",
    "opposite": "One demands what the other forbids",
}


def _as_json(clash: Clash) -> dict[str, object]:
    sides = [{"source": side.source, "text": side.text} for side in (clash.one, clash.other)]
    return {"kind": clash.kind, "sides": sides}


def _tell(clash: Clash) -> str:
    title = f"CONFLICT  {_TITLES[clash.kind]}"
    sides = [f"          {show_line(side.source)}: {show_line(side.text)}" for side in (clash.one, clash.other)]
    return "\n".join([title, *sides, "          Action: decide which of the two holds, or when each does"])
