"""The text of the log: entries for any reader, the known shape read back, what was torn told from what is whole."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tellback.capture.log import entry_text, last_number, name_of, number_of, scan, split_torn, tail_indent
from tellback.capture.points import Point

FIELDS = [
    "id", "date", "severity", "category", "dataset", "tables", "description", "fix", "sql_before", "sql_after",
    "prevented_by",
]  # fmt: skip
any_text = st.text(st.characters(codec=None), max_size=40)
indents = st.sampled_from(["", "  "])


@st.composite
def points(draw: st.DrawFn) -> Point:
    point = Point(draw(any_text))
    point.severity, point.category = "high", "join_error"
    point.fix = draw(st.none() | any_text)
    point.tables = draw(st.lists(any_text, max_size=3))
    point.sql_before, point.sql_after, point.prevented_by = [draw(st.none() | any_text) for _ in range(3)]
    return point


def make_log(*texts: str, indent: str = "  ") -> str:
    entries = [
        entry_text(Point(text), name_of(number), "2026-01-31", None, f"{number:012x}", indent)
        for number, text in enumerate(texts, 1)
    ]
    return "corrections:\n" + "".join(entries)


def load(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


@settings(max_examples=50)
@given(points(), st.none() | any_text, indents)
def test_an_entry_comes_back_exactly_from_another_reader(point: Point, dataset: str | None, indent: str) -> None:
    text = "corrections:\n" + entry_text(point, "CORR-001", "2026-01-31", dataset, "0123456789ab", indent)

    (entry,) = load(text)["corrections"]

    assert list(entry) == FIELDS
    assert entry["description"] == point.text
    assert entry["dataset"] == dataset
    assert [entry[name] for name in ("tables", "fix", "sql_before", "sql_after", "prevented_by")] == [
        point.tables, point.fix, point.sql_before, point.sql_after, point.prevented_by,
    ]  # fmt: skip
    assert (entry["id"], entry["date"], entry["severity"]) == ("CORR-001", "2026-01-31", "high")


@given(st.lists(points(), min_size=1, max_size=3), indents)
def test_what_is_written_has_the_known_shape(written: list[Point], indent: str) -> None:
    text = "corrections:\n" + "".join(
        entry_text(point, name_of(n), "2026-01-31", None, f"{n:012x}", indent) for n, point in enumerate(written, 1)
    )

    found = scan(text, is_start=True)

    assert found is not None
    assert [(entry.number, entry.key, entry.severity, entry.category) for entry in found.entries] == [
        (n, f"{n:012x}", "high", "join_error") for n in range(1, len(written) + 1)
    ]
    assert found.indent == indent
    assert tail_indent(text.encode()[-16384:]) == indent
    assert split_torn(text) == (text, "")
    assert last_number(text.encode()) == len(written)


@pytest.mark.parametrize("indent", ["", "  "])
def test_whatever_is_cut_off_the_end_only_the_torn_entry_is_set_aside(indent: str) -> None:
    text = make_log("first", "second # tellback 000000000000", indent=indent)
    whole = make_log("first", indent=indent)

    for length in range(len(whole) + 1, len(text)):
        kept, torn = split_torn(text[:length])

        assert (kept, torn) == (whole, text[len(whole) : length])


def test_an_entry_of_somebody_else_is_never_taken_for_a_torn_one() -> None:
    text = 'corrections:\n- id: "CORR-001"\n  severity: high\n  description: "not done y'

    assert split_torn(text) == (text, "")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        pytest.param("corrections:\n", [], id="no entry yet"),
        pytest.param("", [], id="empty"),
        pytest.param("# only a comment\n", [], id="a comment"),
        pytest.param("corrections: []\n", [], id="an empty flow list"),
        pytest.param("corrections: null\n", [], id="null"),
        pytest.param("\ufeffcorrections:\n- id: CORR-002\n", [2], id="a byte order mark"),
        pytest.param("---\n# words\nversion: 1\ncorrections:\n\n- id: CORR-002\n", [2], id="a head"),
        pytest.param("corrections:\n  - id: 'CORR-1000' # long\n    fix: it's fine\n", [1000], id="by hand"),
        pytest.param('corrections:\n- id: C-1\n  tables: [a, "b, c"]\n  fix:\n', [0], id="an id of another form"),
        pytest.param("corrections:\n- id: CORR-003\n  fix: x", [3], id="no final line end"),
    ],
)
def test_known_shapes_are_read(text: str, numbers: list[int]) -> None:
    found = scan(text, is_start=True)

    assert found is not None
    assert [entry.number for entry in found.entries] == numbers
    assert [number_of(entry["id"]) for entry in (load(text) or {}).get("corrections") or []] == numbers


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("corrections:\r\n- id: CORR-001\r\n", id="carriage returns"),
        pytest.param("corrections:\n-\tid: CORR-001\n", id="tabs"),
        pytest.param("corrections: [{id: CORR-001}]\n", id="a flow list"),
        pytest.param("corrections:\n- {id: CORR-001}\n", id="flow mappings"),
        pytest.param("corrections:\n- id: CORR-001\n  fix: |\n    a\n", id="a block scalar"),
        pytest.param("corrections:\n- id: CORR-001\n  fix: - a\n", id="a list within a line"),
        pytest.param("corrections:\n- id: CORR-001\n  fix: one\n    two\n", id="a scalar of two lines"),
        pytest.param('corrections:\n- id: CORR-001\n  fix: "one\n    two"\n', id="a quoted scalar of two lines"),
        pytest.param("corrections:\n- id: CORR-001\n  tables:\n  - a\n", id="a list of several lines"),
        pytest.param("corrections:\n    - id: CORR-001\n", id="another indentation"),
        pytest.param("corrections:\n- id: CORR-001\n  - id: CORR-002\n", id="two indentations"),
        pytest.param("corrections:\n- id: CORR-001\narchive:\n- id: CORR-002\n", id="a key behind the list"),
        pytest.param("corrections:\n- date: x\n  id: CORR-001\n", id="another first field"),
        pytest.param("- id: CORR-001\n", id="no name for the list"),
        pytest.param("corrections: []\n- id: CORR-001\n", id="entries behind an empty list"),
        pytest.param("corrections:\n- id: CORR-001\n<<<<<<< HEAD\n", id="a merge that is not done"),
        pytest.param("corrections:\n- id: CORR-001\n...\n", id="an end mark"),
        pytest.param("corrections:\n- id: &a CORR-001\n- id: *a\n", id="anchors"),
        pytest.param("corrections:\nnothing here\n", id="words"),
    ],
)
def test_other_shapes_are_odd(text: str) -> None:
    assert scan(text, is_start=True) is None


LINES = [
    "corrections:", "corrections: []", "- id: CORR-001", "  - id: CORR-002", "  fix: x", "    fix: 'y'",
    "  severity: high", "# c", "", "  tables: []", "---", "x: 1", '  fix: "a', "    b", "  fix: a: b", "  fix: [",
    "- x", "  fix: - a",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=8))
def test_a_shape_that_is_known_is_what_yaml_says(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)

    found = scan(text, is_start=True)

    if found is not None and found.entries:
        entries = load(text)["corrections"]
        assert [entry.ident for entry in found.entries] == [entry["id"] for entry in entries]
        assert [entry.severity for entry in found.entries] == [entry.get("severity", "") for entry in entries]


@pytest.mark.parametrize(("number", "ident"), [(1, "CORR-001"), (999, "CORR-999"), (1000, "CORR-1000")])
def test_ids_have_three_digits_and_grow(number: int, ident: str) -> None:
    assert name_of(number) == ident
    assert number_of(ident) == number


@pytest.mark.parametrize("ident", ["", "CORR-", "CORR-x1", "corr-001", "null", "CORR-٣", f"CORR-{'9' * 5000}"])
def test_an_id_of_another_form_has_no_number(ident: str) -> None:
    assert number_of(ident) == 0
