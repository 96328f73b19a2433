"""The detector's tables on a shelf are the tables."""

from typing import Any

import pytest

from tellback.capture.tables import prepare
from tellback.hooks.shelf import open_detector, pack_detector


class Memory:
    """Tables whose pieces lie in memory."""

    def __init__(self, prepared: dict[str, Any]) -> None:
        self.packed, self.pieces = pack_detector(prepared)

    def load(self, name: str) -> Any:
        assert name == "detector"
        return self.packed

    def read_piece(self, position: int, size: int) -> bytes:
        return self.pieces[position : position + size]


def test_each_piece_comes_back_as_it_was() -> None:
    prepared = prepare()

    opened = open_detector(Memory(prepared))  # type: ignore[arg-type]

    assert opened["engine"] == prepared["engine"]
    assert [opened["patterns"](number) for number in range(len(prepared["patterns"]))] == prepared["patterns"]
    assert [opened["words"](number) for number in range(128)] == prepared["words"]
    assert {name: opened["lazy"](name) for name in prepared["lazy"]} == prepared["lazy"]


def test_a_name_that_is_not_there_is_not_found() -> None:
    opened = open_detector(Memory({"engine": "e", "patterns": [b"one"], "words": [], "lazy": {"a": b"", "b": b"two"}}))  # type: ignore[arg-type]

    assert (opened["patterns"](0), opened["lazy"]("a"), opened["lazy"]("b")) == (b"one", b"", b"two")
    with pytest.raises(KeyError):
        opened["lazy"]("c")
