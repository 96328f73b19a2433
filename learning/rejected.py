"""Changes of skills that a person said no to, or took back: the review does not propose them again."""

import hashlib
import sqlite3
from collections.abc import Iterable


def reject_changes(db: sqlite3.Connection, skill: str, changes: Iterable[tuple[str, str]], now: float) -> None:
    """Remember that these replacements, each of a text by another, are not wanted in *skill*."""
    db.executemany(
        "INSERT OR IGNORE INTO rejected_changes (skill, change, at) VALUES (?, ?, ?)",
        [(skill, _hash(*change), now) for change in changes],
    )


def are_rejected(db: sqlite3.Connection, skill: str, changes: Iterable[tuple[str, str]]) -> bool:
    """Whether all these replacements are not wanted in *skill*."""
    rejected = {row[0] for row in db.execute("SELECT change FROM rejected_changes WHERE skill = ?", (skill,))}
    return all(_hash(*change) in rejected for change in changes)


def _hash(original: str, suggested: str) -> str:
    return hashlib.sha256(f"{original}\0{suggested}".encode("utf-8", "surrogatepass")).hexdigest()
