from pathlib import Path

import pytest

from tellback.core.shapes import Places
from tellback.install.pause import end_pause, find_pause, read_pause, write_pause


def test_a_pause_ends_by_itself(places: Places) -> None:
    write_pause(places, 1000.0)

    assert read_pause(places, 999.0) == 1000.0
    assert read_pause(places, 1000.0) is None


def test_a_pause_can_be_ended(places: Places) -> None:
    write_pause(places, 1000.0)

    end_pause(places)
    end_pause(places)

    assert read_pause(places, 1.0) is None


def test_the_hook_finds_plain_seconds_in_its_own_folder(places: Places) -> None:
    write_pause(places, 1_800_000_000.25)

    assert find_pause(places) == Path(places.data) / "hook" / "pause"
    assert find_pause(places).read_bytes() == b"1800000000\n"
    assert find_pause(places).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["soon", "", "nan"])
def test_a_pause_that_cannot_be_read_has_no_end(text: str, places: Places) -> None:
    find_pause(places).parent.mkdir(parents=True)
    find_pause(places).write_text(text)

    assert read_pause(places, 1.0) is not None
