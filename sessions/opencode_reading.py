"""From the records of an OpenCode session to entries: one pass over its log."""

from collections.abc import Iterator
from typing import Any

from . import opencode_records as records
from .entry import Call, Entry, Kind, Origin, Resume, Status, Tally, Want
from .ledger import Outcome
from .opencode_log import RowLog
from .reader import LogError
from .sqlite_copy import CHANGED
from .tallying import note_folder, note_time
from .values import as_folder, as_list, as_object, as_text, parse_line
from .wanted import Wanted


def read_entries(log: RowLog, folder: str, resume: Resume, tally: Tally, want: Want) -> Iterator[Entry]:
    """Yield the entries of *log* from ``resume`` on and fill *tally*; *folder* is that of the session's row.

    Raises:
        LogError: the database changed twice while it was read, or cannot be read.
    """
    for _ in range(2):
        trial = Tally()
        entries = list(_read_once(log, folder, resume, trial, want))
        if not log.has_changed():
            for name in Tally.__slots__:
                setattr(tally, name, getattr(trial, name))
            yield from entries
            return
        log.close()
        log.reload()
    raise LogError(CHANGED)


def _read_once(log: RowLog, folder: str, resume: Resume, tally: Tally, want: Want) -> Iterator[Entry]:
    reading = _Reading(folder, resume, tally, want, bool(log.listed.parent))
    for offset, line in log.lines(resume.offset):
        record = parse_line(line) or {}
        if record.get("kind") == "unparsed":
            tally.unparsed += 1
        else:
            tally.entries += 1
            yield from reading.take(record, offset, offset + len(line) + 1)
    yield from reading.finish(log.complete_bytes)


class _Reading:
    """The message that is being read, and what holds from one message to the next."""

    def __init__(self, folder: str, resume: Resume, tally: Tally, want: Want, is_subagent: bool) -> None:
        self._tally = tally
        self._wanted = Wanted(want)
        self._is_subagent = is_subagent
        self._cwd = as_folder(resume.carry.get("cwd")) or folder
        self._model = as_text(resume.carry.get("model"))
        self._is_unattended = resume.carry.get("unattended") is True
        self._message: dict[str, Any] = {}
        self._message_at = (0, 0)  # offset of its line, and after its last line so far
        self._last_line_at = 0
        self._words: list[str] = []
        self._has_interrupt = resume.carry.get("interrupted") is True
        note_folder(tally, folder)
        note_folder(tally, self._cwd)

    def take(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Yield what a record completes."""
        if record.get("kind") == "message":
            yield from self._close_message()
            yield from self._open_message(record, offset, end)
        elif "role" in record:
            yield from self._take_part(record, offset, end)
        else:
            yield from self._take_content(record, as_text(record.get("span")), offset, end)
        self._message_at = (self._message_at[0], end)
        self._last_line_at = offset

    def finish(self, offset: int) -> Iterator[Entry]:
        """Yield what the last message and text come to, and leave in the tally where to go on."""
        yield from self._close_message()
        yield from self._wanted.held()
        known = {
            "cwd": self._cwd,
            "model": self._model,
            "unattended": self._is_unattended,
            "interrupted": self._has_interrupt,
        }
        self._tally.resume = Resume(offset, {name: value for name, value in known.items() if value})

    def _open_message(self, message: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        self._message, self._message_at, self._words = message, (offset, end), []
        times = as_object(message.get("time"))
        for name in ("created", "completed"):
            note_time(self._tally, _seconds(times.get(name)))
        for value in (
            message.get("cwd"),
            message.get("directory"),
            as_object(message.get("location")).get("directory"),
        ):
            folder = as_folder(value)
            self._cwd = folder or self._cwd
            note_folder(self._tally, folder)
        self._model = as_text(message.get("model")) or self._model
        self._tally.model = self._model or self._tally.model
        yield from self._take_message_2(message, offset, end)

    def _take_message_2(self, message: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Take what a message of version 2 holds itself."""
        match message.get("type"):
            case "user":
                self._words = [as_text(message.get("text"))]
                self._has_interrupt = False
            case "assistant":
                self._has_interrupt = False
                for number, part in enumerate(as_list(message.get("content"))):
                    span = f"{as_text(message.get('id'))}/{number}"
                    yield from self._take_content(as_object(part), span, offset, end)
            case "idle" if message.get("outcome") == "interrupted" and not self._has_interrupt:
                yield from self._interrupt(offset, end)
            case _:
                pass

    def _close_message(self) -> Iterator[Entry]:
        """Yield the prompt or the interrupt that the message before was, now that its last part is read."""
        offset, end = self._message_at
        if any(word.strip() for word in self._words):
            yield from self._say("\n".join(self._words), offset, end)
        if self._message.get("error") == "MessageAbortedError":
            yield from self._interrupt(self._last_line_at, end)
        self._message, self._words = {}, []

    def _say(self, stored: str, offset: int, end: int) -> Iterator[Entry]:
        """Yield the prompt, or the skill typed after a slash, that the text of a person's message is."""
        typed = records.find_typed_skill(stored)
        text, self._is_unattended = records.strip_quotes(typed[1] if typed else stored)
        if typed:
            yield from self._wanted.held()
            entry = self._entry("skill_call", self._message_span(offset), offset, end)
            yield entry._replace(text=text, origin="typed", skill=typed[0])
        else:
            origin: Origin = "sdk" if self._is_unattended else "typed"
            yield from self._prompt(text, "agent" if self._is_subagent else origin, offset, end)

    def _take_part(self, part: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        """Take a part of a message of version 1."""
        is_assistant = part.get("role") == "assistant"
        if part.get("type") == "text" and is_assistant and self._message.get("summary") is not True:
            yield from self._answer(as_text(part.get("text")), as_text(part.get("id")), offset, end)
        elif part.get("type") == "text" and part.get("role") == "user" and self._message:
            if not part.get("synthetic") and not part.get("ignored"):
                self._words.append(as_text(part.get("text")))
        elif part.get("type") == "tool":
            state, tool = as_object(part.get("state")), as_text(part.get("tool"))
            call = records.parse_call(as_text(part.get("callID")), tool, state)
            at = _seconds(as_object(state.get("time")).get("start"))
            outcome = records.judge_state(tool, state, self._is_unattended)
            yield from self._settle(call, outcome, as_text(part.get("id")), at, offset, end)
            if words := records.find_feedback(as_text(state.get("error"))):
                yield from self._prompt(words, "refusal", offset, end)

    def _take_content(self, part: dict[str, Any], span: str, offset: int, end: int) -> Iterator[Entry]:
        """Take a part of a message of version 2."""
        if part.get("type") == "text":
            yield from self._answer(as_text(part.get("text")), span, offset, end)
        elif part.get("type") == "tool":
            state, tool = as_object(part.get("state")), as_text(part.get("name"))
            call = records.parse_call(as_text(part.get("id")), tool, state)
            at = _seconds(as_object(part.get("time")).get("created"))
            outcome = records.judge_content(state)
            yield from self._settle(call, outcome, span, at, offset, end)
            if outcome and outcome.status == "interrupted" and not self._has_interrupt:
                self._has_interrupt = True
                yield from self._interrupt(offset, end)

    def _settle(
        self, call: Call, outcome: Outcome | None, span: str, at: float | None, offset: int, end: int
    ) -> Iterator[Entry]:
        """Yield a call; one that a killed program left running has no result and never gets one."""
        self._tally.calls += 1
        status: Status = outcome.status if outcome else "open"
        call = call._replace(**outcome._asdict()) if outcome else call
        entry = self._entry("tool_call", span, offset, end)
        entry = entry._replace(call=call, at=entry.at if at is None else at)
        if call.tool == "skill":
            entry = entry._replace(kind="skill_call", skill=as_text(call.input.get("name")), origin="agent")
        elif status == "ok" and (edits := records.find_edits(call)):
            entry = entry._replace(kind="edit", edits=edits)
        yield from self._wanted.calls([entry]) if outcome else self._wanted.open_calls([entry])

    def _answer(self, text: str, span: str, offset: int, end: int) -> Iterator[Entry]:
        if text:
            yield from self._wanted.text(self._entry("assistant_text", span, offset, end)._replace(text=text))

    def _prompt(self, text: str, origin: Origin, offset: int, end: int) -> Iterator[Entry]:
        yield from self._wanted.held()
        yield self._entry("prompt", self._message_span(offset), offset, end)._replace(text=text, origin=origin)

    def _interrupt(self, offset: int, end: int) -> Iterator[Entry]:
        yield from self._wanted.held()
        yield self._entry("interrupt", self._message_span(offset), offset, end)._replace(text="interrupted")

    def _message_span(self, offset: int) -> str:
        return as_text(self._message.get("id")) or f"L{offset}"

    def _entry(self, kind: Kind, span: str, offset: int, end: int) -> Entry:
        at = _seconds(as_object(self._message.get("time")).get("created"))
        return Entry(offset, end, span, at, self._cwd, self._model, kind)


def _seconds(value: Any) -> float | None:
    """Return OpenCode's milliseconds as UTC seconds."""
    return value / 1000 if type(value) in (int, float) and 0 <= value < 1e15 else None
