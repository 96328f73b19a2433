"""``tellback brief``: what an agent is told when a session starts here."""

import time
from contextlib import closing
from pathlib import Path

import click

from ..core.config import load_settings
from ..core.db import open_db, transaction
from ..core.paths import find_places
from ..learning.where import find_root
from ..sweep.brief import Heard, make_harmless, render_brief
from ..sweep.due import run_due_sweep
from .result import Result, run


@click.command("brief")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(project: Path, as_json: bool) -> None:
    """Show what the agent is told at the start of a session: what you said here before, newest and most repeated."""
    run(lambda: _show(str(project.resolve())), as_json)


def _show(project: str) -> Result:
    places = find_places()
    settings = load_settings(places)
    is_on = settings.capture_brief
    root = find_root(project, places)
    run_due_sweep(places)
    with closing(open_db(places)) as db, transaction(db):
        notes = Heard(db, places, settings, time.time()).collect_notes(root)
    text = render_brief(notes)
    data = {
        "project": root,
        "enabled": is_on,
        "text": text,
        "notes": [note._asdict() | {"words": make_harmless(note.words)} for note in notes],
    }
    messages = () if is_on else ("capture.brief is off: no session is told this.",)
    return Result(data, text.rstrip("\n") or "Nothing was said here yet that an agent should know.", messages)
