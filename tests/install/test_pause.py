from pathlib import Path

import pytest

from tellback.core.shapes import Places
from tellback.hooks.gate import is_paused
from tellback.install.pause import end_pause, find_pause, read_pause, write_pause
from tellback.sweep.pauses import read_pause_span


def test_a_pause_ends_by_itself(places: Places) -> None:
    write_pause(places, 500.0, 1000.0)

    assert read_pause(places, 999.0) == 1000.0
    assert read_pause(places, 1000.0) is None


def test_a_pause_can_be_ended(places: Places) -> None:
    write_pause(places, 500.0, 1000.0)

    end_pause(places, 600.0006)

    assert read_pause(places, 600.0006) is None


def test_an_ended_pause_still_says_when_it_was(places: Places) -> None:
    write_pause(places, 500.0, 1000.0)
    end_pause(places, 600.0)
    end_pause(places, 700.0)

    assert find_pause(places).stat().st_mtime == 500.0
    assert float(find_pause(places).read_text()) == 600.0


def test_a_longer_pause_began_when_the_first_did(places: Places) -> None:
    write_pause(places, 500.0, 1000.0)
    write_pause(places, 900.0, 2000.0)
    assert find_pause(places).stat().st_mtime == 500.0

    write_pause(places, 3000.0, 4000.0)
    assert find_pause(places).stat().st_mtime == 3000.0


def test_ending_a_pause_that_never_was_leaves_no_file(places: Places) -> None:
    end_pause(places, 1.0)

    assert not find_pause(places).exists()


def test_the_hook_finds_plain_seconds_in_its_own_folder(places: Places) -> None:
    write_pause(places, 1.0, 1_800_000_000.25)

    assert find_pause(places) == Path(places.data) / "hook" / "pause"
    assert find_pause(places).read_bytes() == b"1800000000.250\n"
    assert find_pause(places).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["soon", ""])
def test_a_pause_that_cannot_be_read_holds_until_it_is_ended(text: str, places: Places) -> None:
    find_pause(places).parent.mkdir(parents=True)
    find_pause(places).write_text(text)
    assert read_pause(places, 1.0) is not None

    end_pause(places, 1.0)

    assert read_pause(places, 1.0) is None


@pytest.mark.parametrize("text", ["soon", "", "nan", "12 13", "1" * 65, "\ufeff1", "é"])
def test_hook_sweep_and_command_take_what_they_cannot_read_for_a_pause(text: str, places: Places) -> None:
    find_pause(places).parent.mkdir(parents=True)
    find_pause(places).write_text(text, "utf-8")

    assert is_paused(places, 2_000_000_000.0)
    assert read_pause(places, 2_000_000_000.0) == float("inf")
    assert read_pause_span(places)[1] == float("inf")


@pytest.mark.parametrize("target", ["nowhere", "past"])
def test_a_link_is_a_pause_to_all_three_and_is_not_followed(target: str, places: Places, tmp_path: Path) -> None:
    (tmp_path / "past").write_text("1\n")
    find_pause(places).parent.mkdir(parents=True)
    find_pause(places).symlink_to(tmp_path / target)

    assert is_paused(places, 10.0)
    assert read_pause(places, 10.0) == float("inf")
    assert read_pause_span(places)[1] == float("inf")

    end_pause(places, 20.0)
    assert not is_paused(places, 20.0)
    assert (tmp_path / "past").read_text() == "1\n"
