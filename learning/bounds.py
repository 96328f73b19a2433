"""The bounds of learning (L-31 to L-39): how much may change, how often, and how sure it must be."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

# The constructor takes the document's camelCase as well as our names (O-25).
_DOCUMENTED = {
    "minCorrectionsForRefinement": "min_corrections_for_refinement",
    "minConfidence": "min_confidence",
    "maxRefinementsPerSkill": "max_refinements_per_skill",
    "cooldownDays": "cooldown_days",
    "maxContentChangePercent": "max_content_change_percent",
    "maxMetadataChanges": "max_metadata_changes",
    "preserveOriginalOnRefinement": "preserve_original_on_refinement",
    "crossSessionWeight": "cross_session_weight",
    "driftThreshold": "drift_threshold",
}
_NEVER_TAKEN = ("requireUserConfirmation", "require_user_confirmation")


@dataclass(frozen=True)
class Bounds:
    """What every refinement is held to; that a person confirms it is no setting and cannot be switched off."""

    min_corrections_for_refinement: int = 3
    min_confidence: float = 0.7
    max_refinements_per_skill: int = 1
    cooldown_days: float = 7
    max_content_change_percent: float = 20
    max_metadata_changes: int = 3
    preserve_original_on_refinement: bool = True
    cross_session_weight: float = 2
    drift_threshold: float = 60

    @property
    def require_user_confirmation(self) -> bool:
        """Always true (L-37)."""
        return True


def make_bounds(config: Mapping[str, Any] | None = None) -> Bounds:
    """Return the bounds with the values of *config* put in; unknown names and the confirmation are passed over."""
    names = {field.name for field in fields(Bounds)}
    given = {_DOCUMENTED.get(name, name): value for name, value in (config or {}).items() if name not in _NEVER_TAKEN}
    return Bounds(**{name: value for name, value in given.items() if name in names})
