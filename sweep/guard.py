"""What keeps a launched sweep short, quiet and told: hard time limit, signals, priority. Light.

Three limits, each behind the other: the sweep itself stops taking new work at its budget, a thread ends the process
and its children at the limit and writes the last-run file, and a kernel timer ends a process whose threads no longer
run a few seconds later. (``signal`` and ``threading`` would cost more than the look of a sweep that finds nothing.)
"""

import _thread
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from typing import Any
else:
    import _signal

KERNEL_GRACE_S = 5.0
NICE = 10


class Terminated(BaseException):
    """The sweep was asked to end by a signal; not an ``Exception``, for no stage may take it for its own failure."""


def _raise_terminated(_number: int, _frame: object) -> None:
    raise Terminated


class end_on_signals:  # noqa: N801 - used as a function
    """Turn SIGTERM, SIGINT and SIGHUP into :class:`Terminated` inside the block; main thread only."""

    def __enter__(self) -> None:
        names = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
        numbers = [int(getattr(_signal, name)) for name in names if hasattr(_signal, name)]
        self._before: dict[int, Any] = {number: _signal.signal(number, _raise_terminated) for number in numbers}

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            if handler is not None:  # None: it was not set from Python, and cannot be set again from here
                _signal.signal(number, handler)


class hard_limit:  # noqa: N801 - used as a function
    """End this process and its children with status 1 when the block takes longer than *limit_s*.

    Args:
        on_timeout: called just before, in another thread; its own failure changes nothing.
    """

    def __init__(self, limit_s: float, on_timeout: "Callable[[], None]") -> None:
        self._limit_s = limit_s
        self._on_timeout = on_timeout
        self._running = _thread.allocate_lock()

    def __enter__(self) -> None:
        self._running.acquire()
        _thread.start_new_thread(self._watch, ())
        _set_kernel_timer(self._limit_s + KERNEL_GRACE_S)

    def __exit__(self, *_: object) -> None:
        self._running.release()
        _set_kernel_timer(0)

    def _watch(self) -> None:
        if not self._running.acquire(timeout=self._limit_s):
            _end_process(self._on_timeout)


def _set_kernel_timer(seconds: float) -> None:
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)  # the default ends the process
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _end_process(on_timeout: "Callable[[], None]") -> None:
    try:
        on_timeout()
    finally:
        try:  # noqa: SIM105 - `contextlib` is dear to import
            _kill_children()
        except Exception:  # a door: the process must end whatever its children are
            pass
        os._exit(1)


def _kill_children() -> None:
    from contextlib import suppress  # both dear to import, and needed only here

    import psutil

    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.kill()


def lower_priority() -> None:
    """Let everything else on the machine go first, where the system can; once."""
    try:
        if os.nice(0) < NICE:
            os.nice(NICE)
    except (OSError, AttributeError):
        pass
