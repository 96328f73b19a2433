"""The final verdict on one prompt of a log, and what is done about it in ``.knowledge`` and in the database."""

import time
from typing import TYPE_CHECKING

from ..capture.detector import Context, Verdict, judge
from ..capture.heard import Heard, Outcome
from ..capture.knowledge import capture_turn
from ..capture.queue import append_unsure
from ..capture.retract import retract
from ..capture.strip import is_machine_text
from ..capture.tables import default_tables
from ..core.digest import hash_prompt
from ..core.place import find_knowledge
from ..core.scrub import scrub
from ..core.shapes import Turn
from ..sessions.prompts import Prompt
from ..sessions.reader import Listed
from .captures import (
    NOT_LISTENED,
    SEPARATOR,
    Capture,
    add_late,
    find_told,
    find_where,
    has_twin,
    is_known,
    list_by_outcome,
    settle,
)
from .pauses import was_paused
from .uses import Uses
from .work import Work

if TYPE_CHECKING:
    from ..capture.detector import OperatingPoint

# How sure the sweep must be to add an entry, by how sure the hook must be (`capture.point`): with the turn before
# known, `report` is as precise as the hook is at `write`.
POINT_TO_ADD: "dict[str, OperatingPoint]" = {"report": "report", "write": "report", "strict": "strict"}

RETRACTED = "not a correction, seen with the turn before it"

# The outcome of a learning that waits for a person to decide.
UNSURE_OUTCOME = "unsure"

# The outcome of a prompt whose entries wait to be taken back.
TO_RETRACT = "to retract"

# Outcomes of a hook that did its work ("": surely nothing, so not even looked at); after any other the prompt is as
# good as unheard.
DONE = ("logged", "repeat", "double", "queued", "nothing", "")

# Labels of which something is written.
KEPT_LABELS = ("correction", "learning")


class Ear:
    """Judges the prompts of one sweep and deals with them; what it needs is loaded with the first prompt."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._db = work.db
        self._listening = work.listening
        self._uses = Uses(work.db, work.places)
        self._sure_point: OperatingPoint = work.listening.settings.capture_point
        self._point_to_add: OperatingPoint = POINT_TO_ADD[work.listening.settings.capture_point]

    def take(self, listed: Listed, prompt: Prompt) -> str:
        """Deal with one prompt of a log; returns the word by which it is counted."""
        if is_known(self._db, listed.harness, prompt.span):
            return "known"
        if not self._may_listen(prompt):
            return "not listened"
        if is_machine_text(prompt.text, listed.harness, tables=default_tables()):
            return "machine"
        scrubbed = scrub(prompt.text, self._listening.scrub_rules)
        self._uses.notice(prompt.cwd, scrubbed, self._work.now if prompt.at is None else prompt.at)
        prompt_hash = hash_prompt(scrubbed)
        fires_hook = prompt.origin != "refusal"
        told = find_told(self._db, listed.harness, listed.session_id, prompt_hash, prompt.at, fires_hook)
        if told is None:
            return self._take_unheard(listed, prompt, scrubbed, prompt_hash)
        told = told._replace(span=prompt.span, hash=prompt_hash)
        if told.outcome in (*NOT_LISTENED, "machine"):
            settle(self._db, told)
            return "not listened"
        if told.outcome == "queued" and not told.label:
            settle(self._db, told)  # it waits to be judged; whoever writes the queue notes what it was
            return "heard"
        if told.outcome in DONE and told.label in KEPT_LABELS:
            return self._confirm(prompt, scrubbed, told)
        return self._take_again(listed, prompt, scrubbed, told)

    def _may_listen(self, prompt: Prompt) -> bool:
        """Whether the folder that the agent worked in, and no pause at that time, allows it."""
        is_allowed = self._listening.judge_folder(prompt.cwd) == "ok"
        return is_allowed and not was_paused(self._work.places, self._db, prompt)

    def _take_unheard(self, listed: Listed, prompt: Prompt, scrubbed: str, prompt_hash: str) -> str:
        """Capture a prompt that no hook told of."""
        verdict = self._judge(prompt, scrubbed, self._point_to_add)
        at = self._work.now if prompt.at is None else prompt.at
        outcome = self._keep_or_ask(listed, prompt, scrubbed, verdict, prompt_hash, "")
        kind = outcome.kind if outcome is not None else UNSURE_OUTCOME
        if kind == "double" and not has_twin(self._db, prompt_hash, at):
            kind = "logged"  # written by a sweep, or a hook, that was killed before it could note it
        late = Capture(
            id=0,
            harness=listed.harness,
            session=listed.session_id,
            prompt_id="",
            hash=prompt_hash,
            at=at,
            span=prompt.span,
            project=prompt.cwd,
            label=verdict.label,
            outcome=kind,
            ids=tuple(outcome.ids) if outcome is not None else (),
            is_late=True,
            retracted="",
            text=_words_without_id(verdict),
            folder=self._find_folder(prompt),
        )
        add_late(self._db, late)
        return kind

    def _take_again(self, listed: Listed, prompt: Prompt, scrubbed: str, told: Capture) -> str:
        """Judge anew what a hook heard nothing in, by the words alone, or failed to keep."""
        verdict = self._judge(prompt, scrubbed, self._point_to_add)
        outcome = self._keep_or_ask(listed, prompt, scrubbed, verdict, told.hash, told.prompt_id)
        if outcome is None:
            settle(self._db, told._replace(label=verdict.label, outcome=UNSURE_OUTCOME))
            return UNSURE_OUTCOME
        label = told.label if verdict.label == "none" and told.label == "positive" else verdict.label
        settled = told._replace(
            label=label,
            outcome=outcome.kind,
            ids=tuple(outcome.ids),
            text=_words_without_id(verdict),
            folder=self._find_folder(prompt),
        )
        settle(self._db, settled)
        return "heard" if outcome.kind == "nothing" else outcome.kind

    def _find_folder(self, prompt: Prompt) -> str:
        """Return where an entry of *prompt* was written."""
        return find_knowledge(prompt.cwd, self._work.places, may_create=False).folder

    def _confirm(self, prompt: Prompt, scrubbed: str, told: Capture) -> str:
        """Take back what a hook wrote when it is no signal after all."""
        verdict = self._judge(prompt, scrubbed, "report")
        if verdict.label != "none" or told.outcome != "logged" or not told.ids:
            settle(self._db, told._replace(text=_words_without_id(verdict)))
            return "heard"
        waiting = told._replace(outcome=TO_RETRACT)
        settle(self._db, waiting)
        return "retracted" if self._retract(waiting) else "to be retracted"

    def retract_waiting(self) -> int:
        """Try again what could not be taken back before (a project that was read-only then)."""
        return sum(self._retract(capture) for capture in list_by_outcome(self._db, TO_RETRACT))

    def _retract(self, capture: Capture) -> bool:
        where = find_where(capture, self._work.places)
        today = time.strftime("%Y-%m-%d", time.localtime(self._work.now))
        patience = self._work.patience
        try:
            for ident in capture.ids:
                retract(where, ident, RETRACTED, today, patience.wait_s(where.folder))
        except OSError as error:
            patience.note(where.folder, error)
            return False
        settle(self._db, capture._replace(outcome="logged", retracted=RETRACTED))
        return True

    def _judge(self, prompt: Prompt, scrubbed: str, point: "OperatingPoint") -> Verdict:
        context = Context(
            answer=prompt.answer,
            before=prompt.before,
            is_first=prompt.is_first,
            earlier=prompt.earlier,
            reverted=prompt.reverted,
        )
        return judge(scrubbed, context, tables=default_tables(), point=point)

    def _keep_or_ask(
        self, listed: Listed, prompt: Prompt, scrubbed: str, verdict: Verdict, prompt_hash: str, prompt_id: str
    ) -> Outcome | None:
        """Write what *verdict* found; ``None`` for a learning that is not sure enough and waits for a person's word.

        A project without ``.knowledge`` gets none made, its store takes the words.
        """
        turn = self._make_turn(listed, prompt, prompt_id)
        where = find_knowledge(turn.project, self._work.places, may_create=False)
        if verdict.label == "learning" and self._judge(prompt, scrubbed, self._sure_point).label != "learning":
            append_unsure(self._work.places, _make_heard(turn, verdict, prompt_hash, prompt.span), where)
            return None
        outcome = capture_turn(
            turn,
            verdict,
            where,
            self._work.places,
            prompt_hash=prompt_hash,
            dataset=self._listening.settings.capture_dataset,
            acknowledge=False,
            is_late=True,
            uuid=prompt.span,
            wait_s=self._work.patience.wait_s(where.folder),
        )
        if outcome.kind == "queued":
            self._work.patience.give_up(where.folder)
        return outcome

    def _make_turn(self, listed: Listed, prompt: Prompt, prompt_id: str) -> Turn:
        turn = Turn(listed.harness, "prompt", self._work.now if prompt.at is None else prompt.at)
        turn.session_id = listed.session_id
        turn.prompt_id = prompt_id
        turn.project = turn.cwd = prompt.cwd
        turn.transcript = listed.path
        return turn


def _make_heard(turn: Turn, verdict: Verdict, prompt_hash: str, span: str) -> Heard:
    heard = Heard(turn, prompt_hash)
    heard.label, heard.points = verdict.label, list(enumerate(verdict.points))
    heard.category = verdict.learning_category or ""
    heard.uuid, heard.is_late = span, True
    return heard


def _words_without_id(verdict: Verdict) -> str:
    """Return the words of a learning, which gets no id in its file."""
    return SEPARATOR.join(point.text for point in verdict.points) if verdict.label == "learning" else ""
