"""The processor's selection: which sessions the triage of this machine takes, kept as it was written (S-139)."""

import json
import sqlite3
from typing import NamedTuple

from .refs import canonical_harness


class Selection(NamedTuple):
    """Harnesses (empty: all), ``--since`` as written (``""``: no limit), the most sessions at once (0: no limit)."""

    harnesses: tuple[str, ...] = ()
    since: str = ""
    limit: int = 0


def read_selection(db: sqlite3.Connection) -> Selection | None:
    """Return the saved selection; ``None`` when none was saved."""
    row = db.execute("SELECT harnesses, since, most FROM session_selection").fetchone()
    if row is None:
        return None
    return Selection(tuple(canonical_harness(name) for name in json.loads(row[0])), row[1], row[2])


def save_selection(db: sqlite3.Connection, selection: Selection) -> None:
    """Save *selection* in place of the former one."""
    db.execute(
        "INSERT OR REPLACE INTO session_selection (id, harnesses, since, most) VALUES (1, ?, ?, ?)",
        (json.dumps(selection.harnesses), selection.since, selection.limit),
    )
