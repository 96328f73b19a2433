"""What this person said of agents' work, over all projects: the words behind the corrections that still stand."""

import sqlite3
from collections.abc import Iterable
from math import inf
from pathlib import Path

from ..capture.learnings import make_ident
from ..core.keys import Settings
from ..core.moment import parse_moment
from ..core.shapes import Places
from ..learning.audit import AuditLog
from ..learning.history import list_refinements
from ..learning.pairs import Pair, find_pair
from ..learning.repeats import Said
from ..learning.where import find_skill_stores
from ..sessions.values import as_list, as_object
from .captures import KEPT, Capture, find_where, list_captures
from .texts import read_corrections
from .uses import list_laid


def collect_said(db: sqlite3.Connection, places: Places, settings: Settings) -> list[Said]:
    """Return one item for each correction whose words can still be read, oldest first."""
    by_folder: dict[str, list[Capture]] = {}
    for capture in list_captures(db):
        if capture.label == "correction" and capture.outcome in KEPT and capture.ids and not capture.retracted:
            by_folder.setdefault(find_where(capture, places).folder, []).append(capture)
    refined = _list_refined({capture.project for of in by_folder.values() for capture in of}, settings)
    laid = list_laid(db)
    said: list[Said] = []
    for folder, captures in by_folder.items():
        entries = read_corrections(folder, {ident for capture in captures for ident in capture.ids})
        for capture in captures:
            words = [str(entries[ident].get("description") or "") for ident in capture.ids if ident in entries]
            if any(words):
                briefed_at = min(laid.get((folder, make_ident(one)), inf) for one in words)
                refined_at = min(refined.get(pair, inf) if (pair := find_pair(one)) else inf for one in words)
                said.append(Said(capture.at, capture.session, "\n".join(words), folder, briefed_at, refined_at))
    return sorted(said)


def _list_refined(projects: Iterable[str], settings: Settings) -> dict[Pair, float]:
    """Return when a refinement that stands first put each pair into a skill of these projects."""
    found: dict[Pair, float] = {}
    stores = {store.folder: store for project in projects for store in find_skill_stores(Path(project), settings)}
    for folder, store in stores.items():
        audit = AuditLog(folder)
        for name in store.list_names() if audit.path.is_file() else ():
            for entry in list_refinements(audit, store.path_of(name)):
                at = parse_moment(entry.get("timestamp"))
                for pair in map(_as_pair, as_list(entry.get("changes"))):
                    if at is not None and pair is not None:
                        found[pair] = min(found.get(pair, inf), at.timestamp())
    return found


def _as_pair(change: object) -> Pair | None:
    """Return the pair of a change as the audit log has it: anybody may have written there."""
    members = as_object(change)
    original, suggested = members.get("original"), members.get("suggested")
    return Pair(original, suggested) if isinstance(original, str) and isinstance(suggested, str) else None
