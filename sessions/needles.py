"""Byte search at the speed of memory: StringZilla's, or Python's own where that cannot be loaded. Both answer alike.

A search is ``find(data, needle, start, end)``, over ``bytes`` alone; -1 when there is none.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

Find = Callable[[bytes, bytes, int, int], int]


def load_search() -> tuple[Find, Find, Find]:
    """Return ``find``, ``rfind`` and ``count``."""
    try:
        fast: Any = import_module("stringzilla")
        return fast.find, fast.rfind, fast.count
    except (ImportError, AttributeError):
        return bytes.find, bytes.rfind, bytes.count


find, rfind, count = load_search()


def find_all(data: bytes, needle: bytes, start: int, end: int) -> Iterator[int]:
    """Yield where *needle* begins in ``data[start:end]``, without overlaps."""
    length = len(needle)
    while (start := find(data, needle, start, end)) >= 0:
        yield start
        start += length
