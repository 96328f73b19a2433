"""One pass over a rollout: from its records to entries."""

import hashlib
from collections.abc import Iterator
from typing import Any

from . import codex_records as records
from .codex_calls import Calls
from .entry import Entry, Kind, Origin, Resume, Tally, Want
from .ledger import Memo, note_unknown
from .lines import FileLog
from .tallying import note_folder
from .values import as_folder, as_object, as_text, parse_line, parse_time
from .wanted import Wanted
from .zstd_log import ZstdLog

RolloutLog = FileLog | ZstdLog

_KNOWN_TYPES = frozenset(
    {"session_meta", "turn_context", "event_msg", "response_item", "world_state", "token_usage_record", "compacted"}
)


class Reading:
    """One pass over a rollout: the turn it is in, its calls, and the text that is held back."""

    def __init__(self, log: RolloutLog, resume: Resume, tally: Tally, want: Want) -> None:
        self._log = log
        self._tally = tally
        self._wanted = Wanted(want)
        self._cwd = as_folder(resume.carry.get("cwd"))
        self._model = as_text(resume.carry.get("model"))
        self._turn = as_text(resume.carry.get("turn"))
        self._prompt = as_text(resume.carry.get("prompt"))
        self._origin: Origin | None = None  # of the prompts; a fork's rollout holds its parent's session_meta as well
        self._calls = Calls(tally, resume, self._reread)
        if resume.offset:
            self._reread_meta()

    def take(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Yield what *record* completes."""
        payload, kind = as_object(record.get("payload")), as_text(record.get("type"))
        if kind == "response_item":
            yield from self._take_response(record, payload, offset, end)
        elif kind == "event_msg":
            yield from self._take_event(record, payload, offset, end)
        elif kind == "turn_context":
            self._take_context(payload)
        elif kind == "session_meta":
            self._take_meta(payload)
        elif kind not in _KNOWN_TYPES:
            note_unknown(self._tally, kind)

    def finish(self) -> Iterator[Entry]:
        """Yield the last text and the calls without a result, and leave in the tally where to go on."""
        yield from self._wanted.held()
        carry = self._calls.carry()
        known = {"cwd": self._cwd, "model": self._model, "turn": self._turn, "prompt": self._prompt}
        carry |= {name: value for name, value in known.items() if value}
        self._tally.resume = Resume(self._log.complete_bytes, carry)
        yield from self._wanted.open_calls(self._calls.finish())

    def _take_meta(self, payload: dict[str, Any]) -> None:
        self._note_meta(payload)
        note_folder(self._tally, as_folder(payload.get("cwd")))
        self._tally.version = as_text(payload.get("cli_version")) or self._tally.version

    def _note_meta(self, payload: dict[str, Any]) -> None:
        if self._origin is None:
            self._cwd = self._cwd or as_folder(payload.get("cwd"))
            self._origin = records.find_origin(payload)

    def _reread_meta(self) -> None:
        if meta := records.find_meta(parse_line(self._log.line_at(0))):
            self._note_meta(meta)
            note_folder(self._tally, as_folder(meta.get("cwd")))
        note_folder(self._tally, self._cwd)

    def _take_context(self, payload: dict[str, Any]) -> None:
        self._cwd = as_folder(payload.get("cwd")) or self._cwd
        self._model = as_text(payload.get("model")) or self._model
        self._turn = as_text(payload.get("turn_id")) or self._turn
        note_folder(self._tally, as_folder(payload.get("cwd")))
        self._tally.model = self._model

    def _take_response(self, record: dict[str, Any], payload: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        kind = as_text(payload.get("type"))
        if kind == "message":
            yield from self._take_skills(record, payload, offset, end)
        elif kind in records.CALL_TYPES:
            self._prompt = ""
            self._calls.begin(self._call_entry(record, offset, end, self._cwd, self._model))
        elif kind in records.OUTPUT_TYPES:
            yield from self._wanted.calls(self._calls.take_output(payload, end))

    def _take_skills(self, record: dict[str, Any], payload: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Yield the skills that the prompt before named; Codex puts their texts into a message of its own."""
        entry = self._entry(record, "skill_call", offset, end)
        span = as_text(payload.get("id")) or entry.span
        for number, skill in enumerate(records.find_named_skills(payload)):
            self._calls.note_skill(skill)
            own_span = f"{span}/{number}" if number else span
            yield entry._replace(span=own_span, skill=skill, origin="typed")

    def _take_event(self, record: dict[str, Any], payload: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        match payload.get("type"):
            case "item_completed":
                yield from self._take_item(record, payload, offset, end)
            case "user_message" if payload.get("kind") in (None, "plain"):  # other kinds are injected context
                yield from self._take_prompt(record, as_text(payload.get("message")), "", offset, end)
            case "agent_message":
                yield from self._take_answer(record, as_text(payload.get("message")), offset, end)
            case "task_started":
                self._turn = as_text(payload.get("turn_id")) or self._turn
            case "turn_aborted" if payload.get("reason") == "interrupted":
                yield from self._wanted.held()
                turn = as_text(payload.get("turn_id")) or self._turn
                yield from self._wanted.calls(self._calls.abort(turn, end))
                yield self._entry(record, "interrupt", offset, end)._replace(text="turn_aborted")
            case "patch_apply_end" | "exec_command_end" | "mcp_tool_call_end":
                yield from self._wanted.calls(self._calls.take_end_event(payload, end))
            case _:
                pass

    def _take_item(self, record: dict[str, Any], payload: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        item = as_object(payload.get("item"))
        kind = as_text(item.get("type"))
        if kind == "UserMessage":
            yield from self._take_prompt(record, records.find_words(item), as_text(item.get("id")), offset, end)
        elif kind == "AgentMessage":
            yield from self._take_answer(record, records.find_words(item), offset, end)
        elif kind in records.CALL_ITEMS:
            self._prompt = ""
            entry = self._call_entry(record, offset, end, self._cwd, self._model)
            turn = as_text(payload.get("turn_id"))
            yield from self._wanted.calls(self._calls.take_item(item, turn, entry))

    def _take_prompt(self, record: dict[str, Any], text: str, item_id: str, offset: int, end: int) -> Iterator[Entry]:
        """Yield a prompt; releases between write it as an event and as an item, one right after the other."""
        form = "item" if item_id else "event"
        other_form = "event" if item_id else "item"
        if not text.strip():
            return
        if self._prompt == f"{other_form}:{_mark(text)}":
            self._prompt = ""
            return
        self._prompt = f"{form}:{_mark(text)}"
        yield from self._wanted.held()
        self._calls.forget_skills()
        entry = self._entry(record, "prompt", offset, end)
        yield entry._replace(text=text, span=item_id or entry.span, origin=self._origin or "unknown")

    def _take_answer(self, record: dict[str, Any], text: str, offset: int, end: int) -> Iterator[Entry]:
        self._prompt = ""
        if text:
            yield from self._wanted.text(self._entry(record, "assistant_text", offset, end)._replace(text=text))

    def _entry(self, record: dict[str, Any], kind: Kind, offset: int, end: int) -> Entry:
        at = parse_time(record.get("timestamp"))
        return Entry(offset, end, f"L{offset}", at, self._cwd, self._model, kind)

    def _call_entry(self, record: dict[str, Any], offset: int, end: int, cwd: str, model: str) -> Entry:
        payload = as_object(record.get("payload"))
        item = as_object(payload.get("item"))
        call = records.call_of_item(item) if item else records.parse_call(payload)
        cwd = records.folder_of_item(item) or cwd
        at = parse_time(record.get("timestamp"))
        return Entry(offset, end, call.id or f"L{offset}", at, cwd, model, "tool_call", call=call)

    def _reread(self, memo: Memo) -> list[Entry]:
        """Return the call of an earlier line."""
        if not self._log.is_line_start(memo.offset):
            return []
        line = self._log.line_at(memo.offset)
        record = parse_line(line)
        if record is None or not isinstance(record.get("payload"), dict):
            return []
        return [self._call_entry(record, memo.offset, memo.offset + len(line) + 1, memo.cwd, memo.model)]


def _mark(text: str) -> str:
    """Return what is kept of a prompt to know it again, which is not its text (S-3)."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
