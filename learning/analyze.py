"""From session logs to events: which files count, and what each of them says (A-1 to A-11, A-85)."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import NamedTuple

from ..core.scrub import ScrubRules, scrub
from ..sessions import claude_code
from ..sessions.entry import Entry, Resume, Tally, Want
from ..sessions.gate import Gatekeeper
from ..sessions.reader import Listed, LogError
from ..sessions.table import READERS
from .events import FeedbackEvent
from .excerpt import WHOLE, list_folders, read_light, read_windows
from .installed import make_is_installed
from .marks import find_marks_and_folders
from .outcomes import WINDOW, ReadTurn, find_windows, make_event

# Runs of tests, temporary ones, sub-agents, and sessions that a memory observer relays: no person reacts there.
_SKIPPED_FOLDERS = frozenset({"pytest", "tmp", "subagents", "observer-sessions"})
_LOG = ".jsonl"
_FACTS = Want(texts="none", calls="none", repeats=False, git=False)


class Wish(NamedTuple):
    """How to analyse.

    Attributes:
        skill: only calls of exactly this skill; ``None`` for all.
        with_snippets: whether events quote what people said.
        read: how one turn is read.
        scrub_rules: what is taken out of a snippet before it is cut.
        skills_roots: further folders of skills.
        with_headless: also sessions that a program drove (``sdk`` prompts only).
    """

    read: ReadTurn
    scrub_rules: ScrubRules
    skill: str | None = None
    with_snippets: bool = True
    window: int = WINDOW
    skills_roots: tuple[str, ...] = ()
    with_headless: bool = False


class Analyzed(NamedTuple):
    """What the sessions said: the events, how often each skill was called, and what became of each file."""

    events: list[FeedbackEvent]
    calls: Counter[str]
    sessions: Counter[str]


def list_claude_sessions(root: str | Path) -> list[Listed]:
    """Return the sessions of Claude Code below *root* that a person's reactions are in, sorted.

    Folders below *root* named for test runs, temporary work, sub-agents or observers are left out, plain or in Claude
    Code's encoding; *root* itself may lie anywhere (X-15). Links are not followed, and folders that cannot be listed
    hold nothing. Sizes and times are 0: to ask for them would cost a fifth of the whole analysis, which needs none.
    """
    sessions: list[Listed] = []
    folders = [str(root)]
    while folders:
        try:
            entries = sorted(os.scandir(folders.pop()), key=lambda entry: entry.name, reverse=True)
        except OSError:
            continue
        folders += (e.path for e in entries if e.is_dir(follow_symlinks=False) and not _is_skipped_name(e.name))
        entries.reverse()
        sessions += [
            Listed(claude_code.HARNESS, entry.name[: -len(_LOG)], entry.path, 0, 0)
            for entry in entries
            if entry.name.endswith(_LOG) and _is_plain_file(entry)
        ]
    return sessions


def _is_plain_file(entry: "os.DirEntry[str]") -> bool:
    """Whether it is a file and no link; not one that went away meanwhile."""
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _is_skipped_name(name: str) -> bool:
    return (
        name in _SKIPPED_FOLDERS
        or name.startswith("-tmp-")
        or name == "-tmp"
        or "pytest-of-" in name
        or name.endswith("observer-sessions")
    )


@lru_cache(maxsize=256)
def is_skipped_folder(cwd: str) -> bool:
    """Whether a session that worked in *cwd* is no person's: its folder is temporary, a test's or an observer's."""
    parts = PurePath(cwd).parts
    return parts[1:2] == ("tmp",) or any("pytest-of-" in part or part == "observer-sessions" for part in parts)


def analyze_sessions(
    sessions: Sequence[Listed], keeper: Gatekeeper, wish: Wish, progress: Callable[[int, int], None] | None = None
) -> Analyzed:
    """Return the events of all *sessions*; one that may not be read, or cannot be, is counted and passed over."""
    analyzed = Analyzed([], Counter(), Counter())
    seen: set[str] = set()
    for number, listed in enumerate(sessions, 1):
        analyzed.sessions[_analyze_session(listed, keeper, wish, analyzed, seen)] += 1
        if progress is not None:
            progress(number, len(sessions))
    return analyzed


def _analyze_session(listed: Listed, keeper: Gatekeeper, wish: Wish, analyzed: Analyzed, seen: set[str]) -> str:
    """Take one session's events into *analyzed* and return what became of the session."""
    gate = READERS[listed.harness].read_gate(listed)
    if (verdict := keeper.judge_gate(gate)).state != "ok":
        return verdict.state
    if gate.parent:
        return "sub-agent"
    if listed.unsupported:
        return "unreadable"
    try:
        read = _read_claude if listed.harness == claude_code.HARNESS else _read_whole
        found = read(listed, keeper, wish.window)
    except (OSError, LogError):
        return "unreadable"
    if isinstance(found, str):
        return found
    if any(map(is_skipped_folder, found.folders)):
        return "skipped"
    if not wish.with_headless and is_headless(found.entries):
        return "headless"
    _take_windows(found, listed, wish, analyzed, seen)
    return "analyzed"


class _Found(NamedTuple):
    """What matters of one session, and the folders that it was made in."""

    entries: list[Entry]
    folders: list[str]


def _read_claude(listed: Listed, keeper: Gatekeeper, window: int) -> _Found | str:
    """Return what skill calls make matter, or why nothing of it is kept; one denied folder denies the session."""
    marks, folders = find_marks_and_folders(listed.path)
    if not marks:
        return "without a skill"
    # Near enough to let a session through; a refusal must be sure, and so must be that there is no folder.
    if not folders or keeper.judge_folders(folders).state != "ok":
        verdict = keeper.judge_folders(_read_folders(listed))
        if verdict.state != "ok":
            return verdict.state
    entries = read_windows(claude_code, listed, marks, window)
    return _Found(entries, list_folders(entries))


def _read_whole(listed: Listed, keeper: Gatekeeper, window: int) -> _Found | str:
    """Return all of a session; the other harnesses leave no mark by which the windows could be found cheaply."""
    del window
    tally = Tally()
    entries = read_light(READERS[listed.harness], listed, WHOLE, tally)
    if all(entry.kind != "skill_call" for entry in entries):
        return "without a skill"
    if (verdict := keeper.judge_folders(tally.cwds)).state != "ok":
        return verdict.state
    return _Found(entries, tally.cwds)


def is_headless(entries: Sequence[Entry]) -> bool:
    """Whether every prompt of those that matter came from a program: nobody was there to react."""
    origins = {entry.origin for entry in entries if entry.kind == "prompt"}
    return origins == {"sdk"}


def _take_windows(found: _Found, listed: Listed, wish: Wish, analyzed: Analyzed, seen: set[str]) -> None:
    is_installed = make_is_installed(listed.harness, found.folders, wish.skills_roots)
    for window in find_windows(found.entries, is_installed, wish.read, wish.window):
        call = window.call
        if call.span in seen or (wish.skill is not None and call.skill != wish.skill):
            continue  # a fork copies its original's entries
        seen.add(call.span)
        analyzed.calls[call.skill] += 1
        if window.reacted is not None:
            said = window.reacted._replace(text=scrub(window.reacted.text, wish.scrub_rules))
            analyzed.events.append(make_event(listed.session_id, call, said, wish.with_snippets))


def _read_folders(listed: Listed) -> list[str]:
    """Return every folder that the session worked in."""
    tally = Tally()
    with claude_code.open_log(listed) as log:
        for _ in claude_code.read_entries(log, Resume(), tally, _FACTS):
            pass
    return tally.cwds
