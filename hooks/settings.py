"""What a hook must know of the settings, packed by install and checked at each call against the files' stats. Hot.

A file that is as it was when install (or a later command or sweep) packed it costs one ``stat``. One that changed is
parsed by the code that commands use: slower, and right. One that cannot be parsed means no capture.
"""

from ..core.append import nt_or_posix
from ..core.policy import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    OperatingPoint = Literal["strict", "write", "report"]
    Stamp = tuple[str, int, int]

ABSENT = -1


class HookSettings:
    """The settings that hooks heed.

    Attributes:
        policy: where may be listened.
        is_capturing: ``capture.enabled``.
        acknowledge, point, dataset: ``capture.*``.
        quiet_s, push_budget_s: ``sessions.*``.
        prompt_s, turn_end_s: ``hooks.deadline`` by event.
        scrub: what ``prepare_scrub`` made of ``scrub.patterns``; ``None``: of no pattern, as in the prepared tables.
    """

    __slots__ = (
        "acknowledge",
        "dataset",
        "is_capturing",
        "point",
        "policy",
        "prompt_s",
        "push_budget_s",
        "quiet_s",
        "scrub",
        "turn_end_s",
    )

    def __init__(self, packed: "dict[str, Any]") -> None:
        self.policy = Policy(*packed["policy"])
        self.is_capturing: bool = packed["is_capturing"]
        self.acknowledge: bool = packed["acknowledge"]
        self.point: OperatingPoint = packed["point"]
        self.dataset: str | None = packed["dataset"]
        self.quiet_s: float = packed["quiet_s"]
        self.push_budget_s: float = packed["push_budget_s"]
        self.prompt_s: float = packed["prompt_s"]
        self.turn_end_s: float = packed["turn_end_s"]
        self.scrub: dict[str, Any] | None = packed["scrub"]


def stamp_file(path: str) -> "Stamp":
    """Return path, size and modification time in nanoseconds; ``ABSENT`` for both when there is no file."""
    try:
        found = nt_or_posix.stat(path)
    except OSError:
        return path, ABSENT, ABSENT
    return path, found.st_size, found.st_mtime_ns


def is_unchanged(stamps: "list[Stamp]") -> bool:
    """Whether all files are as they were."""
    return all(stamp_file(stamp[0]) == stamp for stamp in stamps)
