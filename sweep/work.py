"""What the stages of one sweep share."""

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ..capture.patience import Patience
from ..core.shapes import Places
from .listening import Listening
from .look import Root

# Seconds that a sweep waits for the lock of one project's log.
LOCK_WAIT_S = 2.0


class Progress(Protocol):
    """Called by a stage as it goes: its name, how many of its things are done, how many there are."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


class Look(NamedTuple):
    """One look at all session logs.

    Attributes:
        name: what the database calls it.
        at: UTC seconds; that of a later look that found the same again.
        roots: where the logs lie.
        listing: what ``look.list_logs`` says of them.
    """

    name: str
    at: float
    roots: list[Root]
    listing: bytes


@dataclass
class Work:
    """The one argument of every stage.

    Attributes:
        now: UTC seconds when the sweep started; what a stage writes carries this time.
        look_around: look at every session file now, not only when the hourly look is due.
        until: monotonic seconds after which a stage takes nothing new; ``None`` for as long as it needs.
        patience: with the locks of projects; what could not be written stays in the queue.
        look: the last one at all logs, once a stage made or found it.
    """

    places: Places
    listening: Listening
    db: sqlite3.Connection
    now: float
    look_around: bool = False
    until: float | None = None
    progress: Progress = no_progress
    look: Look | None = None
    patience: Patience = field(default_factory=lambda: Patience(LOCK_WAIT_S))

    def has_time(self) -> bool:
        """Whether a stage may take something new."""
        return self.until is None or time.monotonic() < self.until


# A stage does what is to be done, commits it bit by bit, and returns its counts; done again it does nothing.
Stage = Callable[[Work], dict[str, int]]
