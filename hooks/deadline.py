"""When a hook ends even if it is not done: a timer of the kernel, and on Windows a thread. Hot.

While the payload is read the timer runs anew after each piece; when nothing came for its time ``TimeoutError`` ends
the reading, and what came is looked at. Afterwards, when the time is up, ``KeyboardInterrupt`` breaks off whatever is
being done: it passes every handler but the door, which leaves the rest to the sweep. When that takes too long as well
the process ends with 0 at once: like a kill, which every write of ours survives.
"""

import time

from ..core.append import nt_or_posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal

LAST_WORDS_S = 1.0  # from the break to the end

leave = nt_or_posix._exit  # pyright: ignore[reportPrivateUsage] - documented for os, which is too dear here
HAS_TIMER = hasattr(_signal, "setitimer")

_is_reading = True
_is_broken_off = False
_ends_at: "float | None" = None  # by the monotonic clock; for the thread only


def start_timer(seconds: float) -> None:
    """Begin to read: ``TimeoutError`` is raised in the main thread unless ``restart_timer`` or ``end_after`` comes."""
    if HAS_TIMER:
        _signal.signal(_signal.SIGALRM, _on_alarm)
    restart_timer(seconds)


def restart_timer(seconds: float) -> None:
    """Let the time run from now."""
    if HAS_TIMER:
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
    else:
        _restart_thread(seconds)


def end_after(seconds: float) -> None:
    """Break off the main thread with ``KeyboardInterrupt`` after *seconds* from now, and soon end the process."""
    global _is_reading
    _is_reading = False
    restart_timer(seconds)


def _on_alarm(_number: int, _frame: object) -> None:
    global _is_broken_off
    if _is_reading:
        raise TimeoutError
    if _is_broken_off:
        leave(0)
    _is_broken_off = True
    restart_timer(LAST_WORDS_S)
    raise KeyboardInterrupt


def _restart_thread(seconds: float) -> None:
    global _ends_at
    is_first = _ends_at is None
    _ends_at = time.monotonic() + seconds
    if is_first:
        import _thread

        _thread.start_new_thread(_watch, ())


def _watch() -> None:
    """End the process once the time has run out, also while it reads: Windows cannot interrupt a read."""
    _sleep_to_end()
    if not _is_reading:
        import _thread

        _thread.interrupt_main()
        _restart_thread(LAST_WORDS_S)
        _sleep_to_end()
    leave(0)


def _sleep_to_end() -> None:
    while (left_s := (_ends_at or 0) - time.monotonic()) > 0:
        time.sleep(left_s)
