"""Byte search: the fast one and Python's own answer alike, so a machine without the first reads the same."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.sessions.needles import find_all, load_search


@pytest.fixture(scope="module")
def plain_search() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "stringzilla", None)
        return load_search()


def test_the_fast_search_is_the_one_in_use() -> None:
    assert {search.__module__ for search in load_search()} == {"stringzilla"}


def test_without_its_package_python_searches(plain_search: object) -> None:
    assert plain_search == (bytes.find, bytes.rfind, bytes.count)


_letters = st.sampled_from([b"a", b"b", b"\n", b"\0", b"\xff"])
_data = st.lists(_letters, max_size=200).map(b"".join)
_places = st.integers(0, 220)


@settings(max_examples=500)
@given(data=_data, needle=st.lists(_letters, min_size=1, max_size=4).map(b"".join), start=_places, end=_places)
def test_both_searches_answer_alike(data: bytes, needle: bytes, start: int, end: int) -> None:
    fast = [search(data, needle, start, end) for search in load_search()]

    assert fast == [search(data, needle, start, end) for search in (bytes.find, bytes.rfind, bytes.count)]


def test_all_places_are_found_within_the_bounds() -> None:
    assert list(find_all(b"aa.aa.aa", b"aa", 1, 8)) == [3, 6]
