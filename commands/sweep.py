"""``tellback sweep``: what hooks launch at a turn's end, and the same by hand."""

import sys

import click

from ..core.paths import find_places
from ..core.shapes import Places
from ..sweep.lastrun import LastRun
from ..sweep.run import Order, run_sweep
from .detached import run_detached
from .progress import show_progress
from .renew import renew_hook_files
from .result import Result, run

# Seconds that a sweep by hand waits for one at work.
WAIT_S = 10.0


@click.command("sweep")
@click.option("--local-only", is_flag=True, help="Send nothing, whatever is configured.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--launched", is_flag=True, hidden=True)
@click.option("--lock-fd", type=int, hidden=True)
def command(local_only: bool, as_json: bool, launched: bool, lock_fd: int | None) -> None:
    """Find in the session logs what no hook heard, and settle what waits."""
    del local_only  # there is no server yet to send anything to
    if launched or lock_fd is not None:
        sys.exit(run_detached(lock_fd))  # by a hook that an older version wrote
    run(lambda: _sweep(find_places(), as_json), as_json)


def _sweep(places: Places, as_json: bool) -> Result:
    with show_progress(not as_json) as progress:
        order = Order(look_around=True, wait_s=WAIT_S)
        done = run_sweep(places, order, progress=progress, first=lambda: renew_hook_files(places))
    if done is None:
        text = "Another sweep is at work; it takes what this one would."
        return Result({"started": False, "reason": "another sweep is running"}, text)
    data = {"started": True, **done.as_json(), "busy": done.busy}
    return Result(data, describe_run(done), exit_code=1 if done.failure else 0)


def describe_run(done: LastRun) -> str:
    """Return one line a stage: what it did, or that there was nothing to do."""
    lines = [f"{stage}: {_describe_counts(counts)}" for stage, counts in done.stages.items()]
    lines += [f"{folder}: another program writes there; what belongs there waits in the queue" for folder in done.busy]
    return "\n".join(lines)


def _describe_counts(counts: dict[str, int | str]) -> str:
    told = [f"{count} {word}" for word, count in counts.items() if count and isinstance(count, int)]
    if failed := counts.get("failed"):
        told.append(f"failed ({failed})")
    return ", ".join(told) or "nothing to do"
