"""The table ``sweep_sessions``: which session logs have something new, and how far each was read.

Hooks tell of most of them by their news; a look at all logs (folders and ``stat`` alone, once an hour or on demand)
finds the rest. A session that did not change costs one comparison in that look and nothing otherwise.
"""

import json
import os
import sqlite3
import stat
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..core.db import transaction
from ..sessions import claude_code
from ..sessions.prompts import PromptState
from ..sessions.reader import Listed, clip_ns
from ..sessions.table import READERS


class Watched(NamedTuple):
    """One session log as the last reading left it.

    Attributes:
        size, mtime_ns: of the log then; -1 and 0 before the first reading.
        state: where the next reading goes on.
        deaf_until: UTC seconds; what was said before is not taken, for Tellback was told not to listen there.
    """

    path: str
    size: int
    mtime_ns: int
    state: PromptState
    deaf_until: float


NEVER_READ = Watched("", -1, 0, PromptState(), 0.0)


def tell_of_news(db: sqlite3.Connection, harness: str, session: str, path: str) -> None:
    """Note that a hook fired in a session; an empty *path* keeps the known one."""
    db.execute(
        "INSERT INTO sweep_sessions (harness, session, path, has_news) VALUES (?, ?, ?, 1)"
        " ON CONFLICT (harness, session) DO UPDATE SET has_news = 1,"
        " path = CASE excluded.path WHEN '' THEN path ELSE excluded.path END",
        (harness, session, path),
    )


def list_with_news(db: sqlite3.Connection, harness: str) -> list[Listed]:
    """Return the sessions that hooks told of and whose log is there; the others wait for their next news."""
    rows = db.execute("SELECT session, path FROM sweep_sessions WHERE has_news = 1 AND harness = ?", (harness,))
    finder = Finder()
    found = {str(session): finder.find(harness, str(session), str(path)) for session, path in rows.fetchall()}
    absent = [(harness, session) for session, listed in found.items() if listed is None]
    if absent:
        with transaction(db):
            db.executemany("UPDATE sweep_sessions SET has_news = 0 WHERE harness = ? AND session = ?", absent)
    return [listed for listed in found.values() if listed is not None]


def find_listed(harness: str, session: str, path: str) -> Listed | None:
    """Return the log at *path* as a listing would show it; ``None`` when it is not a session's log."""
    if os.path.basename(path) != f"{session}.jsonl":
        return None
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Listed(harness, session, path, found.st_size, clip_ns(found.st_mtime_ns))


class Finder:
    """Finds sessions that are due by what is remembered of them; a store is listed once, when one of it is due."""

    def __init__(self) -> None:
        self._stores: dict[str, dict[str, Listed]] = {}

    def find(self, harness: str, session: str, path: str) -> Listed | None:
        """Return the session as a listing shows it now; ``None`` when its log is gone."""
        if harness == claude_code.HARNESS:
            return find_listed(harness, session, path)
        if harness not in self._stores:
            self._stores[harness] = {listed.session_id: listed for listed in list_store(harness)}
        return self._stores[harness].get(session)


def list_store(harness: str) -> list[Listed]:
    """Return the sessions of a harness's store whose format is read."""
    reader = READERS.get(harness)
    listing = reader.list_sessions(reader.find_store()) if reader is not None and reader.HAS_ENTRIES else None
    return [listed for listed in listing.sessions if not listed.unsupported] if listing is not None else []


def drop_unchanged(db: sqlite3.Connection, harness: str, sessions: Iterable[Listed], since: float) -> list[Listed]:
    """Return those of a listing that changed since they were read, or that are new and younger than *since*."""
    rows = db.execute("SELECT session, size, mtime_ns FROM sweep_sessions WHERE harness = ? AND size >= 0", (harness,))
    known = {session: (size, mtime_ns) for session, size, mtime_ns in rows}
    since_ns = int(since * 1e9)
    return [
        listed
        for listed in sessions
        if (
            known[listed.session_id] != (listed.size, listed.mtime_ns)
            if listed.session_id in known
            else listed.mtime_ns >= since_ns
        )
    ]


def read_watched(db: sqlite3.Connection, harness: str, session: str) -> Watched:
    """Return how far a session was read."""
    row = db.execute(
        "SELECT path, size, mtime_ns, state, deaf_until FROM sweep_sessions WHERE harness = ? AND session = ?",
        (harness, session),
    ).fetchone()
    if row is None:
        return NEVER_READ
    path, size, mtime_ns, state, deaf_until = row
    return Watched(path, size, mtime_ns, load_state(state), deaf_until)


def write_watched(db: sqlite3.Connection, listed: Listed, state: PromptState) -> None:
    """Note that *listed* was read up to *state*; its news are dealt with."""
    db.execute(
        "INSERT INTO sweep_sessions (harness, session, path, has_news, size, mtime_ns, state)"
        " VALUES (?, ?, ?, 0, ?, ?, ?) ON CONFLICT (harness, session) DO UPDATE SET path = excluded.path,"
        " has_news = 0, size = excluded.size, mtime_ns = excluded.mtime_ns, state = excluded.state",
        (listed.harness, listed.session_id, listed.path, listed.size, listed.mtime_ns, json.dumps(state._asdict())),
    )


def write_deaf(db: sqlite3.Connection, listed: Listed, now: float) -> None:
    """Note that a session must not be listened to: what was said up to *now* stays unheard for good."""
    db.execute(
        "INSERT INTO sweep_sessions (harness, session, path, deaf_until) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (harness, session) DO UPDATE SET deaf_until = excluded.deaf_until, has_news = 0",
        (listed.harness, listed.session_id, listed.path, now),
    )


def load_state(text: str) -> PromptState:
    """Return a stored state; one that cannot be understood means reading from the start, where spans are known."""
    try:
        members: dict[str, Any] = json.loads(text)
        return PromptState(**members)._replace(earlier_at=tuple(members["earlier_at"]))
    except (ValueError, TypeError, KeyError):
        return PromptState()
