"""Of a session log only what its skill calls make matter, read twice: cheaply to find it, then whole.

Most sessions call no skill, and in the others most of the log is far from any call. Every call leaves one of two marks
in the log's bytes; from there the window goes on for some prompts, and only that is parsed whole. What comes out is
what reading all of it would tell about the calls: the tests hold the two against each other on random logs.
"""

import mmap
import os
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..sessions.entry import EVERYTHING, Entry, Resume, Tally, Want, make_own_span
from ..sessions.needles import count
from ..sessions.reader import AnyReader, Listed
from ..sessions.values import as_folder, parse_line

# A call by the agent, as every release of Claude Code writes it; and what each typed skill's record holds.
_USUAL_CALL = b'"name":"Skill","input":{'
_ANY_CALL = b'"Skill"'
_TYPED = b"<command-name>"
_A_CALL = b'"type":"tool_use"'
_USUAL_FORM = re.compile(rb'"type":"tool_use","id":"[^"]*","name":"[^"]*","input":\{')

# A folder as a record names it, with its closing quote.
_FOLDER = b'"cwd":"'
_NAMED = re.compile(rb'"cwd":"((?:[^"\\]|\\.)*")')
_LONGEST_FOLDER = 8192  # bytes, with its key
_BLOCK = 1 << 20

_MOST_READ = 4 << 20  # bytes; a larger log is mapped, which for small ones takes longer than reading them
_ALL_ENTRIES = EVERYTHING._replace(facts=False)  # the folders stand in the entries
_PROMPTS = Want(texts="none", calls="none", repeats=False, git=False, facts=False)


class Span(NamedTuple):
    """A part of a log: from the line at *begin* to the line that ends at *end*."""

    begin: int
    end: int


WHOLE = Span(0, sys.maxsize)


def find_marks(path: str | Path, start: int = 0) -> list[int]:
    """Return the offsets, from *start* on, of the lines of a Claude Code log that may call a skill.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= start:
            return []
        if size <= _MOST_READ:
            return _search(file.read(), start)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _search(data, start)


def _search(data: bytes | mmap.mmap, start: int) -> list[int]:
    call = _USUAL_CALL if _has_usual_form(data) else _ANY_CALL
    marks = (call, _TYPED)
    return sorted({data.rfind(b"\n", 0, place) + 1 for mark in marks for place in _find_all(data, mark, start)})


def _has_usual_form(data: bytes | mmap.mmap) -> bool:
    """Whether the log writes its calls as Claude Code does; the first one tells, for one program wrote them all."""
    place = data.find(_A_CALL)
    return place >= 0 and _USUAL_FORM.match(data, place) is not None


def _find_all(data: bytes | mmap.mmap, mark: bytes, start: int) -> Iterator[int]:
    place = data.find(mark, start)
    while place >= 0:
        yield place
        end = data.find(b"\n", place)  # one mark a line is enough
        place = data.find(mark, end) if end >= 0 else -1


def find_folders(path: str | Path) -> list[str]:
    """Return the working folders in a Claude Code log: all that its records name, and what else looks like one.

    Nearly all records name a folder that another named, so blocks that name no other are only counted through.

    Raises:
        OSError: it cannot be read.
    """
    found: dict[bytes, None] = {}
    rest = b""
    with open(path, "rb", buffering=0) as file:
        while data := file.read(_BLOCK):
            block = rest + data
            known = sum(count(block, b"%b%b" % (_FOLDER, raw), 0, len(block)) for raw in found)
            if known != count(block, _FOLDER, 0, len(block)):
                found |= dict.fromkeys(_NAMED.findall(block))
            rest = block[-_LONGEST_FOLDER:]  # what a border of blocks cuts is whole in the next
    records = [parse_line(b'{"cwd":"%b}' % raw) for raw in found]
    return [folder for record in records if record and (folder := as_folder(record.get("cwd")))]


def read_windows(reader: AnyReader, listed: Listed, marks: Sequence[int], turns: int) -> list[Entry]:
    """Return all entries from each of *marks* (lines of the log, in order) to the prompt that closes its window.

    Args:
        turns: user turns of a window; the one after them closes it.

    Raises:
        LogError: the log cannot be opened, or changed while it was read.
    """
    spans = _find_windows(reader, listed, marks, turns)
    return sort_entries(entry for span in spans for entry in read_span(reader, listed, span))


def _find_windows(reader: AnyReader, listed: Listed, marks: Sequence[int], turns: int) -> Iterator[Span]:
    """Yield the windows; those that overlap are one."""
    number = 0
    while number < len(marks):
        begin, prompts = marks[number], 0
        with reader.open_log(listed) as log:
            end = log.complete_bytes
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
        log.complete_bytes = min(span.end, log.complete_bytes)
        return _own(listed, reader.read_entries(log, Resume(span.begin), Tally(), _ALL_ENTRIES))


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
