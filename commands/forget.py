"""``tellback forget``: take words out of every file of Tellback's; the number stays, so that nothing is heard again."""

import re
import sys
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import click

from ..capture.folder import BusyError
from ..capture.forget import Forgotten, forget, forget_learning
from ..core.config import load_settings
from ..core.db import open_db, transaction
from ..core.digest import hash_text
from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.paths import find_places
from ..core.place import Where, find_knowledge, store_of
from ..core.shapes import Places
from ..learning.forget import forget_words
from ..learning.where import find_feedback_folder, find_skill_stores
from ..sweep.captures import SEPARATOR, Capture, blank_text, find_where, list_captures
from ..sweep.texts import read_corrections
from .result import Result, run
from .unsure import list_unsure

_KEY = re.compile("[0-9a-f]{12}")


class Found(NamedTuple):
    """What an id names.

    Attributes:
        where: the place of its words.
        texts: the words, as far as they are kept anywhere.
        captures: the rows of the database that the id names.
    """

    where: Where
    texts: tuple[str, ...]
    captures: tuple[Capture, ...]


@click.command("forget")
@click.argument("ident", metavar="ID")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project whose CORR-... it is.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(ident: str, project: Path, yes: bool, as_json: bool) -> None:
    """Take the words of ID (as `tellback log` shows it) out of log, queue, database and all our other files."""
    run(lambda: _forget(find_places(), ident, str(project.resolve()), yes), as_json)


def _forget(places: Places, ident: str, project: str, is_sure: bool) -> Result:
    found = _find(places, ident, project)
    if not is_sure and not _ask(ident, found):
        return Result({"id": ident, "forgotten": False}, "Nothing was changed.")
    try:
        done = forget(found.where, places, ident)
        learnings = [forget_learning(found.where, places, text) for text in _list_learnings(found)]
        _forget_learned(places, found, Path(project))
    except BusyError:
        raise TellbackError("somebody writes there just now", hint="try again") from None
    except OSError as error:
        raise TellbackError(f"not everything could be changed: {error}", hint="mend that and ask again") from error
    return _report(ident, done, sum(each.bullets for each in learnings))


def _forget_learned(places: Places, found: Found, project: Path) -> None:
    """Take the words out of the database and of what learning made of them."""
    settings = load_settings(places)
    stores = find_skill_stores(project, settings)
    folders = [find_feedback_folder(project, places, settings)]
    with closing(open_db(places)) as db, transaction(db):
        for capture in found.captures:
            blank_text(db, capture.id)
        for text in found.texts:
            forget_words(db, places, stores, folders, text)


def _find(places: Places, ident: str, project: str) -> Found:
    """Return what *ident* names; an id of a correction counts in *project*, a key is the only one of its kind.

    Raises:
        TellbackError: nothing of that name is kept, or it is in another project.
    """
    with closing(open_db(places)) as db:
        captures = list(list_captures(db))
    if _KEY.fullmatch(ident):
        named = tuple(one for one in captures if hash_text(one.session, one.hash, "0") == ident)
        unsure = tuple(one.text for one in list_unsure(places) if one.key == ident)
        if not named and not unsure:
            raise TellbackError(f"nothing is known by {ident}", hint="`tellback log` shows the ids")
        where = find_where(named[0], places) if named else find_knowledge(project, places, may_create=False)
        return Found(where, (*[one.text for one in named if one.text], *unsure), named)
    where = find_knowledge(project, places, may_create=False)
    entry = read_corrections(where.folder, [ident]).get(ident)
    if entry is None and where.in_project:  # from the time when the project had no `.knowledge`
        store = store_of(where.folder, places)
        entry = read_corrections(store.folder, [ident]).get(ident)
        where = store if entry else where
    if entry is None:
        others = [one for one in captures if ident in one.ids and find_where(one, places).folder != where.folder]
        is_gone = not others and any(ident in one.ids for one in captures)
        raise TellbackError(f"{show_line(ident)} is not in {where.folder}", hint=_hint(others, is_gone))
    here = [one for one in captures if ident in one.ids and find_where(one, places).folder == where.folder]
    return Found(where, (str(entry.get("description")),), tuple(here))


def _hint(others: list[Capture], is_gone: bool) -> str:
    if others:
        projects = sorted({show_line(one.project) for one in others})
        return f"name its project with --project: {', '.join(projects)}"
    if is_gone:
        return "it was; when nobody took it out by hand, `tellback doctor` says why the log cannot be read"
    return "`tellback log` shows the ids"


def _list_learnings(found: Found) -> list[str]:
    kept = [one.text for one in found.captures if one.label == "learning" and one.text]
    return [text for each in kept for text in each.split(SEPARATOR)]


def _ask(ident: str, found: Found) -> bool:
    """Show the words and ask.

    Raises:
        TellbackError: nobody is there to answer.
    """
    if not sys.stdin.isatty():
        raise TellbackError("nobody is there to say yes", hint="say --yes if you are sure")
    for text in found.texts:
        click.echo(show_line(text), err=True)
    return click.confirm(f"Take these words of {show_line(ident)} out of every file of Tellback's?", err=True)


def _report(ident: str, done: Forgotten, bullets: int) -> Result:
    data = {
        "id": ident,
        "forgotten": True,
        "entries": done.entries,
        "waiting": done.waiting,
        "learnings": bullets,
    }
    return Result(data, f"{show_line(ident)} is forgotten; its number stays.")
