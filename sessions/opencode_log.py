"""A session in an OpenCode database as an append-only log: offsets, sizes and watermarks work as for a file."""

import bisect
import hashlib
from collections.abc import Iterator
from itertools import islice
from types import TracebackType

from .opencode_layout import Head, Layout, encode_lines
from .reader import Listed, LogError
from .sqlite_copy import CHANGED, open_database


class RowLog:
    """A session's rows, laid out as lines; the ``Log`` of the OpenCode readers.

    It ends before the first message that is not complete, unless the assistant answered later on: then the program was
    killed, and what follows must not wait for ever (D-oc2). A later prompt alone may be waiting in the queue.
    """

    def __init__(self, listed: Listed, layouts: tuple[Layout, ...]) -> None:
        """Lay out the session; of *layouts* the first that has a message of it.

        Raises:
            LogError: the database cannot be read, or changed twice meanwhile.
        """
        self.listed = listed
        self.mtime_ns = listed.mtime_ns
        self._layouts = layouts
        self.reload()

    def __enter__(self) -> "RowLog":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def reload(self) -> None:
        """Lay out the session as it is now.

        Raises:
            LogError: as for opening.
        """
        for _ in range(2):
            self._database = open_database(self.listed.path)
            try:
                self._lay_out()
            except BaseException:
                self._database.close()
                raise
            if not self._database.has_changed():
                return
            self._database.close()
        raise LogError(CHANGED)

    def has_changed(self) -> bool:
        """Whether lines read so far need not be of one state of the database."""
        return self._database.has_changed()

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield offset and bytes (without newline) of each line from *start* on.

        Raises:
            LogError: the database cannot be read.
        """
        first = max(0, bisect.bisect_right(self._offsets, start) - 1)
        for head, offset in islice(zip(self._heads, self._offsets, strict=False), first, None):
            records, _ = self._layout.records(self._database, head.id)
            for line in encode_lines(records):
                if offset >= self.complete_bytes:  # who reads may have set an earlier end
                    return
                if offset >= start:
                    yield offset, line
                offset += len(line) + 1

    def line_at(self, offset: int) -> bytes:
        """Return the line that begins at *offset*; ``b""`` when none does."""
        found, line = next(self.lines(offset), (-1, b""))
        return line if found == offset else b""

    def is_line_start(self, offset: int) -> bool:
        """Whether a line begins at *offset*, or the log ends there."""
        return offset == self.complete_bytes or next(self.lines(offset), (-1, b""))[0] == offset

    def _lay_out(self) -> None:
        self._layout, self._heads = self._find_heads()
        self._offsets: list[int] = []
        self.complete_bytes, self.first_line_hash = 0, ""
        last_answer = max((n for n, head in enumerate(self._heads) if head.is_assistant), default=-1)
        for number, head in enumerate(self._heads):
            records, is_complete = self._layout.records(self._database, head.id)
            if not is_complete and number >= last_answer:
                break
            lines = encode_lines(records)
            if not self._offsets:
                self.first_line_hash = hashlib.sha256(lines[0]).hexdigest()
            self._offsets.append(self.complete_bytes)
            self.complete_bytes += sum(len(line) + 1 for line in lines)

    def _find_heads(self) -> tuple[Layout, list[Head]]:
        for layout in self._layouts:
            if layout.fits(self._database) and (heads := list(layout.heads(self._database, self.listed.session_id))):
                return layout, heads
        return self._layouts[0], []
