"""A log compressed with Zstandard, which Codex makes of rollouts at rest; read where ``zstandard`` is installed.

It is unpacked as it is read, never to a file, and anew for each pass: such a log no longer grows.
"""

import hashlib
import importlib.util
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO

from .lines import LONGEST_LINE, open_regular
from .metadata import MetadataError
from .reader import Listed, LogError

ZSTD_MISSING = "compressed; `pip install 'tellback[zstd]'` lets Tellback read it"

_BLOCK = 1 << 18
_LARGEST_WINDOW = 1 << 26  # bytes; what unpacking may hold. zstd's own levels stay below, only its --long exceeds it
_LARGEST_LOG = 8 << 30  # bytes unpacked


def has_zstd() -> bool:
    """Whether compressed rollouts can be read here."""
    return importlib.util.find_spec("zstandard") is not None


class ZstdLog:
    """A compressed log, open for reading; offsets are those of the unpacked bytes."""

    def __init__(self, listed: Listed) -> None:
        """Open and unpack it once, to know its length.

        Raises:
            LogError: it is gone, no regular file, damaged or unpacks to more than `_LARGEST_LOG`.
        """
        self.listed = listed
        self._fd = open_regular(listed.path)
        try:
            self.mtime_ns = os.fstat(self._fd).st_mtime_ns
            self.complete_bytes, self.first_line_hash = self._measure()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "ZstdLog":
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
        """Yield offset and bytes (without newline) of each complete line from *start* on; one too long as ``b""``.

        Raises:
            LogError: it cannot be unpacked.
        """
        offset, parts, held = 0, list[bytes](), 0
        for block in self._blocks():
            position = 0
            while (newline := block.find(b"\n", position)) >= 0:
                parts.append(block[position:newline])
                length = held + newline - position
                if offset >= start:
                    yield offset, b"".join(parts) if length <= LONGEST_LINE else b""
                offset += length + 1
                position, parts, held = newline + 1, [], 0
            held += len(block) - position
            if held <= LONGEST_LINE and offset + held > start:
                parts.append(block[position:])
            else:
                parts = []

    def line_at(self, offset: int) -> bytes:
        """Return the line that begins at *offset*; ``b""`` when none does."""
        found, line = next(self.lines(offset), (-1, b""))
        return line if found == offset else b""

    def is_line_start(self, offset: int) -> bool:
        """Whether a complete line begins at *offset*."""
        return next(self.lines(offset), (-1, b""))[0] == offset

    def _measure(self) -> tuple[int, str]:
        """Return the bytes of complete lines and the hash of the first."""
        total, complete, digest, is_first = 0, 0, hashlib.sha256(), True
        for block in self._blocks():
            if is_first:
                newline = block.find(b"\n")
                digest.update(block if newline < 0 else block[:newline])
                is_first = newline < 0
            if (last := block.rfind(b"\n")) >= 0:
                complete = total + last + 1
            total += len(block)
            if total > _LARGEST_LOG:
                raise LogError("the log unpacks to more than 8 GiB")
        return complete, digest.hexdigest() if complete else ""

    def _blocks(self) -> Iterator[bytes]:
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
