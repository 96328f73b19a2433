"""One pass over a Claude Code log: what its lines complete, parsing only those whose shape does not tell enough."""

import re
from collections.abc import Iterator
from typing import Any

from . import claude_records as records
from .claude_shapes import AFTER_ARGUMENTS, ANOTHER_BLOCK, FAILED, HEAD, STATE_OPENINGS, find_tail
from .entry import Call, Entry, Kind, Resume, Tally, Want
from .ledger import note_unknown
from .lines import FileLog
from .tallying import note_record, note_time
from .values import arguments_key, as_folder, as_object, as_text, parse_line, parse_time

_CLOSING_BRACE = ord("}")
_MOST_OPEN_CALLS = 64  # carried to the next reading; of older ones a result is not waited for


class Reading:
    """Takes a log's lines in order and yields what they complete.

    What a skipped line says is remembered as its place and read only when it turns out to matter: the text before a
    prompt, the call that failed.
    """

    def __init__(self, log: FileLog, resume: Resume, tally: Tally, want: Want, parses_all: bool = False) -> None:
        """Begin at *resume*; *parses_all* reads every line in full, which must not change what comes out."""
        self._log = log
        self._start = resume.offset
        self._parses_all = parses_all
        self._tally = tally
        self._want = want
        self._is_subagent = bool(log.listed.parent)
        self._open: dict[str, int | Entry] = _restore_calls(resume)  # an offset until somebody wants the entry
        self._failed: set[tuple[str, bytes]] = set()
        self._failed_tools: set[str] = set()
        self._text: int | Entry | None = None
        self._tail = b""
        self._model = b""
        self._skipped_at = -1  # the last conversation record that was not parsed

    def take_block(self, base: int, block: bytes) -> Iterator[Entry]:
        """Yield what the complete lines of *block*, which begins at offset *base*, complete."""
        find, startswith, skips, skips_at_once = block.find, block.startswith, self._skips, not self._parses_all
        entries = unparsed = position = 0
        while (newline := find(b"\n", position)) >= 0:
            is_state = startswith(STATE_OPENINGS, position) and block[newline - 1] == _CLOSING_BRACE
            if skips_at_once and (is_state or skips(block, position, newline, base)):
                entries += 1
            elif (record := parse_line(block[position:newline])) is not None:
                entries += 1
                yield from self._take(record, block[position:newline], base + position)
            elif is_state or (self._parses_all and skips(block, position, newline, base)):
                entries += 1  # broken where its shape does not show it
            else:
                unparsed += 1
            position = newline + 1
        self._tally.entries += entries
        self._tally.unparsed += unparsed
        self._let_go(_MOST_OPEN_CALLS * 16)

    def finish(self) -> Iterator[Entry]:
        """Yield the last text and, when all are wanted, the calls without a result; complete the tally."""
        yield from self._release_text()
        if self._want.facts:
            self._complete_facts()
        self._let_go(_MOST_OPEN_CALLS)
        calls = {i: place if isinstance(place, int) else place.offset for i, place in self._open.items()}
        self._tally.resume = Resume(self._log.complete_bytes, {"calls": calls} if calls else {})
        if self._want.calls == "all":
            yield from (entry for call_id in self._open if (entry := self._entry_of(call_id)))

    def _skips(self, block: bytes, start: int, newline: int, base: int) -> bool:
        """Whether the line from *start* to *newline* is told by its shape and completes nothing that is wanted."""
        head = HEAD.match(block, start, newline)
        if head is None or not self._is_closed(block, newline) or not self._skips_head(head, block, newline, base):
            return False
        self._skipped_at = base + start
        return True

    def _skips_head(self, head: re.Match[bytes], block: bytes, newline: int, base: int) -> bool:
        kind = head.lastgroup
        if kind == "result":
            return block.find(FAILED, head.end(), newline) < 0 and self._skips_result(head["result"])
        if kind in ("machine", "notice"):
            return True
        if block.find(ANOTHER_BLOCK, head.end(), newline) >= 0:
            return False
        if kind == "tool" and not self._skips_call(head["tool"], block, head.end(), newline):
            return False
        if kind == "text" and self._want.texts == "all":
            return False
        self._model = head["model"] if head["model"] not in (b"", b"<synthetic>") else self._model
        if kind == "tool":
            self._tally.calls += 1
            self._open[head["call"].decode("utf-8", "replace")] = base + head.start()
        elif kind == "text" and self._want.texts == "last":
            self._text = base + head.start()
        return True

    def _is_closed(self, block: bytes, newline: int) -> bool:
        """Whether the line closes its root, with the keys that the session's lines have in common if facts count."""
        if not self._want.facts:
            return block[newline - 1] == _CLOSING_BRACE
        tail = self._tail
        return bool(tail) and self._tally.started_at is not None and block.startswith(tail, newline - len(tail))

    def _skips_call(self, tool: bytes, block: bytes, start: int, newline: int) -> bool:
        """Whether a call, its arguments at *start*, can wait for its result unread; not when somebody will want it."""
        if self._want.calls == "all" or (self._want.git and block.find(b"git ", start, newline) >= 0):
            return False
        name = tool.decode("utf-8", "replace")
        if name not in self._failed_tools or not self._want.repeats:
            return True
        end = block.find(AFTER_ARGUMENTS, start, newline)
        arguments = parse_line(block[start:end]) if end >= 0 else None
        return arguments is not None and not self._repeats(name, arguments)

    def _skips_result(self, call_id: bytes) -> bool:
        """Whether nobody waits for the result of a call that succeeded; then the call is done with."""
        if self._want.calls == "all":
            return False
        name = call_id.decode("utf-8", "replace")
        if isinstance(self._open.get(name), Entry):
            return False
        self._open.pop(name, None)
        return True

    def _take(self, record: dict[str, Any], line: bytes, offset: int) -> Iterator[Entry]:
        """Yield what a parsed *record* completes."""
        end = offset + len(line) + 1
        kind = as_text(record.get("type"))
        if kind not in records.CONVERSATION_TYPES:
            if kind not in records.STATE_TYPES:
                note_unknown(self._tally, kind)
            return
        self._note_facts(record, line)
        if record.get("isSidechain") is True and not self._is_subagent:
            return
        if kind == "assistant":
            yield from self._take_assistant(record, offset, end)
        else:
            yield from self._take_said(record, kind, offset, end)

    def _note_facts(self, record: dict[str, Any], line: bytes) -> None:
        if not self._want.facts:
            return
        self._skipped_at = -1
        model = records.find_model(record)
        if model:
            self._model = b""
        note_record(self._tally, record, model)
        self._tail = find_tail(line) or self._tail

    def _take_assistant(self, record: dict[str, Any], offset: int, end: int) -> Iterator[Entry]:
        if self._want.texts != "none" and (text := records.find_answer(record)):
            entry = begin_entry(record, offset, end, "assistant_text")._replace(text=text)
            if self._want.texts == "all":
                yield entry
            else:
                self._text = entry
        for call in records.find_calls(record):
            self._tally.calls += 1
            is_wanted = (
                self._want.calls == "all"
                or (self._want.git and "git " in call.command)
                or (self._want.repeats and self._repeats(call.tool, call.input))
            )
            self._open[call.id] = begin_call(record, offset, end, call) if is_wanted else offset

    def _take_said(self, record: dict[str, Any], kind: str, offset: int, end: int) -> Iterator[Entry]:
        has_failed = False
        if kind == "user":
            for outcome in records.find_outcomes(record):
                has_failed = has_failed or outcome.status != "ok"
                yield from self._take_outcome(outcome, end)
        if said := records.find_said(record):
            if said.kind != "other":
                yield from self._release_text()
            origin = "agent" if self._is_subagent and said.kind == "prompt" else said.origin
            entry = begin_entry(record, offset, end, said.kind)
            yield entry._replace(text=said.text, origin=origin, skill=said.skill)
        elif has_failed and (words := records.find_feedback(record)):
            yield from self._release_text()
            yield begin_entry(record, offset, end, "prompt")._replace(text=words, origin="refusal")

    def _take_outcome(self, outcome: records.Outcome, end: int) -> Iterator[Entry]:
        place = self._open.get(outcome.call_id)
        is_wanted = self._want.calls == "all" or outcome.status != "ok" or isinstance(place, Entry)
        entry = self._entry_of(outcome.call_id) if is_wanted else None
        self._open.pop(outcome.call_id, None)
        if entry is None or entry.call is None or self._want.calls == "none":
            return  # the call stands in another file, or nobody asks
        if outcome.status != "ok":
            self._failed_tools.add(entry.call.tool)
            self._failed.add((entry.call.tool, arguments_key(entry.call.input)))
        yield complete_call(entry, entry.call, outcome, end)

    def _repeats(self, tool: str, arguments: dict[str, Any]) -> bool:
        return tool in self._failed_tools and (tool, arguments_key(arguments)) in self._failed

    def _entry_of(self, call_id: str) -> Entry | None:
        """Return an open call, read again from its own line where only its place was kept."""
        place = self._open.get(call_id)
        if not isinstance(place, int):
            return place
        if not self._log.is_line_start(place):
            return None
        line = self._log.line_at(place)
        record = parse_line(line) or {}
        calls = [call for call in records.find_calls(record) if call.id == call_id]
        return begin_call(record, place, place + len(line) + 1, calls[0]) if calls else None

    def _release_text(self) -> Iterator[Entry]:
        text, self._text = self._text, None
        if isinstance(text, int):
            line = self._log.line_at(text)
            record = parse_line(line) or {}
            text = begin_entry(record, text, text + len(line) + 1, "assistant_text")
            text = text._replace(text=records.find_answer(record))
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

    def _let_go(self, most: int) -> None:
        if len(self._open) > most:
            for call_id in list(self._open)[:-most]:
                del self._open[call_id]


def _restore_calls(resume: Resume) -> dict[str, int | Entry]:
    calls = as_object(resume.carry.get("calls"))
    return {call_id: place for call_id, place in calls.items() if isinstance(place, int)}


def _time_of(line: bytes) -> float | None:
    record = parse_line(line) or {}
    return parse_time(record.get("timestamp")) if record.get("type") in records.CONVERSATION_TYPES else None


def begin_entry(record: dict[str, Any], offset: int, end: int, kind: Kind) -> Entry:
    """Return the entry of *record*, still without what its kind adds."""
    return Entry(
        offset=offset,
        end=end,
        span=as_text(record.get("uuid")) or f"L{offset}",
        at=parse_time(record.get("timestamp")),
        cwd=as_folder(record.get("cwd")),
        model=records.find_model(record),
        kind=kind,
    )


def begin_call(record: dict[str, Any], offset: int, end: int, call: Call) -> Entry:
    """Return the entry of a call that *record* makes, open."""
    if call.tool != "Skill":
        return begin_entry(record, offset, end, "tool_call")._replace(call=call)
    entry = begin_entry(record, offset, end, "skill_call")
    skill, arguments = as_text(call.input.get("skill")), as_text(call.input.get("args"))
    return entry._replace(call=call, origin="agent", skill=skill, text=arguments)


def complete_call(entry: Entry, call: Call, outcome: records.Outcome, end: int) -> Entry:
    """Return the entry of *call* with its result, which stands in the line that ends at *end*."""
    call = call._replace(
        status=outcome.status, exit_code=outcome.exit_code, result=outcome.result, denied_by=outcome.denied_by
    )
    edits = records.find_edits(call) if call.status == "ok" else ()
    return entry._replace(call=call, end=end, edits=edits, kind="edit" if edits else entry.kind)
