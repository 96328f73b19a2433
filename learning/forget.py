"""Take words out of what learning made of them: events, signals, pending corrections, questions, briefs.

Each place has its own form, and all of them are lines of JSON or text of ours; wherever the words stand in a line, they
give way to a mark. The lines stay, so every count stays.
"""

import json
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from filelock import FileLock

from ..core.escape import show_line
from ..core.files import replace_file
from ..core.locks import free_lock, take_lock
from ..core.shapes import Places
from .signals import PENDING, SIGNAL_FILE
from .skills import SkillStore

FORGOTTEN = "[forgotten]"

_SNIPPET = 200  # events keep no more of the words
_LOCK_WAIT_S = 5.0
_START = 12  # characters by which a quotation is known: it may be cut
_SHORTEST = 4  # characters; shorter words stand in other people's sentences too


def forget_words(
    db: sqlite3.Connection, places: Places, stores: Iterable[SkillStore], folders: Iterable[Path], words: str
) -> int:
    """Take *words* out of every file and table of the learning group; returns how many lines and rows changed.

    Args:
        stores: the skills whose signals may quote them.
        folders: further folders with feedback logs (a project's ``.planning/patterns``).

    Raises:
        OSError: a file could not be changed; what was changed before stays changed.
    """
    if len(words.strip()) < _SHORTEST:
        return 0
    changed = sum(_forget_in_file(path, words) for path in _list_files(places, stores, folders))
    changed += _forget_in_table(db, words)
    for brief in (Path(places.data) / "briefs").glob("*.txt"):
        brief.unlink()  # the next sweep writes it anew, without them
        changed += 1
    return changed + _forget_questions(places, words)


def _forget_questions(places: Places, words: str) -> int:
    """Remove the questions, not asked yet, that may quote *words*; the corrections wait in `tellback review` too."""
    start = show_line(words.strip())[:_START]
    quoting = [
        path
        for path in (Path(places.cache) / "ready").glob("*")
        if start in path.read_text(encoding="utf-8", errors="replace")
    ]
    for path in quoting:
        path.unlink(missing_ok=True)
    return len(quoting)


def _list_files(places: Places, stores: Iterable[SkillStore], folders: Iterable[Path]) -> list[Path]:
    data = Path(places.data)
    files = [*data.glob("feedback-store/**/*.jsonl"), *data.glob("feedback-store/*.before")]
    files += [*data.glob("projects/*/patterns/*.jsonl")]
    files += [path for folder in folders for path in folder.glob("*.jsonl")]
    for store in stores:
        roots = (store.folder / name for name in store.list_names())
        files += [path for root in roots if (path := root.joinpath(*PENDING, SIGNAL_FILE)).is_file()]
    return list(dict.fromkeys(files))


def _forget_in_file(path: Path, words: str) -> int:
    with _locked(path):
        lines = path.read_bytes().split(b"\n")
        cleaned = [_forget_in_line(line, words) for line in lines]
        changed = sum(before != after for before, after in zip(lines, cleaned, strict=True))
        if changed:
            replace_file(path, b"\n".join(cleaned))
    return changed


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Keep writers out of a log: of signals by the file itself, for nothing else of a skill may be written."""
    if path.name != SIGNAL_FILE:
        with FileLock(f"{path}.lock"):
            yield
        return
    fd = take_lock(str(path), _LOCK_WAIT_S)
    if fd is None:
        raise OSError(11, "is being written by another program", str(path))
    try:
        yield
    finally:
        free_lock(fd)


def _forget_in_line(line: bytes, words: str) -> bytes:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    cleaned = _forget_in_value(value, words)
    return line if cleaned == value else orjson.dumps(cleaned)


def _forget_in_value(value: Any, words: str) -> Any:
    if isinstance(value, str):
        if words in value:
            return value.replace(words, FORGOTTEN)
        return FORGOTTEN if len(value) == _SNIPPET and words.startswith(value) else value
    if isinstance(value, list):
        return [_forget_in_value(item, words) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return {name: _forget_in_value(item, words) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return value


def _forget_in_table(db: sqlite3.Connection, words: str) -> int:
    changed = 0
    for ident, said in db.execute("SELECT id, said FROM attributions").fetchall():
        value = json.loads(said)
        cleaned = _forget_in_value(value, words)
        if cleaned != value:
            db.execute("UPDATE attributions SET said = ? WHERE id = ?", (json.dumps(cleaned), ident))
            changed += 1
    return changed
