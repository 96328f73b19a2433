"""Marking sessions as triaged: all that were named, or none (S-136, S-137)."""

import re
import sqlite3

from ..core.errors import TellbackError
from .refs import Ref
from .watermarks import Outcome, read_watermark, record_mark

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


def mark(db: sqlite3.Connection, refs: list[Ref], outcome: Outcome, uids: list[str], now: float) -> None:
    """Mark *refs* up to their last digest, with *outcome* and the uids of the reports that were filed.

    Raises:
        TellbackError: a session was never digested, or a uid is none; then nothing is marked.
    """
    for uid in uids:
        if not _UID.fullmatch(uid):
            raise TellbackError(f"{uid!r} is no report's uid", hint="give the uid that `tellback submit` printed")
    for ref in refs:
        if read_watermark(db, ref) is None:
            raise TellbackError(
                f"{ref} was not digested yet, so there is nothing to mark",
                hint=f"run `tellback sessions digest {ref}` first",
            )
    record_mark(db, refs, outcome, uids, now)
