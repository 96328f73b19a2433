"""Throw away old news while hooks append, without losing a line.

Hooks append without a lock: one opens ``news.jsonl``, another process runs, then it writes. So the file is never
rewritten. It is set aside by a rename, the lines worth keeping are appended to the new ``news.jsonl`` in one write,
and the file set aside stays longer than any hook may live, until whatever a slow hook
still wrote into it was fetched as well. Fetching takes only what the new file does not have, so it can be repeated
after a crash at any instant. The caller holds the sweep's lock.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.append import OPEN_LOG, has_torn_end, open_regular, write_once
from ..core.shapes import Places

KEEP_S = 7 * 24 * 3600.0
# A hook ends itself after a few seconds, after a minute at the very most (`hooks.deadline`).
STRAGGLERS_S = 120.0

# Gives the UTC seconds of a line, ``None`` for one that is no news.
ReadAt = Callable[[bytes], "float | None"]


@dataclass(frozen=True)
class Pruned:
    """What pruning did.

    Attributes:
        dropped: lines too old; ``unreadable``: lines that are no news, dropped too.
        oldest_at: UTC seconds of the oldest line kept; ``None`` when nothing had to be looked at or nothing is left.
    """

    dropped: int = 0
    unreadable: int = 0
    oldest_at: float | None = None


def find_news_file(places: Places) -> Path:
    """Return where hooks append their news."""
    return Path(places.cache) / "news.jsonl"


def find_set_aside(places: Places) -> Path:
    """Return where the news lie that are being pruned."""
    return Path(places.cache) / "news.aside.jsonl"


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the complete lines of *path* without their newlines, empty ones left out; nothing when it is absent."""
    try:
        fd = open_regular(str(path), os.O_RDONLY)
    except FileNotFoundError:
        return
    with os.fdopen(fd, "rb") as file:
        for line in file:
            if line.endswith(b"\n") and len(line) > 1:
                yield line[:-1]


def prune_news(places: Places, now: float, read_at: ReadAt) -> Pruned:
    """Drop news older than seven days; at most two passes over the file, and none over a file that has none."""
    current, aside = find_news_file(places), find_set_aside(places)
    if aside.exists():
        found = _fetch(aside, current, now - KEEP_S, read_at)
        if now - aside.stat().st_ctime >= STRAGGLERS_S:
            aside.unlink()
        return found
    old, oldest_at = _count_old(current, now - KEEP_S, read_at)
    if not old:
        return Pruned(oldest_at=oldest_at)
    os.rename(current, aside)
    return _fetch(aside, current, now - KEEP_S, read_at)


def _count_old(path: Path, keep_from: float, read_at: ReadAt) -> tuple[int, float | None]:
    times = [read_at(line) for line in read_lines(path)]
    known = [at for at in times if at is not None]
    return sum(at < keep_from for at in known) + times.count(None), min(known, default=None)


def _fetch(aside: Path, current: Path, keep_from: float, read_at: ReadAt) -> Pruned:
    """Append to *current* what *aside* holds, is young enough and is not there yet."""
    there = set(read_lines(current))
    wanted: list[bytes] = []
    times: list[float] = []
    dropped = unreadable = 0
    for line in read_lines(aside):
        at = read_at(line)
        if at is None:
            unreadable += 1
        elif at < keep_from:
            dropped += 1
        else:
            times.append(at)
            if line not in there:
                wanted.append(line)
                there.add(line)
    _append_all(current, wanted)
    return Pruned(dropped, unreadable, min(times, default=None))


def _append_all(path: Path, lines: list[bytes]) -> None:
    if not lines:
        return
    fd = open_regular(str(path), OPEN_LOG)
    try:
        start = b"\n" if has_torn_end(fd) else b""
        write_once(fd, start + b"\n".join(lines) + b"\n")
    finally:
        os.close(fd)
