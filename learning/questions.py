"""The question whose a correction is, laid ready for the next prompt's hook, asked once (R-5, O-5)."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from ..core.db import transaction
from ..core.escape import show_line
from ..core.files import replace_file
from ..core.ready import MAX_BYTES, question_path
from ..core.shapes import Places
from .ledger import Attribution, list_attributions, mark_asked

_WORDS = 120  # characters of a correction that are quoted
_CANDIDATES = 6


def lay_questions(db: sqlite3.Connection, places: Places, now: float) -> int:
    """Lay ready what nobody was asked yet, one file a session; returns how many corrections that are.

    Raises:
        OSError: a file cannot be written; what is left is laid ready next time.
    """
    waiting = sorted((one for one in list_attributions(db) if one.asked_at is None), key=lambda one: one.session)
    for session, group in groupby(waiting, key=lambda one: one.session):
        asked = list(group)
        _write(session, asked, places)
        with transaction(db):
            for one in asked:
                mark_asked(db, one.id, now)
    return len(waiting)


def withdraw_question(db: sqlite3.Connection, places: Places, session: str, attribution_id: str) -> None:
    """Take a settled correction out of the question that lies ready, if it still does.

    Raises:
        OSError: the file cannot be written.
    """
    path = question_path(session, places)
    if not path:
        return
    with suppress(FileNotFoundError):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if attribution_id in text:
            _write(session, [one for one in list_attributions(db, session) if one.id in text], places)


def _write(session: str, asked: Sequence[Attribution], places: Places) -> None:
    path = question_path(session, places)
    if not path:
        return  # no file name: such a correction waits for `record --list-pending`
    if not asked:
        os.unlink(path)
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    replace_file(Path(path), render_questions(asked).encode("utf-8", "replace"), mode=0o600, fsync=False)


def render_questions(asked: Sequence[Attribution]) -> str:
    """Return the question, one line a correction, bounded like what a hook prints."""
    lines: list[str] = []
    left = MAX_BYTES
    for one in asked:
        line = _render(one)
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            break  # the rest waits for `record --list-pending`
        lines.append(line)
    return "\n".join(lines)


def _render(one: Attribution) -> str:
    names = ", ".join(show_line(name)[:_WORDS] for name in one.candidates[:_CANDIDATES])
    words = show_line(one.said[0].words if one.said else "")
    words = words if len(words) <= _WORDS else words[: _WORDS - 1] + "…"
    return (
        f"刚才的问题属于哪个 skill？ (Which skill was “{words}” about: {names}? Ask once, then run "
        f"`tellback record --resolve {one.id} --skill NAME`; `--skill none` for none of them.)"
    )
