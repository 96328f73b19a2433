"""``tellback pause``: hear nothing for a while."""

import math
import time
from datetime import datetime

import click

from ..core.duration import parse_duration
from ..core.errors import TellbackError
from ..core.paths import find_places
from ..core.pause import pause_path
from ..install.pause import end_pause, read_pause, write_pause
from .result import Result, run


@click.command("pause")
@click.argument("how_long", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(how_long: str | None, as_json: bool) -> None:
    """Capture nothing for HOW_LONG (1h, 30m, 2d), from now on; `off` ends it; without it: say how it is."""
    seconds = None if how_long in (None, "off") else _read_duration(str(how_long))
    run(lambda: _pause(seconds, how_long == "off"), as_json)


def _read_duration(text: str) -> float:
    try:
        return parse_duration(text)
    except TellbackError as error:
        raise click.UsageError(f"{error}; {error.hint}") from error


def _pause(seconds: float | None, is_over: bool) -> Result:
    places, now = find_places(), time.time()
    if is_over:
        end_pause(places, now)
    elif seconds is not None:
        write_pause(places, now, now + seconds)
    until = read_pause(places, now)
    if until is None:
        return Result(
            {"paused": False, "until": None}, "No pause is set; `tellback doctor` says whether Tellback listens here."
        )
    if not math.isfinite(until):
        return Result(
            {"paused": True, "until": None},
            f"Nothing is captured: {pause_path(places)} cannot be read; `tellback pause off` ends it.",
        )
    shown = datetime.fromtimestamp(until).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    data = {"paused": True, "until": until}
    return Result(data, f"Nothing is captured until {shown}; `tellback pause off` ends it.")
