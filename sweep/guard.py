"""What keeps a launched sweep short, quiet and told: hard time limit, signals, priority.

Three limits, each behind the other: the sweep itself stops taking new work at its budget, a thread ends the process
and its children at the limit and writes the last-run file, and a kernel timer ends a process whose threads no longer
run a few seconds later.
"""

import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType

KERNEL_GRACE_S = 5.0


class Terminated(BaseException):
    """The sweep was asked to end by a signal; not an ``Exception``, for no stage may take it for its own failure."""


def _raise_terminated(_signal: int, _frame: FrameType | None) -> None:
    raise Terminated


@contextmanager
def end_on_signals() -> Generator[None]:
    """Turn SIGTERM, SIGINT and SIGHUP into :class:`Terminated` inside the block; main thread only."""
    names = [name for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), _raise_terminated) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            with suppress(ValueError, TypeError):  # a handler that was not set from Python reads as None
                signal.signal(getattr(signal, name), handler)


@contextmanager
def hard_limit(limit_s: float, on_timeout: Callable[[], None]) -> Generator[None]:
    """End this process and its children with status 1 when the block takes longer than *limit_s*.

    Args:
        on_timeout: called just before, in another thread; its own failure changes nothing.
    """
    timer = threading.Timer(limit_s, _end_process, (on_timeout,))
    timer.daemon = True
    timer.start()
    _set_kernel_timer(limit_s + KERNEL_GRACE_S)
    try:
        yield
    finally:
        timer.cancel()
        _set_kernel_timer(0)


def _set_kernel_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the default ends the process
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _end_process(on_timeout: Callable[[], None]) -> None:
    try:
        on_timeout()
    finally:
        with suppress(Exception):  # a door: the process must end whatever its children are
            _kill_children()
        os._exit(1)


def _kill_children() -> None:
    import psutil  # dear to import, and needed only here

    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.kill()


def lower_priority() -> None:
    """Let everything else on the machine go first, where the system can."""
    with suppress(OSError, AttributeError):
        os.nice(10)
