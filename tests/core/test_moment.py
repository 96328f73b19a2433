"""Moments as text and back."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.moment import format_moment, parse_moment

UTC = timezone.utc


@pytest.mark.parametrize(
    ("text", "at"),
    [
        pytest.param("2026-03-01T10:00:00.250Z", datetime(2026, 3, 1, 10, 0, 0, 250_000, UTC), id="as we write it"),
        pytest.param("2026-03-01T12:00:00+02:00", datetime(2026, 3, 1, 10, tzinfo=UTC), id="another zone"),
        pytest.param("2026-03-01T10:00:00", datetime(2026, 3, 1, 10, tzinfo=UTC), id="no zone is UTC"),
        pytest.param("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC), id="a day"),
        pytest.param("yesterday", None, id="words"),
        pytest.param("", None, id="nothing"),
        pytest.param("Z", None, id="a zone alone"),
        pytest.param(1_796_000_000, None, id="a number"),
        pytest.param(None, None, id="none"),
    ],
)
def test_a_moment_is_read_or_it_is_none(text: object, at: datetime | None) -> None:
    assert parse_moment(text) == at


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.timezones()))
def test_what_is_written_is_read_back_to_the_millisecond(at: datetime) -> None:
    back = parse_moment(format_moment(at))

    assert back is not None
    assert timedelta(0) <= at - back < timedelta(milliseconds=1)
