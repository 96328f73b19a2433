"""Of a session log only what its skill calls make matter, read twice: cheaply to find it, then whole.

Most sessions call no skill, and in the others most of the log is far from any call. Every call leaves one of two marks
in the log's bytes (``marks``); from there the window goes on for some prompts, and only that is parsed whole. What
comes out is what reading all of it would tell about the calls: the tests hold the two against each other on random
logs.
"""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..sessions.entry import EVERYTHING, Entry, Resume, Tally, Want, make_own_span
from ..sessions.reader import AnyReader, Listed, Log

_ALL_ENTRIES = EVERYTHING._replace(facts=False)  # the folders stand in the entries
_PROMPTS = Want(texts="none", calls="none", repeats=False, git=False, facts=False)


class Span(NamedTuple):
    """A part of a log: from the line at *begin* to the line that ends at *end*."""

    begin: int
    end: int


WHOLE = Span(0, sys.maxsize)


def read_windows(reader: AnyReader, listed: Listed, marks: Sequence[int], turns: int) -> list[Entry]:
    """Return all entries from each of *marks* (lines of the log, in order) to the prompt that closes its window.

    Args:
        turns: user turns of a window; the one after them closes it.

    Raises:
        LogError: the log cannot be opened, or changed while it was read.
    """
    with reader.open_log(listed) as log:
        spans = list(_find_windows(reader, log, marks, turns))
        return sort_entries(entry for span in spans for entry in _read_span(reader, log, span))


def _find_windows(reader: AnyReader, log: Log, marks: Sequence[int], turns: int) -> Iterator[Span]:
    """Yield the windows; those that overlap are one."""
    number = 0
    while number < len(marks):
        begin, end, prompts = marks[number], log.complete_bytes, 0
        for entry in reader.read_entries(log, Resume(begin), Tally(), _PROMPTS):
            while number + 1 < len(marks) and marks[number + 1] <= entry.offset:
                number, prompts = number + 1, 0
            prompts += entry.kind == "prompt"
            if prompts > turns:
                end = entry.end
                break
        yield Span(begin, end)
        number = bisect_left(marks, end)


def read_span(reader: AnyReader, listed: Listed, span: Span) -> list[Entry]:
    """Return all entries of *span*, as if the log ended there: a call whose result comes later is open."""
    with reader.open_log(listed) as log:
        return _read_span(reader, log, span)


def _read_span(reader: AnyReader, log: Log, span: Span) -> list[Entry]:
    whole, log.complete_bytes = log.complete_bytes, min(span.end, log.complete_bytes)
    try:
        return _own(log.listed, reader.read_entries(log, Resume(span.begin), Tally(), _ALL_ENTRIES))
    finally:
        log.complete_bytes = whole


def read_light(reader: AnyReader, listed: Listed, span: Span, tally: Tally) -> list[Entry]:
    """Return all entries of *span* in the order of the log, without the calls' results, and fill *tally*."""
    with reader.open_log(listed) as log:
        log.complete_bytes = min(span.end, log.complete_bytes)
        entries = reader.read_entries(log, Resume(span.begin), tally, EVERYTHING)
        return sort_entries(_own(listed, map(_drop_result, entries)))


def _drop_result(entry: Entry) -> Entry:
    return entry if entry.call is None else entry._replace(call=entry.call._replace(result=""))


def _own(listed: Listed, entries: Iterable[Entry]) -> list[Entry]:
    """Return *entries* with spans that no other session has."""
    return [
        entry._replace(span=make_own_span(listed.session_id, entry.span)) if entry.span.startswith("L") else entry
        for entry in entries
    ]


def read_context(
    reader: AnyReader, listed: Listed, part: Span, marks: Iterable[int], turns: int, tally: Tally
) -> list[Entry]:
    """Return every prompt in *part*, and all else around *marks*: from the prompt before to the closing one.

    Args:
        tally: gets the folders of all that *part* holds.

    Raises:
        LogError: the log cannot be opened, or changed while it was read.
    """
    with reader.open_log(listed) as log:
        log.complete_bytes = min(part.end, log.complete_bytes)
        cheap = _own(listed, reader.read_entries(log, Resume(part.begin), tally, _PROMPTS._replace(facts=True)))
    prompts = [entry for entry in cheap if entry.kind == "prompt"]
    spans = [_surround(mark, prompts, turns, part) for mark in marks if mark < part.end]
    whole = [entry for span in _join(spans) for entry in read_span(reader, listed, span)]
    return sort_entries([*cheap, *whole])


def _surround(mark: int, prompts: list[Entry], turns: int, part: Span) -> Span:
    after = bisect_right([prompt.offset for prompt in prompts], mark)
    closing = after + turns
    return Span(
        prompts[after - 1].offset if after else part.begin,
        prompts[closing].end if closing < len(prompts) else part.end,
    )


def _join(spans: list[Span]) -> Iterator[Span]:
    """Yield *spans*, which are in order, the overlapping ones as one."""
    joined: list[Span] = []
    for span in spans:
        if joined and span.begin <= joined[-1].end:
            joined[-1] = Span(joined[-1].begin, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    yield from joined


def list_folders(entries: Iterable[Entry]) -> list[str]:
    """Return the folders that *entries* were made in, in order of appearance."""
    return list(dict.fromkeys(entry.cwd for entry in entries if entry.cwd))


def sort_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Return *entries*, which come as they are completed, in the order of the log, a call with its last result."""
    last = {(e.offset, e.kind if e.call is None else e.call.id, e.span): e for e in entries}
    return sorted(last.values(), key=lambda entry: entry.offset)
