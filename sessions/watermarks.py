"""How far each session was digested and marked: the table ``watermarks`` of ``tellback.db``; no text of a log (S-3)."""

import json
import sqlite3
from typing import Any, Literal, NamedTuple

from ..core.db import transaction
from .refs import Ref
from .states import Mark
from .values import as_object

Outcome = Literal["filed", "nothing", "skipped"]
OUTCOMES: tuple[Outcome, ...] = ("filed", "nothing", "skipped")


class Position(NamedTuple):
    """Where reading goes on: offset, first line, and what the reader carries over."""

    size: int
    first_line_hash: str
    carry: dict[str, Any]

    @property
    def mark(self) -> Mark:
        """What states are judged by."""
        return Mark(self.size, self.first_line_hash)


class Watermark(NamedTuple):
    """A row.

    Attributes:
        path: of the log at the last digest; a row without a file is an ``absent`` session.
        digested: where the last digest ended.
        marked: where the last triage ended; ``None`` before the first.
        mtime: of the log at the last digest, UTC seconds; recorded, and it decides nothing (S-162).
        outcome, uids: of the last triage.
    """

    ref: Ref
    path: str
    digested: Position
    marked: Position | None
    mtime: float | None = None
    outcome: str = ""
    uids: tuple[str, ...] = ()


def read_watermarks(db: sqlite3.Connection) -> dict[Ref, Watermark]:
    """Return all rows."""
    return {watermark.ref: watermark for watermark in map(_from_row, db.execute("SELECT * FROM watermarks"))}


def read_watermark(db: sqlite3.Connection, ref: Ref) -> Watermark | None:
    """Return the row of one session; ``None`` when it was never digested."""
    row = db.execute("SELECT * FROM watermarks WHERE harness = ? AND session_id = ?", ref).fetchone()
    return _from_row(row) if row else None


def record_digest(db: sqlite3.Connection, ref: Ref, path: str, position: Position, mtime: float, now: float) -> None:
    """Record where a digest ended; the mark of the last triage stays."""
    db.execute(
        """
        INSERT INTO watermarks (harness, session_id, path, size, first_line_sha256, carry, mtime, digested_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (harness, session_id) DO UPDATE SET
            path = excluded.path, size = excluded.size, first_line_sha256 = excluded.first_line_sha256,
            carry = excluded.carry, mtime = excluded.mtime, digested_at = excluded.digested_at
        """,
        (*ref, path, position.size, position.first_line_hash, json.dumps(position.carry), mtime, now),
    )


def record_mark(db: sqlite3.Connection, refs: list[Ref], outcome: Outcome, uids: list[str], now: float) -> None:
    """Mark sessions up to their last digest: all or none (S-136)."""
    with transaction(db):
        db.executemany(
            """
            UPDATE watermarks SET marked_size = size, marked_first_line_sha256 = first_line_sha256,
                marked_carry = carry, marked_mtime = mtime, marked_at = ?, outcome = ?, uids = ?
            WHERE harness = ? AND session_id = ?
            """,
            [(now, outcome, json.dumps(uids), *ref) for ref in refs],
        )


def _from_row(row: sqlite3.Row) -> Watermark:
    marked = None
    if row["marked_size"] is not None:
        marked = Position(row["marked_size"], row["marked_first_line_sha256"] or "", _object(row["marked_carry"]))
    return Watermark(
        ref=Ref(row["harness"], row["session_id"]),
        path=row["path"],
        digested=Position(row["size"], row["first_line_sha256"], _object(row["carry"])),
        marked=marked,
        mtime=row["mtime"],
        outcome=row["outcome"] or "",
        uids=tuple(json.loads(row["uids"] or "[]")),
    )


def _object(text: str | None) -> dict[str, Any]:
    return as_object(json.loads(text)) if text else {}
