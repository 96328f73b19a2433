"""One sweep from lock to last-run file: stages in their order, each on its own.

A stage that fails is told and does not keep the next from its work. Whatever ends the sweep, the last-run file says
so; what was not done stays due, for every stage commits its own progress.
"""

import os
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.db import open_db
from ..core.errors import TellbackError
from ..core.log import log_failure
from ..core.shapes import Places
from .basis import find_basis, stamp_before, write_basis
from .guard import Terminated, end_on_signals, hard_limit, lower_priority
from .lastrun import LastRun, write_last_run
from .listening import Listening
from .lock import hold_sweep_lock
from .stages.learn import find_due_at
from .stages.table import STAGES
from .work import Progress, Stage, Work, no_progress

if TYPE_CHECKING:
    from .lastrun import EndState

# S-54: a launched run is given up one minute after its budget.
GRACE_S = 60.0


@dataclass(frozen=True)
class Order:
    """How one sweep is to run.

    Attributes:
        lock_fd: the launcher's locked descriptor; ``None`` when nobody launched us.
        is_launched: run low in priority, in the data folder, under the hard time limit, and end on signals.
        budget_s: seconds after which nothing new is taken; ``None`` for no bound.
        wait_s: how long to wait for another sweep at work.
    """

    lock_fd: int | None = None
    is_launched: bool = False
    look_around: bool = False
    budget_s: float | None = None
    wait_s: float = 0


def run_sweep(
    places: Places,
    order: Order,
    *,
    progress: Progress = no_progress,
    first: Callable[[], None] = lambda: None,
    stages: Sequence[tuple[str, Stage]] = STAGES,
) -> LastRun | None:
    """Run all stages once.

    Args:
        first: called under the lock before the stages (the hook's file of another version is renewed there).

    Returns:
        What was done; ``None`` when another sweep holds the lock.

    Raises:
        Terminated: a signal ended it; the last-run file is written.
        TellbackError: nothing could be begun, for example a database of a newer version.
    """
    _make_folders(places)
    with hold_sweep_lock(places, order.lock_fd, order.wait_s) as is_ours:
        if not is_ours:
            return None
        record = _Record(places)
        with ExitStack() as stack:
            if order.is_launched:
                _settle(places, order, record, stack)
            try:
                _run_stages(places, order, record.last_run, progress, first, stages)
            except BaseException as error:
                record.end("terminated" if isinstance(error, Terminated) else "failed", describe_failure(error))
                raise
            record.end("failed" if record.last_run.failure else "finished", record.last_run.failure)
        return record.last_run


class _Record:
    """The last-run file of this run, ended once: by the run itself or by its watchdog, whoever is first."""

    def __init__(self, places: Places) -> None:
        self.last_run = LastRun(started_at=time.time())
        self._places = places
        self._once = threading.Lock()
        write_last_run(places, self.last_run)

    def end(self, state: "EndState", failure: str = "") -> None:
        if not self._once.acquire(blocking=False):
            return
        self.last_run.end(state, failure)
        write_last_run(self._places, self.last_run)


def _settle(places: Places, order: Order, record: _Record, stack: ExitStack) -> None:
    os.chdir(places.data)  # the project's folder must be free to be removed while we run
    lower_priority()
    stack.enter_context(end_on_signals())
    limit_s = (order.budget_s or GRACE_S) + GRACE_S
    stack.enter_context(hard_limit(limit_s, lambda: record.end("timed out")))


def _run_stages(
    places: Places,
    order: Order,
    last_run: LastRun,
    progress: Progress,
    first: Callable[[], None],
    stages: Sequence[tuple[str, Stage]],
) -> None:
    first()
    before, basis = stamp_before(places), None
    with closing(open_db(places)) as db:
        work = Work(
            places=places,
            listening=Listening(places),
            db=db,
            now=last_run.started_at,
            look_around=order.look_around,
            until=None if order.budget_s is None else time.monotonic() + order.budget_s,
            progress=progress,
        )
        for name, stage in stages:
            _run_stage(work, last_run, name, stage)
        last_run.busy = sorted(work.patience.busy)
        if work.look is not None and stages is STAGES:
            basis = find_basis(work, last_run, before, find_due_at(work))
    if basis is not None and work.look is not None:
        write_basis(places, basis, work.look)


def _run_stage(work: Work, last_run: LastRun, name: str, stage: Stage) -> None:
    try:
        last_run.add(name, stage(work))
    except TellbackError:
        raise
    except Exception as error:  # a door: one stage's failure is told and is not the next one's
        last_run.failure = describe_failure(error)
        last_run.stages.setdefault(name, {})["failed"] = last_run.failure
        log_failure(work.places, f"sweep {name}", error)


def describe_failure(error: BaseException) -> str:
    """Return class and place of an error, ``OSError at late.py:57``; never its message, which may quote a session."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return type(error).__name__ + place


def _make_folders(places: Places) -> None:
    for folder in (places.data, places.cache):
        os.makedirs(folder, mode=0o700, exist_ok=True)
