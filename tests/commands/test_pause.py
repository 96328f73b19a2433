import json
import time

import pytest

from tellback.cli import main
from tellback.core.shapes import Places
from tellback.install.pause import find_pause


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run one command line; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


def test_a_pause_begins_is_shown_and_ends(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    now = time.time()

    code, out, _ = call(capsys, "pause", "1h")
    assert (code, "Nothing is captured until" in out) == (0, True)
    assert now + 3599 < float(find_pause(places).read_text()) < now + 3700
    assert json.loads(call(capsys, "pause", "--json")[1])["paused"]

    assert call(capsys, "pause", "off")[:2] == (0, "Tellback listens.\n")
    assert json.loads(call(capsys, "pause", "--json")[1]) == {"paused": False, "until": None}


def test_a_time_that_is_none_is_refused(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "pause", "soon")

    assert (code, "'soon' is no duration" in err) == (2, True)
    assert not find_pause(places).exists()


def test_a_pause_that_cannot_be_read_is_told_with_its_file(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    find_pause(places).parent.mkdir(parents=True, exist_ok=True)
    find_pause(places).write_text("soon")

    _, out, _ = call(capsys, "pause")

    assert f"{find_pause(places)} cannot be read" in out
