"""Copilot CLI: ``<copilot home>/session-state/<session id>/events.jsonl``, with ``workspace.yaml`` beside it.

Seen: 1.0.102 (``-p`` and terminal, refusals with and without words, interrupts, resume, compaction, a sub-agent, a
shell in the background, skills and commands, called and typed). Not read: events with an ``agentId`` (sub-agents),
``hook.*`` (prompts and results once more), ``session-store.db``, flat transcripts of earlier releases. The failure of
a command in the background is told by the ``read_bash`` call that asks for its end, as the program records it.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.paths import find_home, read_dir_variable
from . import copilot_records as records
from .entry import EVERYTHING, Entry, Kind, Resume, Tally, Want
from .ledger import Ledger, Memo, Outcome, note_unknown
from .lines import FileLog
from .metadata import MetadataError, read_small_file
from .reader import Gate, Listed, Listing, Problem, clip_ns, find_odd_name
from .tallying import note_folder, note_time
from .values import as_folder, as_object, as_text, parse_line, parse_time
from .wanted import Wanted

HARNESS = "copilot"
LABEL = "copilot-events"
VERSIONS_SEEN = ("1.0.102",)
HAS_ENTRIES = True

_KEPT_SETTLED = 50  # calls whose result is out; a second one of the same call changes nothing
_LONGEST_WORKSPACE = 1 << 16  # bytes (S-102)

# By how Copilot begins a line: what it sent to the model, what hooks were given, and counters.
_IDLE_LINE = re.compile(
    rb'\{"type":"(?:hook\.(?:start|end)|system\.message|session\.usage_record|assistant\.turn_(?:start|end)|model\.\w+)"'
)


def find_store() -> Path:
    """Return ``session-state`` in Copilot's home: ``$COPILOT_HOME``, else ``~/.copilot``."""
    return (read_dir_variable("COPILOT_HOME") or find_home() / ".copilot") / "session-state"


def list_sessions(store: Path, subagents: bool = False) -> Listing:
    """List ``<store>/*/events.jsonl``; sub-agents have no log of their own."""
    del subagents
    try:
        folders = sorted(os.scandir(store), key=lambda entry: entry.name)
    except FileNotFoundError:
        return Listing(str(store), "absent")
    except OSError as error:
        return Listing(str(store), "unreadable", f"{store} cannot be listed: {error.strerror}")
    sessions: list[Listed] = []
    problems: list[Problem] = []
    for folder in folders:
        path = os.path.join(folder.path, "events.jsonl")
        if odd := find_odd_name(path):
            problems.append(odd)
            continue
        try:
            if not folder.is_dir(follow_symlinks=False):
                continue
            found = os.stat(path, follow_symlinks=False)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(Problem(path, f"cannot be read: {error.strerror}"))
            continue
        sessions.append(Listed(HARNESS, folder.name, path, found.st_size, clip_ns(found.st_mtime_ns)))
    return Listing(str(store), "ok", "", tuple(sessions), tuple(problems))


def read_gate(listed: Listed) -> Gate:
    """Return the folder that ``workspace.yaml`` names; one that is missing names none."""
    path = os.path.join(os.path.dirname(listed.path), "workspace.yaml")
    if not os.path.lexists(path):
        return Gate()
    try:
        text = read_small_file(path, _LONGEST_WORKSPACE)
    except MetadataError as error:
        return Gate(unknown=str(error))
    record = parse_line(text.encode()) if text.lstrip().startswith("{") else None
    cwd = as_folder(record.get("cwd")) if record is not None else records.parse_workspace(text)
    return Gate(dirs=(cwd,)) if cwd else Gate(unknown="workspace.yaml names no folder")


def open_log(listed: Listed) -> FileLog:
    """Open the session's events.

    Raises:
        LogError: they cannot be opened.
    """
    return FileLog(listed)


def read_entries(log: FileLog, resume: Resume, tally: Tally, want: Want = EVERYTHING) -> Iterator[Entry]:
    """Yield the entries of *log* from ``resume`` on and fill *tally*.

    Raises:
        LogError: the log changed while it was read.
    """
    reading = _Reading(log, resume, tally, want)
    idle_line = b""
    for offset, line in log.lines(resume.offset):
        if _IDLE_LINE.match(line) and line.endswith(b"}") and tally.started_at is not None:
            tally.entries += 1
            idle_line = line
            continue
        record = parse_line(line)
        if record is None or not isinstance(record.get("data"), dict):
            tally.unparsed += 1
            continue
        tally.entries += 1
        idle_line = b""
        yield from reading.take(record, offset, offset + len(line) + 1)
    if idle_line:
        note_time(tally, parse_time((parse_line(idle_line) or {}).get("timestamp")))
    yield from reading.finish()


class _Reading:
    """One pass over a session's events: its calls, its folder and the text that is held back."""

    def __init__(self, log: FileLog, resume: Resume, tally: Tally, want: Want) -> None:
        self._log = log
        self._tally = tally
        self._wanted = Wanted(want)
        self._ledger = Ledger(tally, self._reread)
        self._ledger.restore(resume.carry.get("calls"))
        self._cwd = as_folder(resume.carry.get("cwd"))
        self._model = as_text(resume.carry.get("model"))
        self._invoked = as_text(resume.carry.get("invoked"))  # a typed skill, told before the message that names it
        if resume.offset and not self._cwd:
            first = parse_line(log.line_at(0)) or {}
            self._cwd = records.find_folder(as_object(first.get("data")))
        note_folder(tally, self._cwd)

    def take(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Yield what an event completes."""
        kind, data = record.get("type"), as_object(record.get("data"))
        note_time(self._tally, parse_time(record.get("timestamp")))
        if record.get("agentId"):
            return
        match kind:
            case "session.start" | "session.resume" | "session.context_changed" | "session.model_change":
                self._take_context(data)
            case "user.message" if origin := records.find_origin(data):
                yield from self._take_prompt(record, as_text(data.get("content")), origin, offset, end)
                yield from self._take_typed_skill(record, data, offset, end)
            case "assistant.message":
                yield from self._take_answer(record, data, offset, end)
            case "tool.execution_start":
                self._ledger.begin(self._call_entry(record, offset, end, self._cwd, self._model))
            case "tool.execution_complete":
                yield from self._take_complete(data, end)
            case "permission.completed":
                yield from self._take_permission(record, data, offset, end)
            case "abort":
                yield from self._take_abort(record, data, offset, end)
            case _:
                self._take_other(kind, data)

    def _take_other(self, kind: Any, data: dict[str, Any]) -> None:
        if kind in ("skill.invoked", "skill.invoked_ref"):
            self._invoked = records.find_invoked_skill(data) or self._invoked
        elif not records.is_known(kind):
            note_unknown(self._tally, kind)

    def finish(self) -> Iterator[Entry]:
        """Yield the last text and the calls without a result, and leave in the tally where to go on."""
        yield from self._wanted.held()
        known: dict[str, Any] = {
            "calls": self._ledger.carry(_KEPT_SETTLED),
            "cwd": self._cwd,
            "model": self._model,
            "invoked": self._invoked,
        }
        self._tally.resume = Resume(self._log.complete_bytes, {name: value for name, value in known.items() if value})
        yield from self._wanted.open_calls(map(_with_meaning, self._ledger.open.values()))

    def _take_context(self, data: dict[str, Any]) -> None:
        cwd = records.find_folder(data)
        self._cwd = cwd or self._cwd
        note_folder(self._tally, cwd)
        self._note_model(as_text(data.get("newModel")) or as_text(data.get("selectedModel")))
        self._tally.version = as_text(data.get("copilotVersion")) or self._tally.version

    def _note_model(self, model: str) -> None:
        self._model = model or self._model
        self._tally.model = model or self._tally.model

    def _take_prompt(self, record: dict[str, Any], text: str, origin: Any, offset: int, end: int) -> Iterator[Entry]:
        if text.strip():
            yield from self._wanted.held()
            yield self._entry(record, "prompt", offset, end)._replace(text=text, origin=origin)

    def _take_typed_skill(self, record: dict[str, Any], data: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Yield the skill that the message just told called, after its words."""
        typed = records.find_typed_skill(data, self._invoked)
        self._invoked = ""
        if typed:
            entry = self._entry(record, "skill_call", offset, end)
            yield entry._replace(text=typed[1], origin="typed", skill=typed[0])

    def _take_answer(self, record: dict[str, Any], data: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        self._note_model(as_text(data.get("model")))
        if text := as_text(data.get("content")):
            yield from self._wanted.text(self._entry(record, "assistant_text", offset, end)._replace(text=text))

    def _take_complete(self, data: dict[str, Any], end: int) -> Iterator[Entry]:
        call_id = as_text(data.get("toolCallId"))
        if call := self._ledger.call_of(call_id):
            yield from self._settle(call_id, records.judge_complete(data, call), end)

    def _take_permission(self, record: dict[str, Any], data: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        call_id = as_text(data.get("toolCallId"))
        outcome = records.judge_permission(data)
        if outcome and self._ledger.call_of(call_id):
            yield from self._settle(call_id, outcome, end)
        yield from self._take_prompt(record, records.find_feedback(data), "refusal", offset, end)

    def _take_abort(self, record: dict[str, Any], data: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        yield from self._wanted.held()
        yield from self._wanted.calls(self._ledger.settle_open(end, Outcome("interrupted")))
        yield self._entry(record, "interrupt", offset, end)._replace(text=as_text(data.get("reason")))

    def _settle(self, call_id: str, outcome: Outcome, end: int) -> Iterator[Entry]:
        entry = self._ledger.settle(call_id, end, outcome)
        self._ledger.trim(_KEPT_SETTLED)
        if entry:
            yield from self._wanted.calls([_with_meaning(entry)])

    def _entry(self, record: dict[str, Any], kind: Kind, offset: int, end: int) -> Entry:
        span = as_text(record.get("id")) or f"L{offset}"
        return Entry(offset, end, span, parse_time(record.get("timestamp")), self._cwd, self._model, kind)

    def _call_entry(self, record: dict[str, Any], offset: int, end: int, cwd: str, model: str) -> Entry:
        data = as_object(record.get("data"))
        call = records.parse_call(data)
        entry = self._entry(record, "tool_call", offset, end)
        return entry._replace(cwd=cwd, model=as_text(data.get("model")) or model, call=call)

    def _reread(self, memo: Memo) -> list[Entry]:
        """Return the call of an earlier line."""
        if not self._log.is_line_start(memo.offset):
            return []
        line = self._log.line_at(memo.offset)
        record = parse_line(line)
        if record is None:
            return []
        return [self._call_entry(record, memo.offset, memo.offset + len(line) + 1, memo.cwd, memo.model)]


def _with_meaning(entry: Entry) -> Entry:
    """Return a call's entry as the skill call or the edit that it is; an edit is one once it is settled."""
    call = entry.call
    assert call is not None
    if call.tool == "skill":
        name = as_text(call.input.get("skill")) or as_text(call.input.get("name"))
        return entry._replace(kind="skill_call", skill=name, origin="agent")
    edits = records.find_edits(call) if call.status == "ok" else ()
    return entry._replace(kind="edit", edits=edits) if edits else entry
