"""Where OpenCode's databases lie, and the session rows in them."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..core.paths import find_home, read_dir_variable
from .reader import Gate, Listed, Listing, LogError, Problem, clip_ns
from .sqlite_copy import Database, open_database, remove_leftovers
from .values import as_folder

_SESSION_COLUMNS = {"id", "parent_id", "directory", "time_updated"}
_UNKNOWN_FORMAT = "without the tables and columns that are expected"


class SessionTable(NamedTuple):
    """The table that a version keeps its sessions in, and how to tell that a database is of that version."""

    harness: str
    name: str
    is_in: Callable[[Database], bool]


def has_version_2(database: Database) -> bool:
    """Whether a database is of OpenCode 2; then only opencode-v2 reads it (S-71)."""
    return bool(database.columns("session_v2"))


def has_version_1(database: Database) -> bool:
    """Whether a database is left to opencode-v1."""
    return not has_version_2(database)


def find_store() -> Path:
    """Return OpenCode's data folder, or the database that ``$OPENCODE_DB`` names; a relative one lies in the folder."""
    home = read_dir_variable("XDG_DATA_HOME") or find_home() / ".local" / "share"
    return home / "opencode" / os.environ.get("OPENCODE_DB", "")


def list_sessions(table: SessionTable, store: Path, subagents: bool) -> Listing:
    """List the session rows of the databases in *store*, or of the one that it is; an id in two from the first."""
    remove_leftovers()
    paths = _find_databases(store)
    sessions: dict[str, Listed] = {}
    problems: list[Problem] = []
    found_ours, reasons = False, list[Problem]()
    for path in paths:
        try:
            database = open_database(path)
            try:
                rows = _read_rows(table, database)
            finally:
                database.close()
        except LogError as error:
            reasons.append(Problem(path, str(error)))
            continue
        found_ours = found_ours or rows is not None
        for listed in (_listed(table, path, row) for row in rows or ()):
            if listed.parent and not subagents:
                continue
            if sessions.setdefault(listed.session_id, listed) is not listed:
                first = sessions[listed.session_id].path
                problems.append(Problem(path, f"holds session {listed.session_id}, which is read from {first}"))
    problems = [*reasons, *problems]
    if found_ours or not reasons:
        return Listing(str(store), "ok" if found_ours else "absent", "", tuple(sessions.values()), tuple(problems))
    is_format = all(problem.what == _UNKNOWN_FORMAT for problem in reasons)
    state = "unsupported-format" if is_format else "unreadable"
    return Listing(str(store), state, f"{reasons[0].path}: {reasons[0].what}", (), tuple(problems))


def _find_databases(store: Path) -> list[str]:
    if not store.is_dir():
        return [str(store)] if os.path.lexists(store) else []
    others = sorted(str(path) for path in store.glob("opencode-*.db"))
    first = store / "opencode.db"
    return [str(first), *others] if os.path.lexists(first) else others


def _read_rows(table: SessionTable, database: Database) -> list[tuple[Any, ...]] | None:
    """Return id, parent, folder, time and a number that changes with each session; ``None``: of another version."""
    if not table.is_in(database):
        return None
    if not database.columns(table.name) >= _SESSION_COLUMNS:
        raise LogError(_UNKNOWN_FORMAT, "unsupported-format")
    # A session's time does not move with every message (1.18.33), with those of the newer engine never.
    changes = [
        f"(SELECT coalesce(max({column}), 0) + count(*) FROM {name} m WHERE m.session_id = s.id)"
        for name, column in (("message", "time_updated"), ("session_message", "seq"))
        if {"session_id", column} <= database.columns(name)
    ]
    number = " + ".join(changes) or "0"
    query = f"SELECT id, parent_id, directory, time_updated, {number} FROM {table.name} s ORDER BY time_updated, id"
    return list(database.rows(query))


def _listed(table: SessionTable, path: str, row: tuple[Any, ...]) -> Listed:
    updated_ms = row[3] if isinstance(row[3], int) else 0
    size = updated_ms % (1 << 60) + (row[4] % (1 << 60) if isinstance(row[4], int) else 0)
    return Listed(table.harness, _text(row[0]), path, size, clip_ns(updated_ms * 1_000_000), parent=_text(row[1]))


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def read_gate(table: SessionTable, listed: Listed) -> Gate:
    """Return the folder of a session's row."""
    try:
        folder = read_folder(table, listed)
    except LogError as error:
        return Gate(unknown=str(error))
    return Gate(dirs=(folder,), is_of_log=True) if folder else Gate()


def read_folder(table: SessionTable, listed: Listed) -> str:
    """Return the folder of a session's row; ``""`` when it records none.

    Raises:
        LogError: the database cannot be read, or the row is gone.
    """
    database = open_database(listed.path)
    try:
        for row in _rows_of(table, database, listed.session_id):
            return as_folder(_text(row[0]))
    finally:
        database.close()
    raise LogError("the session is gone")


def _rows_of(table: SessionTable, database: Database, session_id: str) -> Iterator[tuple[Any, ...]]:
    return database.rows(f"SELECT directory FROM {table.name} WHERE id = ?", session_id)
