"""OpenCode, version 1: ``opencode.db`` and ``opencode-*.db`` in ``<data home>/opencode``, or ``$OPENCODE_DB``.

Seen: 1.18.33 (``run`` and terminal, refusals, interrupts, a killed run, a compaction, sub-agents), and of its newer
session engine, whose rows lie in ``session_message`` while there is no ``session_v2``, one session. A database with a
``session_v2`` table is left to opencode-v2. Not read: other tables, of which four hold secrets; file contents.
"""

from collections.abc import Iterator
from pathlib import Path

from . import opencode_store as rows
from .entry import EVERYTHING, Entry, Resume, Tally, Want
from .opencode_layout import Layout1, Layout2
from .opencode_log import RowLog
from .opencode_reading import read_entries as read_rows
from .reader import Gate, Listed, Listing

HARNESS = "opencode-v1"
LABEL = "opencode-sqlite"
VERSIONS_SEEN = ("1.18.33",)
HAS_ENTRIES = True

_TABLE = rows.SessionTable(HARNESS, "session", rows.has_version_1)


def find_store() -> Path:
    """Return OpenCode's data folder, or the database that ``$OPENCODE_DB`` names."""
    return rows.find_store()


def list_sessions(store: Path, subagents: bool = False) -> Listing:
    """List the rows of ``session``; sub-agents' (with a parent) only on request."""
    return rows.list_sessions(_TABLE, store, subagents)


def read_gate(listed: Listed) -> Gate:
    """Return the folder of the session's row."""
    return rows.read_gate(_TABLE, listed)


def open_log(listed: Listed) -> RowLog:
    """Open the session as a log of its rows.

    Raises:
        LogError: the database cannot be read, or changed twice meanwhile.
    """
    return RowLog(listed, (Layout1(), Layout2()))


def read_entries(log: RowLog, resume: Resume, tally: Tally, want: Want = EVERYTHING) -> Iterator[Entry]:
    """Yield the entries of *log* from ``resume`` on and fill *tally*.

    Raises:
        LogError: the database changed twice while it was read.
    """
    return read_rows(log, rows.read_folder(_TABLE, log.listed), resume, tally, want)
