"""Tables of which a call needs a small part: packed one by one, and read from the hook's file one by one. Hot.

The detector's are a megabyte, and a prompt asks for a twentieth; to read all takes as long as to judge.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .installed import PreparedTables


class Shelf:
    """Packed pieces by number or by name: what a list or a dictionary of ``bytes`` would be if it were read at once.

    Args:
        starts: where in the file each piece begins, and where the last one ends.
        numbers: name to number of the piece; ``None``: they are asked for by number.
    """

    def __init__(
        self, tables: "PreparedTables", starts: "memoryview[int]", numbers: "dict[str, int] | None" = None
    ) -> None:
        self._read = tables.read_piece
        self._starts = starts
        self._numbers = numbers

    def __contains__(self, name: str) -> bool:
        return self._numbers is not None and name in self._numbers

    def __getitem__(self, key: "Any") -> bytes:
        number: int = key if self._numbers is None else self._numbers[key]
        start = self._starts[number]
        return self._read(start, self._starts[number + 1] - start)


def open_detector(tables: "PreparedTables") -> "dict[str, Any]":
    """Return the detector's tables as ``capture.tables.prepare`` does, their pieces still on the shelf."""
    packed = tables.load("detector")
    starts = memoryview(packed["starts"]).cast("I")
    return {
        "engine": packed["engine"],
        "patterns": Shelf(tables, starts),
        "words": Shelf(tables, starts[packed["words"] :]),
        "lazy": Shelf(tables, starts, packed["numbers"]),
    }


def open_scrub(tables: "PreparedTables") -> "dict[str, Any]":
    """Return the rows of secrets as ``core.scrub.prepare_scrub`` does, their patterns still on the shelf."""
    packed = tables.load("scrub")
    rows = Shelf(tables, memoryview(packed["starts"]).cast("I"))
    return {**packed, "frozen": {"engine": packed["engine"], "rows": rows}}


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
