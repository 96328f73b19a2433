"""The index: counters changed where they stand, everything else as the person left it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tellback.capture.index import CATEGORIES, SEVERITIES, Index, parse_index, render_index


def fresh() -> Index:
    index = parse_index("")
    index.clear()
    return index


def test_a_new_index_has_every_documented_key() -> None:
    loaded = YAML(typ="safe", pure=True).load(render_index(fresh()))

    assert loaded == {
        "total_corrections": 0,
        "by_severity": dict.fromkeys(SEVERITIES, 0),
        "by_category": dict.fromkeys(CATEGORIES, 0),
        "last_correction_id": None,
        "last_updated": None,
        "log_bytes": 0,
    }


@given(st.lists(st.tuples(st.sampled_from(SEVERITIES), st.sampled_from(CATEGORIES)), max_size=20))
def test_counting_and_reading_back_agree(counted: list[tuple[str, str]]) -> None:
    index = fresh()

    for number, (severity, category) in enumerate(counted, 1):
        index.count(severity, category, f"CORR-{number:03d}")
        index = parse_index(render_index(index))

    assert index.is_whole()
    assert index.number("total_corrections") == len(counted)
    for severity in SEVERITIES:
        assert index.number(f"by_severity.{severity}") == sum(pair[0] == severity for pair in counted)
    for category in CATEGORIES:
        assert index.number(f"by_category.{category}") == sum(pair[1] == category for pair in counted)


def test_an_unknown_severity_counts_in_the_total_only() -> None:
    index = fresh()

    index.count("dire", "odd", "CORR-001")

    assert index.number("total_corrections") == 1
    assert sum(index.number(f"by_severity.{name}") for name in SEVERITIES) == 0


def test_comments_order_and_unknown_keys_survive() -> None:
    text = (
        "# ours\nowner: data team # do not touch\nlog_bytes: 10\nlast_correction_id: CORR-001 # newest\n"
        "by_category:\n    # most of them\n    join_error: 1\n    our_own: 4\n"
        "total_corrections: 1 # all\nlast_updated: '2026-01-01'\nby_severity:\n  high: 1\nextra:\n  join_error: 9\n"
    )
    index = parse_index(text)
    for name in (*[f"by_severity.{n}" for n in SEVERITIES], *[f"by_category.{n}" for n in CATEGORIES]):
        index.values.setdefault(name, "0")

    index.count("high", "schema", "CORR-002")
    new = render_index(index)

    assert YAML(typ="safe", pure=True).load(new)["by_category"]["our_own"] == 4
    assert new == (
        '# ours\nowner: data team # do not touch\nlog_bytes: 10\nlast_correction_id: "CORR-002" # newest\n'
        "by_category:\n    filter_missing: 0\n    metric_definition: 0\n    date_range: 0\n    aggregation: 0\n"
        "    schema: 1\n    logic: 0\n    other: 0\n    # most of them\n    join_error: 1\n    our_own: 4\n"
        "total_corrections: 2 # all\nlast_updated: '2026-01-01'\nby_severity:\n  critical: 0\n  medium: 0\n  low: 0\n"
        "  high: 2\nextra:\n  join_error: 9\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("by_severity: {high: 1}\n", id="a flow mapping"),
        pytest.param("total_corrections: 1\ntotal_corrections: 2\n", id="a key twice"),
        pytest.param("total_corrections: 1\r\n", id="carriage returns"),
        pytest.param("by_severity:\n\thigh: 1\n", id="tabs"),
    ],
)
def test_a_shape_that_cannot_be_edited_is_odd_and_replaced_whole(text: str) -> None:
    index = parse_index(text)
    assert index.is_odd

    index.clear()

    assert parse_index(render_index(index)).is_whole()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "total_corrections: many\n",
        "a: 1\n",
        "\0\0\0",
        "total_corrections: -1\n",
        "log_bytes: " + "9" * 5000,
    ],
)
def test_an_index_that_lacks_something_is_not_counted_on(text: str) -> None:
    assert not parse_index(text).is_whole()


@given(st.text(max_size=200))
def test_any_text_gives_an_index_that_is_whole_after_clearing(text: str) -> None:
    index = parse_index(text)

    index.clear()
    again = parse_index(render_index(index))

    assert again.is_whole()
