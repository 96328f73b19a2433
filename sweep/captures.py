"""The table ``captures``: one row for every prompt that a hook told of or that a log showed, whichever came first.

It links what belongs to one message (O-4, O-8): the hook's news, the log's entry, the ids in every sink. So a prompt
counts once, whatever saw it, and a fork that copies old entries into a new log counts nothing twice.
A prompt is its hash here; only a learning's words stand beside it, for its file gives it no id.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..core.news import News
from ..core.place import Where, find_knowledge
from ..core.shapes import Places

# A hook fires within this time of the moment that the log records for the same prompt.
SAME_MOMENT_S = 5.0

# Outcomes of what is kept, or will be.
KEPT = ("logged", "repeat", "queued", "to retract")

# Between the learnings of one prompt.
SEPARATOR = "\n"

# Outcomes of a hook that was told not to listen; its news then have no hash, and for a place not even the session.
NOT_LISTENED = ("disabled", "denied", "paused")


class Capture(NamedTuple):
    """One prompt.

    Attributes:
        span: the log entry's id; ``None`` until a log showed it.
        label: what was heard, ``none`` for no signal; of the hook until the sweep judged.
        outcome: of the capture (``logged``, ``repeat``, ``queued`` ...), or why there was none.
        ids: of the entries in ``.knowledge``.
        is_late: the sweep found it, no hook told of it.
        retracted: why the entries were taken back; ``""``: they stand.
        text: the words of a learning, which has no id in its file; ``""`` for all that an id leads to.
        folder: that holds the ``.knowledge`` of its entries, noted by the sweep that wrote them; ``""`` of a hook's.
        learned: the keys of learnings that a hook heard, with a space between; their words follow once they were found.
    """

    id: int
    harness: str
    session: str
    prompt_id: str
    hash: str
    at: float
    span: str | None
    project: str
    label: str
    outcome: str
    ids: tuple[str, ...]
    is_late: bool
    retracted: str
    text: str
    folder: str = ""
    learned: str = ""

    @property
    def is_found_late(self) -> bool:
        """Whether a sweep heard what is kept here: no hook told of the prompt, or its hook heard nothing in it."""
        is_heard_again = bool(self.folder) and self.label in ("correction", "learning") and self.outcome != "repeat"
        return self.is_late or is_heard_again


def find_where(capture: Capture, places: Places) -> Where:
    """Return where the entries of *capture* lie; a number counts there and nowhere else."""
    where = find_knowledge(capture.project, places, may_create=not capture.is_late)
    return where if capture.folder in ("", where.folder) else where_of(capture.folder, places)


def where_of(folder: str, places: Places) -> Where:
    """Return the place of a ``.knowledge`` that lies in *folder*."""
    return Where(folder, not Path(folder).is_relative_to(places.data), True)


_COLUMNS = ", ".join(Capture._fields)


def _as_capture(row: tuple[object, ...]) -> Capture:
    fields = dict(zip(Capture._fields, row, strict=True))
    fields["ids"] = tuple(json.loads(str(fields["ids"])))
    fields["is_late"] = bool(fields["is_late"])
    return Capture(**fields)  # pyright: ignore[reportArgumentType] - the columns have these types


def add_told(db: sqlite3.Connection, news: News) -> None:
    """Note the prompt that a hook told of; told twice (news fetched again) it stays one row."""
    db.execute(
        "INSERT OR IGNORE INTO captures"
        " (harness, session, prompt_id, hash, at, project, label, outcome, ids, folder, learned)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            news.harness,
            news.session,
            news.prompt_id,
            news.hash,
            news.at,
            news.project,
            news.verdict,
            news.outcome,
            json.dumps(news.ids),
            _find_first_folder(db, news) if news.outcome == "repeat" else "",
            " ".join(news.learned),
        ),
    )


def _find_first_folder(db: sqlite3.Connection, news: News) -> str:
    """Return where the words lie that were said again; ``""`` where a hook put them."""
    row = db.execute(
        "SELECT folder FROM captures WHERE session = ? AND hash = ? AND folder <> '' ORDER BY id LIMIT 1",
        (news.session, news.hash),
    ).fetchone()
    return "" if row is None else str(row[0])


def add_late(db: sqlite3.Connection, capture: Capture) -> None:
    """Note a prompt that only the log showed."""
    db.execute(
        "INSERT INTO captures"
        " (harness, session, prompt_id, hash, at, span, project, label, outcome, ids, is_late, text, folder)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        (*capture[1:9], capture.outcome, json.dumps(capture.ids), capture.text, capture.folder),
    )


def is_known(db: sqlite3.Connection, harness: str, span: str) -> bool:
    """Whether this very log entry was handled before, in this log or in one that it was copied from."""
    found = db.execute("SELECT 1 FROM captures WHERE harness = ? AND span = ?", (harness, span))
    return found.fetchone() is not None


def find_span(db: sqlite3.Connection, harness: str, span: str) -> Capture | None:
    """Return the row of a log entry; ``None`` when it was never taken."""
    row = db.execute(f"SELECT {_COLUMNS} FROM captures WHERE harness = ? AND span = ?", (harness, span)).fetchone()
    return _as_capture(row) if row else None


def find_told(
    db: sqlite3.Connection, harness: str, session: str, prompt_hash: str, at: float | None, fires_hook: bool
) -> Capture | None:
    """Return the hook's row of a prompt that a log shows, not yet taken by another entry; ``None`` when no hook told.

    In order: the same words in this session, nearest in time (queued words are logged when they are taken up); the
    same words elsewhere at the same moment (this log is a fork); at the same moment a hook of this session that took
    no hash, because it surely heard nothing or was told not to listen. *fires_hook* is false for words that never
    reach a prompt hook.
    """
    if not fires_hook:
        return None
    where = "span IS NULL AND is_late = 0 AND harness = ?"
    found = db.execute(
        f"SELECT {_COLUMNS} FROM captures WHERE {where} AND session = ? AND hash = ? ORDER BY abs(at - ?) LIMIT 1",
        (harness, session, prompt_hash, at or 0.0),
    ).fetchone()
    if found is None and at is not None:
        found = db.execute(
            f"SELECT {_COLUMNS} FROM captures WHERE {where} AND at BETWEEN ? AND ?"
            " AND (hash = ? OR (hash = '' AND session IN ('', ?))) ORDER BY hash = ? DESC, abs(at - ?) LIMIT 1",
            (harness, at - SAME_MOMENT_S, at + SAME_MOMENT_S, prompt_hash, session, prompt_hash, at),
        ).fetchone()
    return None if found is None else _as_capture(found)


def find_last_outcome(db: sqlite3.Connection, at: float) -> str:
    """Return what became of the last prompt that a hook told of before *at*; ``""`` when there was none."""
    row = db.execute(
        "SELECT outcome FROM captures WHERE is_late = 0 AND at <= ? ORDER BY at DESC LIMIT 1", (at,)
    ).fetchone()
    return "" if row is None else str(row[0])


def has_twin(db: sqlite3.Connection, prompt_hash: str, at: float) -> bool:
    """Whether the same words were heard at that very moment, whatever the session: this is a fork's copy of them."""
    row = db.execute(
        "SELECT 1 FROM captures WHERE hash = ? AND at BETWEEN ? AND ?",
        (prompt_hash, at - SAME_MOMENT_S, at + SAME_MOMENT_S),
    ).fetchone()
    return row is not None


def settle(db: sqlite3.Connection, capture: Capture) -> None:
    """Write back a row whose entry, final verdict, ids or retraction became known."""
    db.execute(
        "UPDATE captures SET span = ?, hash = ?, label = ?, outcome = ?, ids = ?, retracted = ?, text = ?, folder = ?"
        " WHERE id = ?",
        (
            capture.span,
            capture.hash,
            capture.label,
            capture.outcome,
            json.dumps(capture.ids),
            capture.retracted,
            capture.text,
            capture.folder,
            capture.id,
        ),
    )


def list_captures(db: sqlite3.Connection, since: float = 0.0, after_id: int = 0) -> Iterator[Capture]:
    """Yield what was heard (not the prompts without a signal), oldest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM captures WHERE at >= ? AND id > ? AND label IN ('correction', 'learning', 'positive')"
        f" AND (label = 'positive' OR outcome IN ({', '.join('?' * len(KEPT))})) ORDER BY at, id",
        (since, after_id, *KEPT),
    )
    for row in rows:
        yield _as_capture(row)


def list_learnings(db: sqlite3.Connection) -> list[Capture]:
    """Return the learnings that were kept and whose words are known, oldest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM captures WHERE label = 'learning' AND text <> '' AND retracted = ''"
        f" AND outcome IN ({', '.join('?' * len(KEPT))}) ORDER BY at, id",
        KEPT,
    )
    return [_as_capture(row) for row in rows]


def list_wordless(db: sqlite3.Connection) -> list[Capture]:
    """Return the learnings that a hook heard and whose words were not found yet."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM captures WHERE label = 'learning' AND text = '' AND learned <> '' AND retracted = ''"
    )
    return [_as_capture(row) for row in rows]


def blank_text(db: sqlite3.Connection, ident: int) -> None:
    """Forget the words of one row."""
    db.execute("UPDATE captures SET text = '', learned = '' WHERE id = ?", (ident,))


def list_by_outcome(db: sqlite3.Connection, outcome: str) -> list[Capture]:
    """Return the prompts of which *outcome* is all that is known yet."""
    rows = db.execute(f"SELECT {_COLUMNS} FROM captures WHERE outcome = ?", (outcome,)).fetchall()
    return [_as_capture(row) for row in rows]


def read_state(db: sqlite3.Connection, name: str) -> str:
    """Return a remembered value; ``""`` when there is none."""
    row = db.execute("SELECT value FROM sweep_state WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row[0])


def write_state(db: sqlite3.Connection, name: str, value: str) -> None:
    """Remember a value between sweeps."""
    db.execute("INSERT OR REPLACE INTO sweep_state (name, value) VALUES (?, ?)", (name, value))
