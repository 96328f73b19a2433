"""Write down what a sweep went by that left nothing to do, so that the next one can tell that nothing changed.

All that others write is noted as it was before the sweep read it, the database as the sweep left it: what changes
meanwhile differs from the note, and the next sweep does everything.
"""

import os
from contextlib import suppress
from typing import Any

from ..core.config import Stamp
from ..core.db import database_path
from ..core.shapes import Places
from ..core.swap import swap_file
from ..core.wire import dump_json, load_object
from .lastrun import LastRun
from .look import describe_all, look_path, parse_roots, stamp
from .news import find_mark
from .newsfile import find_news_file, find_set_aside
from .work import Look, Work

# A sweep does everything after so long, for what only time makes due: old news, briefs that age.
FULL_EVERY_S = 6 * 3600.0

# Counts of what a stage could not do, and will try again.
OPEN = ("busy", "deferred", "waiting", "failed", "failed sessions", "signals not written")


def stamp_before(places: Places) -> list[list[Any]]:
    """Return the stamps of what hooks and commands write and a sweep reads: the hook's folder, the queue."""
    return [stamp(os.path.join(places.data, name)) for name in ("hook", "queue.jsonl", "queue.taken.jsonl")]


def find_basis(work: Work, last_run: LastRun, before: list[list[Any]], due_at: float | None) -> dict[str, Any]:
    """Return what the sweep went by, the database apart; it is never the same again when something is left to do.

    Args:
        before: of ``stamp_before``, from before the first stage.
        due_at: UTC seconds when something becomes due by time alone; ``None`` for nothing.
    """
    stamps = [*before, *_stamp_settings(work.listening.sources), *_stamp_news(work)]
    is_undone = any(counts.get(word) for counts in last_run.stages.values() for word in OPEN)
    is_open = [] in stamps or bool(last_run.busy) or is_undone
    latest = last_run.started_at + (0 if is_open else FULL_EVERY_S)
    return {
        "same": describe_all(work.places),
        "written_at": last_run.started_at,
        "due_at": latest if due_at is None else min(latest, due_at),
        "stamps": stamps,
    }


def _stamp_settings(sources: tuple[Stamp, ...]) -> list[list[Any]]:
    """Return the stamps of the settings' files; an empty one for a file that changed since it was read."""
    stamps = [stamp(source.path) for source in sources]
    return [found if found[:3] == list(source) else [] for found, source in zip(stamps, sources, strict=True)]


def _stamp_news(work: Work) -> list[list[Any]]:
    """Return the stamps of the news; an empty one where some are not fetched, or wait to be thrown away."""
    path, aside = str(find_news_file(work.places)), stamp(str(find_set_aside(work.places)))
    news = stamp(path)
    is_fetched = news[1] < 1 or find_mark(work.db, path) == (news[3], news[1])
    return [news if is_fetched else [], aside if aside[1] < 0 else []]


def write_basis(places: Places, basis: dict[str, Any], look: Look) -> None:
    """Note it with the look at the logs; a failure costs the next sweep its short cut, and nothing else."""
    path = look_path(places)
    files = (str(database_path(places)), f"{database_path(places)}-journal")
    stamps = [*basis["stamps"], *(stamp(file) for file in files)]
    head = {**basis, "stamps": stamps, "looked": look.name, "roots": look.roots}
    with suppress(OSError):
        swap_file(path, dump_json(head) + b"\n" + look.listing)
        os.utime(path, (look.at, look.at))


def read_look(places: Places) -> Look | None:
    """Return the look that was noted last; ``None`` when there is none that can be read."""
    try:
        with open(look_path(places), "rb") as file:
            at = os.fstat(file.fileno()).st_mtime
            head = load_object(file.readline())
            return Look(head["looked"], at, parse_roots(head["roots"]), file.read())
    except (OSError, ValueError, KeyError, TypeError):
        return None
