"""Another program's SQLite database, read without a lock, without writing beside it and without waiting for it.

Where its write-ahead log holds data, the database alone shows yesterday's state or none at all (OpenCode never merges
the two at exit). Then both are copied to a private folder, the copy is opened and its names are removed at once: it
lives as long as the connection. Where there is no such data, the original is opened with ``immutable=1``, and who read
from it asks afterwards whether it changed.
"""

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..core.locks import NoFlock, free_lock, take_lock
from ..core.paths import find_places
from .lines import open_regular
from .reader import LogError

CHANGED = "the database changed during the read"
LONGEST_VALUE = 128 << 20  # bytes; a longer one is read as NULL

_BESIDE = ("-wal", "-journal")
_LOCK = "in-use"
_YOUNG_S = 600.0  # a folder without a lock that one can ask for may be this young and still in use
_scratch: Path | None = None
_swept: set[Path] = set()
_copies: dict[str, "Database"] = {}


class State(NamedTuple):
    """What a database file and those beside it were like: size, time and number of each; ``None`` for an absent one."""

    database: tuple[int, int, int]
    beside: tuple[tuple[int, int, int] | None, ...]

    def has_pending(self) -> bool:
        """Whether a file beside the database holds data that the database alone does not show."""
        return any(found is not None and found[0] > 0 for found in self.beside)


class Database:
    """An open database; values come as bytes, for what a log holds need not be UTF-8."""

    def __init__(self, path: str, connection: sqlite3.Connection, state: State, is_copy: bool) -> None:
        self.path = path
        self.state = state
        self._connection = connection
        self._is_copy = is_copy

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of *query*.

        Raises:
            LogError: the database is damaged, or is none.
        """
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise LogError(f"the database could not be read: {error}") from error

    def columns(self, table: str) -> set[str]:
        """Return the columns of a table; empty when there is no such table (a view is none).

        Raises:
            LogError: as for ``rows``.
        """
        if next(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table), None) is None:
            return set()
        return {row[1].decode("utf-8", "replace") for row in self.rows(f"PRAGMA table_info({table})")}

    def has_changed(self) -> bool:
        """Whether what was read need not be one state of the database."""
        return not self._is_copy and read_state(self.path) != self.state

    def close(self) -> None:
        """Close it; a copy stays for the next who asks for the same state."""
        if not self._is_copy:
            self._connection.close()


def set_scratch(folder: str) -> None:
    """Put copies below *folder*, Tellback's data folder, which a sweep takes from what install recorded."""
    global _scratch
    _scratch = Path(folder) / "scratch"


def find_scratch() -> Path:
    """Return the folder that copies are made in."""
    return _scratch or Path(find_places().data) / "scratch"


def remove_leftovers() -> None:
    """Remove what a killed process left of a copy; once a process and folder, when a store is listed."""
    folder = find_scratch()
    if folder in _swept:
        return
    _swept.add(folder)
    if folder.is_dir() and not folder.is_symlink():
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False) and not _is_in_use(Path(entry.path)):
                shutil.rmtree(entry.path, ignore_errors=True)


def read_state(path: str) -> State:
    """Return what the database's files are like now.

    Raises:
        LogError: it is gone or not a regular file.
    """
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError as error:
        raise LogError(f"the database could not be opened: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        raise LogError("the database is a link or not a regular file")
    return State(_facts(found), tuple(_facts_of(path + ending) for ending in _BESIDE))


def _facts(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ino


def _facts_of(path: str) -> tuple[int, int, int] | None:
    try:
        return _facts(os.stat(path, follow_symlinks=False))
    except OSError:
        return None


def open_database(path: str) -> Database:
    """Open the database as it is now.

    Raises:
        LogError: it cannot be opened, or changed twice while it was copied.
    """
    state = read_state(path)
    if not state.has_pending():
        return Database(path, _open_immutable(path), state, is_copy=False)
    kept = _copies.get(path)
    if kept and kept.state == state:
        return kept
    close_copies(path)
    for _ in range(2):
        if copy := _open_copy(path, state):
            _copies[path] = copy
            return copy
        state = read_state(path)
    raise LogError(CHANGED)


def close_copies(path: str = "") -> None:
    """Let go of the copy of *path*, or of all."""
    for name in [path] if path else list(_copies):
        if copy := _copies.pop(name, None):
            copy._connection.close()  # pyright: ignore[reportPrivateUsage]


def _open_immutable(path: str) -> sqlite3.Connection:
    # `mode=ro` by itself takes locks and makes a -shm file; with `immutable` it does neither, and keeps SQLite from
    # opening the file for writing.
    return _connect(Path(path).absolute().as_uri() + "?immutable=1&mode=ro")


def _connect(address: str) -> sqlite3.Connection:
    connection = None
    try:
        connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        connection.text_factory = bytes
        for pragma in ("trusted_schema=OFF", "temp_store=MEMORY", "query_only=ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise LogError(f"the database could not be opened: {error}") from error
    return connection


def _open_copy(path: str, state: State) -> Database | None:
    """Copy the files and open the copy; ``None`` when they changed meanwhile."""
    folder = _make_folder()
    try:
        with _holding(folder):
            copy = folder / "copy.db"
            for ending in ("", *(e for e, found in zip(_BESIDE, state.beside, strict=True) if found)):
                _copy_file(path + ending, Path(f"{copy}{ending}"))
            if read_state(path) != state:
                return None
            connection = _connect(copy.as_uri())
            return Database(path, connection, state, is_copy=True)
    except OSError as error:
        raise LogError(f"the database could not be copied: {error.strerror}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # Windows keeps what is open: the next start removes it


def _make_folder() -> Path:
    """Return a new private folder."""
    scratch = find_scratch()
    try:
        os.makedirs(scratch, mode=0o700, exist_ok=True)
        if scratch.is_symlink():
            raise LogError(f"{scratch} is a link; no copy is made there")
        return Path(tempfile.mkdtemp(dir=scratch))  # mode 0700
    except OSError as error:
        raise LogError(f"no copy could be made in {scratch}: {error.strerror}") from error


@contextmanager
def _holding(folder: Path) -> Generator[None]:
    """Keep others from taking the folder for a leftover."""
    try:
        fd = take_lock(str(folder / _LOCK), 0)
    except NoFlock:
        fd = None
    try:
        yield
    finally:
        if fd is not None:
            free_lock(fd)


def _is_in_use(folder: Path) -> bool:
    """Whether a living process is making or reading a copy in *folder*."""
    try:
        if not (folder / _LOCK).exists():
            return time.time() - folder.stat().st_mtime < _YOUNG_S
        fd = take_lock(str(folder / _LOCK), 0)
    except NoFlock:
        return time.time() - folder.stat().st_mtime < _YOUNG_S
    except OSError:
        return True
    if fd is None:
        return True
    free_lock(fd)
    return False


def _copy_file(source: str, target: Path) -> None:
    fd = open_regular(source)
    with (
        open(fd, "rb") as original,
        open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy,
    ):
        shutil.copyfileobj(original, copy, 1 << 20)
