"""Fetch the hooks' news into the database: which sessions have something new, which prompts a hook heard."""

import os
import sqlite3

from ..core.db import transaction
from ..core.news import News, parse_news
from ..core.shapes import Places
from .captures import add_told, read_state, write_state
from .newsfile import find_news_file, find_set_aside
from .uses import note_start
from .watched import tell_of_news


def fetch_news(places: Places, db: sqlite3.Connection) -> int:
    """Take in what the hooks told since the last time; returns how many lines were no news.

    How far a file was read is remembered by its inode, so a file set aside and a new one are read from their own
    start; what was fetched before is known by its content and changes nothing.
    """
    bad = 0
    for path in (find_set_aside(places), find_news_file(places)):
        bad += _fetch_file(db, str(path))
    return bad


def _fetch_file(db: sqlite3.Connection, path: str) -> int:
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        return 0
    bad = 0
    with file:
        inode, start = find_mark(db, path)
        found = os.fstat(file.fileno())
        if inode != found.st_ino or start > found.st_size:
            start = 0
        if start == found.st_size:
            return 0
        file.seek(start)
        with transaction(db):
            for line in file:
                if not line.endswith(b"\n"):
                    break  # being written, or torn: looked at again
                start += len(line)
                bad += not _take_line(db, line)
            write_state(db, _name_mark(path), f"{found.st_ino}:{start}")
    return bad


def find_mark(db: sqlite3.Connection, path: str) -> tuple[int, int]:
    """Return the inode of a file of news and how many of its bytes were fetched; zeros when none were."""
    inode, _, offset = read_state(db, _name_mark(path)).partition(":")
    return int(inode or 0), int(offset or 0)


def _name_mark(path: str) -> str:
    return f"news.{os.path.basename(path)}"


def _take_line(db: sqlite3.Connection, line: bytes) -> bool:
    if not line.strip():
        return True
    news = parse_news(line)
    if news is None:
        return False
    take_news(db, news)
    return True


def take_news(db: sqlite3.Connection, news: News) -> None:
    """Note what one hook call told."""
    if news.event == "prompt":
        add_told(db, news)
    elif news.event == "session_start" and news.project and not news.outcome:  # else no brief was shown
        note_start(db, news.project, news.at)
    if news.session:
        tell_of_news(db, news.harness, news.session, news.transcript)
