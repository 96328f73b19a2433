"""One pass over a Claude Code log: what its lines complete, parsing only those that hold a mark of what is wanted.

What the others say is looked up when it turns out to matter: the text before a prompt, the call that failed, the time
of the last line.
"""

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import orjson

from . import claude_records as records
from . import claude_shapes as shapes
from .claude_calls import OpenCalls
from .claude_entries import begin_call, begin_entry, complete_call
from .claude_lookback import find_last_model, find_last_time, find_text
from .claude_repeats import FailedCalls
from .claude_tails import Tails
from .entry import Entry, Resume, Tally, Want
from .ledger import note_unknown
from .lines import FileLog
from .needles import find, rfind
from .tallying import note_record, note_time
from .values import as_text, parse_line

_FEW_BYTES = 4096  # an odd part as short as this is not halved but parsed
_MOST_SOUGHT = 32  # results that are sought one by one; when more are awaited, all are parsed


class _Plain(NamedTuple):
    """A plain part: how many lines it has, and where they hold a mark."""

    lines: int
    marks: list[int]


class Reading:
    """Takes a log's lines in order and yields what they complete."""

    def __init__(self, log: FileLog, resume: Resume, tally: Tally, want: Want, parses_all: bool = False) -> None:
        """Begin at *resume*; *parses_all* reads every line in full, which must not change what comes out."""
        self._log = log
        self._start = resume.offset
        self._tally = tally
        self._want = want
        self._takes_all_said = want.texts == "all" or want.calls == "all"
        self._minds_said = want.texts != "none" or want.repeats or want.git or want.facts
        self._minds_calls = (want.repeats or want.git or want.facts) and not self._takes_all_said
        self._parses_all = parses_all
        self._is_subagent = bool(log.listed.parent)
        self._calls = OpenCalls(log, resume)
        self._failed = FailedCalls()
        self._tails = Tails()
        self._has_passed = False  # over any line
        self._text: Entry | None = None  # the last one parsed
        self._text_from = resume.offset  # a later one was passed over
        self._model_from = resume.offset
        self._last_at = -1  # the last record, when its time is not noted yet
        self._out: list[Entry] = []  # complete, and not yielded yet
        self._opening = b""  # of the last call that was passed over
        self._counted_at = -1  # its place in the block

    def take_block(self, base: int, block: bytes) -> Iterator[Entry]:
        """Yield what the complete lines of *block*, which begins at offset *base*, complete."""
        parts = [(0, rfind(block, b"\n", 0, len(block)) + 1)]
        while parts:
            start, end = parts.pop()
            if self._parses_all or start == end:
                yield from self._take_lines(block, start, end, base)
            elif plain := self._look_at(block, start, end):
                yield from self._take_plain(plain, block, start, end, base)
            elif end - start <= _FEW_BYTES or (middle := shapes.find_middle(block, start, end)) == end:
                yield from self._take_lines(block, start, end, base)
            else:
                parts += [(middle, end), (start, middle)]

    def finish(self) -> Iterator[Entry]:
        """Yield the last text and, when all are wanted, the calls without a result; complete the tally."""
        if self._want.texts in ("last", "final"):
            self._release_text(self._log.complete_bytes)
        yield from self._take_out()
        if self._want.facts and self._has_passed:
            self._complete_facts()
        self._tally.resume = Resume(self._log.complete_bytes, self._calls.carry())
        if self._want.calls == "all":
            yield from self._calls.left()

    # Lines that are passed over, but for some.

    def _look_at(self, block: bytes, start: int, end: int) -> _Plain | None:
        """Return what a part holds when it is plain."""
        counts = shapes.count_lines(block, start, end)
        if counts is None:
            return None
        lines, of_conversation = counts
        if self._want.facts and self._tails.count(block, start, end) != of_conversation:
            return None
        if self._minds_said and not self._is_subagent and shapes.has_sidechain(block, start, end):
            return None
        all_results = self._want.calls == "all" or len(self._calls.awaited) > _MOST_SOUGHT
        marks = shapes.find_marks(block, start, end, of_conversation, all_results, self._takes_all_said)
        return None if marks is None else _Plain(lines, marks)

    def _take_plain(self, plain: _Plain, block: bytes, start: int, end: int, base: int) -> Iterator[Entry]:
        """Yield what a plain part completes: its lines that hold a mark, and its calls that may matter."""
        marks, passed, position = plain.marks, plain.lines, start
        marks += self._seek_results(self._calls.awaited, block, start, end)
        heapify(marks)
        self._has_passed, self._counted_at = True, -1
        while True:
            line_at = max(start, rfind(block, b"\n", start, marks[0]) + 1) if marks else end
            if self._minds_calls and (call := self._find_call(block, position, line_at)) >= 0:
                line_at = max(start, rfind(block, b"\n", start, call) + 1)
                self._tally.calls -= self._counted_at >= line_at  # it is parsed after all
            elif not marks:
                break
            elif heappop(marks) < position or block.startswith(shapes.STATE_OPENINGS, line_at):
                continue
            newline = find(block, b"\n", line_at, end)
            self._take_line(block, line_at, newline, base, has_facts=False)
            if self._out:
                yield from self._take_out()
            position, passed = newline + 1, passed - 1
            for place in self._seek_results(self._calls.take_new(), block, position, end):
                heappush(marks, place)
        self._tally.entries += passed
        if self._want.facts and (last := shapes.find_last_record(block, start, end)) >= 0:
            self._last_at = base + last

    def _seek_results(self, call_ids: Iterable[str], block: bytes, start: int, end: int) -> Iterator[int]:
        """Yield where the results of awaited calls stand, unless all results are marked anyway."""
        if self._want.calls != "all":
            for call_id in call_ids:
                needle = b'"tool_use_id":' + orjson.dumps(call_id.encode("utf-8", "replace").decode())
                if (place := find(block, needle, start, end)) >= 0:
                    yield place

    def _find_call(self, block: bytes, position: int, end: int) -> int:
        """Return where the next call before *end* stands that may matter, -1 for none; count those that do not."""
        minds = self._want.git or (self._want.repeats and self._failed)
        if not minds and self._opening and (calls := shapes.count_calls(block, position, end, self._opening)) >= 0:
            self._tally.calls += calls
            return -1
        while (place := find(block, shapes.TOOL_USE, position, end)) >= 0:
            if not self._opens_as_last(block, place) or (minds and self._may_matter(block, place)):
                return place
            self._tally.calls += 1
            self._counted_at = place
            position = place + len(shapes.TOOL_USE)
        return -1

    def _opens_as_last(self, block: bytes, place: int) -> bool:
        """Whether the call is its record's only one, said by the same model as the one before."""
        opening = self._opening
        if opening and block.startswith(opening, max(0, place - len(opening))):
            return True
        self._opening = shapes.find_call_opening(block, place)
        return bool(self._opening)

    def _may_matter(self, block: bytes, place: int) -> bool:
        if self._want.repeats and self._failed:
            name_at = shapes.find_tool(block, place)
            if name_at < 0 or self._failed.may_have(block, name_at):
                return True
        return self._want.git and find(block, b"git ", place, find(block, b"\n", place, len(block))) >= 0

    # Lines that are parsed.

    def _take_lines(self, block: bytes, start: int, end: int, base: int) -> Iterator[Entry]:
        while start < end:
            newline = find(block, b"\n", start, end)
            self._take_line(block, start, newline, base, self._want.facts)
            yield from self._take_out()
            start = newline + 1
        self._calls.take_new()

    def _take_out(self) -> list[Entry]:
        out, self._out = self._out, []
        return out

    def _take_line(self, block: bytes, start: int, newline: int, base: int, has_facts: bool) -> None:
        """Parse a line and take it; *has_facts*: it may say what the tally does not hold yet."""
        line = memoryview(block)[start:newline]  # a line of 50 MB is not copied
        record = parse_line(line)
        if record is not None:
            self._tally.entries += 1
            self._take(record, line, base + start, has_facts)
        elif (plain := self._look_at(block, start, newline + 1)) and not plain.marks:
            self._tally.entries += 1  # broken where its shape does not show it
            if self._minds_calls:
                self._find_call(block, start, newline)
        else:
            self._tally.unparsed += 1

    def _take(self, record: dict[str, Any], line: memoryview, offset: int, has_facts: bool) -> None:
        """Take a parsed *record*."""
        end = offset + len(line) + 1
        kind = as_text(record.get("type"))
        if kind not in records.CONVERSATION_TYPES:
            if kind not in records.STATE_TYPES:
                note_unknown(self._tally, kind)
            return
        if has_facts:
            self._note_facts(record, line, offset)
        if record.get("isSidechain") is True and not self._is_subagent:
            return
        if kind == "assistant":
            self._take_assistant(record, offset, end)
        elif kind == "user" and (outcomes := records.find_outcomes(record)):
            self._take_outcomes(record, outcomes, offset, end)
        elif said := records.find_said(record):
            self._take_said(record, said, offset, end)

    def _note_facts(self, record: dict[str, Any], line: memoryview, offset: int) -> None:
        tally, model = self._tally, records.find_model(record)
        if model:
            self._model_from = offset
        if note_record(tally, record, model):
            self._last_at = -1
        self._tails.note(tally.cwd, tally.version, line if tally.started_at is not None else None)

    def _take_assistant(self, record: dict[str, Any], offset: int, end: int) -> None:
        texts = self._want.texts
        if texts != "none" and (text := records.find_answer(record)):
            entry = begin_entry(record, offset, end, "assistant_text", text)
            if texts == "all":
                self._out.append(entry)
            else:
                self._text, self._text_from = entry, end
        for call in records.find_calls(record):
            self._tally.calls += 1
            self._calls.note(call.id, offset)
            if (
                self._want.calls == "all"
                or (self._want.git and "git " in call.command)
                or (self._want.repeats and self._failed.has(call.tool, call.input))
            ):
                self._calls.wait_for(call.id, begin_call(record, offset, end, call))

    def _take_outcomes(self, record: dict[str, Any], outcomes: list[records.Outcome], offset: int, end: int) -> None:
        for outcome in outcomes:
            self._take_outcome(outcome, offset, end)
        if any(outcome.status != "ok" for outcome in outcomes) and (words := records.find_feedback(record)):
            self._release_text_before(offset)
            self._out.append(begin_entry(record, offset, end, "prompt", words, None, "refusal"))

    def _take_outcome(self, outcome: records.Outcome, offset: int, end: int) -> None:
        reads = self._want.calls == "all" or (self._want.calls == "failed" and outcome.status != "ok")
        entry = self._calls.take(outcome.call_id, reads, offset)
        if entry is None or entry.call is None or self._want.calls == "none":
            return  # nobody asks, or the call stands in another file
        if outcome.status != "ok" and self._want.repeats:
            self._failed.add(entry.call.tool, entry.call.input)
        self._out.append(complete_call(entry, entry.call, outcome, end))

    def _take_said(self, record: dict[str, Any], said: records.Said, offset: int, end: int) -> None:
        if said.kind != "other":
            self._release_text_before(offset)
        origin = "agent" if self._is_subagent and said.kind == "prompt" else said.origin
        self._out.append(begin_entry(record, offset, end, said.kind, said.text, None, origin, said.skill))

    def _release_text_before(self, prompt: int) -> None:
        if self._want.texts == "last":
            self._release_text(prompt)

    def _release_text(self, before: int) -> None:
        """Let go of the last text, which stands before the line at *before*."""
        passed = find_text(self._log, self._text_from, before, self._is_subagent) if self._has_passed else None
        text, self._text, self._text_from = passed or self._text, None, before
        if text is not None:
            self._out.append(text)

    def _complete_facts(self) -> None:
        """Add what the lines that were passed over say: the last one's time, the last one's model."""
        self._tally.model = find_last_model(self._log, self._model_from) or self._tally.model
        if self._last_at >= 0:
            note_time(self._tally, find_last_time(self._log, self._start, self._last_at))
