"""Take a verdict back: one line in ``.knowledge/corrections/retracted.yaml``; the log itself is never edited."""

from ..core.append import OPEN_LOG, has_torn_end, write_once
from ..core.append import nt_or_posix as os
from ..core.place import Where
from .corrections import CORRECTIONS
from .folder import Folder
from .ledger import LOCK, to_bytes, to_text
from .parts import open_part
from .quote import quote

RETRACTED = "retracted.yaml"
LIMIT_BYTES = 16 << 20
_HEAD = "# Corrections that turned out to be none. The log keeps them; readers leave them out.\nretracted:\n"
WAIT_S = 10.0


def retract(where: Where, ident: str, reason: str, date: str, wait_s: float = WAIT_S) -> bool:
    """Say that an entry is no correction after all; false when that was said before.

    Raises:
        BusyError: the lock was not had.
        OSError: the line could not be written.
    """
    folder = open_part(where, CORRECTIONS)
    try:
        lock = folder.take_lock(LOCK, wait_s)
        try:
            return _append(folder, ident, reason, date)
        finally:
            folder.free_lock(lock)
    finally:
        folder.close()


def _append(folder: Folder, ident: str, reason: str, date: str) -> bool:
    text = to_text(folder.read(RETRACTED, LIMIT_BYTES) or b"")
    if f"- {{id: {quote(ident)}, " in text:
        return False
    line = f"  - {{id: {quote(ident)}, reason: {quote(reason)}, date: {quote(date)}}}\n"
    fd = folder.open(RETRACTED, OPEN_LOG)
    try:
        lead = "\n" if has_torn_end(fd) else ""
        write_once(fd, to_bytes((lead if text else _HEAD) + line))
    finally:
        os.close(fd)
    return True
