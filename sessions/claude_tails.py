"""How the records of a Claude Code session close: with its folder and version, which mostly stay the same."""

import re

from .needles import count

# No brace or bracket stands between the first comma and the final brace, so these keys are the root's own.
_TAIL = re.compile(
    rb',"cwd":"(?:[^"\\]|\\.)*","sessionId":"[^"\\]*","version":"[^"\\]*"(?:,"\w+":"(?:[^"\\]|\\.)*")*\}\Z', re.DOTALL
)
_TAIL_BYTES = 8192  # a folder's name is no longer
_MOST_TAILS = 4  # the branch, a slug: two or three alternate


class Tails:
    """The endings of lines that add nothing to what is known: they name the last folder and version again."""

    def __init__(self) -> None:
        self._known = ("", "")
        self._closings: list[bytes] = []

    def note(self, cwd: str, version: str, line: memoryview | None) -> None:
        """Take what is known after *line*; ``None`` for a line whose like must still be parsed."""
        if self._known != (cwd, version):
            self._known = (cwd, version)
            self._closings.clear()
        if line is not None and (tail := find_tail(line)) and tail + b"\n" not in self._closings:
            self._closings.append(tail + b"\n")
            del self._closings[:-_MOST_TAILS]

    def count(self, block: bytes, start: int, end: int) -> int:
        """Return how many lines of a part close so."""
        return sum(count(block, closing, start, end) for closing in self._closings)


def find_tail(line: memoryview) -> bytes:
    """Return the keys from ``cwd`` on that close a record's root; ``b""`` when it closes otherwise."""
    end = bytes(line[-_TAIL_BYTES:])
    start = end.rfind(b',"cwd":"')
    found = _TAIL.match(end, start) if start >= 0 else None
    return found[0] if found else b""
