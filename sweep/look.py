"""Has anything changed since a sweep left nothing to do? Told from ``stat`` alone. Light.

A sweep that dealt with everything writes down what it went by (``basis.py``): ``<cache>/sweep.look``, one line of JSON,
then the listing of all session logs as bytes. A launched sweep that finds the same again has nothing to do. The time of
the file is that of the last look at the logs; folders show no append, so every log is looked at.
"""

import marshal
import os

from .. import __version__
from ..core.wire import load_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..core.shapes import Places

# A folder, how many folders down from it logs may lie, and how their names end.
Root = tuple[str, int, tuple[str, ...]]

FORMAT = 1

# Between two looks at all logs; in between hooks tell which ones have something new.
LOOK_EVERY_S = 3600.0

# What moves these folders moves the stores, or what is kept of them.
_VARIABLES = (
    *("HOME", "USERPROFILE"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "OPENCODE_DB"),
)


def look_path(places: "Places") -> str:
    """Return where a sweep notes that nothing was left to do."""
    return places.cache + "/sweep.look"


def is_settled(places: "Places", now: float) -> bool:
    """Whether nothing changed since a sweep left nothing to do: settings, news, queue, database, logs.

    The logs are looked at when the last look is an hour old; that look is then noted.
    """
    path = look_path(places)
    try:
        with open(path, "rb") as file:
            looked_at = os.fstat(file.fileno()).st_mtime
            head, listing = file.readline(), file.read()
        basis = load_object(head)
        if not _is_same(basis, places, now):
            return False
        if not looked_at <= now < looked_at + LOOK_EVERY_S:
            if list_logs(parse_roots(basis["roots"])) != listing:
                return False
            os.utime(path, (now, now))
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _is_same(basis: "dict[str, Any]", places: "Places", now: float) -> bool:
    if basis["same"] != describe_all(places) or not basis["written_at"] <= now < basis["due_at"]:
        return False
    return all(stamp(row[0]) == row for row in basis["stamps"])


def parse_roots(rows: "list[Any]") -> "list[Root]":
    """Return the roots as they were before they were written as JSON."""
    return [(root, depth, tuple(endings)) for root, depth, endings in rows]


def describe_all(places: "Places") -> "list[Any]":
    """Return what must be the same, files apart: format, version, folders, variables."""
    variables = [os.environ.get(name) for name in _VARIABLES]
    return [FORMAT, __version__, places.home, places.data, places.config, *variables]


def stamp(path: str) -> "list[Any]":
    """Return the path with what changes when somebody writes to the file or replaces it; -1 where there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return [path, -1, -1, -1]
    return [path, found.st_size, found.st_mtime_ns, found.st_ino]


def list_logs(roots: "Iterable[Root]") -> bytes:
    """Return the logs below *roots* with all that a change shows in, as bytes to be compared.

    Raises:
        OSError: a folder cannot be listed.
    """
    rows: list[tuple[Any, ...]] = []
    for root in roots:
        _list_folder(*root, rows)
    return marshal.dumps(rows, 2)  # 2: later formats write the same values in more than one way


def _list_folder(folder: str, depth: int, endings: tuple[str, ...], rows: "list[tuple[Any, ...]]") -> None:
    rows.append((folder,))
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:
        return
    for entry in entries:
        if depth and entry.is_dir(follow_symlinks=False):
            _list_folder(entry.path, depth - 1, endings, rows)
        elif entry.name.endswith(endings):
            found = entry.stat(follow_symlinks=False)
            rows.append((entry.name, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino))
