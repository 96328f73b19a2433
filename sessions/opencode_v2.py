"""OpenCode, version 2: the databases of version 1, read here when they have a ``session_v2`` table.

Seen: none of 2.x, which was not to be had; held against rows of 1.18.33's newer engine, which are of the same shape,
with the table and fields that the documents name for 2.2.6 (``state.metadata``, ``idle``). Not read: child sessions,
unless asked for, other tables and file contents.
"""

from collections.abc import Iterator
from pathlib import Path

from . import opencode_store as rows
from .entry import EVERYTHING, Entry, Resume, Tally, Want
from .opencode_layout import Layout2
from .opencode_log import RowLog
from .opencode_reading import read_entries as read_rows
from .reader import Gate, Listed, Listing

HARNESS = "opencode-v2"
LABEL = "opencode-v2-sqlite"
VERSIONS_SEEN = ()
HAS_ENTRIES = True

_TABLE = rows.SessionTable(HARNESS, "session_v2", rows.has_version_2)


def find_store() -> Path:
    """Return OpenCode's data folder, or the database that ``$OPENCODE_DB`` names."""
    return rows.find_store()


def list_sessions(store: Path, subagents: bool = False) -> Listing:
    """List the rows of ``session_v2``; sub-agents' (with a parent) only on request."""
    return rows.list_sessions(_TABLE, store, subagents)


def read_gate(listed: Listed) -> Gate:
    """Return the folder of the session's row."""
    return rows.read_gate(_TABLE, listed)


def open_log(listed: Listed) -> RowLog:
    """Open the session as a log of its rows.

    Raises:
        LogError: the database cannot be read, or changed twice meanwhile.
    """
    return RowLog(listed, (Layout2(),))


def read_entries(log: RowLog, resume: Resume, tally: Tally, want: Want = EVERYTHING) -> Iterator[Entry]:
    """Yield the entries of *log* from ``resume`` on and fill *tally*.

    Raises:
        LogError: the database changed twice while it was read.
    """
    return read_rows(log, rows.read_folder(_TABLE, log.listed), resume, tally, want)
