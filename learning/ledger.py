"""What the learning stages remember in the database: how far, which calls, what went where, whom it may be about.

No word of a transcript stands here but in ``attributions``: a correction that nobody has placed yet, scrubbed, until
the person says which skill it is about.
"""

import json
import sqlite3
import uuid
from typing import Any, NamedTuple, cast

from .signals import Said

NAMESPACE = uuid.UUID("6d7a2f5e-53a8-5b0e-9a53-1f6f7f0f0b52")  # for ids that a second try makes again


class Progress(NamedTuple):
    """How far one session was learned from.

    Attributes:
        size: of the log then; -1 before the first time.
        context_offset: where reading begins anew: calls before it no longer matter.
        done_offset: prompts before it were dealt with.
        first_line_hash: of the log then; with another one all is read again, and the ids tell what is known.
        open_at: when something last happened in the session while a call waits for a reaction; ``None`` when none does.
    """

    size: int = -1
    context_offset: int = 0
    done_offset: int = 0
    first_line_hash: str = ""
    open_at: float | None = None


class Call(NamedTuple):
    """One call of a skill, with what the event file has no field for."""

    event_id: str
    harness: str
    session: str
    skill: str
    at: float | None
    skill_hash: str
    model: str
    is_headless: bool


class Attribution(NamedTuple):
    """A correction that is about one of several skills; ``skill`` is set once somebody said which."""

    id: str
    harness: str
    session: str
    project: str
    at: float
    candidates: tuple[str, ...]
    said: tuple[Said, ...]
    asked_at: float | None = None
    skill: str | None = None


def read_progress(db: sqlite3.Connection, harness: str, session: str) -> Progress:
    """Return how far a session was learned from."""
    row = db.execute(
        "SELECT size, context_offset, done_offset, first_line_hash, open_at FROM learn_sessions"
        " WHERE harness = ? AND session = ?",
        (harness, session),
    ).fetchone()
    return Progress(*row) if row else Progress()


def write_progress(db: sqlite3.Connection, harness: str, session: str, progress: Progress) -> None:
    """Remember how far a session was learned from."""
    db.execute(
        "INSERT OR REPLACE INTO learn_sessions"
        " (harness, session, size, context_offset, done_offset, first_line_hash, open_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (harness, session, *progress),
    )


def list_due(db: sqlite3.Connection, settle_before: float) -> list[tuple[str, str, str]]:
    """Return harness, session and path of the logs that grew since, and of those with a call left open so long."""
    rows = db.execute(
        "SELECT s.harness, s.session, s.path FROM sweep_sessions s"
        " LEFT JOIN learn_sessions l ON l.harness = s.harness AND l.session = s.session"
        " WHERE s.size >= 0 AND s.path != '' AND (l.size IS NULL OR l.size != s.size OR l.open_at < ?)",
        (settle_before,),
    )
    return [(str(harness), str(session), str(path)) for harness, session, path in rows]


def find_oldest_open(db: sqlite3.Connection, since: float) -> float | None:
    """Return the earliest time, *since* or later, since when a call waits for a reaction; ``None`` when none does."""
    row = db.execute("SELECT min(open_at) FROM learn_sessions WHERE open_at >= ?", (since,)).fetchone()
    return None if row[0] is None else float(row[0])


def add_call(db: sqlite3.Connection, call: Call) -> None:
    """Note a call of a skill; one that is known stays as it was first seen."""
    db.execute(
        "INSERT OR IGNORE INTO skill_calls (event_id, harness, session, skill, at, skill_hash, model, is_headless)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        call,
    )


def list_calls(db: sqlite3.Connection) -> list[Call]:
    """Return all calls that are known."""
    rows = db.execute("SELECT event_id, harness, session, skill, at, skill_hash, model, is_headless FROM skill_calls")
    return [Call(*row)._replace(is_headless=bool(row[7])) for row in rows]


def begin_fan_out(db: sqlite3.Connection, span: str, sink: str, ident: str) -> bool:
    """Note that *ident* is about to be written to *sink* for the log entry *span*; false when it was written before.

    One that was begun and not finished (a sweep was killed) is begun again: the writer must see whether it is there.
    """
    row = db.execute(
        "SELECT is_done FROM fan_out WHERE span = ? AND sink = ? AND ident = ?", (span, sink, ident)
    ).fetchone()
    if row is None:
        db.execute("INSERT INTO fan_out (span, sink, ident) VALUES (?, ?, ?)", (span, sink, ident))
    return row is None or not row[0]


def finish_fan_out(db: sqlite3.Connection, span: str, sink: str, ident: str) -> None:
    """Note that it was written."""
    db.execute("UPDATE fan_out SET is_done = 1 WHERE span = ? AND sink = ? AND ident = ?", (span, sink, ident))


def add_attribution(db: sqlite3.Connection, attribution: Attribution) -> None:
    """Keep a correction whose skill is not clear; one that is known stays as it is."""
    db.execute(
        "INSERT OR IGNORE INTO attributions (id, harness, session, project, at, candidates, said)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *attribution[:5],
            json.dumps(attribution.candidates),
            json.dumps([said._asdict() for said in attribution.said]),
        ),
    )


def add_skill(db: sqlite3.Connection, span: str, skill: str) -> None:
    """Note that the correction of a log entry is about *skill*."""
    db.execute("INSERT OR IGNORE INTO capture_skills (span, skill) VALUES (?, ?)", (span, skill))


def make_attribution_id(span: str) -> str:
    """Return the id under which the correction of a log entry waits for its skill."""
    return uuid.uuid5(NAMESPACE, span).hex[:12]


class Attributed:
    """Whose skill each correction is about: as the sweep could tell, or as the person said."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._by_span = {str(row[0]): str(row[1]) for row in db.execute("SELECT span, skill FROM capture_skills")}
        rows = db.execute("SELECT id, skill FROM attributions WHERE skill <> ''")
        self._by_id = {str(row[0]): str(row[1]) for row in rows}

    def find(self, span: str | None) -> str:
        """Return the skill that the correction of a log entry is about; ``""`` when it is about none that is known."""
        if not span:
            return ""
        return self._by_span.get(span) or self._by_id.get(make_attribution_id(span), "")


def list_attributions(db: sqlite3.Connection, session: str | None = None) -> list[Attribution]:
    """Return the corrections that still wait for their skill, oldest first, of one session if named."""
    rows = db.execute(
        "SELECT id, harness, session, project, at, candidates, said, asked_at, skill FROM attributions"
        " WHERE skill IS NULL AND (? IS NULL OR session = ?) ORDER BY at",
        (session, session),
    )
    return [_as_attribution(row) for row in rows]


def settle_attribution(db: sqlite3.Connection, attribution_id: str, skill: str) -> None:
    """Note which skill it was (``""``: none of them), and drop its words."""
    db.execute("UPDATE attributions SET skill = ?, said = '[]' WHERE id = ?", (skill, attribution_id))


def mark_asked(db: sqlite3.Connection, attribution_id: str, at: float) -> None:
    """Note that the person was asked, which happens once."""
    db.execute("UPDATE attributions SET asked_at = ? WHERE id = ?", (at, attribution_id))


def _as_attribution(row: tuple[Any, ...]) -> Attribution:
    said = [Said(**cast("dict[str, Any]", members)) for members in json.loads(row[6])]
    head = cast("tuple[str, str, str, str, float]", tuple(row[:5]))
    return Attribution(*head, tuple(json.loads(row[5])), tuple(said), row[7], row[8])
