"""The calls of a Claude Code log that have no result yet."""

from collections.abc import Iterator
from typing import Any

from . import claude_records as records
from .claude_entries import begin_call
from .entry import Entry, Resume
from .lines import FileLog
from .values import as_object, parse_line

_MOST_CARRIED = 64  # of older ones a result is not waited for
_MOST_KNOWN = 1024
_FARTHEST = 64 << 20  # bytes between a call and its result
_MOST_MISSES = 16  # a hostile log may hold results without calls; each costs a search through _FARTHEST


class OpenCalls:
    """Knows the calls whose lines were parsed, and finds the others by their id, backwards from the result.

    So a line with a call that nobody asks for need not be looked at when it is passed.
    """

    def __init__(self, log: FileLog, resume: Resume) -> None:
        self._log = log
        calls = as_object(resume.carry.get("calls"))
        self._places: dict[str, int] = {name: place for name, place in calls.items() if isinstance(place, int)}
        self.awaited: dict[str, Entry] = {}
        self._new: list[str] = []
        self._misses = 0

    def note(self, call_id: str, offset: int) -> None:
        """Remember where the line of a call begins."""
        self._places[call_id] = offset
        if len(self._places) > _MOST_KNOWN:
            self._forget_oldest()

    def wait_for(self, call_id: str, entry: Entry) -> None:
        """Any result of this call is wanted."""
        self.awaited[call_id] = entry
        self._new.append(call_id)

    def take_new(self) -> list[str]:
        """Return the calls that are waited for since this was asked last."""
        new, self._new = self._new, []
        return new

    def take(self, call_id: str, reads: bool, before: int) -> Entry | None:
        """Return the entry of a call whose result begins at offset *before*, and let go of it.

        A call that nobody waits for is read again from its line when *reads* says so.
        """
        entry = self.awaited.pop(call_id, None)
        place = self._places.pop(call_id, -1)
        if entry is not None or not reads:
            return entry
        if self._log.is_line_start(place):
            return _find_call(self._log.line_at(place), place, call_id)
        return self._search(call_id, before)

    def left(self) -> Iterator[Entry]:
        """Yield the calls that are waited for, which got no result."""
        return iter(self.awaited.values())

    def carry(self) -> dict[str, Any]:
        """Return what the next reading must know."""
        calls = dict(list(self._places.items())[-_MOST_CARRIED:])
        return {"calls": calls} if calls else {}

    def _search(self, call_id: str, before: int) -> Entry | None:
        if not call_id or self._misses >= _MOST_MISSES:
            return None
        needle = f'"type":"tool_use","id":"{call_id}"'.encode("utf-8", "replace")
        for offset, line in self._log.lines_with(needle, before, _FARTHEST):
            if entry := _find_call(line, offset, call_id):
                return entry
        self._misses += 1
        return None

    def _forget_oldest(self) -> None:
        oldest = next(iter(self._places))
        del self._places[oldest]
        self.awaited.pop(oldest, None)


def _find_call(line: bytes, offset: int, call_id: str) -> Entry | None:
    record = parse_line(line) or {}
    if record.get("type") != "assistant":
        return None  # a copy in the request's record
    for call in records.find_calls(record):
        if call.id == call_id:
            return begin_call(record, offset, offset + len(line) + 1, call)
    return None
