"""A log compressed with Zstandard, which Codex makes of rollouts at rest; read where ``zstandard`` is installed.

It is unpacked as it is read, never to a file, and anew for each pass: such a log no longer grows.
"""

import hashlib
import importlib.util
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO

from .lines import LONGEST_LINE, LogFile, open_regular
from .metadata import MetadataError
from .reader import LogError

ZSTD_MISSING = "compressed; `pip install 'tellback[zstd]'` lets Tellback read it"

_BLOCK = 1 << 18
_LARGEST_WINDOW = 1 << 26  # bytes; what unpacking may hold. zstd's own levels stay below, only its --long exceeds it
_LARGEST_LOG = 8 << 30  # bytes unpacked


def has_zstd() -> bool:
    """Whether compressed rollouts can be read here."""
    return importlib.util.find_spec("zstandard") is not None


class ZstdLog(LogFile):
    """A compressed log, open for reading; offsets are those of the unpacked bytes."""

    def blocks(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Yield blocks of whole lines; a *start* within a line is taken for the start of the next.

        Raises:
            LogError: it cannot be unpacked.
        """
        for offset, block in self._line_blocks():
            if offset >= self.complete_bytes:
                return
            block = block[: self.complete_bytes - offset]
            skipped = max(0, start - offset)
            if skipped and block[skipped - 1 : skipped] != b"\n":
                skipped = block.find(b"\n", skipped) + 1 or len(block)
            if skipped < len(block):
                yield offset + skipped, block[skipped:]

    def _line_blocks(self) -> Iterator[tuple[int, bytes]]:
        offset, begun, pieces = 0, 0, list[bytes]()  # of the line whose end is not unpacked yet: where, how much, what
        for block in self._unpack():
            cut = block.rfind(b"\n") + 1
            if cut and begun <= LONGEST_LINE:
                yield offset, b"".join([*pieces, block[:cut]])
            elif cut:
                first = block.find(b"\n") + 1
                yield offset, b"\n"
                yield offset + begun + first, block[first:cut]
            if cut:
                offset, begun, pieces = offset + begun + cut, 0, []
            begun += len(block) - cut
            pieces = [*pieces, block[cut:]] if begun <= LONGEST_LINE else []

    def line_at(self, offset: int) -> bytes:
        """Return the line that begins at *offset*; ``b""`` when none does."""
        found, line = next(self.lines(offset), (-1, b""))
        return line if found == offset else b""

    def is_line_start(self, offset: int) -> bool:
        """Whether a complete line begins at *offset*, or the complete lines end there."""
        return offset == self.complete_bytes or next(self.lines(offset), (-1, b""))[0] == offset

    def _measure(self, size: int) -> None:
        del size
        total, complete, digest, is_first = 0, 0, hashlib.sha256(), True
        for block in self._unpack():
            if is_first:
                newline = block.find(b"\n")
                digest.update(block if newline < 0 else block[:newline])
                is_first = newline < 0
            if (last := block.rfind(b"\n")) >= 0:
                complete = total + last + 1
            total += len(block)
            if total > _LARGEST_LOG:
                raise LogError("the log unpacks to more than 8 GiB")
        self.complete_bytes, self.first_line_hash = complete, digest.hexdigest() if complete else ""

    def _unpack(self) -> Iterator[bytes]:
        import zstandard  # an extra, and not cheap: only when there is something to unpack

        os.lseek(self._fd, 0, os.SEEK_SET)
        with open(self._fd, "rb", closefd=False) as packed:
            try:
                with _unpacking(packed) as unpacked:
                    while block := unpacked.read(_BLOCK):
                        yield block
            except (zstandard.ZstdError, OSError) as error:
                raise LogError(f"the log could not be unpacked: {error}") from error


@contextmanager
def _unpacking(packed: IO[bytes]) -> Generator[IO[bytes]]:
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    with unpacker.stream_reader(packed, read_across_frames=True, closefd=False) as unpacked:
        yield unpacked


def read_zstd_first_line(path: str, longest: int) -> bytes:
    """Return the first line of a compressed log, without newline; unpacks no further than that.

    Raises:
        MetadataError: it is longer than *longest* bytes, has no newline, or cannot be unpacked.
    """
    if not has_zstd():
        raise MetadataError(ZSTD_MISSING)
    import zstandard

    line = b""
    try:
        fd = open_regular(path)
        with open(fd, "rb") as packed, _unpacking(packed) as unpacked:
            while b"\n" not in line and len(line) <= longest:
                block = unpacked.read(4096)
                if not block:
                    break
                line += block
    except (LogError, OSError, zstandard.ZstdError) as error:
        raise MetadataError(f"the log could not be unpacked: {error}") from error
    first, newline, _ = line.partition(b"\n")
    if not newline or len(first) > longest:
        raise MetadataError(f"the first line is longer than {longest} bytes or has no end")
    return first
