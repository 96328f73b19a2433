"""Spans and points of time as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.duration import format_duration, parse_duration, parse_since
from tellback.core.errors import TellbackError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60s", 60), ("10m", 600), ("12h", 43200), ("7d", 604800), ("2w", 1209600), ("1h30m", 5400), ("250ms", 0.25)],
)
def test_a_span_is_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "10 m", "-5m", "1e3s", "10m!", "10M", "ten minutes", "٣m"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(TellbackError, match="no duration"):
        parse_duration(text)


@given(st.integers(0, 10**9).map(lambda ms: ms / 1000))
def test_a_span_survives_being_written_and_read(seconds: float) -> None:
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("30m", 1_000_000_000 - 1800),
        ("2w", 1_000_000_000 - 1209600),
        ("2001-09-09T01:46:40Z", 1_000_000_000),
        ("2001-09-09t01:46:40.25z", 1_000_000_000.25),
        ("2001-09-09 03:46:40.123456789+02:00", 1_000_000_000.123456789),
    ],
)
def test_a_point_in_time_is_read(text: str, at: float) -> None:
    assert parse_since(text, now=1_000_000_000) == pytest.approx(at, abs=1e-6)


@pytest.mark.parametrize("text", ["yesterday", "2001-09-09", "2001-13-09T01:46:40Z", "2001-09-09T01:46:40", ""])
def test_what_is_no_point_in_time_is_refused(text: str) -> None:
    with pytest.raises(TellbackError, match="no time"):
        parse_since(text, now=0)
