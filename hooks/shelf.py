"""Tables of which a call needs a small part: packed one by one, and read from the hook's file one by one. Hot.

The detector's are a megabyte, and a prompt asks for a twentieth; to read all takes as long as to judge.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .installed import PreparedTables


def open_detector(tables: "PreparedTables") -> "dict[str, Any]":
    """Return the detector's tables as ``capture.tables.prepare`` does, with what reads their pieces for the pieces."""
    packed = tables.load("detector")
    read = open_shelf(tables, packed["starts"])
    words: int = packed["words"]
    numbers: dict[str, int] = packed["numbers"]

    def read_words(first: int) -> bytes:
        return read(words + first)

    def read_part(name: str) -> bytes:
        return read(numbers[name])

    return {"engine": packed["engine"], "patterns": read, "words": read_words, "lazy": read_part}


def open_scrub(tables: "PreparedTables") -> "dict[str, Any]":
    """Return the rows of secrets as ``core.scrub.prepare_scrub`` does, with what reads their patterns for these."""
    packed = tables.load("scrub")
    return {**packed, "frozen": {"engine": packed["engine"], "rows": open_shelf(tables, packed["starts"])}}


def open_shelf(tables: "PreparedTables", packed: bytes) -> "Callable[[int], bytes]":
    """Return what reads a piece by its number; *packed* tells where each begins, and where the last one ends."""
    starts = memoryview(packed).cast("I")
    read = tables.read_piece
    return lambda number: read(starts[number], starts[number + 1] - starts[number])


def pack_detector(prepared: "dict[str, Any]") -> "tuple[dict[str, Any], bytes]":
    """Return what ``open_detector`` loads, and the pieces one after another; cold."""
    lazy: dict[str, bytes] = prepared["lazy"]
    rows: list[bytes] = [*prepared["patterns"], *prepared["words"]]
    parts = list(dict.fromkeys(lazy.values()))
    starts, pieces = _pack([*rows, *parts], 0)
    numbers = {name: len(rows) + parts.index(part) for name, part in lazy.items()}
    words = len(prepared["patterns"])
    return {"engine": prepared["engine"], "starts": starts, "words": words, "numbers": numbers}, pieces


def pack_scrub(prepared: "dict[str, Any]", at: int) -> "tuple[dict[str, Any], bytes]":
    """Return what ``open_scrub`` loads, and the pieces, which will lie from *at* on; cold."""
    frozen = prepared["frozen"]
    starts, pieces = _pack(frozen["rows"], at)
    rest = {name: part for name, part in prepared.items() if name != "frozen"}
    return {**rest, "engine": frozen["engine"], "starts": starts}, pieces


def _pack(pieces: "list[bytes]", at: int) -> "tuple[bytes, bytes]":
    from array import array

    starts = array("I", [at])
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return starts.tobytes(), b"".join(pieces)
