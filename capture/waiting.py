"""What waits below the data folder: the queue written, the unsure learnings read.

Cold. A queued line is written exactly once, whatever is killed when: the taken file stays until all its lines are done,
and what was written already is known by its key. A prompt that its hook had no time to judge is judged first.
"""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from ..core.digest import hash_text
from ..core.locks import free_lock
from ..core.place import Where, find_knowledge
from ..core.shapes import Places, Turn
from . import learnings
from .folder import BusyError, Folder, make_private
from .heard import Heard
from .patience import Patience
from .points import Point
from .queue import FORMAT, QUEUE, UNSURE, append_waiting
from .slow import LOCK_WAIT_S, keep_slowly

# Points of one prompt that are looked for; the detector finds fewer.
MOST_POINTS = 20

TAKEN, UNREADABLE, _LOCK = "queue.taken.jsonl", "queue.unreadable.jsonl", "queue.lock"
_LIMIT_BYTES = 1 << 30


class Written(NamedTuple):
    """What became of the queue.

    Attributes:
        written: lines that have their entry now, or need none; ids: of the new entries.
        waiting: lines that could not be written yet, with the reasons.
        unreadable: lines that are no record of ours; they lie in ``queue.unreadable.jsonl``.
    """

    written: int
    ids: tuple[str, ...]
    waiting: int
    reasons: tuple[str, ...]
    unreadable: int


def write_queued(places: Places, patience: Patience | None = None) -> Written:
    """Write every queued line to its place; what still cannot be written goes back into the queue.

    Args:
        patience: of the run that this is part of, with the locks of projects.

    Raises:
        BusyError: another sweep writes the queue.
        OSError: the data folder cannot be used.
    """
    written, ids, reasons, unreadable, waiting = 0, list[str](), set[str](), 0, 0
    patience = patience or Patience(LOCK_WAIT_S)
    with _open_data(places, patience.longest_s) as data:
        for lines in _take(data):
            for line in lines:
                fields = _parse(line)
                if fields is None:
                    data.append(UNREADABLE, line)
                    unreadable += 1
                    continue
                try:
                    ids += _write(fields, places, patience)
                    written += 1
                except (OSError, ValueError) as error:
                    append_waiting(places, QUEUE, fields)
                    reasons.add(str(error))
                    waiting += 1
            data.remove(TAKEN)
    return Written(written, tuple(ids), waiting, tuple(sorted(reasons)), unreadable)


def read_waiting(places: Places, name: str = QUEUE) -> list[dict[str, Any]]:
    """Return the lines that wait, oldest first: of the queue, or of ``UNSURE``."""
    data = make_private(places.data)
    try:
        names = (TAKEN, QUEUE) if name == QUEUE else (name,)
        raw = b"\n".join(data.read(each, _LIMIT_BYTES) or b"" for each in names)
    finally:
        data.close()
    return [fields for line in raw.split(b"\n") if (fields := _parse(line)) is not None]


def read_unsure(places: Places) -> list[dict[str, Any]]:
    """Return the learnings that a person has not decided about, oldest first."""
    return read_waiting(places, UNSURE)


def drop_waiting(places: Places, name: str, keys: set[str]) -> int:
    """Take the lines with one of *keys* out of the queue or of ``UNSURE``; return how many went.

    Raises:
        BusyError: a sweep writes the queue just now.
        OSError: the data folder cannot be used.
    """
    dropped = 0
    with _open_data(places) as data:
        for lines in _take(data, name):
            for line in lines:
                fields = _parse(line)
                if fields is not None and not keys.isdisjoint(_list_keys(fields)):
                    dropped += 1
                elif line:
                    data.append(name, line)
            data.remove(_taken_name(name))
    return dropped


def heard_from(fields: dict[str, Any], places: Places) -> tuple[Heard, Where]:
    """Return what a waiting line says, and where it belongs as things stand now.

    Raises:
        ValueError: a field is missing or of another type.
    """
    try:
        turn = Turn("", "prompt", float(fields["at"]))
        turn.session_id, turn.project = str(fields["session"]), str(fields["project"])
        turn.prompt_id = str(fields["prompt_id"])
        heard = Heard(turn, str(fields["prompt_hash"]))
        if "prompt" in fields:
            _hear(heard, fields)
        else:
            heard.label, heard.category = str(fields["label"]), str(fields["learning_category"])
            heard.points = [(int(fields["point"]), _point(fields))]
        heard.dataset, heard.uuid = fields["dataset"], str(fields["uuid"])
        heard.is_late, heard.is_queued = bool(fields["is_late"]), True
    except (KeyError, TypeError) as error:
        raise ValueError(f"a waiting line lacks {error}") from None
    where = find_knowledge(turn.project, places, may_create=not heard.is_late)
    if where.reason == "foreign":
        where.reason = ""  # root's words about another user's project: the store may have them now
    return heard, where


def _write(fields: dict[str, Any], places: Places, patience: Patience) -> list[str]:
    heard, where = heard_from(fields, places)
    if not heard.points:
        return []
    try:
        outcome = keep_slowly(heard, where, places, patience.wait_s(where.folder))
    except BusyError as error:
        patience.note(where.folder, error)
        raise
    return outcome.ids if outcome.kind == "logged" else []


def _hear(heard: Heard, fields: dict[str, Any]) -> None:
    """Judge a queued prompt as its hook would have; one that says nothing leaves no points."""
    from .detector import judge  # few sweeps have one to judge, and the tables take longer than a short queue
    from .strip import is_machine_text
    from .tables import default_tables

    prompt, tables = str(fields["prompt"]), default_tables()
    if is_machine_text(prompt, str(fields["harness"]), tables=tables):
        return
    verdict = judge(prompt, tables=tables, point=fields["operating_point"], in_hook=True)
    heard.label, heard.category = verdict.label, verdict.learning_category or learnings.LEARNING_CATEGORIES[-1]
    heard.points = list(enumerate(verdict.points))


def _list_keys(fields: dict[str, Any]) -> list[str]:
    """Return the keys of a line's words: its point's, or all that a prompt's points can have."""
    if "prompt" not in fields:
        return [str(fields.get("key"))]
    session, prompt_hash = str(fields.get("session")), str(fields.get("prompt_hash"))
    return list_keys(session, prompt_hash)


def list_keys(session: str, prompt_hash: str) -> list[str]:
    """Return the keys that the points of a prompt have, one each."""
    return [hash_text(session, prompt_hash, str(number)) for number in range(MOST_POINTS)]


def _point(fields: dict[str, Any]) -> Point:
    point = Point(str(fields["text"]))
    point.severity, point.category = str(fields["severity"]), str(fields["category"])
    point.tables = [str(table) for table in fields["tables"]]
    point.fix, point.prevented_by = fields["fix"], fields["prevented_by"]
    point.sql_before, point.sql_after = fields["sql_before"], fields["sql_after"]
    return point


@contextmanager
def _open_data(places: Places, wait_s: float = LOCK_WAIT_S) -> Generator[Folder, None, None]:
    data = make_private(places.data)
    try:
        lock = data.take_lock(_LOCK, wait_s)
        try:
            yield data
        finally:
            free_lock(lock)
    finally:
        data.close()


def _take(data: Folder, name: str = QUEUE) -> Iterator[list[bytes]]:
    """Yield the lines of what a killed run left behind, then of the file itself, taken by renaming it."""
    taken = _taken_name(name)
    for is_left in (True, False):
        if not is_left:
            try:
                data.rename(name, taken)
            except FileNotFoundError:
                return
        raw = data.read(taken, _LIMIT_BYTES)
        if raw is not None:
            yield [line for line in raw.split(b"\n") if line]


def _taken_name(name: str) -> str:
    return name.replace(".jsonl", ".taken.jsonl")


def _parse(line: bytes) -> dict[str, Any] | None:
    """Return the record on a line, ``None`` for anything else: a torn line, another format."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return fields if fields.get("format") == FORMAT else None
