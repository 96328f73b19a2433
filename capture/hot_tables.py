"""The detector's prepared tables, each part unpacked when it is first asked for; hot.

``tables.py`` prepares them: patterns, the words that cues hang on, and parts by name. In the hook each lies on a shelf
of its own (``hooks/shelf.py``) and is read from there: what a message does not ask for costs nothing.
"""

import marshal

from ..core.prepared import thaw_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Needles = tuple[tuple[bytes, tuple[str, ...], str], ...]

# Parts that are bytes and nothing else: not unpacked, for that would copy them.
_RAW = ("grams_text", "grams_context", "crc")


# Letters of ASCII, digits and underscores stay; all else, also what is not ASCII, parts words.
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_WORDS = b" " * 48 + b"0123456789       " + _LETTERS.upper() + b"    _ " + _LETTERS + b" " * 133


ZERO = 0x8000  # what a weight of 0 is written as


def reader_of(pieces: "Any") -> "Callable[[Any], bytes]":
    """Return what reads a piece by its key; *pieces* is that itself, or a list or dictionary of them."""
    read: Callable[[Any], bytes] = pieces if callable(pieces) else pieces.__getitem__  # pyright: ignore[reportAssignmentType]
    return read


SLOTS = 251  # of features and their weights, by name


def slot_of(feature: bytes) -> int:
    """Return in which slot the line of a feature is found."""
    return int.from_bytes(feature, "little") % SLOTS


class Anchors:
    """What tier 0 looks for, as ``anchors.prepare_anchors`` returns it."""

    __slots__ = ("anchor_pieces", "anchor_words")

    def __init__(self, words: "dict[bytes, bytes]", pieces: "dict[str, tuple[bytes, ...]]") -> None:
        self.anchor_words = words
        self.anchor_pieces = pieces


class Tables:
    """The prepared tables.

    Args:
        prepared: what ``tables.prepare`` returned, straight from ``marshal``, or with functions that read a piece.
    """

    def __init__(self, prepared: "dict[str, Any]") -> None:
        self._engine: str = prepared["engine"]
        self._read_row: Callable[[int], bytes] = reader_of(prepared["patterns"])
        self._read_words: Callable[[int], bytes] = reader_of(prepared["words"])
        self._read_part: Callable[[str], bytes] = reader_of(prepared["lazy"])
        self._parts: dict[str, Any] = {}
        self._thawed: dict[int, re.Pattern[str]] = {}
        self._rows: dict[int, tuple[Needles, bool, Any]] = {}
        self._read_lines: dict[int, bytes] = {}
        self._text = ""  # of which these are the words: a text is asked for many patterns
        self._words: set[bytes] = set()

    def part(self, name: str) -> "Any":
        """Return the part *name*, unpacked when first asked for, with the parts that are used together with it."""
        parts = self._parts
        if name not in parts:
            piece = self._read_part(name)
            if name in _RAW:
                parts[name] = piece
            else:
                parts.update(marshal.loads(piece))
        return parts[name]

    def number(self, name: str) -> int:
        """Return the number of a pattern that is known by name."""
        numbers: dict[str, int] = self.part("numbers")
        return numbers[name]

    def anchors(self) -> "Anchors":
        """Return what tier 0 looks for."""
        return Anchors(self.part("anchor_words"), self.part("anchor_pieces"))

    def look_up(self, word: bytes) -> "tuple[Sequence[int], bytes]":
        """Return the numbers of the cues that *word* is an anchor of, and of a slip the word that was meant.

        A line is a word, how many cues hang on it, and their numbers, two bytes each, or the word that was meant.
        """
        first = word[0]
        if first >= 0x80:
            return (), b""
        lines = self._read_lines.get(first)
        if lines is None:
            lines = self._read_lines[first] = self._read_words(first)
        at = lines.find(b"\n" + word + b" ") + len(word) + 2
        if at <= len(word) + 1:
            return (), b""
        count = lines[at]
        if not count:
            return (), lines[at + 1 : lines.find(b"\n", at)]
        return [lines[place] + lines[place + 1] * 256 for place in range(at + 1, at + 1 + 2 * count, 2)], b""

    def tell_word(self, word: str) -> tuple[str, str]:
        """Return what *word* tells of a piece, as letters, and of a piece that opens with it; ``""`` for nothing."""
        first = word[:1]
        lines: bytes = self.part("piece_words" if first.isascii() else "wide_words").get(first, b"")
        raw = word.encode("utf-8", "surrogatepass")
        at = lines.find(b"\n" + raw + b" ")
        if at < 0:
            return "", ""
        flags, _, opener = lines[at + len(raw) + 2 : lines.find(b"\n", at + 1)].decode().partition(" ")
        return flags, opener

    def model(self, has_context: bool) -> "dict[str, Any]":
        """Return the fitted model for messages with, or without, the turn before them.

        Its ``weights`` are lines in slots (``slot_of``, ``starts``), each of a feature and its three weights, two bytes
        each: to unpack all takes longer than to look up those of a message. ``known`` keeps what was looked up.
        """
        found: dict[str, Any] = self.part("model_context" if has_context else "model_text")
        if "known" not in found:
            found["known"] = {}
            found["starts"] = memoryview(found["starts"]).cast("H")
            found["grams"] = self.part("grams_context" if has_context else "grams_text")
        return found

    def pattern(self, number: int) -> "re.Pattern[str]":
        """Return compiled pattern *number*."""
        found = self._thawed.get(number)
        if found is None:
            found = self._thawed[number] = thaw_row(self._row(number)[2], self._engine)
        return found

    def _row(self, number: int) -> "tuple[Needles, bool, Any]":
        found = self._rows.get(number)
        if found is None:
            found = self._rows[number] = marshal.loads(self._read_row(number))
        return found

    def may_match(self, number: int, text: str) -> bool:
        """Whether *text* holds what pattern *number* cannot match without: cheaper than to thaw and try it."""
        needs, is_blind, _ = self._row(number)
        if is_blind:
            text = text.lower()
        if text != self._text:
            self._text = text
            self._words = set(text.encode("utf-8", "surrogatepass").translate(_WORDS).split())
        for words, pieces, wide in needs:
            if words and not self._words.isdisjoint(words.split()):
                continue
            if wide and not text.isascii():
                pieces = (*pieces, *wide.split("\n"))
            for piece in pieces:
                if piece in text:
                    break
            else:
                return False
        return True

    def search(self, number: int, text: str) -> "re.Match[str] | None":
        """Search *text* for pattern *number*."""
        return self.pattern(number).search(text) if self.may_match(number, text) else None

    def find_cues(self, numbers: "Iterable[int]", text: str) -> "list[tuple[str, str, int, int]]":
        """Return name, family, start and end of those cues, of *numbers*, that *text* holds."""
        found: list[tuple[str, str, int, int]] = []
        part, search = self.part, self.search
        patterns, ends = memoryview(part("cue_patterns")).cast("H"), memoryview(part("cue_ends")).cast("H")
        names, families, kinds = part("cue_names"), part("families").split(), part("cue_families")
        for number in numbers:
            if match := search(patterns[number], text):
                name, family = names[ends[number] : ends[number + 1]], families[kinds[number]]
                found.append((name, family, match.start(), match.end()))
        return found
