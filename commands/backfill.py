"""``tellback backfill``: take what was said before Tellback was there, once."""

import click

from ..core.paths import find_places
from ..core.shapes import Places
from ..sweep.run import Order, run_sweep
from ..sweep.stages.late import HARNESSES, make_history_stage
from ..sweep.stages.table import STAGES
from .progress import show_progress
from .result import Result, run
from .since import SINCE
from .sweep import WAIT_S, describe_run


@click.command("backfill")
@click.option("--harness", type=click.Choice(HARNESSES), multiple=True, help="Only this one's sessions.")
@click.option("--since", type=SINCE, default=0.0, help="Only sessions changed since: a date, or a time span like 30d.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(harness: tuple[str, ...], since: float, as_json: bool) -> None:
    """Take all history: read every session log, and keep what no hook heard.

    Ended in between, it goes on where it was. Nothing is taken twice, and no `.knowledge/` is made in a project.
    """
    run(lambda: _backfill(find_places(), harness or HARNESSES, since, as_json), as_json)


def _backfill(places: Places, harnesses: tuple[str, ...], since: float, as_json: bool) -> Result:
    history = make_history_stage(harnesses, since)
    stages = [(name, history if name == "late" else stage) for name, stage in STAGES]
    with show_progress(not as_json) as progress:
        done = run_sweep(places, Order(wait_s=WAIT_S), progress=progress, stages=stages)
    if done is None:
        text = "A sweep is at work; run `tellback backfill` again when it is over."
        return Result({"started": False, "reason": "a sweep is running"}, text, exit_code=1)
    return Result({"started": True, **done.as_json()}, describe_run(done), exit_code=1 if done.failure else 0)
