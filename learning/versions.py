"""VersionManager: the versions of a skill that Git keeps."""

from pathlib import Path
from typing import NamedTuple

from ..core.git import GitError, run_git
from .skills import SKILL_FILE, SkillStore


class Version(NamedTuple):
    """A commit that changed a skill; *at* is its commit time in UTC seconds."""

    commit: str
    at: int

    @property
    def short(self) -> str:
        """The first seven digits of the commit's id."""
        return self.commit[:7]


class VersionManager:
    """Reads the history of the skills in *folder*; it never writes."""

    def __init__(self, folder: str | Path = ".claude/skills") -> None:
        self._skills = SkillStore(folder)

    def get_history(self, skill: str) -> list[Version]:
        """Return the commits of the skill's file, newest first; none without Git or outside a work tree."""
        folder = self._skills.path_of(skill).parent
        try:
            listed = run_git(folder, "log", "--format=%H %ct", "--", SKILL_FILE)
        except GitError:
            return []
        rows = (line.split() for line in listed.decode().splitlines())
        return [Version(commit, int(at)) for commit, at in rows]

    def read_content(self, skill: str, commit: str) -> str | None:
        """Return the skill's file as *commit* has it; ``None`` when it has none, or no UTF-8."""
        folder = self._skills.path_of(skill).parent
        try:
            return run_git(folder, "cat-file", "blob", f"{commit}:./{SKILL_FILE}").decode("utf-8")
        except (GitError, UnicodeDecodeError):
            return None
