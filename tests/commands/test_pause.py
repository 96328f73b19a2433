import json
import time
from typing import TYPE_CHECKING

from tellback.core.shapes import Places
from tellback.install.pause import find_pause

if TYPE_CHECKING:
    from conftest import Call


def test_a_pause_begins_is_shown_and_ends(places: Places, call: "Call") -> None:
    now = time.time()

    code, out, _ = call("pause", "1h")
    assert (code, "Nothing is captured until" in out) == (0, True)
    assert now + 3599 < float(find_pause(places).read_text()) < now + 3700
    assert json.loads(call("pause", "--json")[1])["paused"]

    assert call("pause", "off")[1].startswith("No pause is set")
    assert json.loads(call("pause", "--json")[1]) == {"paused": False, "until": None}


def test_a_time_that_is_none_is_refused(places: Places, call: "Call") -> None:
    code, _, err = call("pause", "soon")

    assert (code, "'soon' is no duration" in err) == (2, True)
    assert not find_pause(places).exists()


def test_a_pause_that_cannot_be_read_is_told_with_its_file(places: Places, call: "Call") -> None:
    find_pause(places).parent.mkdir(parents=True, exist_ok=True)
    find_pause(places).write_text("soon")

    _, out, _ = call("pause")

    assert f"{find_pause(places)} cannot be read" in out
