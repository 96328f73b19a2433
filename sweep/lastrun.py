"""The last-run file ``<cache>/push.last-run.json``: when a sweep started, how it ended, what it did.

Written when a sweep starts and on every way out. It names no session and holds no text of one (S-61): an
error is told by its class. Light.
"""

import os
import time

from .. import __version__
from ..core.swap import swap_file
from ..core.wire import dump_json, load_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from ..core.shapes import Places

    EndState = Literal["running", "finished", "failed", "terminated", "timed out"]

FORMAT = 1

# Counts that tell how things stand, not what was done: of a stage that runs twice the later word holds.
STANDING = ("waiting",)

# The counts of S-59; a run without a server leaves them at zero.
PUSH_COUNTS = ("pushed", "replayed", "skipped", "deferred", "error")


class LastRun:
    """One sweep as it is told to people and to ``doctor``.

    Attributes:
        started_at: UTC seconds; ``finished_at`` too, ``None`` while the sweep runs.
        pid: the process, for whoever wants to know whether a ``running`` sweep is alive.
        stages: counts per stage; a stage that failed has ``"failed"``: the error's class.
        failure: class of the error that ended the sweep as a whole; ``""`` when there was none.
        suspended_until: UTC seconds until which push is suspended, ``None`` when it is not.
        busy: places whose log another process kept locked; told to who waits for the sweep, never written to the file.
    """

    __slots__ = (
        *("busy", "failure", "finished_at", "pid", "push", "stages", "started_at", "state"),
        *("suspended_until", "version"),
    )

    def __init__(self, started_at: float) -> None:
        self.started_at = started_at
        self.pid = os.getpid()
        self.state: EndState = "running"
        self.finished_at: float | None = None
        self.stages: dict[str, dict[str, int | str]] = {}
        self.push = dict.fromkeys(PUSH_COUNTS, 0)
        self.failure = ""
        self.suspended_until: float | None = None
        self.version = __version__
        self.busy: list[str] = []

    def add(self, stage: str, counts: "Mapping[str, int]") -> None:
        """Add what a stage did; a stage that runs twice in one sweep adds up."""
        row = self.stages.setdefault(stage, {})
        for name, count in counts.items():
            before = 0 if name in STANDING else row.get(name, 0)
            row[name] = count + before if isinstance(before, int) else count

    def end(self, state: "EndState", failure: str = "") -> None:
        """Note how and when the sweep ended."""
        self.state = state
        self.failure = failure
        self.finished_at = time.time()

    def as_json(self) -> "dict[str, Any]":
        """Return the object that the file holds and ``--json`` prints."""
        return {
            "format": FORMAT,
            "version": self.version,
            "pid": self.pid,
            "state": self.state,
            "started_at": utc_text(self.started_at),
            "finished_at": None if self.finished_at is None else utc_text(self.finished_at),
            **self.push,
            "suspended_until": None if self.suspended_until is None else utc_text(self.suspended_until),
            "stages": self.stages,
            "failure": self.failure or None,
        }


def utc_text(seconds: float) -> str:
    """Return UTC seconds as ``2026-11-30T15:00:53.250Z``."""
    millis = int(seconds * 1000) % 1000
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03d}Z"


def last_run_path(places: "Places") -> str:
    """Return where the last-run file is or will be."""
    return places.cache + "/push.last-run.json"


def write_last_run(places: "Places", last_run: LastRun) -> None:
    """Replace the last-run file, readable by its owner only.

    Without ``fsync``: the file tells of the last run, and the next run tells anew.
    """
    swap_file(last_run_path(places), dump_json(last_run.as_json()))


def read_last_run(places: "Places") -> "dict[str, Any] | None":
    """Return what the last-run file says; ``None`` when there is none or it cannot be read."""
    try:
        with open(last_run_path(places), "rb") as file:
            return load_object(file.read())
    except (OSError, ValueError):
        return None
