"""What the commands of the learning group share: the project's feedback, the skill's store, the engine."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.config import load_settings
from ..core.keys import Settings
from ..core.moment import parse_moment
from ..core.paths import find_places
from ..learning.audit import AuditLog
from ..learning.drift import DriftTracker
from ..learning.effect import compute_effect, format_effect
from ..learning.event_store import find_event_file, load_with_archive
from ..learning.events import FeedbackEvent
from ..learning.feedback_store import FeedbackStore
from ..learning.history import list_refinements
from ..learning.refinement import RefinementEngine
from ..learning.skills import SkillStore
from ..learning.versions import Version, VersionManager
from ..learning.where import find_feedback_folder, find_skill_store, find_skill_stores


class Learning(NamedTuple):
    """One skill of one project, opened."""

    settings: Settings
    feedback: FeedbackStore
    skills: SkillStore

    def tracker(self) -> DriftTracker:
        """Return what measures the skill's drift."""
        return DriftTracker(VersionManager(self.skills.folder), self.skills)

    def history(self, skill: str) -> list[Version]:
        """Return the commits of the skill, newest first."""
        return VersionManager(self.skills.folder).get_history(skill)

    def engine(self, min_confidence: float | None = None) -> RefinementEngine:
        """Return the engine with the person's bounds, for this call with another confidence if given."""
        prefix = "learning_"
        config = {name[len(prefix) :]: value for name, value in vars(self.settings).items() if name.startswith(prefix)}
        if min_confidence is not None:
            config["min_confidence"] = min_confidence
        return RefinementEngine(self.feedback, self.skills, config, self.tracker())


def open_learning(skill: str, project: Path) -> Learning:
    """Open the feedback and the skills that count in *project*.

    Raises:
        TellbackError: the settings cannot be read, or *skill* is no name of a skill.
    """
    places = find_places()
    settings = load_settings(places)
    stores = find_skill_stores(project, settings)
    feedback = FeedbackStore(find_feedback_folder(project, places, settings))
    return Learning(settings, feedback, find_skill_store(skill, stores))


def list_effects(learning: Learning, skill: str) -> list[str]:
    """Return a line for each refinement of *skill* that stands: when, to which version, and what became of the rate."""
    return tell_effects(learning.skills, skill, load_with_archive(find_event_file(find_places())))


def tell_effects(skills: SkillStore, skill: str, events: Sequence[FeedbackEvent]) -> list[str]:
    """Return the lines of ``list_effects`` from *events*."""
    entries = list_refinements(AuditLog(skills.folder), skills.path_of(skill))
    dated = [(entry, at) for entry in entries if (at := parse_moment(entry.get("timestamp")))]
    borders = [None, *(at for _, at in dated), None]
    return [
        f"{at:%Y-%m-%d} version {entry.get('toVersion')}: "
        + format_effect(compute_effect(events, skill, at, since=borders[number], until=borders[number + 2]))
        for number, (entry, at) in enumerate(dated)
    ]
