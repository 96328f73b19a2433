"""Cursor: the transcripts that hooks told of in the last seven days, listed and never digested (S-123 to S-131).

Seen: no Cursor; its documentation and transcripts that users published (IDE 3.x, the terminal client of 2026). A
transcript is ``~/.cursor/projects/<encoded root>/agent-transcripts/<id>/<id>.jsonl``, in earlier terminal clients
``<id>.jsonl`` without the folder. The terminal client tells its hooks no path, so it is derived from the first root.
Not read: ``store.db``, ``state.vscdb``, ``*.txt`` of earlier releases, sub-agents, and the transcripts' content: they
hold no results, times, models or folders.
"""

import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..core.news import News, parse_news
from ..core.paths import find_cursor_config, find_home, find_places
from .entry import EVERYTHING, Entry, Resume, Tally, Want
from .lines import FileLog, open_regular
from .reader import Gate, Listed, Listing, LogError, Problem, clip_ns

HARNESS = "cursor"
LABEL = "cursor-agent-transcript"
VERSIONS_SEEN: tuple[str, ...] = ()
HAS_ENTRIES = False

_KEPT_S = 7 * 24 * 3600.0  # since the last hook of a session (S-124)
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_LONGEST_NEWS = 1 << 20  # bytes of a line


class Pointer(NamedTuple):
    """What the hooks told of a session: the transcript's path, ``""`` when unknown, and the workspace roots."""

    transcript: str
    roots: tuple[str, ...]


# By transcript: `read_gate` is asked right after the listing, which has read the news already.
_roots: dict[str, tuple[str, ...]] = {}


def find_store() -> Path:
    """Return the news that hooks leave in Tellback's cache folder: they are the index of Cursor's sessions."""
    return Path(find_places().cache) / "news.jsonl"


def list_sessions(store: Path, subagents: bool = False) -> Listing:
    """List the sessions that the news in *store* tell of, by the ``stat`` of their transcripts."""
    del subagents
    if not any(os.path.lexists(path) for path in _news_files(store)):
        return Listing(str(store), "absent")
    try:
        pointers = _read_pointers(store, time.time() - _KEPT_S)
    except (LogError, OSError) as error:
        return Listing(str(store), "unreadable", f"{store} cannot be read: {error}")
    sessions: list[Listed] = []
    problems: list[Problem] = []
    for session_id, pointer in pointers.items():
        for path in _find_transcripts(session_id, pointer):
            try:
                found = _stat_transcript(path)
            except FileNotFoundError:
                continue
            except LogError as error:
                problems.append(Problem(path, str(error)))
                break
            _roots[path] = pointer.roots
            sessions.append(Listed(HARNESS, session_id, path, found.st_size, clip_ns(found.st_mtime_ns)))
            break
    return Listing(str(store), "ok", "", tuple(sessions), tuple(problems))


def _read_pointers(store: Path, keep_from: float) -> dict[str, Pointer]:
    pointers: dict[str, Pointer] = {}
    for news in _read_news(store):
        if news.at < keep_from or not _SESSION_ID.fullmatch(news.session):
            continue
        former = pointers.pop(news.session, Pointer("", ()))
        roots = news.roots or ((news.project,) if news.project else ())
        pointers[news.session] = Pointer(news.transcript or former.transcript, roots or former.roots)
    return pointers


def _news_files(store: Path) -> tuple[Path, Path]:
    """Return the news in their order: first what a sweep set aside to prune."""
    return store.with_name("news.aside.jsonl"), store


def _read_news(store: Path) -> Iterator[News]:
    for path in _news_files(store):
        if not os.path.lexists(path):
            continue
        with open(open_regular(str(path)), "rb") as file:
            while line := file.readline(_LONGEST_NEWS):
                if b'"cursor"' in line and line.endswith(b"\n"):
                    news = parse_news(line)
                    if news is not None and news.harness == HARNESS:
                        yield news


def _find_transcripts(session_id: str, pointer: Pointer) -> Iterator[str]:
    """Yield where a session's transcript is or may be."""
    if pointer.transcript:
        yield pointer.transcript
        return
    if not pointer.roots:
        return
    encoded = re.sub(r"[^A-Za-z0-9]", "-", pointer.roots[0])
    projects = str(find_cursor_config() / "projects")
    for name in dict.fromkeys((encoded.lstrip("-"), encoded)):
        folder = os.path.join(projects, name, "agent-transcripts")
        yield os.path.join(folder, session_id, f"{session_id}.jsonl")
        yield os.path.join(folder, f"{session_id}.jsonl")


def _stat_transcript(path: str) -> os.stat_result:
    """Return a transcript's ``stat``.

    Raises:
        FileNotFoundError: it is not there.
        LogError: its path is not one below the home folder, leads through a link, or is no regular file's.
    """
    home = str(find_home())
    if not os.path.isabs(path) or os.path.normpath(path) != path or "\0" in path:
        raise LogError("is no absolute path")
    if os.path.commonpath([home, path]) != home:
        raise LogError("does not lie below the home folder")
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from error
    if os.path.realpath(path) != path:
        raise LogError("lies behind a link, which is not followed")
    if not stat.S_ISREG(found.st_mode):
        raise LogError("is not a regular file")
    return found


def read_gate(listed: Listed) -> Gate:
    """Return every workspace root that the hooks told of; none when one of them is no absolute path (S-127)."""
    roots = _roots.get(listed.path)
    if roots is None:
        try:
            roots = _read_pointers(find_store(), 0.0).get(listed.session_id, Pointer("", ())).roots
        except (LogError, OSError) as error:
            return Gate(unknown=f"the news could not be read: {error}")
    return Gate(dirs=roots if all(os.path.isabs(root) and "\0" not in root for root in roots) else ())


def open_log(listed: Listed) -> FileLog:
    """Open a transcript, which nothing but a push does.

    Raises:
        LogError: it is gone, leads through a link, or is no regular file.
    """
    try:
        _stat_transcript(listed.path)
    except FileNotFoundError:
        raise LogError("the transcript is gone") from None
    return FileLog(listed)


def read_entries(log: FileLog, resume: Resume, tally: Tally, want: Want = EVERYTHING) -> Iterator[Entry]:
    """Refuse: a transcript does not say what a digest needs.

    Raises:
        LogError: always.
    """
    del log, resume, tally, want
    raise LogError("Cursor's sessions are listed and never digested", "unsupported-format")
