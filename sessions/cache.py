"""Summaries of logs that have not changed since they were read: the table ``session_summaries`` of ``tellback.db``.

A row holds for the path, size and mtime that it was made from. It is a cache: what cannot be read from it is read from
the log again, and rows of logs that are gone are taken out.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import orjson

from ..core.db import transaction
from .reader import Listed
from .summary import Counts, Summary

# Of the reading, not of the database: another number makes every row count as none.
_FORM = 1


class Row(NamedTuple):
    """A summary and the file that it was made from."""

    size: int
    mtime_ns: int
    data: bytes

    def fits(self, listed: Listed) -> bool:
        """Whether the file is still the same, as far as its directory entry tells."""
        return self.size == listed.size and self.mtime_ns == listed.mtime_ns


class SummaryCache:
    """All summaries of one harness, loaded at once; what was added is written by ``save``."""

    def __init__(self, db: sqlite3.Connection, harness: str) -> None:
        self._db = db
        self._harness = harness
        query = "SELECT path, session_id, size, mtime_ns, summary FROM session_summaries WHERE harness = ? AND form = ?"
        self._rows = {(row[0], row[1]): Row(*row[2:]) for row in db.execute(query, (harness, _FORM))}
        self._added: dict[tuple[str, str], Row] = {}

    def find(self, listed: Listed) -> tuple[Summary | None, bool]:
        """Return the summary of a session's log, and whether the log is unchanged since."""
        row = self._rows.get((listed.path, listed.session_id))
        if row is None:
            return None, False
        summary = _decode(row.data)
        return summary, summary is not None and row.fits(listed)

    def add(self, listed: Listed, summary: Summary) -> None:
        """Keep a summary that was made from the file as listed."""
        self._added[listed.path, listed.session_id] = Row(listed.size, listed.mtime_ns, _encode(summary))

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


def _encode(summary: Summary) -> bytes:
    return orjson.dumps(tuple(summary._replace(counts=cast("Any", list(summary.counts)))))


def _decode(data: bytes) -> Summary | None:
    try:
        values = orjson.loads(data)
        size, first, carry, cwds, started_at, ended_at, model, version, counts, unknown = values
        return Summary(size, first, carry, tuple(cwds), started_at, ended_at, model, version, Counts(*counts), unknown)
    except (orjson.JSONDecodeError, TypeError, ValueError):
        return None
