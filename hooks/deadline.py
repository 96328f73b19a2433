"""When a hook ends even if it is not done: a timer of the kernel, and on Windows a thread. Hot.

While the payload is read the timer runs anew after each piece; when nothing came for its time, reading stops and what
came is looked at. Afterwards, when the time is up the process ends with 0 at once: like a kill, which every write of
ours survives.
"""

import time

from ..core.append import nt_or_posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
else:
    import _signal

leave = nt_or_posix._exit  # pyright: ignore[reportPrivateUsage] - documented for os, which is too dear here
HAS_TIMER = hasattr(_signal, "setitimer")


class Idle(Exception):  # noqa: N818 - no error: the harness keeps its end of stdin open
    """Nothing came for the time that a payload may take."""


class _Watch:
    """The one deadline of this process."""

    is_reading = False
    ends_at = 0.0
    has_thread = False


def wait_for_input(seconds: float) -> None:
    """From now on ``Idle`` is raised in the main thread after *seconds*; call again after each piece."""
    if not _Watch.is_reading and HAS_TIMER:
        _signal.signal(_signal.SIGALRM, _raise_idle)
    _Watch.is_reading = True
    _set_timer(seconds)


def end_after(seconds: float, last_words: "Callable[[], None]") -> None:
    """End the process with 0 after *seconds* from now; *last_words* is called just before."""
    if HAS_TIMER:
        _signal.signal(_signal.SIGALRM, lambda _number, _frame: _leave(last_words))
    _Watch.is_reading = False
    _set_timer(seconds)


def _raise_idle(_number: int, _frame: object) -> None:
    raise Idle


def _leave(last_words: "Callable[[], None]") -> None:
    try:
        last_words()
    finally:
        leave(0)


def _set_timer(seconds: float) -> None:
    if HAS_TIMER:
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
        return
    _Watch.ends_at = time.monotonic() + seconds
    if not _Watch.has_thread:
        import _thread

        _Watch.has_thread = True
        _thread.start_new_thread(_watch, ())


def _watch() -> None:
    """End the process once the deadline has passed, also while it reads: Windows cannot interrupt a read."""
    while (left_s := _Watch.ends_at - time.monotonic()) > 0:
        time.sleep(left_s)
    leave(0)
