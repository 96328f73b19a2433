"""Tier 0: may a message say anything of the work? Hot, and the only part of the detector that every prompt pays for.

A verdict in the hook needs a cue, and every cue that counts there has an anchor: a word, or for other scripts and
accents a piece of text. Without any anchor the answer is surely "nothing". The anchors lie in buckets, so that a
short message does not pay for the thousands that it cannot hold, and nothing is built before it is asked.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Protocol

    class AnchorTables(Protocol):
        """What tier 0 needs of the tables.

        Attributes:
            anchor_words: first byte of a word to all anchors that begin so, between newlines.
            anchor_pieces: a character outside ASCII to the anchors, as UTF-8, in which it is the first such one.
        """

        @property
        def anchor_words(self) -> Mapping[bytes, bytes]: ...
        @property
        def anchor_pieces(self) -> Mapping[str, tuple[bytes, ...]]: ...


_EDGE_BYTES = 32_768
_MANY = 100  # from so many different words on, one set of all anchors is cheaper than a look into buckets for each

# Bytes of a word stay, capitals become small, everything else ASCII parts words.
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
WORD_BYTES = b" " * 48 + b"0123456789       " + _LETTERS + b"    _ " + _LETTERS + b"     " + bytes(range(128, 256))


def words_of(raw: bytes) -> "set[bytes]":
    """Return the lower-case words of UTF-8 text, apostrophes left out."""
    if not raw.isascii():
        raw = raw.replace(b"\xe2\x80\x99", b"")
    return set(raw.translate(WORD_BYTES, b"'").split())


def may_hold_signal(raw: bytes, tables: "AnchorTables") -> bool:
    """Whether the hook could write anything for the UTF-8 text *raw*: an anchor is in its first or last 32 KB."""
    if len(raw) > 2 * _EDGE_BYTES:
        raw = raw[:_EDGE_BYTES] + b" " + raw[-_EDGE_BYTES:]
    return _holds_word(words_of(raw), tables.anchor_words) or (
        not raw.isascii() and _holds_piece(raw, tables.anchor_pieces)
    )


def _holds_word(words: "set[bytes]", anchors: "Mapping[bytes, bytes]") -> bool:
    if len(words) > _MANY:
        return not words.isdisjoint(b"".join(anchors.values()).split())
    return any(b"\n" + word + b"\n" in anchors.get(word[:1], b"") for word in words)


def _holds_piece(raw: bytes, pieces: "Mapping[str, tuple[bytes, ...]]") -> bool:
    for character in set(raw.decode("utf-8", "ignore")):
        if character >= "\x80" and any(piece in raw for piece in pieces.get(character, ())):
            return True
    return False


def prepare_anchors(anchors: "Iterable[str]") -> "dict[str, dict[bytes, bytes] | dict[str, tuple[bytes, ...]]]":
    """Return ``anchor_words`` and ``anchor_pieces`` for lower-case *anchors*; a text is looked at as it was typed.

    Cold: install and commands prepare once.
    """
    words: dict[bytes, list[bytes]] = {}
    pieces: dict[str, set[bytes]] = {}
    for anchor in anchors:
        if anchor.isascii():
            words.setdefault(anchor[:1].encode(), []).append(anchor.encode())
            continue
        for typed in (anchor, anchor.capitalize(), anchor.upper()):
            first = next(character for character in typed if character >= "\x80")
            pieces.setdefault(first, set()).add(typed.encode())
    return {
        "anchor_words": {first: b"\n%b\n" % b"\n".join(sorted(found)) for first, found in words.items()},
        "anchor_pieces": {first: tuple(sorted(found)) for first, found in pieces.items()},
    }
