"""An append-only log in a file: opened safely, read in blocks of whole lines, never more in memory than it needs."""

import hashlib
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from .needles import find, rfind
from .reader import Listed, LogError

if TYPE_CHECKING:
    from typing_extensions import Self

_BLOCK = 1 << 18  # bytes; stays in the processor's second cache, where searching a block again costs little
_STEP = 1 << 16
_NEAR = 1 << 13  # what is searched for backwards is mostly this near
_LINE = 1 << 12  # bytes; most single lines that are asked for are shorter
LONGEST_LINE = 128 << 20  # bytes; a longer line is counted and never held

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO in a log's place must not hang us
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class LogFile(ABC):
    """A log in a file of its own, open for reading; what is appended after the opening is left to the next reading."""

    complete_bytes: int

    def __init__(self, listed: Listed) -> None:
        """Open it.

        Raises:
            LogError: it is gone, not a regular file, a link, or cannot be read.
        """
        self.listed = listed
        self._fd, found = open_sized(listed.path)
        self.mtime_ns = found.st_mtime_ns
        try:
            self._measure(found.st_size)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it; harmless a second time."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield offset and bytes (without newline) of each complete line from *start* on.

        A line longer than `LONGEST_LINE` comes as ``b""``.

        Raises:
            LogError: the log shrank, was rewritten or could not be read meanwhile.
        """
        for offset, block in self.blocks(start):
            position = 0  # what follows the last newline belongs to the next block
            while (newline := block.find(b"\n", position)) >= 0:
                yield offset + position, block[position:newline]
                position = newline + 1

    @abstractmethod
    def blocks(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Yield offset and bytes of lines, a line longer than `LONGEST_LINE` as its newline alone.

        What follows a block's last newline is the beginning of a line that the next block has whole.

        Raises:
            LogError: as for ``lines``.
        """

    @abstractmethod
    def _measure(self, size: int) -> None:
        """Find out ``complete_bytes``, of a file of *size* bytes."""


class FileLog(LogFile):
    """A log as its harness writes it: JSON lines; the ``Log`` of most readers."""

    def _measure(self, size: int) -> None:
        self._held_at, self._held = 0, b""  # the last block: what is looked up lies near
        self._first_line_hash: str | None = None
        self.complete_bytes = self._find_last_newline(size) + 1
        self._opening = self._read(0, min(_LINE, self.complete_bytes))

    @property
    def first_line_hash(self) -> str:
        """SHA-256 (hex) of the first line without its newline; ``""`` of an empty log."""
        if self._first_line_hash is None:
            self._first_line_hash = self._hash_first_line()
        return self._first_line_hash

    def blocks(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Yield blocks of about 256 KiB, and a long line as a block of its own."""
        position = start
        while position < self.complete_bytes:
            block = self._read(position, min(_BLOCK, self.complete_bytes - position))
            cut = rfind(block, b"\n", 0, len(block)) + 1
            if cut == 0:
                length = self._find_newline(position + len(block)) + 1 - position
                block = self._read(position, length) if length <= LONGEST_LINE else b"\n"
                yield position, block
                position += length
                continue
            self._held_at, self._held = position, block
            yield position, block
            position += cut
        self._check_unchanged()

    def line_at(self, offset: int) -> bytes:
        """Return the line that begins at *offset*, without newline.

        Raises:
            LogError: as for ``lines``.
        """
        held_from = offset - self._held_at
        if held_from >= 0 and (newline := find(self._held, b"\n", held_from, len(self._held))) >= 0:
            return self._held[held_from:newline]
        line = self._read(offset, min(_LINE, self.complete_bytes - offset))
        if (newline := line.find(b"\n")) >= 0:
            return line[:newline]
        end = self._find_newline(offset)
        return self._read(offset, end - offset) if end - offset <= LONGEST_LINE else b""

    def lines_with(self, needle: bytes, before: int, most_bytes: int) -> Iterator[tuple[int, bytes]]:
        """Yield offset and bytes of the lines that hold *needle* and begin before *before*, the nearest first.

        At most *most_bytes* are searched.

        Raises:
            LogError: as for ``lines``.
        """
        lowest = max(0, before - most_bytes)
        end, step = before, max(_NEAR, len(needle))
        while end > lowest and len(needle) < _STEP:
            start = max(lowest, end - step)
            found = self._find_last(needle, start, end)
            if found >= 0:
                end = self._find_last_newline(found) + 1
                yield end, self.line_at(end)
            else:
                end = start + len(needle) - 1 if start > lowest else lowest  # it may lie across the border
            step = min(_BLOCK, step * 4)

    def _find_last(self, needle: bytes, start: int, end: int) -> int:
        """Return the offset of the last *needle* between two offsets; -1 when there is none."""
        at = self._held_at
        if at <= start and end <= at + len(self._held):
            found = rfind(self._held, needle, start - at, end - at)
            return found + at if found >= 0 else -1
        found = rfind(self._read(start, end - start), needle, 0, end - start)
        return found + start if found >= 0 else -1

    def find_line_start(self, offset: int) -> int:
        """Return where the line begins that the byte at *offset* belongs to."""
        return self._find_last_newline(offset) + 1

    def is_line_start(self, offset: int) -> bool:
        """Whether *offset* lies within the complete lines and right after a newline (or at the very start)."""
        if not 0 <= offset <= self.complete_bytes:
            return False
        return offset == 0 or self._read(offset - 1, 1) == b"\n"

    def _read(self, position: int, length: int) -> bytes:
        held_from = position - self._held_at
        if 0 <= held_from <= len(self._held) - length:
            return self._held[held_from : held_from + length]
        try:
            data = read_at(self._fd, position, length)
        except OSError as error:
            raise LogError(f"the log could not be read: {error.strerror}") from error
        if len(data) != length:
            raise LogError("the log shrank while it was read")
        return data

    def _find_newline(self, position: int) -> int:
        """Return the offset of the first newline at or after *position*; there is one, for lines are complete."""
        while position < self.complete_bytes:
            part = self._read(position, min(_STEP, self.complete_bytes - position))
            if (found := find(part, b"\n", 0, len(part))) >= 0:
                return position + found
            position += len(part)
        raise LogError("the log changed while it was read")

    def _find_last_newline(self, size: int) -> int:
        held_to = size - self._held_at
        if 0 < held_to <= len(self._held) and (found := rfind(self._held, b"\n", 0, held_to)) >= 0:
            return found + self._held_at
        position, step = size, _LINE
        while position > 0:
            length = min(step, position)
            step = _STEP
            position -= length
            if (found := self._find_last(b"\n", position, position + length)) >= 0:
                return found
        return -1

    def _hash_first_line(self) -> str:
        if not self.complete_bytes:
            return ""
        digest = hashlib.sha256()
        position = 0
        while True:
            part = self._read(position, min(_STEP, self.complete_bytes - position))
            if (found := part.find(b"\n")) >= 0:
                digest.update(part[:found])
                return digest.hexdigest()
            digest.update(part)
            position += len(part)

    def _check_unchanged(self) -> None:
        """Raise when what was read need not be one state of the log; that it grew is no change."""
        self._held = b""  # what is on the disk now counts
        found = os.fstat(self._fd)
        if found.st_size < self.complete_bytes:
            raise LogError("the log shrank while it was read")
        if found.st_mtime_ns != self.mtime_ns and self._is_rewritten():
            raise LogError("the log was rewritten while it was read")

    def _is_rewritten(self) -> bool:
        """Whether the log's beginning, its whole first line where that was asked for, is another by now."""
        if self._read(0, len(self._opening)) != self._opening:
            return True
        return self._first_line_hash not in (None, self._hash_first_line())


def open_regular(path: str) -> int:
    """Open a file that is no link and no FIFO; return its descriptor.

    Raises:
        LogError: it cannot be opened or is of another kind.
    """
    return open_sized(path)[0]


def open_sized(path: str) -> tuple[int, os.stat_result]:
    """Do as ``open_regular``, and return also what the open file is like."""
    try:
        if not hasattr(os, "O_NOFOLLOW") and os.path.islink(path):
            raise LogError("the log is a link")
        fd = os.open(path, _FLAGS)
    except OSError as error:
        reason = "the log is a link" if os.path.islink(path) else f"the log could not be opened: {error.strerror}"
        raise LogError(reason) from error
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        raise LogError("the log is not a regular file")
    return fd, found


if hasattr(os, "pread"):

    def read_at(fd: int, position: int, length: int) -> bytes:
        """Return *length* bytes from *position* on, less at the end of the file."""
        data = os.pread(fd, length, position)
        while len(data) < length and (more := os.pread(fd, length - len(data), position + len(data))):
            data += more  # a signal or the 2 GiB limit cut it short
        return data

else:  # Windows

    def read_at(fd: int, position: int, length: int) -> bytes:
        """Return *length* bytes from *position* on, less at the end of the file."""
        os.lseek(fd, position, os.SEEK_SET)
        data = os.read(fd, length)
        while len(data) < length and (more := os.read(fd, length - len(data))):
            data += more
        return data
