"""Summaries of logs that have not changed since they were read: the table ``session_summaries`` of ``tellback.db``.

A row holds for the path, size and mtime that it was made from. It is a cache: what cannot be read from it is read from
the log again, and rows of logs that are gone are taken out.
"""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import orjson

from ..core.db import transaction
from .reader import Gate, Listed
from .summary import Counts, Summary

# Of the reading, not of the database: another number makes every row count as none.
_FORM = 1


class Known(NamedTuple):
    """What is known of a log without opening it.

    Attributes:
        is_current: the file is still as it was read, as far as its directory entry tells.
        gate: what the store said of the session's folders then.
    """

    is_current: bool
    gate: Gate
    summary: Summary


class Row(NamedTuple):
    """A stored summary and the file that it was made from."""

    size: int
    mtime_ns: int
    data: bytes


class SummaryCache:
    """All summaries of one harness, loaded at once; what was added is written by ``save``."""

    def __init__(self, db: sqlite3.Connection, harness: str) -> None:
        self._db = db
        self._harness = harness
        query = "SELECT path, session_id, size, mtime_ns, summary FROM session_summaries WHERE harness = ? AND form = ?"
        self._rows = {(row[0], row[1]): Row(*row[2:]) for row in db.execute(query, (harness, _FORM))}
        self._added: dict[tuple[str, str], Row] = {}

    def find(self, listed: Listed) -> Known | None:
        """Return what is known of a session's log; ``None`` when it was never read."""
        row = self._rows.get((listed.path, listed.session_id))
        decoded = _decode(row.data) if row else None
        if row is None or decoded is None:
            return None
        return Known(row.size == listed.size and row.mtime_ns == listed.mtime_ns, *decoded)

    def add(self, listed: Listed, gate: Gate, summary: Summary) -> None:
        """Keep a summary that was made from the file as listed."""
        values = [tuple(value) if isinstance(value, Counts) else value for value in summary]
        data = orjson.dumps([gate.dirs, gate.encoded, gate.parent, *values])
        self._added[listed.path, listed.session_id] = Row(listed.size, listed.mtime_ns, data)

    def save(self, present: Iterable[Listed]) -> None:
        """Write what was added and take out the rows of logs that are not *present* any more."""
        kept = {(listed.path, listed.session_id) for listed in present}
        gone = [key for key in self._rows if key not in kept]
        if not self._added and not gone:
            return
        with transaction(self._db):
            self._db.executemany(
                "DELETE FROM session_summaries WHERE harness = ? AND path = ? AND session_id = ?",
                [(self._harness, *key) for key in gone],
            )
            self._db.executemany(
                "INSERT OR REPLACE INTO session_summaries VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(self._harness, *key, row.size, row.mtime_ns, _FORM, row.data) for key, row in self._added.items()],
            )


def _decode(data: bytes) -> tuple[Gate, Summary] | None:
    try:
        dirs, encoded, parent, *values = orjson.loads(data)
        size, first, carry, cwds, cwd, start, end, model, version, counts, unknown = values
        gate = Gate(dirs=tuple(dirs), encoded=encoded, parent=parent)
        return gate, Summary(size, first, carry, tuple(cwds), cwd, start, end, model, version, Counts(*counts), unknown)
    except (orjson.JSONDecodeError, TypeError, ValueError):
        return None  # a damaged row is no row
