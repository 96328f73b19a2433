"""What a hook must know of the settings, packed by install and checked at each call against the files' stats. Hot.

A file that is as it was when install (or a later command or sweep) packed it costs one ``stat``. One that changed is
parsed by the code that commands use: slower, and right. One that cannot be parsed means no capture.
"""

import sys

from ..core.append import nt_or_posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    OperatingPoint = Literal["strict", "write", "report"]
    Stamp = tuple[str, int, int]

    class HookSettings:
        """The settings that hooks heed.

        Attributes:
            policy: where may be listened, the arguments of ``core.policy.Policy``; the first: nowhere.
            has_paths: whether the policy depends on folders.
            is_capturing: ``capture.enabled``.
            acknowledge, brief, point, dataset: ``capture.*``.
            quiet_s, push_budget_s: ``sessions.*``.
            prompt_s, turn_end_s: ``hooks.deadline`` by event.
            scrub: what ``prepare_scrub`` made of the person's own patterns; ``None`` without any.
        """

        policy: tuple[bool, tuple[str, ...], tuple[str, ...], bool]
        has_paths: bool
        is_capturing: bool
        acknowledge: bool
        brief: bool
        point: OperatingPoint
        dataset: str | None
        quiet_s: float
        push_budget_s: float
        prompt_s: float
        turn_end_s: float
        scrub: dict[str, Any] | None

        def __init__(self, **packed: Any) -> None: ...

else:
    HookSettings = type(sys.implementation)  # types.SimpleNamespace: to make a class of our own costs too much here

ABSENT = -1


def stamp_file(path: str) -> "Stamp":
    """Return path, size and modification time in nanoseconds; ``ABSENT`` for both when there is no file."""
    try:
        found = nt_or_posix.stat(path)
    except OSError:
        return path, ABSENT, ABSENT
    return path, found.st_size, found.st_mtime_ns


def is_unchanged(stamps: "list[Stamp]") -> bool:
    """Whether all files are as they were."""
    for stamp in stamps:
        if stamp[1] == ABSENT and not nt_or_posix.access(stamp[0], 0):
            continue  # the usual case, at half the price of an exception
        if stamp_file(stamp[0]) != stamp:
            return False
    return True
