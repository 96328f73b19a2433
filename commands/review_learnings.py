"""Learnings in the review: those that another may replace, and those that nobody used for long."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from ..capture.folder import BusyError
from ..capture.notebook import Learned
from ..core.config import load_settings
from ..core.db import open_db, transaction
from ..core.digest import hash_text
from ..core.errors import TellbackError
from ..core.keys import Settings
from ..core.paths import find_places
from ..core.place import find_knowledge, store_of
from ..core.shapes import Places
from ..learning.refinement import Change
from ..learning.repeats import find_repeats_of
from ..learning.skills import SkillStore
from ..learning.statements import read_small
from ..learning.succession import Succession
from ..learning.where import find_root, find_skill_stores
from ..sweep.learned import (
    APART,
    KEPT,
    LATER,
    Said,
    Unused,
    answer,
    find_open,
    find_unused,
    list_said,
    read_learned,
    restore,
    retire,
    supersede,
)
from ..sweep.said import collect_said
from .review_item import Item

_UNDO = "undo it with: tellback review --undo {}"


def list_folders(project: Path, places: Places) -> list[str]:
    """Return the folders that hold the learnings of *project*: its own, and its store from before it had one."""
    where = find_knowledge(str(project), places)
    return list(dict.fromkeys((where.folder, store_of(find_root(project, places), places).folder)))


def list_learning_items(project: Path, places: Places, db: sqlite3.Connection) -> Iterator[Item]:
    """Yield what is to be asked about the learnings of *project*."""
    settings = load_settings(places)
    said = list_said(db, places)
    for folder in list_folders(project, places):
        learned, of = read_learned(folder), said.get(folder, {})
        successions = find_open(db, folder, learned, of)
        yield from (_describe_succession(one, folder) for one in successions)
        asked = {one.older.ident for one in successions}
        rest = [one for one in learned if one.ident not in asked]
        yield from _list_unused(db, places, settings, project, folder, rest, of)


def _describe_succession(found: Succession, folder: str) -> Item:
    older, newer, _ = found
    return Item(
        hash_text("replaces", folder, older.ident, newer.ident),
        "succession",
        "both cannot hold: does the second learning replace the first?",
        (f"first said {older.day}, the second {newer.day}, in {folder}",),
        (Change(older.words, newer.words, "accept: the first is marked as superseded; refuse: both stand"),),
        folder=folder,
        idents=(older.ident, newer.ident),
    )


def _list_unused(
    db: sqlite3.Connection,
    places: Places,
    settings: Settings,
    project: Path,
    folder: str,
    learned: list[Learned],
    said: Said,
) -> Iterator[Item]:
    now = time.time()
    unused = find_unused(db, folder, learned, said, settings.learning_unused_days, now)
    if not unused:
        return
    since = now - settings.learning_unused_days * 86_400.0
    corrections = [one for one in collect_said(db, places, settings) if one.at > since]
    bodies = _read_skills(find_skill_stores(project, settings))
    for one in unused:
        if not find_repeats_of(one.learned.words, corrections) and not _is_quoted(one.learned.words, bodies):
            yield _describe_unused(one, folder)


def _describe_unused(one: Unused, folder: str) -> Item:
    day = time.strftime("%Y-%m-%d", time.localtime(one.used_at))
    return Item(
        hash_text("unused", folder, one.learned.ident),
        "unused",
        f"not used since {day}: accept to keep it, refuse to retire it",
        (f"said {one.learned.day}, in {folder}",),
        text=one.learned.words,
        folder=folder,
        idents=(one.learned.ident,),
    )


def _read_skills(stores: Iterable[SkillStore]) -> list[str]:
    paths = (store.path_of(name) for store in stores for name in store.list_names())
    return [_fold(read_small(path)) for path in paths]


def _is_quoted(words: str, bodies: Iterable[str]) -> bool:
    folded = _fold(words)
    return any(folded in body for body in bodies)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def accept_learning(item: Item) -> str:
    """Mark the older of two as replaced, or keep one that was not used, and say so."""
    if item.kind == "succession":
        older, newer = item.idents
        _change(lambda db, places, now: supersede(db, places, item.folder, older, newer, now))
        return f"Marked as superseded; {_UNDO.format(older)}"
    _answer(item, KEPT)
    return "Kept."


def reject_learning(item: Item) -> str:
    """Let both of two stand, or retire one that was not used, and say so."""
    if item.kind == "succession":
        _answer(item, APART)
        return "Both stand; this is not asked again."
    (ident,) = item.idents
    _change(lambda db, places, now: retire(db, places, item.folder, ident, now))
    return f"Retired: marked, not deleted; {_UNDO.format(ident)}"


def put_off(item: Item) -> str:
    """Ask about an unused learning again when as much time has passed once more; all else simply stays."""
    if item.kind != "unused":
        return "Left for later."
    _answer(item, LATER)
    return f"Left for later: asked again in {load_settings(find_places()).learning_unused_days} days."


def undo_mark(ident: str, project: Path) -> str:
    """Let a learning stand again that is marked as superseded or retired, and say so.

    Raises:
        TellbackError: none of that name is marked here, or the file cannot be written.
    """
    places = find_places()
    for folder in list_folders(project, places):
        marked = next((one for one in read_learned(folder) if one.ident == ident and not one.stands), None)
        if marked:
            _change(lambda db, places, now, folder=folder: restore(db, places, folder, ident, now))
            return f"It stands again: {marked.words}"
    raise TellbackError(f"no learning that was marked has the id {ident}", hint="see `tellback contradictions`")


def _answer(item: Item, word: str) -> None:
    with closing(open_db(find_places())) as db, transaction(db):
        answer(db, item.folder, word, time.time(), *item.idents)


def _change(act: Callable[[sqlite3.Connection, Places, float], None]) -> None:
    places = find_places()
    try:
        with closing(open_db(places)) as db:
            act(db, places, time.time())
    except BusyError:
        raise TellbackError("somebody writes there just now", hint="try again") from None
    except OSError as error:
        raise TellbackError(f"the learnings could not be changed: {error}") from error
