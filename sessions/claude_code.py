"""Claude Code: ``<config dir>/projects/<encoded launch folder>/<session id>.jsonl``, one record a line, appended.

Seen: 2.1.332 (terminal, printing, resume, fork, clear, compact, sub-agents). The span is the record's ``uuid``, which a
fork copies into its own file: who counts prompts over several sessions must know the spans, not (session, span).
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from ..core.paths import find_claude_config
from .claude_reading import Reading
from .entry import EVERYTHING, NOTHING, Entry, Resume, Tally, Want
from .lines import FileLog
from .reader import Gate, Listed, Listing, Problem, clip_ns, find_odd_name

HARNESS = "claude-code"
LABEL = "claude-code-jsonl"
VERSIONS_SEEN = ("2.1.332",)
HAS_ENTRIES = True

_NEAR_BYTES = 1 << 20


def find_store() -> Path:
    """Return the ``projects`` folder, below ``$CLAUDE_CONFIG_DIR`` or ``~/.claude``."""
    return find_claude_config() / "projects"


def list_sessions(store: Path, subagents: bool = False) -> Listing:
    """List ``<store>/*/*.jsonl``; with *subagents* also ``<store>/*/<session id>/subagents/agent-*.jsonl``."""
    try:
        entries = sorted(os.scandir(store), key=lambda entry: entry.name)
    except FileNotFoundError:
        return Listing(str(store), "absent")
    except OSError as error:
        return Listing(str(store), "unreadable", f"{store} cannot be listed: {error.strerror}")
    sessions: list[Listed] = []
    problems: list[Problem] = []
    for folder in entries:
        if folder.is_dir(follow_symlinks=False):
            _list_folder(folder.path, subagents, sessions, problems)
        elif folder.is_symlink():
            problems.append(Problem(folder.path, "is a link, which is not followed"))
    return Listing(str(store), "ok", "", tuple(sessions), tuple(problems))


def _list_folder(folder: str, subagents: bool, sessions: list[Listed], problems: list[Problem]) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(folder, f"cannot be listed: {error.strerror}"))
        return
    for entry in entries:
        if entry.name.endswith(".jsonl"):
            _list_one(entry, "", sessions, problems)
        elif subagents and entry.is_dir(follow_symlinks=False):
            _list_subagents(entry, sessions, problems)


def _list_subagents(session: os.DirEntry[str], sessions: list[Listed], problems: list[Problem]) -> None:
    folder = os.path.join(session.path, "subagents")
    if not os.path.isdir(folder) or os.path.islink(folder):
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(folder, f"cannot be listed: {error.strerror}"))
        return
    for entry in entries:
        if entry.name.endswith(".jsonl"):
            _list_one(entry, session.name, sessions, problems)


def _list_one(entry: os.DirEntry[str], parent: str, sessions: list[Listed], problems: list[Problem]) -> None:
    if odd := find_odd_name(entry.path):
        problems.append(odd)
        return
    try:
        if entry.is_dir(follow_symlinks=False):
            return
        found = entry.stat(follow_symlinks=False)
    except OSError as error:
        problems.append(Problem(entry.path, f"cannot be read: {error.strerror}"))
        return
    name = entry.name.removesuffix(".jsonl")
    sessions.append(Listed(HARNESS, name, entry.path, found.st_size, clip_ns(found.st_mtime_ns), parent=parent))


def read_gate(listed: Listed) -> Gate:
    """Return the encoded launch folder, which is all that is known before the log is opened (S-148)."""
    path = listed.path
    folder = os.path.dirname(path) if os.altsep else path[: path.rfind("/")]  # many thousand times a run
    return _gate_of(folder, bool(listed.parent))


@lru_cache(maxsize=64)
def _gate_of(folder: str, is_subagents: bool) -> Gate:
    folder = folder.rstrip("/")
    if is_subagents:
        folder = os.path.dirname(os.path.dirname(folder))
    return Gate(encoded=os.path.basename(folder))


def open_log(listed: Listed) -> FileLog:
    """Open the session's log.

    Raises:
        LogError: it cannot be opened.
    """
    return FileLog(listed)


def read_entries(log: FileLog, resume: Resume, tally: Tally, want: Want = EVERYTHING) -> Iterator[Entry]:
    """Yield the entries of *log* from ``resume`` on and fill *tally*.

    Raises:
        LogError: the log changed while it was read.
    """
    if want == NOTHING:  # calls that are open at the end: written long before it, they are found from their results
        near = log.find_line_start(max(0, log.complete_bytes - _NEAR_BYTES))
        resume = Resume(max(resume.offset, near), resume.carry)
    reading = Reading(log, resume, tally, want)
    for offset, block in log.blocks(resume.offset):
        yield from reading.take_block(offset, block)
    yield from reading.finish()
