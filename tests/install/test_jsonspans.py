import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tellback.install.jsonspans import JsonError, load_value, parse_spans

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
# what a person's slip makes of a settings file: a few characters of JSON in any order
SCRAPS = st.text(st.sampled_from('{}[]",:\\ \n\t\r0123456789.eE+-truefalsn/*ué\x00\ufeff'), max_size=30)


def read_strictly(text: str) -> Any:
    """Return what `json` reads, without the liberties that it takes: NaN, and a key twice."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    def take_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("twice")
        return dict(pairs)

    return json.loads(text.removeprefix("\ufeff"), parse_constant=refuse, object_pairs_hook=take_once)


@given(VALUES, st.sampled_from([None, 2, "\t"]))
def test_what_json_writes_is_read_back_whole(value: object, indent: str | int | None) -> None:
    text = json.dumps(value, indent=indent)

    node = parse_spans(text)

    assert load_value(text, node) == value
    assert (node.start, node.end) == (0, len(text))


@given(SCRAPS)
@example('{"a":1,}')
@example('{"a":1} x')
@example("01")
@example('"\x01"')
@example("[1,2")
@example('{"a":1,"\\u0061":2}')
@example("\ufeff\ufeff{}")
def test_a_text_is_refused_exactly_when_strict_json_refuses_it(text: str) -> None:
    try:
        expected = read_strictly(text)
    except ValueError:
        with pytest.raises(JsonError):
            parse_spans(text)
    else:
        assert load_value(text, parse_spans(text)) == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        pytest.param('{\n  "a": 1,\n}', 2, 9, "a comma with nothing after it", id="trailing comma"),
        pytest.param("{\n  // mine\n}", 2, 3, "a comment, which JSON does not know", id="line comment"),
        pytest.param('{"a": /* b */ 1}', 1, 7, "a comment, which JSON does not know", id="block comment"),
        pytest.param('{\r\n "a": 1,\r\n "a": 2\r\n}', 3, 2, 'the key "a" is there twice', id="a key twice"),
        pytest.param('\ufeff{"a" 1}', 1, 6, 'expected ":", found "1"', id="the byte order mark is no column"),
        pytest.param('{"a": 1', 1, 8, 'it ends where "," or "}" should stand', id="cut off"),
        pytest.param("{'a': 1}", 1, 2, 'expected a key in double quotes, found "\'"', id="single quotes"),
        pytest.param('{"a": NaN}', 1, 7, 'expected a value, found "N"', id="not a number"),
        pytest.param("{}{}", 1, 3, 'expected nothing more, found "{"', id="two values"),
        pytest.param("[" * 300, 1, 201, "nested more than 200 deep", id="a bomb"),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse_spans(text)

    assert (caught.value.line, caught.value.column, caught.value.reason) == (line, column, reason)
