"""Corrections made elsewhere of a skill that is used here too: whoever starts a session here should know them."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from ..core.errors import TellbackError
from ..core.keys import Settings
from ..learning.ledger import Attributed
from ..learning.where import find_skill_store, find_skill_stores
from .captures import Capture


class SkillsInPlay:
    """Which skills were called in which projects lately, each by the file that it is: two of one name may differ.

    Attributes:
        projects: those in which any was called.
    """

    def __init__(self, db: sqlite3.Connection, settings: Settings, since: float) -> None:
        self._settings = settings
        self._attributed = Attributed(db)
        self._files: dict[tuple[str, str], Path | None] = {}
        rows = db.execute(
            "SELECT DISTINCT c.project, s.skill FROM skill_calls s"
            " JOIN captures c ON c.harness = s.harness AND c.session = s.session"
            " WHERE s.at >= ? AND s.is_headless = 0 AND c.project <> ''",
            (since,),
        )
        self._called: list[tuple[str, str]] = [(str(project), str(skill)) for project, skill in rows]
        self.projects = {project for project, _ in self._called}

    def find_skill(self, capture: Capture) -> str:
        """Return the skill that a correction is about; ``""`` when none is known."""
        return self._attributed.find(capture.span)

    def choose(self, elsewhere: Sequence[Capture], projects: set[str]) -> list[Capture]:
        """Return those of *elsewhere* that are about a skill called in one of *projects*."""
        about = [(capture, skill) for capture in elsewhere if (skill := self.find_skill(capture))]
        if not about:
            return []
        here = {self._find_file(project, skill) for project, skill in self._called if project in projects}
        return [capture for capture, skill in about if (self._find_file(capture.project, skill) or "") in here]

    def _find_file(self, project: str, skill: str) -> Path | None:
        if (project, skill) not in self._files:
            self._files[project, skill] = _resolve(Path(project), skill, self._settings)
        return self._files[project, skill]


def _resolve(project: Path, skill: str, settings: Settings) -> Path | None:
    try:
        path = find_skill_store(skill, find_skill_stores(project, settings)).path_of(skill)
        return path.resolve() if path.is_file() else None
    except (TellbackError, OSError):
        return None  # a plugin's skill, or one that is gone
