"""When learnings are used: their words come up in a prompt of the project, or the brief of a new session has them."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..core.place import find_knowledge
from ..core.shapes import Places
from ..learning.repeats import find_subject
from ..learning.statements import find_matter
from .learned import note_use, read_learned

_PROMPT = 32 * 1024  # characters of a prompt that are looked at
_MIN_SHARE = 0.7  # of the words of a learning that come up


class _Known(NamedTuple):
    folder: str
    subjects: Mapping[str, frozenset[str]]


class Uses:
    """Notices learnings that come up in prompts; each file of learnings is read once."""

    def __init__(self, db: sqlite3.Connection, places: Places) -> None:
        self._db = db
        self._places = places
        self._known: dict[str, _Known] = {}

    def notice(self, cwd: str, words: str, at: float) -> None:
        """Remember the learnings of the project of *cwd* that come up in *words*."""
        known = self._known.get(cwd)
        if known is None:
            known = self._known[cwd] = self._read(cwd)
        if not known.subjects:
            return
        subject = find_subject(words[:_PROMPT])
        for ident, wanted in known.subjects.items():
            if len(subject & wanted) >= _MIN_SHARE * len(wanted):
                note_use(self._db, known.folder, ident, at)

    def _read(self, cwd: str) -> _Known:
        folder = find_knowledge(cwd, self._places, may_create=False).folder
        subjects = {one.ident: find_matter(one.words) for one in read_learned(folder) if one.stands}
        return _Known(folder, {ident: subject for ident, subject in subjects.items() if subject})


def note_start(db: sqlite3.Connection, project: str, at: float) -> None:
    """Remember that a session started in *project*: the brief that lies ready was read."""
    db.execute(
        "INSERT INTO session_starts (project, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
        (project, at),
    )


def take_starts(db: sqlite3.Connection) -> dict[str, float]:
    """Return when the last session started in each project since the last call."""
    found = dict(db.execute("SELECT project, at FROM session_starts").fetchall())
    db.execute("DELETE FROM session_starts")
    return found


def note_read(db: sqlite3.Connection, root: str, at: float) -> None:
    """Count the notes of the brief of *root* that lay ready at *at* as used then."""
    rows = db.execute(
        "SELECT folder, ident FROM brief_notes WHERE root = ? AND is_laid = 1 AND laid_at <= ?", (root, at)
    ).fetchall()
    for folder, ident in rows:
        note_use(db, folder, ident, at)


def note_laid(db: sqlite3.Connection, root: str, notes: Iterable[tuple[str, str]], now: float) -> None:
    """Remember which notes, each by its folder and ident, lie ready for *root*, and since when they first did."""
    db.executemany(
        "INSERT INTO brief_notes (root, folder, ident, laid_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET is_laid = 1",
        [(root, folder, ident, now) for folder, ident in notes],
    )


def forget_laid(db: sqlite3.Connection) -> None:
    """Note that no brief lies ready any more."""
    db.execute("UPDATE brief_notes SET is_laid = 0 WHERE is_laid = 1")


def list_laid(db: sqlite3.Connection) -> dict[tuple[str, str], float]:
    """Return when each note, by folder and ident, first stood in a brief."""
    rows = db.execute("SELECT folder, ident, min(laid_at) FROM brief_notes GROUP BY folder, ident")
    return {(folder, ident): at for folder, ident, at in rows}
