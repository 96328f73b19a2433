"""The learnings of a project: which replace which, marked where that is sure, and which nobody used for long.

``learnings/index.md`` holds what stands and what does not; the database remembers when a learning was used and what
the person said about it, so that nothing is asked twice and a mark that was taken away by hand stays away.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from math import inf
from typing import NamedTuple

from ..capture.learnings import make_ident
from ..capture.ledger import to_bytes, to_text
from ..capture.notebook import Learned, mark_retired, mark_superseded, parse_notebook, unmark
from ..capture.slow import LOCK_WAIT_S, open_learnings
from ..core.db import transaction
from ..core.shapes import Places
from ..learning.succession import Succession, find_said_again, find_successions
from .captures import SEPARATOR, find_where, list_learnings, list_wordless, settle, where_of
from .texts import NOTEBOOK, read_notebook

_INDEX = "index.md"
_LIMIT_BYTES = 16 << 20

# What the person, or a sweep that was sure, said of a learning; of two: of the older one and its successor.
MARKED, APART, KEPT, LATER, RETIRED = "marked", "apart", "kept", "later", "retired"

Said = dict[str, float]


class Unused(NamedTuple):
    """A learning and when it was last used, UTC seconds."""

    learned: Learned
    used_at: float


def list_said(db: sqlite3.Connection, places: Places) -> dict[str, Said]:
    """Return when this person last said each learning, by the folder of its ``.knowledge`` and its ident."""
    said: dict[str, Said] = {}
    for capture in list_learnings(db):
        of = said.setdefault(find_where(capture, places).folder, {})
        for words in capture.text.split(SEPARATOR):
            of[make_ident(words)] = capture.at
    return said


def find_words(db: sqlite3.Connection, places: Places) -> None:
    """Note the words of learnings that a hook heard, for harnesses whose logs nobody reads: their keys lead to them."""
    learned: dict[str, dict[str, str]] = {}
    for capture in list_wordless(db):
        folder = find_where(capture, places).folder
        if folder not in learned:
            learned[folder] = {one.ident: one.words for one in read_learned(folder)}
        words = [learned[folder].get(ident, "") for ident in capture.learned.split()]
        if all(words):
            settle(db, capture._replace(text=SEPARATOR.join(words)))


def read_learned(folder: str) -> list[Learned]:
    """Return the learnings below *folder*."""
    return parse_notebook(read_notebook(folder))


def is_unchanged(db: sqlite3.Connection, folder: str, said: Said) -> bool:
    """Whether neither the file nor what the person said changed since the last look at it."""
    row = db.execute("SELECT seen FROM notebooks WHERE folder = ?", (folder,)).fetchone()
    return row is not None and row[0] == _describe(folder, said)


def settle_learnings(
    db: sqlite3.Connection, places: Places, folder: str, said: Said, now: float, wait_s: float = LOCK_WAIT_S
) -> list[Succession]:
    """Mark the learnings that others surely replace, and return them; one that was said again stands again.

    Raises:
        BusyError: somebody writes there.
        OSError: the file cannot be read or written.
    """
    if not os.path.lexists(os.path.join(folder, NOTEBOOK)):
        return []
    done: list[Succession] = []

    def change(text: str) -> str:
        for one in find_said_again(parse_notebook(text), said, _list_answers(db, folder, RETIRED)):
            text = unmark(text, one.ident)
        while sure := _find_sure(db, folder, text, said, done):
            text = mark_superseded(text, sure.older.ident, sure.newer.ident, _day(now))
            done.append(sure)
        return text

    _rewrite(places, folder, change, wait_s)
    with transaction(db):
        for one in done:
            answer(db, folder, MARKED, now, one.older.ident, one.newer.ident)
        db.execute("INSERT OR REPLACE INTO notebooks (folder, seen) VALUES (?, ?)", (folder, _describe(folder, said)))
    return done


def _find_sure(
    db: sqlite3.Connection, folder: str, text: str, said: Said, done: Sequence[Succession]
) -> Succession | None:
    """Return the first replacement that is sure and not settled yet; each one changes what the next may be."""
    return next(
        (
            found
            for found in find_successions(parse_notebook(text), said)
            if found.is_sure
            and all(_key(found) != _key(one) for one in done)
            and not _is_answered(db, folder, found, said)
        ),
        None,
    )


def find_open(db: sqlite3.Connection, folder: str, learned: Sequence[Learned], said: Said) -> list[Succession]:
    """Return the replacements that are not sure, and that the person was not asked about."""
    found = find_successions(learned, said)
    return [one for one in found if not one.is_sure and not _is_answered(db, folder, one, said)]


def _is_answered(db: sqlite3.Connection, folder: str, found: Succession, said: Said) -> bool:
    """Whether this was decided and the newer one not said again since; a mark that is gone was taken away by hand."""
    row = db.execute(
        "SELECT at FROM learning_answers WHERE folder = ? AND ident = ? AND other = ?", (folder, *_key(found))
    ).fetchone()
    return row is not None and said.get(found.newer.ident, 0.0) <= row[0]


def _key(found: Succession) -> tuple[str, str]:
    return found.older.ident, found.newer.ident


def answer(db: sqlite3.Connection, folder: str, word: str, now: float, ident: str, other: str = "") -> None:
    """Remember what was said of a learning, or of two."""
    db.execute(
        "INSERT OR REPLACE INTO learning_answers (folder, ident, other, answer, at) VALUES (?, ?, ?, ?, ?)",
        (folder, ident, other, word, now),
    )


def supersede(db: sqlite3.Connection, places: Places, folder: str, older: str, newer: str, now: float) -> None:
    """Mark *older* as replaced by *newer* on the person's word; errors as :func:`settle_learnings`."""
    _rewrite(places, folder, lambda text: mark_superseded(text, older, newer, _day(now)))
    with transaction(db):
        answer(db, folder, MARKED, now, older, newer)


def retire(db: sqlite3.Connection, places: Places, folder: str, ident: str, now: float) -> None:
    """Mark a learning as no longer in use on the person's word; errors as :func:`settle_learnings`."""
    _rewrite(places, folder, lambda text: mark_retired(text, ident, _day(now)))
    with transaction(db):
        answer(db, folder, RETIRED, now, ident)


def restore(db: sqlite3.Connection, places: Places, folder: str, ident: str, now: float) -> None:
    """Take the marks of a learning away, and remember that they stay away; errors as :func:`settle_learnings`."""
    _rewrite(places, folder, lambda text: unmark(text, ident))
    with transaction(db):
        db.execute(
            "UPDATE learning_answers SET answer = ?, at = ? WHERE folder = ? AND ident = ? AND other <> ''",
            (APART, now, folder, ident),
        )
        answer(db, folder, KEPT, now, ident)


def find_unused(
    db: sqlite3.Connection, folder: str, learned: Iterable[Learned], said: Said, days: int, now: float
) -> list[Unused]:
    """Return the learnings without a recorded use for *days*, those left out that were asked about within them."""
    since = now - days * 86_400.0
    used = dict(db.execute("SELECT ident, used_at FROM learning_uses WHERE folder = ?", (folder,)).fetchall())
    answers = [_list_answers(db, folder, word) for word in (KEPT, LATER, RETIRED)]
    asked = {ident for of in answers for ident, at in of.items() if at > since}
    found = [
        Unused(one, max(_start_of(one.day), said.get(one.ident, 0.0), used.get(one.ident, 0.0)))
        for one in learned
        if one.stands and one.ident not in asked
    ]
    return sorted((one for one in found if one.used_at <= since), key=lambda one: one.used_at)


def note_use(db: sqlite3.Connection, folder: str, ident: str, at: float) -> None:
    """Remember that a learning was used."""
    db.execute(
        "INSERT INTO learning_uses (folder, ident, used_at) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET used_at = max(used_at, excluded.used_at)",
        (folder, ident, at),
    )


def _list_answers(db: sqlite3.Connection, folder: str, word: str) -> Said:
    """Return when the person last said *word* of single learnings."""
    rows = db.execute(
        "SELECT ident, at FROM learning_answers WHERE folder = ? AND other = '' AND answer = ?", (folder, word)
    )
    return dict(rows.fetchall())


def _rewrite(places: Places, folder: str, change: Callable[[str], str], wait_s: float = LOCK_WAIT_S) -> None:
    with open_learnings(where_of(folder, places), places, wait_s) as part:
        text = to_text(part.read(_INDEX, _LIMIT_BYTES) or b"")
        changed = change(text)
        if changed != text:
            part.replace(_INDEX, to_bytes(changed))


def _describe(folder: str, said: Said) -> str:
    """Return what changes when the file or what was said does."""
    try:
        found = os.stat(os.path.join(folder, NOTEBOOK))
    except OSError:
        return ""
    return f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}:{len(said)}:{max(said.values(), default=0.0)}"


def _day(now: float) -> str:
    return f"{datetime.fromtimestamp(now):%Y-%m-%d}"


def _start_of(day: str) -> float:
    try:
        return datetime.strptime(day, "%Y-%m-%d").timestamp()
    except (ValueError, OverflowError):
        return inf  # no day of any calendar: nobody is asked about it
