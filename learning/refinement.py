"""RefinementEngine: from corrections that repeat to one small change of a skill that a person approves (L-40 to L-66).

Nothing here writes without ``user_confirmed=True`` for that very suggestion, and a refusal at any step leaves the
skill's file byte for byte as it was.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from math import ceil
from typing import Any, Literal, NamedTuple

import orjson

from ..core.errors import TellbackError
from ..core.moment import format_moment, parse_moment
from .audit import AuditLog
from .bounds import Bounds, make_bounds
from .drift import Drift, DriftTracker
from .feedback_store import FeedbackStore
from .history import BEGUN, keep_before
from .patterns import Pattern, compute_confidence, find_patterns
from .skill_text import Extension, SkillText, split_skill, with_extension
from .skills import Skill, SkillStore
from .word_diff import measure_change

Reason = Literal["skill_not_found", "cooldown", "insufficient_feedback"]

_PREVIEW_LENGTH = 500  # characters
_LOWEST_SENSIBLE_CONFIDENCE = 0.5


class ConfirmationRequiredError(TellbackError):
    """Somebody tried to change a skill without a person's yes."""


class Eligibility(NamedTuple):
    """Whether a skill may be refined now, and if not, why and what is missing."""

    eligible: bool
    reason: Reason | None = None
    correction_count: int = 0
    corrections_needed: int = 0
    days_remaining: int = 0
    last_refined: datetime | None = None
    next_eligible: datetime | None = None


class Change(NamedTuple):
    """One replacement in a skill's body."""

    original: str
    suggested: str
    reason: str
    section: str = "body"

    def to_json(self) -> dict[str, Any]:
        """Return the documented members."""
        return {
            "section": self.section,
            "original": self.original,
            "suggested": self.suggested,
            "reason": self.reason,
        }


class Suggestion(NamedTuple):
    """What the engine would change and why; ``id`` stands for exactly this change of exactly this file."""

    skill_name: str
    current_version: int
    suggested_changes: tuple[Change, ...]
    confidence: float
    based_on_corrections: int
    preview: str
    id: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the documented members, and the id."""
        return {
            "skillName": self.skill_name,
            "currentVersion": self.current_version,
            "suggestedChanges": [change.to_json() for change in self.suggested_changes],
            "confidence": self.confidence,
            "basedOnCorrections": self.based_on_corrections,
            "preview": self.preview,
            "id": self.id,
        }


class Considered(NamedTuple):
    """All that is known when a suggestion is asked for; ``suggestion`` is ``None`` when something stands in the way."""

    eligibility: Eligibility
    patterns: tuple[Pattern, ...]
    confidence: float
    suggestion: Suggestion | None
    obstacle: Literal["", "not_eligible", "too_varied", "not_in_body", "low_confidence"]


class Validation(NamedTuple):
    """Whether a change keeps within the bound, held against the exact percentage; ``change_percent`` is rounded."""

    valid: bool
    change_percent: int
    reason: Literal["exceeds_bounds"] | None = None


class Applied(NamedTuple):
    """What became of a suggestion."""

    success: bool
    new_version: int | None = None
    error: str | None = None


class RefinementEngine:
    """Reads feedback, suggests, and applies what a person confirmed.

    Args:
        config: bounds that differ from the defaults, under the document's names or ours.
        drift_tracker: without one (no Git) only the bound on each change holds (L-77).
    """

    def __init__(
        self,
        feedback_store: FeedbackStore,
        skill_store: SkillStore,
        config: Mapping[str, Any] | None = None,
        drift_tracker: DriftTracker | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self.bounds: Bounds = make_bounds(config)
        self._feedback = feedback_store
        self._skills = skill_store
        self._drift = drift_tracker
        self._audit = AuditLog(skill_store.folder)
        self._now = now

    def check_eligibility(self, skill: str) -> Eligibility:
        """Return whether *skill* may be refined: it exists, the cooldown is over, there are enough corrections."""
        found = self._skills.read(skill)
        if found is None:
            return Eligibility(False, "skill_not_found")
        count = len(self._feedback.get_corrections(skill))
        last = parse_moment(found.extension.last_refined)
        known = Eligibility(False, correction_count=count, last_refined=last)
        if (until := self._find_cooldown_end(found, last)) is not None:
            days = ceil((until - self._now()) / timedelta(days=1))
            return known._replace(reason="cooldown", days_remaining=days, next_eligible=until)
        if (missing := self.bounds.min_corrections_for_refinement - count) > 0:
            return known._replace(reason="insufficient_feedback", corrections_needed=missing)
        return known._replace(eligible=True)

    def analyze_patterns(self, skill: str) -> list[Pattern]:
        """Return the corrections of *skill* that repeat, most frequent first."""
        return find_patterns(self._feedback.get_corrections(skill), self.bounds.cross_session_weight)

    def generate_suggestion(self, skill: str) -> Suggestion | None:
        """Return what to change; ``None`` when not eligible, nothing repeats, or it is not sure enough."""
        return self.consider(skill).suggestion

    def consider(self, skill: str) -> Considered:
        """Return the suggestion with everything that led to it, or what stands in its way (L-102)."""
        eligibility = self.check_eligibility(skill)
        found = self._skills.read(skill)
        patterns = self.analyze_patterns(skill)
        confidence = compute_confidence(patterns, eligibility.correction_count)
        considered = Considered(eligibility, tuple(patterns), confidence, None, "")
        if not eligibility.eligible or found is None:
            return considered._replace(obstacle="not_eligible")
        if not patterns:
            return considered._replace(obstacle="too_varied")
        changes = _make_changes(patterns, found.text.body)
        if not changes:
            return considered._replace(obstacle="not_in_body")
        if confidence < self.bounds.min_confidence:
            return considered._replace(obstacle="low_confidence")
        suggestion = Suggestion(
            skill_name=skill,
            current_version=found.extension.version,
            suggested_changes=changes,
            confidence=confidence,
            based_on_corrections=eligibility.correction_count,
            preview=_make_preview(found.text.body, changes),
            id=make_proposal_id(found.data, changes),
        )
        return considered._replace(suggestion=suggestion)

    def validate_change(self, original: str, suggested: str) -> Validation:
        """Return how much of *original* the change touches and whether that is within the bound (L-57, L-58)."""
        percent = measure_change(original, suggested)
        if percent > self.bounds.max_content_change_percent:
            return Validation(False, round(percent), "exceeds_bounds")
        return Validation(True, round(percent))

    def apply_refinement(self, skill: str, suggestion: Suggestion, user_confirmed: bool) -> Applied:
        """Apply a suggestion that a person said yes to.

        Raises:
            ConfirmationRequiredError: *user_confirmed* is not true; nothing was read or written.
        """
        if user_confirmed is not True:
            raise ConfirmationRequiredError("User confirmation required for skill refinement")
        with self._skills.locked(skill):
            try:
                return self._apply(skill, suggestion)
            except TellbackError as refusal:
                return Applied(False, error=str(refusal))
            except OSError as error:
                return Applied(False, error=f"{error.filename or skill}: {error.strerror}")

    def _apply(self, skill: str, suggestion: Suggestion) -> Applied:
        found = self._skills.read(skill)
        if found is None:
            raise TellbackError(f"Skill not found: {skill}")
        if suggestion.id and suggestion.id != make_proposal_id(found.data, suggestion.suggested_changes):
            raise TellbackError("The skill or the proposal changed since it was shown")
        self._check_cooldown(found)
        self._check_drift(self._compute_drift(skill, found.text.body), "Cumulative drift ({}) exceeds threshold ({})")
        body = self._change_body(found.text.body, suggestion.suggested_changes)
        self._check_drift(self._compute_drift(skill, body), "Projected drift ({}) would exceed threshold ({})")
        after = self._finish(found, body)
        kept = keep_before(self._skills.folder, found) if self.bounds.preserve_original_on_refinement else ""
        entry = self._describe(found, after, body, suggestion) | {"before": kept}
        # Killed behind the replacement, the begun entry still says what was done, so that it can be undone.
        self._audit.append(entry | {"type": BEGUN})
        self._skills.update(found, after)
        try:
            self._audit.append(entry)
        except OSError:
            self._skills.update(found._replace(data=after), found.data)
            raise
        return Applied(True, new_version=found.extension.version + 1)

    def _change_body(self, body: str, changes: tuple[Change, ...]) -> str:
        """Return the body with every change made, each measured on its own and all together (X-22)."""
        if len([change for change in changes if change.section != "body"]) > self.bounds.max_metadata_changes:
            raise TellbackError(f"Metadata changes exceed bounds (more than {self.bounds.max_metadata_changes})")
        changed = body
        for change in changes:
            if change.section != "body" or not change.original or change.original not in changed:
                raise TellbackError(f"Text to change is not in the skill: {change.original!r}")
            before, changed = changed, changed.replace(change.original, change.suggested, 1)
            self._check_bound(before, changed)
        self._check_bound(body, changed)
        return changed

    def _check_bound(self, before: str, after: str) -> None:
        if self.validate_change(before, after).valid:
            return
        limit = self.bounds.max_content_change_percent
        percent = measure_change(before, after)
        shown = f"{percent:.1f}" if round(percent) <= limit else f"{round(percent)}"
        raise TellbackError(f"Change exceeds bounds ({shown}% > {limit:g}%)")

    def _compute_drift(self, skill: str, body: str) -> Drift | None:
        if self._drift is None:
            return None
        return self._drift.compute_drift_with_content(skill, body, self.bounds.drift_threshold)

    def _check_drift(self, drift: Drift | None, message: str) -> None:
        if drift is not None and drift.threshold_exceeded:
            raise TellbackError(
                message.format(f"{drift.cumulative_drift_percent:g}%", f"{self.bounds.drift_threshold:g}%")
            )

    def _check_cooldown(self, found: Skill) -> None:
        """Refuse a second refinement in the cooldown, also of a suggestion that was made before the first."""
        if self._find_cooldown_end(found, parse_moment(found.extension.last_refined)) is not None:
            raise TellbackError("The skill was refined within the cooldown period")

    def _find_cooldown_end(self, found: Skill, last: datetime | None) -> datetime | None:
        """Return when the cooldown ends; ``None`` when none is on.

        With a bound of N refinements a period the audit log says how many there were in this one (X-40).
        """
        period = timedelta(days=self.bounds.cooldown_days)
        if last is None or last + period <= self._now():
            return None
        if self.bounds.max_refinements_per_skill > 1:
            times = [parse_moment(entry.get("timestamp")) for entry in self._audit.find_entries(found.path, "refine")]
            recent = sorted(at for at in times if at is not None and at + period > self._now())
            if len(recent) < self.bounds.max_refinements_per_skill:
                return None
            return recent[-self.bounds.max_refinements_per_skill] + period
        return last + period

    def _finish(self, found: Skill, body: str) -> bytes:
        now = format_moment(self._now())
        extension = Extension(found.extension.version + 1, now, found.extension.application_count + 1, now)
        text = SkillText(found.text.opening, found.text.front, found.text.closing, body)
        joined = with_extension(text, extension).join()
        if split_skill(joined).body != body:
            raise TellbackError("The changed text would be read as frontmatter")
        return joined.encode("utf-8")

    def _describe(self, found: Skill, after: bytes, body: str, suggestion: Suggestion) -> dict[str, Any]:
        return {
            "type": "refine",
            "timestamp": format_moment(self._now()),
            "filePath": os.path.abspath(found.path),
            "skill": found.name,
            "fromVersion": found.extension.version,
            "toVersion": found.extension.version + 1,
            "changePercent": round(measure_change(found.text.body, body), 1),
            "changes": [change.to_json() for change in suggestion.suggested_changes],
            "hashBefore": found.hash,
            "hashAfter": hashlib.sha256(after).hexdigest(),
        }


def make_proposal_id(data: bytes, changes: tuple[Change, ...]) -> str:
    """Return 12 hex digits for exactly these changes of exactly these bytes: a stale yes fits nothing else."""
    described = orjson.dumps([change.to_json() for change in changes])
    return hashlib.sha256(hashlib.sha256(data).digest() + described).hexdigest()[:12]


def is_confidence_sensible(min_confidence: float) -> bool:
    """Whether the bound is high enough: below it minority corrections would decide (L-55)."""
    return min_confidence >= _LOWEST_SENSIBLE_CONFIDENCE


def _make_changes(patterns: list[Pattern], body: str) -> tuple[Change, ...]:
    """Return a change per pattern whose original text still stands in the body, made one after the other (X-38)."""
    changes: list[Change] = []
    for pattern in patterns:
        if pattern.original and pattern.original != pattern.corrected and pattern.original in body:
            body = body.replace(pattern.original, pattern.corrected, 1)
            reason = f"Pattern observed {pattern.frequency} times in user corrections"
            changes.append(Change(pattern.original, pattern.corrected, reason))
    return tuple(changes)


def _make_preview(body: str, changes: tuple[Change, ...]) -> str:
    for change in changes:
        body = body.replace(change.original, f"[CHANGED: {change.suggested}]", 1)
    return body[:_PREVIEW_LENGTH]
