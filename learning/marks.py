"""Of a Claude Code log the lines that may call a skill, and the folders that it names: found by its bytes alone."""

import os
import re
from collections.abc import Iterator

from ..sessions.lines import open_sized, read_at
from ..sessions.needles import count, find, find_all, rfind
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

_BLOCK = 1 << 18  # bytes; stays in the processor's second cache, where searching a block again costs little
_OVERLAP = 8192  # bytes; no call's opening and no folder with its key is longer


def find_marks(path: str, start: int = 0) -> list[int]:
    """Return the offsets, from *start* on, of the lines of a Claude Code log that may call a skill.

    Raises:
        LogError, OSError: it cannot be read.
    """
    return _look_through(path, start, None)


def find_marks_and_folders(path: str) -> tuple[list[int], list[str]]:
    """Return what ``find_marks`` does, and the working folders of a log that has such lines.

    The folders are all that its records name, and what else looks like one.

    Raises:
        LogError, OSError: it cannot be read.
    """
    folders = _Folders()
    marks = _look_through(path, 0, folders)
    return marks, folders.names() if marks else []


class _Folders:
    """The folders in a log's blocks. Nearly all records name a known one: such blocks are only counted through."""

    def __init__(self) -> None:
        self._found: dict[bytes, None] = {}

    def take(self, block: bytes) -> None:
        if not self._found and (first := _NAMED.match(block, find(block, _FOLDER, 0, len(block)))):
            self._found[first[1]] = None
        known = sum(count(block, _FOLDER + raw, 0, len(block)) for raw in self._found)
        if known != count(block, _FOLDER, 0, len(block)):
            named = (_NAMED.match(block, place) for place in find_all(block, _FOLDER, 0, len(block)))
            self._found |= dict.fromkeys(name[1] for name in named if name)

    def names(self) -> list[str]:
        records = [parse_line(b'{"cwd":"%b}' % raw) for raw in self._found]
        return [folder for record in records if record and (folder := as_folder(record.get("cwd")))]


def _look_through(path: str, start: int, folders: _Folders | None) -> list[int]:
    fd, found = open_sized(path)
    try:
        if found.st_size > _BLOCK:
            return _find_in_blocks(fd, start, folders)
        data = read_at(fd, 0, found.st_size)
        if find(data, _ANY_CALL, start, len(data)) < 0 and find(data, _TYPED, start, len(data)) < 0:
            return []
        marks = _find_in_whole(data, start)
        if marks and folders is not None:
            folders.take(data)
        return marks
    finally:
        os.close(fd)


def _find_in_whole(data: bytes, start: int) -> list[int]:
    first = find(data, _A_CALL, 0, len(data))
    call = _USUAL_CALL if first >= 0 and _USUAL_FORM.match(data, first) else _ANY_CALL
    return sorted({line_at for mark in (call, _TYPED) for line_at in _find_lines(data, mark, start, 0)})


def _find_in_blocks(fd: int, start: int, folders: _Folders | None) -> list[int]:
    call = _USUAL_CALL if _has_usual_form(fd) else _ANY_CALL
    found: set[int] = set()
    line_at = start
    for base, block in _iter_blocks(fd, start):
        for mark in (call, _TYPED):
            seen = _OVERLAP - len(mark) + 1 if base > start else 0  # the block before held what begins earlier
            found.update(base + at if at >= 0 else line_at for at in _find_lines(block, mark, seen, -1))
        if (last := rfind(block, b"\n", 0, len(block))) >= 0:
            line_at = base + last + 1
        if folders is not None:
            folders.take(block)
    return sorted(found)


def _has_usual_form(fd: int) -> bool:
    """Whether the log writes its calls as Claude Code does; the first one tells, for one program wrote them all."""
    for _, block in _iter_blocks(fd, 0):
        place = find(block, _A_CALL, 0, len(block))
        if 0 <= place < _BLOCK or (place >= 0 and len(block) < _BLOCK + _OVERLAP):  # later ones come whole in the next
            return _USUAL_FORM.match(block, place) is not None
    return False


def _find_lines(block: bytes, mark: bytes, place: int, first: int) -> Iterator[int]:
    """Yield where the lines with *mark* from *place* on begin; *first* for a line that begins before the block."""
    end = len(block)
    while (place := find(block, mark, place, end)) >= 0:
        newline = rfind(block, b"\n", 0, place)
        yield newline + 1 if newline >= 0 else first
        if (place := find(block, b"\n", place, end)) < 0:  # one mark a line is enough
            return


def _iter_blocks(fd: int, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield offset and bytes of blocks from *start* on; each begins with the last `_OVERLAP` bytes of the one before.

    So what a border of blocks cuts is whole in the next.
    """
    while True:
        block = read_at(fd, start, _BLOCK + _OVERLAP)
        yield start, block
        if len(block) < _BLOCK + _OVERLAP:
            return
        start += _BLOCK
