"""Words that could not be kept at once, and words said again: lines that wait below the data folder, mode 0600.

``queue.jsonl``: entries for the next sweep to write, with all it needs, and prompts for it to judge first.
``repeats.jsonl``: who said again what was already logged (no words, the entry has them). ``unsure.jsonl``: learnings
for a person to decide about.
"""

from ..core.append import OPEN_LOG, has_torn_end, write_once
from ..core.append import nt_or_posix as os
from ..core.wire import dump_json
from .folder import Folder, make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.place import Where
    from ..core.shapes import Places, Turn
    from .heard import Heard
    from .points import Point

QUEUE, REPEATS, UNSURE = "queue.jsonl", "repeats.jsonl", "unsure.jsonl"
FORMAT = 1


def append_waiting(places: "Places", name: str, fields: "dict[str, object]") -> None:
    """Append one line to *name* below the data folder.

    The sweep takes a file by renaming it. A line that was written while that happened may have come too late to be
    read there, so it is written again: a line that lies there twice is still used once, by its key.

    Raises:
        OSError: it could not be written.
    """
    line = dump_json({"format": FORMAT, **fields})
    folder = make_private(places.data)
    try:
        while not _append_in_place(folder, name, line):
            pass
    finally:
        folder.close()


def append_unsure(places: "Places", heard: "Heard", where: "Where") -> None:
    """Keep learnings that are not sure enough to be written, for a person to decide about.

    Raises:
        OSError: not all could be written.
    """
    for number, point in heard.points:
        append_waiting(places, UNSURE, queue_fields(heard, number, point, where, "unsure"))


def queue_fields(heard: "Heard", number: int, point: "Point", where: "Where", why: str) -> "dict[str, object]":
    """Return the line of ``queue.jsonl`` for one point: who and where, and the point as the detector gave it."""
    return {
        **_who(heard, number),
        "folder": where.folder,
        "in_project": where.in_project,
        "label": heard.label,
        "learning_category": heard.category,
        "dataset": heard.dataset,
        "text": point.text,
        "severity": point.severity,
        "category": point.category,
        "fix": point.fix,
        "tables": point.tables,
        "sql_before": point.sql_before,
        "sql_after": point.sql_after,
        "prevented_by": point.prevented_by,
        "why": why,
    }


def prompt_fields(
    turn: "Turn", prompt: str, prompt_hash: str, operating_point: str, dataset: str | None
) -> "dict[str, object]":
    """Return the line of ``queue.jsonl`` for a scrubbed *prompt* that nobody could judge yet."""
    return {
        "at": turn.at,
        "harness": turn.harness,
        "session": turn.session_id,
        "prompt_id": turn.prompt_id,
        "prompt_hash": prompt_hash,
        "uuid": "",
        "is_late": False,
        "project": turn.project,
        "prompt": prompt,
        "operating_point": operating_point,
        "dataset": dataset,
        "why": "out of time",
    }


def repeat_fields(number: int, ident: str, heard: "Heard", folder: str) -> "dict[str, object]":
    """Return the line of ``repeats.jsonl`` for one point that was said again."""
    return {**_who(heard, number), "id": ident, "folder": folder}


def _who(heard: "Heard", number: int) -> "dict[str, object]":
    return {
        "at": heard.at,
        "session": heard.session,
        "prompt_id": heard.prompt_id,
        "prompt_hash": heard.prompt_hash,
        "uuid": heard.uuid,
        "is_late": heard.is_late,
        "project": heard.project,
        "point": number,
        "key": heard.key(number),
    }


def _append_in_place(folder: Folder, name: str, line: bytes) -> bool:
    """Append and say whether the file is still the one of that name, so that whoever takes it will see the line."""
    fd = folder.open(name, OPEN_LOG)
    try:
        write_once(fd, b"\n" + line + b"\n" if has_torn_end(fd) else line + b"\n")
        written = os.fstat(fd)
    finally:
        os.close(fd)
    there = folder.find(name)
    return there is not None and (there.st_dev, there.st_ino) == (written.st_dev, written.st_ino)
