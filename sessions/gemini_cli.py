"""Gemini CLI: ``<gemini dir>/tmp/<project>/chats/session-<time>-<id>.jsonl``, with ``<project>/.project_root``.

Seen: 0.61.0 (headless and terminal, refusals, Esc, ``/clear``, ``/compress``, skills, custom commands, resume,
sub-agents). A message is written again under its id as it grows, and on every resume the whole history stands in one
``$set`` once more, results and texts in other shapes: what such a record repeats is never read.
Not read: ``session-*.json`` of releases before 0.39.0, ``$patch``; what ``$rewindTo`` takes back stays, for it
happened. A main session records no version, and no folder but that of ``.project_root``. Its full id stands in the log
alone, which no listing may open: a session is named by the first eight digits, which end the file's name; a hook's
session id begins with them.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.paths import find_home, read_dir_variable
from . import gemini_records as records
from .entry import EVERYTHING, Entry, Kind, Resume, Tally, Want
from .ledger import Ledger, Memo, note_unknown
from .lines import FileLog
from .metadata import MetadataError, read_small_file
from .reader import Gate, Listed, Listing, Problem, clip_ns, find_odd_name
from .tallying import note_folder, note_time
from .values import as_folder, as_list, as_object, as_text, parse_line, parse_time
from .wanted import Wanted

HARNESS = "gemini-cli"
LABEL = "gemini-cli-jsonl"
VERSIONS_SEEN = ("0.61.0",)
HAS_ENTRIES = True

_NAME = re.compile(r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-([0-9a-f]{8})")
_LONGEST_ROOT = 1 << 12  # bytes of `.project_root` (S-107)
_KEPT_CALLS = 200  # whose result is out, for they are written again
_KEPT_MESSAGES = 500  # whose text is out
_BEFORE_JSONL = "one JSON document, of a release before 0.39.0"
_KNOWN_TYPES = frozenset({"user", "gemini", "info", "warning", "error"})


def find_store() -> Path:
    """Return ``tmp`` in Gemini CLI's folder: ``$GEMINI_CLI_HOME/.gemini``, else ``~/.gemini``."""
    return (read_dir_variable("GEMINI_CLI_HOME") or find_home()) / ".gemini" / "tmp"


def list_sessions(store: Path, subagents: bool = False) -> Listing:
    """List ``<store>/*/chats/session-*.jsonl``; with *subagents* also ``<store>/*/chats/<session id>/*.jsonl``."""
    try:
        projects = sorted(os.scandir(store), key=lambda entry: entry.name)
    except FileNotFoundError:
        return Listing(str(store), "absent")
    except OSError as error:
        return Listing(str(store), "unreadable", f"{store} cannot be listed: {error.strerror}")
    sessions: dict[str, Listed] = {}
    problems: list[Problem] = []
    for project in projects:
        if project.is_dir(follow_symlinks=False):
            for listed in _list_chats(os.path.join(project.path, "chats"), subagents, problems):
                if sessions.setdefault(listed.session_id, listed) is not listed:  # eight digits are not all of an id
                    longer = f"{project.name}/{Path(listed.path).name}"
                    sessions[longer] = listed._replace(session_id=longer)
    return Listing(str(store), "ok", "", tuple(sessions.values()), tuple(problems))


def _list_chats(folder: str, subagents: bool, problems: list[Problem]) -> Iterator[Listed]:
    for entry in _scan(folder, problems):
        if entry.name.startswith("session-") and entry.name.endswith((".jsonl", ".json")):
            yield from _list_one(entry, "", problems)
        elif subagents and entry.is_dir(follow_symlinks=False):
            for inner in _scan(entry.path, problems):
                if inner.name.endswith(".jsonl"):
                    yield from _list_one(inner, entry.name, problems)


def _scan(folder: str, problems: list[Problem]) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(Problem(folder, f"cannot be listed: {error.strerror}"))
        return []


def _list_one(entry: os.DirEntry[str], parent: str, problems: list[Problem]) -> Iterator[Listed]:
    if odd := find_odd_name(entry.path):
        problems.append(odd)
        return
    try:
        found = entry.stat(follow_symlinks=False)
        if entry.is_dir(follow_symlinks=False):
            return
    except OSError as error:
        problems.append(Problem(entry.path, f"cannot be read: {error.strerror}"))
        return
    name, _, ending = entry.name.rpartition(".")
    short = _NAME.fullmatch(name)
    name = short[1] if short else name
    unsupported = _BEFORE_JSONL if ending == "json" else ""
    yield Listed(HARNESS, name, entry.path, found.st_size, clip_ns(found.st_mtime_ns), unsupported, parent)


def read_gate(listed: Listed) -> Gate:
    """Return the folder that ``.project_root`` names; earlier releases have none."""
    chats = Path(listed.path).parent.parent if listed.parent else Path(listed.path).parent
    path = str(chats.parent / ".project_root")
    if not os.path.lexists(path):
        return Gate()
    try:
        root = as_folder(read_small_file(path, _LONGEST_ROOT).strip("\r\n"))
    except MetadataError as error:
        return Gate(unknown=str(error))
    return Gate(dirs=(root,)) if root else Gate(unknown=".project_root names no folder")


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
    reading = _Reading(log, resume, tally, want)
    for offset, line in log.lines(resume.offset):
        record = parse_line(line)
        if record is None or not _is_entry(record):
            tally.unparsed += 1
            continue
        tally.entries += 1
        yield from reading.take(record, offset, offset + len(line) + 1)
    yield from reading.finish()


def _is_entry(record: dict[str, Any]) -> bool:
    return isinstance(record.get("type"), str) or "sessionId" in record or any(key.startswith("$") for key in record)


class _Reading:
    """One pass over a log: what was told already, its calls and the text that is held back."""

    def __init__(self, log: FileLog, resume: Resume, tally: Tally, want: Want) -> None:
        self._log = log
        self._tally = tally
        self._wanted = Wanted(want)
        self._ledger = Ledger(tally, self._reread)
        self._ledger.restore(resume.carry.get("calls"))
        self._told = dict.fromkeys(as_text(name) for name in as_list(resume.carry.get("told")))
        self._model = as_text(resume.carry.get("model"))
        root = "".join(read_gate(log.listed).dirs)
        self._cwd = as_folder(resume.carry.get("cwd")) or root
        self._was_refused = resume.carry.get("refused") is True
        note_folder(tally, root)
        note_folder(tally, self._cwd)

    def take(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Yield what *record* completes."""
        change = as_object(record.get("$set"))
        stamp = record.get("timestamp") or change.get("lastUpdated") or record.get("startTime")
        note_time(self._tally, parse_time(stamp))
        for folder in [*as_list(record.get("directories")), *as_list(change.get("directories"))]:
            note_folder(self._tally, as_folder(folder))
            self._cwd = as_folder(folder) or self._cwd
        kind = record.get("type")
        if kind == "user":
            yield from self._take_user(record, offset, end)
        elif kind == "gemini":
            yield from self._take_gemini(record, offset, end)
        elif kind == "info" and record.get("content") == records.CANCELLED and not self._was_refused:
            yield from self._take_cancel(record, offset, end)
        elif isinstance(kind, str) and kind not in _KNOWN_TYPES:
            note_unknown(self._tally, kind)
        if isinstance(kind, str) and kind != "gemini":
            self._was_refused = False

    def finish(self) -> Iterator[Entry]:
        """Yield the last text and the calls without a result, and leave in the tally where to go on."""
        yield from self._wanted.held()
        known: dict[str, Any] = {
            "calls": self._ledger.carry(_KEPT_CALLS),
            "told": list(self._told)[-_KEPT_MESSAGES:],
            "model": self._model,
            "cwd": self._cwd,
            "refused": self._was_refused,
        }
        self._tally.resume = Resume(self._log.complete_bytes, {name: value for name, value in known.items() if value})
        yield from self._wanted.open_calls(map(_with_meaning, self._ledger.open.values()))

    def _take_user(self, message: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        said = records.find_said(message)
        if said and self._is_news(message):
            yield from self._wanted.held()
            entry = self._entry(message, said.kind, offset, end)
            origin = "agent" if self._log.listed.parent and said.kind == "prompt" else said.origin
            yield entry._replace(text=said.text, origin=origin, skill=said.skill)

    def _take_gemini(self, message: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        self._model = as_text(message.get("model")) or self._model
        self._tally.model = self._model
        text = records.text_of(message.get("content"))
        if text and self._is_news(message):
            yield from self._wanted.text(self._entry(message, "assistant_text", offset, end)._replace(text=text))
        for call, record in records.parse_calls(message):
            self._ledger.begin(self._entry(message, "tool_call", offset, end)._replace(call=call))
            outcome = records.judge_call(record)
            if outcome and self._ledger.call_of(call.id) and (entry := self._ledger.settle(call.id, end, outcome)):
                self._was_refused = outcome.denied_by == "person"
                yield from self._wanted.calls([_with_meaning(entry)])
        self._ledger.trim(_KEPT_CALLS)

    def _take_cancel(self, message: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Take an Esc; the same line after a refused call only repeats that."""
        if self._is_news(message):
            yield from self._wanted.held()
            yield from self._wanted.calls(self._ledger.settle_open(end, records.Outcome("interrupted")))
            yield self._entry(message, "interrupt", offset, end)._replace(text=records.CANCELLED)

    def _is_news(self, message: dict[str, Any]) -> bool:
        """Whether the words of a message come for the first time; a second time it is the same message that grew."""
        name = as_text(message.get("id"))
        if not name or name not in self._told:
            self._told[name] = None
            if len(self._told) > 2 * _KEPT_MESSAGES:
                self._told = dict.fromkeys(list(self._told)[-_KEPT_MESSAGES:])
            return True
        return False

    def _entry(self, message: dict[str, Any], kind: Kind, offset: int, end: int) -> Entry:
        span = as_text(message.get("id")) or f"L{offset}"
        at = parse_time(message.get("timestamp"))
        return Entry(offset, end, span, at, self._cwd, as_text(message.get("model")) or self._model, kind)

    def _reread(self, memo: Memo) -> list[Entry]:
        """Return the calls of an earlier line."""
        if not self._log.is_line_start(memo.offset):
            return []
        line = self._log.line_at(memo.offset)
        message = parse_line(line) or {}
        entry = self._entry(message, "tool_call", memo.offset, memo.offset + len(line) + 1)
        calls = records.parse_calls(message)
        return [entry._replace(cwd=memo.cwd, model=memo.model, call=call) for call, _ in calls]


def _with_meaning(entry: Entry) -> Entry:
    """Return a call's entry as the skill call or the edit that it is; an edit is one once it is settled."""
    call = entry.call
    assert call is not None
    if skill := records.find_skill(call):
        return entry._replace(kind="skill_call", skill=skill, origin="agent")
    edits = records.find_edits(call) if call.status == "ok" else ()
    return entry._replace(kind="edit", edits=edits) if edits else entry
