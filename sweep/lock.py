"""At most one sweep: ``<cache>/push.lock``, inherited from the launcher or taken by hand.

The launcher takes it on a raw descriptor that the child keeps through its life, so the kernel frees it however
the child ends. Commands take the same file with filelock. The file itself stays.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.shapes import Places
from .inherited import is_held_by, sweep_lock_path


def find_sweep_lock(places: Places) -> Path:
    """Return where the one lock of all sweeps is or will be."""
    return Path(sweep_lock_path(places))


@contextmanager
def hold_sweep_lock(places: Places, inherited_fd: int | None, wait_s: float = 0) -> Generator[bool]:
    """Hold the one lock of all sweeps; yields ``False`` when another sweep has it.

    Args:
        inherited_fd: the launcher's descriptor; one that is not the lock is closed and not believed.
        wait_s: how long to wait for a sweep at work.
    """
    lock = find_sweep_lock(places)
    if inherited_fd is not None and inherited_fd > 2:
        if is_held_by(inherited_fd, str(lock)):
            os.set_inheritable(inherited_fd, False)  # a child of ours must not keep the lock after us
            yield True
            return
        with suppress(OSError):
            os.close(inherited_fd)
    import filelock  # dear to import, and a launched sweep brings its lock along

    ours = filelock.FileLock(lock, timeout=wait_s, mode=0o600)
    try:
        ours.acquire()  # pyright: ignore[reportUnknownMemberType]
    except filelock.Timeout:
        yield False
        return
    try:
        yield True
    finally:
        ours.release()
