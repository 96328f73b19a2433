"""Where a correction goes on to: signals beside the skill, events with both texts, a question when it is unclear (O-4).

Every sink is written exactly once for a prompt, whatever kills a sweep: signals by their id in the file, events by an
id that is noted before they are written.
"""

import sqlite3
import uuid
from datetime import datetime, timezone
from pathlib import Path

from ..capture.detector import Verdict
from ..core.errors import TellbackError
from ..core.keys import Settings
from ..core.scrub import ScrubRules, scrub
from ..core.shapes import Places
from .course import Turn
from .feedback_store import Event, FeedbackStore
from .friction import Friction
from .ledger import (
    NAMESPACE,
    Attribution,
    add_attribution,
    begin_fan_out,
    finish_fan_out,
    make_attribution_id,
)
from .pairs import Pair, find_edited_pair, find_pair
from .signals import Said, append_signals, make_signals
from .skills import SkillStore
from .where import find_feedback_folder, find_skill_stores

_FEEDBACK = "feedback"
_SENTENCE, _SUMMARY, _WORDS = 200, 300, 2000  # characters kept of each


class Sinks:
    """The sinks of one project.

    Args:
        project: the folder that the session worked in.
        harness: whose session it is.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        places: Places,
        settings: Settings,
        rules: ScrubRules,
        project: Path,
        harness: str = "",
    ) -> None:
        self._db = db
        self._rules = rules
        self._project = project
        self._stores = find_skill_stores(project, settings, harness)
        self._feedback = FeedbackStore(find_feedback_folder(project, places, settings), warn=lambda _: None)

    def take_correction(self, harness: str, session: str, turn: Turn, verdict: Verdict) -> str:
        """Hand one correction on; returns the word by which it is counted (R-21, R-33)."""
        if not turn.skills:
            return "without a skill"
        said = self._describe(turn, verdict)
        skill, *others = turn.skills
        if others:
            self._keep_pending(harness, session, turn, said)
            return "pending"
        self._record_feedback(session, skill, turn, verdict)
        return "signals" if self.write_signals(skill, said, _time_of(turn)) else "skill not found"

    def take_friction(self, skills: tuple[str, ...], turn: Turn, kind: str, detail: str) -> str:
        """Record a friction of the one skill it is about; of several nobody is asked (R-32)."""
        if len(skills) != 1:
            return "without a skill"
        words = self._clean(turn.entry.text, _WORDS)
        said = self._frame(turn)._replace(
            words=f"{words}\0{detail}" if kind == "repeated_operation" else words,
            friction_type=kind,  # pyright: ignore[reportArgumentType]
            friction_detail=self._clean(detail, _SUMMARY),
        )
        return "friction" if self.write_signals(skills[0], [said], _time_of(turn)) else "skill not found"

    def take_score(self, session: str, turn: Turn, score: int) -> str:
        """Record an explicit score of the one skill it is about."""
        if len(turn.skills) != 1:
            return "without a skill"
        event: Event = {"type": "rating", "skillName": turn.skills[0], "sessionId": session, "score": score}
        self._record_once(turn.entry.span, session, [event])
        return "ratings"

    def write_signals(self, skill: str, said: list[Said], at: datetime) -> bool:
        """Append the signals to the skill's file; false when there is no such skill here.

        Raises:
            TellbackError: the file cannot be written.
        """
        folder = self.find_root(skill)
        if folder is None:
            return False
        append_signals(folder, make_signals(skill, (folder / "SKILL.md").read_bytes(), said, at))
        return True

    def find_root(self, skill: str) -> Path | None:
        """Return the folder of the skill; ``None`` when no skills folder of this project or home has it."""
        return next((folder for store in self._stores if (folder := _folder_of(store, skill))), None)

    def _describe(self, turn: Turn, verdict: Verdict) -> list[Said]:
        frame = self._frame(turn)
        points = [self._clean(point.text, _WORDS) for point in verdict.points] or [frame.words]
        return [frame._replace(correction=point) for point in points]

    def _frame(self, turn: Turn) -> Said:
        intent = self._clean(turn.intent, _SUMMARY)
        return Said(
            scenario=next((line.strip() for line in intent.splitlines() if line.strip()), "")[:_SENTENCE],
            user_intent=intent,
            problem_turn=self._clean(turn.answer or "", _SUMMARY),
            words=self._clean(turn.entry.text, _WORDS),
        )

    def _keep_pending(self, harness: str, session: str, turn: Turn, said: list[Said]) -> None:
        ident = make_attribution_id(turn.entry.span)
        at = turn.entry.at or 0.0
        add_attribution(
            self._db, Attribution(ident, harness, session, str(self._project), at, turn.skills, tuple(said))
        )

    def _record_feedback(self, session: str, skill: str, turn: Turn, verdict: Verdict) -> None:
        """Record an event for each point that names both texts; one without them would only dilute (O-4)."""
        self._record_once(turn.entry.span, session, self._make_events(session, skill, turn, verdict))

    def _record_once(self, span: str, session: str, events: list[Event]) -> None:
        for number, event in enumerate(events):
            ident = str(uuid.uuid5(NAMESPACE, f"{span}:{event['type']}:{number}"))
            if not begin_fan_out(self._db, span, _FEEDBACK, ident):
                continue
            if all(known["id"] != ident for known in self._feedback.get_by_session(session)):
                self._feedback.record(event, ident)
            finish_fan_out(self._db, span, _FEEDBACK, ident)

    def _make_events(self, session: str, skill: str, turn: Turn, verdict: Verdict) -> list[Event]:
        of = {"skillName": skill, "sessionId": session}
        if any(point.dimension == "trigger_quality" for point in verdict.points):
            return [{"type": "override", **of, "rejected": True, "reason": self._clean(turn.entry.text, _WORDS)}]
        pairs = [pair for point in verdict.points if (pair := find_pair(point.text))]
        if not pairs and len(verdict.points) == 1 and (edited := find_edited_pair(turn.before, turn.after)):
            pairs = [edited]
        return [{"type": "correction", **of, **self._clean_pair(pair)} for pair in pairs]

    def _clean_pair(self, pair: Pair) -> dict[str, str]:
        return {"original": scrub(pair.original, self._rules), "corrected": scrub(pair.corrected, self._rules)}

    def _clean(self, text: str, most: int) -> str:
        return scrub(text, self._rules)[:most]


def describe_repeat(friction: Friction) -> str:
    """Return what cost extra effort, in words."""
    return f"{friction.operation}: failed {friction.failures} times before it went through"


def _folder_of(store: SkillStore, skill: str) -> Path | None:
    try:
        path = store.path_of(skill)
    except TellbackError:
        return None  # a plugin's skill: its folder is not the person's
    return path.parent if path.is_file() else None


def _time_of(turn: Turn) -> datetime:
    return datetime.fromtimestamp(turn.entry.at or 0.0, timezone.utc)
