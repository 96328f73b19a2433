"""What this person said of agents' work, over all projects: the words behind the corrections that still stand."""

import sqlite3

from ..core.shapes import Places
from ..learning.repeats import Said
from .captures import KEPT, Capture, find_where, list_captures
from .texts import read_corrections


def collect_said(db: sqlite3.Connection, places: Places) -> list[Said]:
    """Return one item for each correction whose words can still be read, oldest first."""
    by_folder: dict[str, list[Capture]] = {}
    for capture in list_captures(db):
        if capture.label == "correction" and capture.outcome in KEPT and capture.ids and not capture.retracted:
            by_folder.setdefault(find_where(capture, places).folder, []).append(capture)
    said: list[Said] = []
    for folder, captures in by_folder.items():
        entries = read_corrections(folder, {ident for capture in captures for ident in capture.ids})
        for capture in captures:
            words = [str(entries[ident].get("description") or "") for ident in capture.ids if ident in entries]
            if any(words):
                said.append(Said(capture.at, capture.session, "\n".join(words)))
    return sorted(said)
