"""What the stages of one sweep share."""

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..core.shapes import Places
from .listening import Listening


class Progress(Protocol):
    """Called by a stage as it goes: its name, how many of its things are done, how many there are."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


@dataclass
class Work:
    """The one argument of every stage.

    Attributes:
        now: UTC seconds when the sweep started; what a stage writes carries this time.
        look_around: look at every session file now, not only when the hourly look is due.
        until: monotonic seconds after which a stage takes nothing new; ``None`` for as long as it needs.
    """

    places: Places
    listening: Listening
    db: sqlite3.Connection
    now: float
    look_around: bool = False
    until: float | None = None
    progress: Progress = no_progress

    def has_time(self) -> bool:
        """Whether a stage may take something new."""
        return self.until is None or time.monotonic() < self.until


# A stage does what is to be done, commits it bit by bit, and returns its counts; done again it does nothing.
Stage = Callable[[Work], dict[str, int]]
