"""Claude Code: ``<config dir>/projects/<encoded launch folder>/<session id>.jsonl``, one record a line, appended.

Seen: 2.1.332 (terminal, printing, resume, fork, clear, compact, sub-agents). The span is the record's ``uuid``, which a
fork copies into its own file: who counts prompts over several sessions must know the spans, not (session, span).
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.paths import find_claude_config
from . import claude_records as records
from .entry import EVERYTHING, Call, Entry, Resume, Tally, Want
from .lines import FileLog
from .reader import Gate, Listed, Listing, Problem
from .tallying import note_record
from .values import as_text, parse_line, parse_time

HARNESS = "claude-code"
LABEL = "claude-code-jsonl"
VERSIONS_SEEN = ("2.1.332",)
HAS_ENTRIES = True

_MOST_OPEN_CALLS = 64  # carried from one reading to the next; older ones never got a result


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
    try:
        if entry.is_dir(follow_symlinks=False):
            return
        found = entry.stat(follow_symlinks=False)
    except OSError as error:
        problems.append(Problem(entry.path, f"cannot be read: {error.strerror}"))
        return
    name = entry.name.removesuffix(".jsonl")
    sessions.append(Listed(HARNESS, name, entry.path, found.st_size, found.st_mtime_ns, parent=parent))


def read_gate(listed: Listed) -> Gate:
    """Return the encoded launch folder, which is all that is known before the log is opened (S-148)."""
    folder = Path(listed.path).parent
    return Gate(encoded=folder.parent.parent.name if listed.parent else folder.name)


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
        if record is None:
            tally.unparsed += 1
        else:
            yield from reading.take(record, offset, offset + len(line) + 1)
    yield from reading.finish()


class _Reading:
    """One pass over a log: the calls still open and the text still held back."""

    def __init__(self, log: FileLog, resume: Resume, tally: Tally, want: Want) -> None:
        self._log = log
        self._tally = tally
        self._want = want
        self._is_subagent = bool(log.listed.parent)
        self._open: dict[str, Entry] = {}
        self._before: dict[str, int] = dict(resume.carry.get("calls", {}))
        self._failed_tools: set[str] = set()
        self._text: Entry | None = None

    def take(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Yield what *record* completes."""
        self._tally.entries += 1
        note_record(self._tally, record, records.find_model(record), records.KNOWN_TYPES)
        if record.get("isSidechain") is True and not self._is_subagent:
            return
        kind = record.get("type")
        if kind == "assistant":
            yield from self._take_assistant(record, offset, end)
            return
        if kind == "user":
            yield from self._take_results(record, end)
        if said := records.find_said(record):
            if said.kind != "other":
                yield from self._release_text()
            origin = "agent" if self._is_subagent and said.kind == "prompt" else said.origin
            entry = _entry(record, offset, end, said.kind)
            yield entry._replace(text=said.text, origin=origin, skill=said.skill)
        elif kind == "user" and (words := records.find_feedback(record)):
            yield from self._release_text()
            yield _entry(record, offset, end, "prompt")._replace(text=words, origin="refusal")

    def finish(self) -> Iterator[Entry]:
        """Yield the last text and the calls without a result, and leave in the tally where to go on."""
        yield from self._release_text()
        calls = self._before | {call_id: entry.offset for call_id, entry in self._open.items()}
        carried = dict(list(calls.items())[-_MOST_OPEN_CALLS:])
        self._tally.resume = Resume(self._log.complete_bytes, {"calls": carried} if carried else {})
        if self._want.calls == "all":
            yield from self._open.values()

    def _take_assistant(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        if self._want.texts != "none" and (text := records.find_answer(record)):
            entry = _entry(record, offset, end, "assistant_text")._replace(text=text)
            if self._want.texts == "all":
                yield entry
            else:
                self._text = entry
        for call in records.find_calls(record):
            self._tally.calls += 1
            self._open[call.id] = _call_entry(record, offset, end, call)

    def _take_results(self, record: dict[str, Any], end: int) -> Iterator[Entry]:
        for outcome in records.find_outcomes(record):
            entry = self._open.pop(outcome.call_id, None) or self._find_earlier(outcome.call_id)
            if entry is None or entry.call is None:
                continue  # the call stands before a cut, or in another file
            if outcome.status != "ok":
                self._failed_tools.add(entry.call.tool)
            if self._is_wanted(entry.call, outcome):
                yield _completed(entry, outcome, end)

    def _is_wanted(self, call: Call, outcome: records.Outcome) -> bool:
        if self._want.calls == "all" or (self._want.git and "git " in call.command):
            return True
        return self._want.calls == "failed" and (outcome.status != "ok" or call.tool in self._failed_tools)

    def _find_earlier(self, call_id: str) -> Entry | None:
        """Return a call that was open when the last reading ended, from its own line."""
        offset = self._before.pop(call_id, -1)
        if not self._log.is_line_start(offset):
            return None
        line = self._log.line_at(offset)
        record = parse_line(line) or {}
        calls = [call for call in records.find_calls(record) if call.id == call_id]
        return _call_entry(record, offset, offset + len(line) + 1, calls[0]) if calls else None

    def _release_text(self) -> Iterator[Entry]:
        if self._text is not None:
            yield self._text
            self._text = None


def _entry(record: dict[str, Any], offset: int, end: int, kind: Any) -> Entry:
    return Entry(
        offset=offset,
        end=end,
        span=as_text(record.get("uuid")) or f"L{offset}",
        at=parse_time(record.get("timestamp")),
        cwd=as_text(record.get("cwd")),
        model=records.find_model(record),
        kind=kind,
    )


def _call_entry(record: dict[str, Any], offset: int, end: int, call: Call) -> Entry:
    if call.tool == "Skill":
        entry = _entry(record, offset, end, "skill_call")
        return entry._replace(
            call=call, origin="agent", skill=as_text(call.input.get("skill")), text=as_text(call.input.get("args"))
        )
    return _entry(record, offset, end, "tool_call")._replace(call=call)


def _completed(entry: Entry, outcome: records.Outcome, end: int) -> Entry:
    assert entry.call is not None
    call = entry.call._replace(
        status=outcome.status, exit_code=outcome.exit_code, result=outcome.result, denied_by=outcome.denied_by
    )
    edits = records.find_edits(call) if call.status == "ok" else ()
    return entry._replace(call=call, end=end, edits=edits, kind="edit" if edits else entry.kind)
