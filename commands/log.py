"""``tellback log``: what was heard, when, where, and what was kept of it."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import click

from ..core.db import open_db
from ..core.escape import show_line
from ..core.paths import find_places
from ..core.shapes import Places
from ..learning.ledger import Attributed
from ..sweep.captures import Capture, list_captures
from ..sweep.due import run_due_sweep
from ..sweep.news import fetch_news
from .follow import follow_captures
from .log_rows import Row, make_rows, render_line, render_rows
from .result import Result, run
from .since import SINCE
from .unsure import list_unsure, render_unsure

LIMIT = 100


class Wanted(NamedTuple):
    """Which captures to show; ``""`` and 0 for all."""

    kind: str
    since: float
    project: str
    skill: str

    def has(self, capture: Capture, skills: Attributed) -> bool:
        """Whether *capture* is one of them."""
        if self.kind and capture.label != self.kind:
            return False
        if self.skill and skills.find(capture.span) != self.skill:
            return False
        if self.project and not Path(capture.project).is_relative_to(self.project):
            return False
        return capture.at >= self.since


@click.command("log")
@click.option("--type", "kind", type=click.Choice(["correction", "learning", "positive"]), help="Only these.")
@click.option("--since", type=SINCE, default=0.0, help="Only newer ones: a date, or a time span like 7d.")
@click.option("--project", type=click.Path(path_type=Path), help="Only what was said in this folder or below it.")
@click.option("--skill", metavar="NAME", help="Only corrections of this skill.")
@click.option("--unsure", is_flag=True, help="Learnings that were not sure enough to be kept.")
@click.option("--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="At most the newest N.")
@click.option("--follow", is_flag=True, help="Go on showing what is heard, until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --follow one a line.")
def command(
    kind: str | None,
    since: float,
    project: Path | None,
    skill: str | None,
    unsure: bool,
    limit: int,
    follow: bool,
    as_json: bool,
) -> None:
    """Show what was heard, the newest last.

    Whose skill a correction is about is known once a sweep has read the session, and where several may be meant once
    you said which.
    """
    if skill is not None and (unsure or follow):
        raise click.UsageError("--skill goes with neither --unsure nor --follow")
    places = find_places()
    wanted = Wanted(kind or "", since, str(project.resolve()) if project else "", skill or "")
    if follow:
        run(lambda: _follow(places, wanted, limit, as_json), as_json=False)
    elif unsure:
        run(lambda: _show_unsure(places, wanted, limit), as_json)
    else:
        run(lambda: _show(places, wanted, limit), as_json)


def _show(places: Places, wanted: Wanted, limit: int) -> Result:
    run_due_sweep(places)
    rows = read_rows(places, wanted, limit)
    if not rows:
        return Result({"captures": []}, _say_nothing(wanted))
    return Result({"captures": [row.as_json() for row in rows]}, render_rows(rows))


def _say_nothing(wanted: Wanted) -> str:
    return f"No correction of {show_line(wanted.skill)} is known." if wanted.skill else "Nothing was heard yet."


def read_rows(places: Places, wanted: Wanted, limit: int) -> list[Row]:
    """Return the newest *limit* of the wanted captures, the newest last."""
    with closing(open_db(places)) as db:
        with suppress(sqlite3.OperationalError):  # a sweep that writes just now takes the news itself
            fetch_news(places, db)
        skills = Attributed(db)
        captures = [one for one in list_captures(db, wanted.since) if wanted.has(one, skills)]
    return make_rows(places, captures[-limit:], skills)


def _show_unsure(places: Places, wanted: Wanted, limit: int) -> Result:
    run_due_sweep(places)
    found = [one for one in list_unsure(places) if one.at >= wanted.since and one.is_in(wanted.project)][-limit:]
    data = {"unsure": [one.as_json() for one in found]}
    return Result(data, render_unsure(found) if found else "Nothing waits for a decision.")


def _follow(places: Places, wanted: Wanted, limit: int, as_json: bool) -> Result:
    """Show what is there and then what comes, until the person ends it."""
    run_due_sweep(places)
    for row in read_rows(places, wanted, limit):
        _print_row(row, as_json)
    follow_captures(places, _make_printer(places, wanted, as_json))
    return Result()


def _make_printer(places: Places, wanted: Wanted, as_json: bool) -> Callable[[list[Capture]], None]:
    def show(captures: list[Capture]) -> None:
        with closing(open_db(places)) as db:
            skills = Attributed(db)
        for row in make_rows(places, [one for one in captures if wanted.has(one, skills)], skills):
            _print_row(row, as_json)

    return show


def _print_row(row: Row, as_json: bool) -> None:
    click.echo(json.dumps(row.as_json(), ensure_ascii=False) if as_json else render_line(row))
