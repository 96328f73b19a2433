"""Keep what grows beside the data bounded: news, and questions that nobody was asked, of more than seven days go."""

import os

from ...core.db import transaction
from ...core.news import parse_news
from ..captures import read_state, write_state
from ..news import fetch_news
from ..newsfile import KEEP_S, find_set_aside, prune_news
from ..work import Work

# The name of the remembered time of the oldest news, so that a file without old news is not read again.
OLDEST = "news.oldest_at"


def prune(work: Work) -> dict[str, int]:
    """Drop old news and questions; everything the news told is in the database before."""
    unreadable = fetch_news(work.places, work.db)
    counts = {"news": 0, "unreadable news": unreadable, "questions": _prune_questions(work)}
    oldest_at = read_state(work.db, OLDEST)
    is_young = bool(oldest_at) and float(oldest_at) >= work.now - KEEP_S
    if is_young and not find_set_aside(work.places).exists():
        return counts
    pruned = prune_news(work.places, work.now, _read_at)
    with transaction(work.db):
        write_state(work.db, OLDEST, "" if pruned.oldest_at is None else str(pruned.oldest_at))
    counts["news"] = pruned.dropped
    return counts


def _read_at(line: bytes) -> float | None:
    news = parse_news(line)
    return None if news is None else news.at


def _prune_questions(work: Work) -> int:
    """Remove the questions of sessions that had no prompt since: they wait in `tellback review` too."""
    folder = os.path.join(work.places.cache, "ready")
    removed = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False) and entry.stat().st_mtime < work.now - KEEP_S:
                    os.unlink(entry.path)
                    removed += 1
    except FileNotFoundError:
        pass
    return removed
