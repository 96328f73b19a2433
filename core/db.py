"""``tellback.db``: what was read and what was captured, never a word of a transcript (S-42). Cold.

Rooms add their tables as migrations: a row in ``MIGRATIONS``, never a changed one. The journal is SQLite's rollback
journal and not WAL: one sweep writes and commands read for moments, the file alone is a whole copy, and WAL's shared
memory does not work on the network and bind mounts that homes lie on.
"""

import os
import sqlite3
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from .append import make_private_folder
from .errors import TellbackError
from .shapes import Places

_WAIT_S = 5.0

# Number (the ``user_version`` that it makes, from 1 without a gap) and statements, each ended by ``;``.
MIGRATIONS: list[tuple[int, str]] = [
    (
        1,
        # how far each session log was digested and marked (S-159); the mtime never decides a state (S-162)
        """
CREATE TABLE watermarks (
    harness TEXT NOT NULL,
    session_id TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    first_line_sha256 TEXT NOT NULL,
    mtime REAL,
    digested_at REAL,
    marked_size INTEGER,
    marked_first_line_sha256 TEXT,
    marked_mtime REAL,
    marked_at REAL,
    outcome TEXT,
    uids TEXT,
    PRIMARY KEY (harness, session_id)
) WITHOUT ROWID;
""",
    ),
    (
        2,
        # what came of each prompt (O-4, O-8), and what the sweep knows of each session: `sweep/captures.py`
        """
CREATE TABLE captures (
    id INTEGER PRIMARY KEY,
    harness TEXT NOT NULL,
    session TEXT NOT NULL,
    prompt_id TEXT NOT NULL DEFAULT '',
    hash TEXT NOT NULL,
    at REAL NOT NULL,
    span TEXT,
    project TEXT NOT NULL DEFAULT '',
    label TEXT NOT NULL DEFAULT '',
    outcome TEXT NOT NULL DEFAULT '',
    ids TEXT NOT NULL DEFAULT '[]',
    is_late INTEGER NOT NULL DEFAULT 0,
    retracted TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX captures_told ON captures (harness, session, prompt_id, hash, at) WHERE is_late = 0;
CREATE UNIQUE INDEX captures_span ON captures (harness, span) WHERE span IS NOT NULL;
CREATE INDEX captures_hash ON captures (hash) WHERE span IS NULL;
CREATE INDEX captures_at ON captures (at);
CREATE TABLE sweep_sessions (
    harness TEXT NOT NULL,
    session TEXT NOT NULL,
    path TEXT NOT NULL DEFAULT '',
    has_news INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT -1,
    mtime_ns INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT '',
    deaf_until REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (harness, session)
);
CREATE INDEX sweep_sessions_news ON sweep_sessions (has_news) WHERE has_news = 1;
CREATE TABLE sweep_state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
""",
    ),
    (
        3,
        # what a reader carries from one digest to the next (JSON), summaries of unchanged logs, the saved selection
        """
ALTER TABLE watermarks ADD COLUMN carry TEXT;
ALTER TABLE watermarks ADD COLUMN marked_carry TEXT;
CREATE TABLE session_summaries (
    harness TEXT NOT NULL,
    path TEXT NOT NULL,
    session_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    form INTEGER NOT NULL,
    summary BLOB NOT NULL,
    PRIMARY KEY (harness, path, session_id)
) WITHOUT ROWID;
CREATE TABLE session_selection (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    harnesses TEXT NOT NULL,
    since TEXT NOT NULL,
    most INTEGER NOT NULL
);
""",
    ),
    (
        4,
        # how far each session was learned from, every skill call, what went on to other files, whom it may be about
        """
CREATE TABLE learn_sessions (
    harness TEXT NOT NULL,
    session TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT -1,
    context_offset INTEGER NOT NULL DEFAULT 0,
    done_offset INTEGER NOT NULL DEFAULT 0,
    first_line_hash TEXT NOT NULL DEFAULT '',
    open_at REAL,
    PRIMARY KEY (harness, session)
) WITHOUT ROWID;
CREATE INDEX learn_sessions_open ON learn_sessions (open_at) WHERE open_at IS NOT NULL;
CREATE TABLE skill_calls (
    event_id TEXT PRIMARY KEY,
    harness TEXT NOT NULL,
    session TEXT NOT NULL,
    skill TEXT NOT NULL,
    at REAL,
    skill_hash TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    is_headless INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE fan_out (
    span TEXT NOT NULL,
    sink TEXT NOT NULL,
    ident TEXT NOT NULL,
    is_done INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (span, sink, ident)
) WITHOUT ROWID;
CREATE TABLE attributions (
    id TEXT PRIMARY KEY,
    harness TEXT NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    at REAL NOT NULL,
    candidates TEXT NOT NULL,
    said TEXT NOT NULL,
    asked_at REAL,
    skill TEXT
) WITHOUT ROWID;
""",
    ),
    (
        5,
        # the text (hashed) that each entry of a brief had when it was captured; later ones are somebody else's
        """
CREATE TABLE brief_texts (
    folder TEXT NOT NULL,
    ident TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (folder, ident)
) WITHOUT ROWID;
""",
    ),
    (
        6,
        # changes of skills that a person said no to: they are not proposed again
        """
CREATE TABLE rejected_changes (
    skill TEXT NOT NULL,
    change TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (skill, change)
) WITHOUT ROWID;
""",
    ),
    (
        7,
        # where the entries of a capture lie: a project that gets a `.knowledge` had its store before
        """
ALTER TABLE captures ADD COLUMN folder TEXT NOT NULL DEFAULT '';
""",
    ),
    (
        8,
        # learnings by the hash of their words: how far each file was looked at, when one was used, what the person said
        # of it; what stood in a brief, and who read it; whose skill a correction is about
        """
ALTER TABLE captures ADD COLUMN learned TEXT NOT NULL DEFAULT '';
CREATE INDEX captures_learnings ON captures (label) WHERE label = 'learning';
CREATE TABLE notebooks (folder TEXT PRIMARY KEY, seen TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE learning_uses (
    folder TEXT NOT NULL,
    ident TEXT NOT NULL,
    used_at REAL NOT NULL,
    PRIMARY KEY (folder, ident)
) WITHOUT ROWID;
CREATE TABLE learning_answers (
    folder TEXT NOT NULL,
    ident TEXT NOT NULL,
    other TEXT NOT NULL DEFAULT '',
    answer TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (folder, ident, other)
) WITHOUT ROWID;
CREATE TABLE brief_notes (
    root TEXT NOT NULL,
    folder TEXT NOT NULL,
    ident TEXT NOT NULL,
    laid_at REAL NOT NULL,
    is_laid INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (root, folder, ident)
) WITHOUT ROWID;
CREATE TABLE session_starts (project TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE capture_skills (span TEXT NOT NULL, skill TEXT NOT NULL, PRIMARY KEY (span, skill)) WITHOUT ROWID;
""",
    ),
]


class StateError(TellbackError):
    """The state database cannot be used."""


def database_path(places: Places) -> Path:
    """Return where the database is, there or not (S-5)."""
    return Path(places.data) / "tellback.db"


def open_db(places: Places) -> sqlite3.Connection:
    """Open the database, made or migrated if need be: folder 0700, file 0600, rows as ``sqlite3.Row``.

    Statements commit by themselves; ``with transaction(db):`` binds several.

    Raises:
        StateError: it is of a newer version, no database, or cannot be opened.
    """
    path = database_path(places)
    try:
        make_private_folder(places.data)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
        db = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StateError(
            f"{path} cannot be opened: {why}", hint="`tellback doctor` looks at folders and disks"
        ) from error
    try:
        db.row_factory = sqlite3.Row
        _migrate(db, path)
    except sqlite3.Error as error:
        db.close()
        raise StateError(f"{path} cannot be used: {error}", hint="run `tellback doctor`") from error
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Generator[None, None, None]:
    """Commit what the block does as one, or nothing of it; inside another transaction it is a part of that one."""
    if db.in_transaction:
        begin, undo, end = ("SAVEPOINT part",), ("ROLLBACK TO part", "RELEASE part"), ("RELEASE part",)
    else:
        begin, undo, end = ("BEGIN IMMEDIATE",), ("ROLLBACK",), ("COMMIT",)
    _execute(db, begin)
    try:
        yield
    except BaseException:
        _execute(db, undo)
        raise
    _execute(db, end)


def _execute(db: sqlite3.Connection, statements: tuple[str, ...]) -> None:
    for statement in statements:
        db.execute(statement)


class Batch:
    """Commits many small transactions together, for each commit waits for the disk; used as a context.

    A kill loses the parts of the last moment whole: what a part wrote elsewhere must be known there by its key. Other
    writers wait as long as a batch is open.
    """

    def __init__(self, db: sqlite3.Connection, longest_s: float = 0.5) -> None:
        self._db = db
        self._longest_s = longest_s
        self._began_at = 0.0

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_: object) -> None:
        self.commit()  # when the block failed, too: a part that failed was taken back, the others are whole

    @contextmanager
    def part(self) -> Generator[None, None, None]:
        """Do the block as one, or nothing of it; it is committed now or a moment later."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            self._began_at = time.monotonic()
        with transaction(self._db):
            yield
        if time.monotonic() - self._began_at >= self._longest_s:
            self.commit()

    def commit(self) -> None:
        """Commit the parts done so far."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")


def read_version(db: sqlite3.Connection) -> int:
    """Return the ``user_version``: the number of the last migration, 0 for an empty file."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version


def split_statements(script: str) -> Iterator[str]:
    """Yield the statements of *script*: ``executescript`` would commit the transaction that we are in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    newest = MIGRATIONS[-1][0]
    if _check_version(db, path) == newest:
        return
    with transaction(db):
        version = _check_version(db, path)  # again: another process may have migrated while we waited
        if 0 < version < newest:
            _copy_aside(path, version)
        for number, statements in MIGRATIONS:
            if number > version:
                for statement in split_statements(statements):
                    db.execute(statement)
        db.execute(f"PRAGMA user_version = {newest}")


def _check_version(db: sqlite3.Connection, path: Path) -> int:
    version = read_version(db)
    if version > MIGRATIONS[-1][0]:
        raise StateError(
            f"{path} is of version {version}, written by a newer Tellback; this one knows versions up to "
            f"{MIGRATIONS[-1][0]}",
            hint="upgrade Tellback, or move the file away to begin anew",
        )
    return version


def _copy_aside(path: Path, version: int) -> None:
    """Copy the database to ``tellback.db.<version>`` beside it; we hold its write lock, so the file is whole."""
    source = sqlite3.connect(path)
    aside = path.with_name(f"{path.name}.{version}")
    os.close(os.open(aside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600))
    copy = sqlite3.connect(aside)
    try:
        source.backup(copy)
    finally:
        copy.close()
        source.close()
