"""DriftTracker: how far a skill has come from where it began (L-68 to L-78, L-110)."""

from typing import Any, NamedTuple

from .audit import AuditLog
from .skill_text import split_skill
from .skills import SkillStore
from .versions import Version, VersionManager
from .word_diff import measure_change

THRESHOLD = 60.0


class Drift(NamedTuple):
    """The change of a skill's body from its original.

    Attributes:
        original_content, current_content: the bodies that were compared, without frontmatter.
        cumulative_drift_percent: one decimal.
        threshold_exceeded: at or over the threshold (X-24).
        origin: the commit that holds the original; ``None`` where there are fewer than two commits to compare.
        commits: how many commits changed the skill.
    """

    original_content: str
    current_content: str
    cumulative_drift_percent: float
    threshold_exceeded: bool
    threshold: float
    origin: Version | None = None
    commits: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the documented members under their names."""
        return {
            "originalContent": self.original_content,
            "currentContent": self.current_content,
            "cumulativeDriftPercent": self.cumulative_drift_percent,
            "thresholdExceeded": self.threshold_exceeded,
            "threshold": self.threshold,
        }


class DriftTracker:
    """Compares a skill with its oldest commit, or with the newest commit at which its drift was reset."""

    def __init__(self, version_manager: VersionManager, skill_store: SkillStore) -> None:
        self._versions = version_manager
        self._skills = skill_store

    def compute_drift(self, skill: str) -> Drift:
        """Return the drift of the skill as it stands on disk; a skill that is missing has none."""
        return self.check_threshold(skill)

    def check_threshold(self, skill: str, threshold: float = THRESHOLD) -> Drift:
        """Return the drift, held against *threshold* percent."""
        found = self._skills.read(skill)
        return self.compute_drift_with_content(skill, found.text.body if found else "", threshold)

    def compute_drift_with_content(self, skill: str, body: str, threshold: float = THRESHOLD) -> Drift:
        """Return what the drift would be if *body* were the skill's body."""
        history = self._versions.get_history(skill)
        origin = self._find_origin(skill, history)
        content = self._versions.read_content(skill, origin.commit) if origin else None
        original = body if content is None else split_skill(content).body
        percent = round(measure_change(original, body), 1) if original else 0.0
        return Drift(original, body, percent, percent >= threshold, threshold, origin, len(history))

    def _find_origin(self, skill: str, history: list[Version]) -> Version | None:
        by_commit = {version.commit: version for version in history}
        resets = AuditLog(self._skills.folder).find_entries(self._skills.path_of(skill), "drift-reset")
        for entry in reversed(resets):
            if reset := by_commit.get(str(entry.get("commit"))):
                return reset
        return history[-1] if len(history) > 1 else None
