"""Keep what a hook could not: logs of odd shapes or any length, and file systems without locks.

Cold: the sweep and commands run it.
"""

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

from ..core.digest import hash_text
from ..core.locks import NoFlock, free_lock
from ..core.place import KNOWLEDGE, Where
from ..core.shapes import Places
from . import learnings
from .corrections import CORRECTIONS, commit
from .folder import Folder, make_private, read_to
from .heard import Heard, Outcome
from .ledger import LOCK, LOG, Ledger, OddShapeError, to_bytes, to_text
from .log import TAIL_BYTES, Scan, tail_indent
from .odd import add_entries, can_append, scan_odd
from .parts import open_part

LOCK_WAIT_S = 10.0
_LEARNINGS_BYTES = 16 << 20


class SlowLedger(Ledger):
    """A ledger that reads logs of any length and any shape of YAML.

    Attributes:
        is_odd: whether the log has not the known shape.
        is_open_ended: whether a hook may append to the end of the file. When not, the index says that it covers
            nothing of the log, and the next words come this way again.
    """

    __slots__ = ("is_odd", "is_open_ended")

    scan_bytes = 1 << 62

    def __init__(self, folder: Folder, places: Places) -> None:
        self.is_odd = False
        self.is_open_ended = True
        super().__init__(folder, places)

    def save_index(self) -> None:
        if self.is_changed and not self.is_open_ended:
            size, self.size = self.size, 0
            super().save_index()
            self.size = size
        else:
            super().save_index()

    def recount(self) -> None:
        """Count the whole log anew and replace the index."""
        self._rebuild()
        self.is_changed = True
        self.save_index()

    def read_text(self) -> str:
        """Return the whole log."""
        return to_text(read_to(self.fd, self.size))

    def replace_text(self, text: str) -> None:
        """Replace the whole log by a text with the same entries, and let the index cover it."""
        self._replace_log(text)
        self.is_changed = True
        self.save_index()

    def _replace_log(self, text: str) -> None:
        data = to_bytes(text)
        self.folder.replace(LOG, data)
        self.size = len(data)

    def _scan_text(self, text: str) -> Scan:
        try:
            return super()._scan_text(text)
        except OddShapeError:
            self.is_odd = True
            found = scan_odd(text)
            indent = tail_indent(to_bytes(text[-TAIL_BYTES:]))
            self.is_open_ended = indent is not None and can_append(text, indent)
            return found

    def _write(self, render: Callable[[str], str], idents: list[str]) -> None:
        if not self.is_odd:
            super()._write(render, idents)
            return
        text, self.is_open_ended = add_entries(self.read_text(), render, idents)
        self._replace_log(text)


class WholeLedger(Ledger):
    """A ledger that reads logs of any length, of the known shape only."""

    __slots__ = ()

    scan_bytes = 1 << 62


def heal_index(where: Where, places: Places, wait_s: float = LOCK_WAIT_S) -> bool:
    """Let the index count what a killed capture appended, and set its torn rest aside; say whether it had to.

    Nothing is made where nothing was kept. A log of an odd shape waits for its next entry.

    Raises:
        BusyError: the lock was not had.
        OddShapeError: the log has not the known shape.
        OSError: it cannot be written here, now.
    """
    if not os.path.lexists(os.path.join(where.folder, KNOWLEDGE, CORRECTIONS, LOG)):
        return False
    with _open_locked(where, CORRECTIONS, LOCK, places, wait_s) as folder:
        ledger = WholeLedger(folder, places)
        try:
            is_behind = ledger.is_changed
            ledger.save_index()
            return is_behind
        finally:
            ledger.close()


def keep_slowly(heard: Heard, where: Where, places: Places, wait_s: float = LOCK_WAIT_S) -> Outcome:
    """Keep what a hook could not.

    Raises:
        BusyError: the lock was not had.
        UnreadableError: the log is no YAML, or none with a list ``corrections``.
        OSError: it cannot be written here, now.
    """
    if heard.label == "correction":
        with open_ledger(where, places, wait_s) as ledger:
            return commit(ledger, heard)
    with open_learnings(where, places, wait_s) as folder:
        return learnings.add_learnings(folder, heard, places, _LEARNINGS_BYTES)


@contextmanager
def open_ledger(where: Where, places: Places, wait_s: float = LOCK_WAIT_S) -> Generator[SlowLedger, None, None]:
    """Open log and index of a place under their lock; errors as :func:`keep_slowly`."""
    with _open_locked(where, CORRECTIONS, LOCK, places, wait_s) as folder:
        ledger = SlowLedger(folder, places)
        try:
            yield ledger
        finally:
            ledger.close()


def open_learnings(where: Where, places: Places, wait_s: float = LOCK_WAIT_S) -> AbstractContextManager[Folder]:
    """Open the folder of the learnings under its lock; errors as :func:`keep_slowly`."""
    return _open_locked(where, learnings.LEARNINGS, learnings.LOCK, places, wait_s)


@contextmanager
def _open_locked(
    where: Where, part: str, lock_name: str, places: Places, wait_s: float
) -> Generator[Folder, None, None]:
    folder = open_part(where, part)
    try:
        lock = _take_lock(folder, lock_name, places, wait_s)
        try:
            yield folder
        finally:
            free_lock(lock)
    finally:
        folder.close()


def _take_lock(folder: Folder, name: str, places: Places, wait_s: float) -> int:
    """Take the folder's lock; where its file system has none, one below the data folder keeps sweeps apart."""
    try:
        return folder.take_lock(name, wait_s)
    except NoFlock:
        locks = make_private(f"{places.data}/locks")
        try:
            return locks.take_lock(f"{hash_text(folder.path)}.lock", wait_s)
        finally:
            locks.close()
