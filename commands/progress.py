"""A progress bar for work that goes through stages; nothing where nobody looks."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from ..sweep.work import Progress, no_progress


@contextmanager
def show_progress(is_wanted: bool) -> Generator[Progress]:
    """Yield what a sweep reports to: a bar on stderr when it is a terminal and *is_wanted*."""
    if not is_wanted or not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage)
            bars.update(tasks[stage], completed=done, total=total)

        yield tell
