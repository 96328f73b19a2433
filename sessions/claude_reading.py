"""One pass over a Claude Code log: what its lines complete, parsing only those whose shape does not tell enough.

What a skipped line says is kept as its place at most, and read only when it turns out to matter: the text before a
prompt, the call that failed, the time of the last line.
"""

import re
from collections.abc import Iterator
from typing import Any

from . import claude_records as records
from .claude_calls import OpenCalls
from .claude_entries import begin_call, begin_entry, complete_call
from .claude_shapes import (
    AFTER_ARGUMENTS,
    ANOTHER_BLOCK,
    FAILED,
    HEAD,
    MACHINE,
    MODEL,
    NOTICE,
    OF_ASSISTANT,
    OF_ATTACHMENT,
    RECORD_OPENING,
    RESULT,
    STATE_OPENINGS,
    TEXT,
    TOOL,
    find_tail,
)
from .entry import Entry, Resume, Tally, Want
from .ledger import note_unknown
from .lines import FileLog
from .tallying import note_record, note_time
from .values import arguments_key, as_text, parse_line, parse_time

_BRACE = ord("}")
_NO_TAIL = b"\n\n"  # ends no line


class Reading:
    """Takes a log's lines in order and yields what they complete."""

    def __init__(self, log: FileLog, resume: Resume, tally: Tally, want: Want, parses_all: bool = False) -> None:
        """Begin at *resume*; *parses_all* reads every line in full, which must not change what comes out."""
        self._log = log
        self._start = resume.offset
        self._tally = tally
        self._want = want
        self._needs_said = want.texts != "none" or want.calls == "all" or want.repeats or want.git or want.facts
        self._parses_all = parses_all
        self._is_subagent = bool(log.listed.parent)
        self._calls = OpenCalls(log, resume)
        self._failed: set[tuple[str, bytes]] = set()
        self._failed_tools: set[bytes] = set()
        self._text: int | Entry | None = None
        self._model = b""
        self._tail = _NO_TAIL if want.facts else b"}"
        self._skipped_at = -1  # the last conversation record that was not parsed

    def take_block(self, base: int, block: bytes) -> Iterator[Entry]:
        """Yield what the complete lines of *block*, which begins at offset *base*, complete."""
        find, startswith, head_at, skips = block.find, block.startswith, HEAD.match, self._skips
        parses_all = self._parses_all
        skipped = position = 0
        while (newline := find(b"\n", position)) >= 0:
            if not parses_all and (
                (head := head_at(block, position, newline)) is not None and skips(block, head, newline, base)
                if startswith(RECORD_OPENING, position)
                else startswith(STATE_OPENINGS, position) and block[newline - 1] == _BRACE
            ):
                skipped += 1
            else:
                yield from self._take_line(block, position, newline, base)
            position = newline + 1
        self._tally.entries += skipped

    def finish(self) -> Iterator[Entry]:
        """Yield the last text and, when all are wanted, the calls without a result; complete the tally."""
        yield from self._release_text()
        if self._want.facts:
            self._complete_facts()
        self._tally.resume = Resume(self._log.complete_bytes, self._calls.carry())
        if self._want.calls == "all":
            yield from self._calls.left()

    def _skips(self, block: bytes, head: re.Match[bytes], newline: int, base: int) -> bool:
        """Whether a line, told by its *head* and its end, completes nothing that is wanted."""
        tail, kind = self._tail, head.lastindex
        if not block.startswith(tail, newline - len(tail)):
            return False
        if kind == RESULT:
            if self._wants_result(head) or block.find(FAILED, head.end(), newline) >= 0:
                return False
        elif kind == MACHINE:
            if block.find(OF_ATTACHMENT, head.end(), newline) < 0:
                return False
        elif kind != NOTICE:
            if block.find(OF_ASSISTANT, head.end(), newline) < 0:
                return False
            if self._needs_said and not self._skips_said(block, head, newline, base):
                return False
        self._skipped_at = base + head.start()
        return True

    def _wants_result(self, head: re.Match[bytes]) -> bool:
        return self._want.calls == "all" or self._calls.awaits(head[RESULT])

    def _skips_said(self, block: bytes, head: re.Match[bytes], newline: int, base: int) -> bool:
        """The same for a record of the model, of which what may be wanted later is noted."""
        start, kind, want = head.end(), head.lastindex, self._want
        if block.find(ANOTHER_BLOCK, start, newline) >= 0:
            return False
        if kind == TOOL:
            if want.calls == "all" or (want.git and block.find(b"git ", start, newline) >= 0):
                return False
            if want.repeats and head[TOOL] in self._failed_tools and self._may_repeat(block, head, newline):
                return False
            self._tally.calls += 1
        elif kind == TEXT:
            if want.texts == "all":
                return False
            self._text = base + head.start() if want.texts == "last" else None
        if (model := head[MODEL]) and model != b"<synthetic>":
            self._model = model
        return True

    def _may_repeat(self, block: bytes, head: re.Match[bytes], newline: int) -> bool:
        """Whether the call may repeat one that failed; only its arguments are parsed."""
        end = block.find(AFTER_ARGUMENTS, head.end(), newline)
        arguments = parse_line(block[head.end() : end]) if end >= 0 else None
        return arguments is None or self._repeats(head[TOOL].decode("utf-8", "replace"), arguments)

    # Lines that are parsed.

    def _take_line(self, block: bytes, start: int, newline: int, base: int) -> Iterator[Entry]:
        line = memoryview(block)[start:newline]  # a line of 50 MB is not copied
        record = parse_line(line)
        if record is not None:
            self._tally.entries += 1
            yield from self._take(record, line, base + start)
        elif self._parses_all and self._is_skipped(block, start, newline, base):
            self._tally.entries += 1  # broken where its shape does not show it
        else:
            self._tally.unparsed += 1

    def _is_skipped(self, block: bytes, start: int, newline: int, base: int) -> bool:
        if block.startswith(STATE_OPENINGS, start):
            return block[newline - 1] == _BRACE
        head = HEAD.match(block, start, newline)
        return head is not None and self._skips(block, head, newline, base)

    def _take(self, record: dict[str, Any], line: memoryview, offset: int) -> Iterator[Entry]:
        """Yield what a parsed *record* completes."""
        end = offset + len(line) + 1
        kind = as_text(record.get("type"))
        if kind not in records.CONVERSATION_TYPES:
            if kind not in records.STATE_TYPES:
                note_unknown(self._tally, kind)
            return
        if self._want.facts:
            self._note_facts(record, line)
        if record.get("isSidechain") is True and not self._is_subagent:
            return
        if kind == "assistant":
            yield from self._take_assistant(record, offset, end)
            return
        has_failed = False
        if kind == "user":
            for outcome in records.find_outcomes(record):
                has_failed = has_failed or outcome.status != "ok"
                yield from self._take_outcome(outcome, offset, end)
        yield from self._take_said(record, has_failed, offset, end)

    def _note_facts(self, record: dict[str, Any], line: memoryview) -> None:
        model = records.find_model(record)
        if model:
            self._model = b""
        if note_record(self._tally, record, model):
            self._skipped_at = -1
        tail = find_tail(line) if self._tally.started_at is not None else b""
        if tail or "cwd" in record or "version" in record:
            self._tail = tail or _NO_TAIL  # lines that close as the last known one did add nothing

    def _take_assistant(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        if self._want.texts != "none" and (text := records.find_answer(record)):
            entry = begin_entry(record, offset, end, "assistant_text", text=text)
            if self._want.texts == "all":
                yield entry
            else:
                self._text = entry
        for call in records.find_calls(record):
            self._tally.calls += 1
            self._calls.note(call.id, offset)
            if (
                self._want.calls == "all"
                or (self._want.git and "git " in call.command)
                or (self._want.repeats and self._repeats(call.tool, call.input))
            ):
                self._calls.wait_for(call.id, begin_call(record, offset, end, call))

    def _take_outcome(self, outcome: records.Outcome, offset: int, end: int) -> Iterator[Entry]:
        reads = self._want.calls == "all" or (self._want.calls == "failed" and outcome.status != "ok")
        entry = self._calls.take(outcome.call_id, reads, offset)
        if entry is None or entry.call is None or self._want.calls == "none":
            return  # nobody asks, or the call stands in another file
        if outcome.status != "ok" and self._want.repeats:
            self._failed_tools.add(entry.call.tool.encode("utf-8", "replace"))
            self._failed.add((entry.call.tool, arguments_key(entry.call.input)))
        yield complete_call(entry, entry.call, outcome, end)

    def _take_said(self, record: dict[str, Any], has_failed: bool, offset: int, end: int) -> Iterator[Entry]:
        if said := records.find_said(record):
            if said.kind != "other":
                yield from self._release_text()
            origin = "agent" if self._is_subagent and said.kind == "prompt" else said.origin
            yield begin_entry(record, offset, end, said.kind, said.text, origin, said.skill)
        elif has_failed and (words := records.find_feedback(record)):
            yield from self._release_text()
            yield begin_entry(record, offset, end, "prompt", words, "refusal")

    def _repeats(self, tool: str, arguments: dict[str, Any]) -> bool:
        return (tool, arguments_key(arguments)) in self._failed

    def _release_text(self) -> Iterator[Entry]:
        text, self._text = self._text, None
        if isinstance(text, int):
            line = self._log.line_at(text)
            record = parse_line(line) or {}
            answer = records.find_answer(record)
            text = begin_entry(record, text, text + len(line) + 1, "assistant_text", answer)
        if text is not None and text.text:
            yield text

    def _complete_facts(self) -> None:
        """Add what the skipped lines say: the last one's time, the last one's model."""
        if self._model:
            self._tally.model = self._model.decode("utf-8", "replace")
        if self._skipped_at >= 0:
            at = _time_of(self._log.line_at(self._skipped_at))
            note_time(self._tally, at if at is not None else self._find_last_time())

    def _find_last_time(self) -> float | None:
        last = None
        for _, line in self._log.lines(self._start):
            at = _time_of(line)
            last = last if at is None else at
        return last


def _time_of(line: bytes) -> float | None:
    record = parse_line(line) or {}
    return parse_time(record.get("timestamp")) if record.get("type") in records.CONVERSATION_TYPES else None
