"""``tellback refine``: one small change of a skill, proposed from corrections and applied only on a person's yes."""

import os
import sys
import time
from contextlib import closing
from datetime import datetime, timezone
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..core.db import open_db, transaction
from ..core.errors import TellbackError
from ..core.escape import show_line, show_text
from ..core.git import GitError, commit_file, find_work_tree
from ..core.paths import find_places
from ..learning.contradictions import ContradictionDetector, Detected
from ..learning.history import find_undo, undo_refinement
from ..learning.refinement import Considered, Suggestion, is_confidence_sensible
from ..learning.rejected import reject_changes
from ..learning.reports import explain_obstacle, format_contradictions, format_eligibility, format_suggestion
from ..sessions.values import as_list, as_object, as_text
from .learning import Learning, list_effects, open_learning
from .result import Result, run


class Wish(NamedTuple):
    """How the command was called."""

    skill: str
    yes_id: str | None
    min_confidence: float | None
    commits: bool


@click.command("refine")
@click.argument("skill")
@click.option("--check", "is_check", is_flag=True, help="Only say whether SKILL may be refined, and from what.")
@click.option("--yes", "yes_id", metavar="ID", help="Apply exactly the proposal with this id.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Another bound for this call.")
@click.option("--no-commit", is_flag=True, help="Do not commit the changed SKILL.md.")
@click.option("--undo", "is_undo", is_flag=True, help="Bring back the version before the last refinement.")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; asks nothing.")
def command(
    skill: str,
    is_check: bool,
    yes_id: str | None,
    min_confidence: float | None,
    no_commit: bool,
    is_undo: bool,
    project: Path,
    as_json: bool,
) -> None:
    """Propose a change of SKILL from corrections that repeat; it is made only after your yes to that very change."""
    if is_check + is_undo > 1:
        raise click.UsageError("--check and --undo exclude each other")
    wish = Wish(skill, yes_id, min_confidence, not no_commit)

    def act() -> Result:
        learning = open_learning(skill, project.resolve())
        if is_check:
            return _check(learning, wish)
        can_ask = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
        return _undo(learning, wish, can_ask) if is_undo else _refine(learning, wish, can_ask)

    run(act, as_json)


def _check(learning: Learning, wish: Wish) -> Result:
    considered = learning.engine(wish.min_confidence).consider(wish.skill)
    eligibility = considered.eligibility
    engine = learning.engine(wish.min_confidence)
    text = format_eligibility(wish.skill, eligibility, considered.patterns, engine.bounds, datetime.now(timezone.utc))
    effects = list_effects(learning, wish.skill)
    if effects:
        text += "\n\nEffect of refinements:\n" + "\n".join(f"  {line}" for line in effects)
    data = {
        "skillName": wish.skill,
        "eligible": eligibility.eligible,
        "reason": eligibility.reason,
        "correctionCount": eligibility.correction_count,
        "correctionsNeeded": eligibility.corrections_needed,
        "daysRemaining": eligibility.days_remaining,
        "confidence": considered.confidence,
        "patterns": [pattern._asdict() for pattern in considered.patterns],
        "effects": effects,
    }
    return Result(data, text, exit_code=1 if eligibility.reason == "skill_not_found" else 0)


def _refine(learning: Learning, wish: Wish, can_ask: bool) -> Result:
    engine = learning.engine(wish.min_confidence)
    messages = () if is_confidence_sensible(engine.bounds.min_confidence) else (_LOW_CONFIDENCE,)
    detected = ContradictionDetector(learning.feedback).detect(wish.skill)
    if detected.has_conflicts:
        text = f"Contradictory feedback detected — manual review needed\n{detected.summary}"
        hint = f"Run 'tellback contradictions {wish.skill}' to see them."
        return Result({"applied": False, **detected.to_json()}, f"{text}\n{hint}", messages, exit_code=1)
    considered = engine.consider(wish.skill)
    suggestion = considered.suggestion
    if suggestion is None:
        return _explain(wish, learning, considered, messages)
    shown = _show(learning, wish.skill, suggestion, detected)
    data = {"applied": False, "suggestion": suggestion.to_json(), "contradictions": detected.to_json()}
    if wish.yes_id is not None:
        if wish.yes_id != suggestion.id:
            raise TellbackError(
                f"proposal {wish.yes_id} is not what would be changed now", hint=f"look at proposal {suggestion.id}"
            )
        return apply_proposal(learning, wish.skill, suggestion, commits=wish.commits, data=data, messages=messages)
    if not can_ask:
        how = f"Apply it with: tellback refine {wish.skill} --yes {suggestion.id}"
        return Result(data, f"{shown}\n\n{how}", messages)
    click.echo(shown)
    if not click.confirm("Apply this change?", default=False):
        return Result(data, "Nothing was changed.", messages)
    return apply_proposal(learning, wish.skill, suggestion, commits=wish.commits, data=data, messages=messages)


_LOW_CONFIDENCE = "A confidence below 0.5 lets a minority of the corrections decide; that is not recommended."


def _explain(wish: Wish, learning: Learning, considered: Considered, messages: tuple[str, ...]) -> Result:
    bounds = learning.engine(wish.min_confidence).bounds
    reason = considered.eligibility.reason
    data = {"applied": False, "suggestion": None, "obstacle": considered.obstacle, "reason": reason}
    text = explain_obstacle(wish.skill, considered, bounds)
    if wish.yes_id is not None:
        raise TellbackError(f"proposal {wish.yes_id} cannot be applied: {text.splitlines()[0]}")
    return Result(data, text, messages, exit_code=1 if reason == "skill_not_found" else 0)


def _show(learning: Learning, skill: str, suggestion: Suggestion, detected: Detected) -> str:
    shown = [format_suggestion(suggestion), f"  Proposal: {suggestion.id}"]
    path = learning.skills.path_of(skill)
    if path.resolve() != Path(os.path.abspath(path)):  # links may lead anywhere
        shown.insert(1, f"  File: {show_line(str(path.resolve()))}")
    if detected.contradictions:
        shown += ["", format_contradictions(skill, detected)]
    return "\n".join(shown)


def apply_proposal(
    learning: Learning,
    skill: str,
    suggestion: Suggestion,
    *,
    commits: bool = True,
    data: dict[str, Any] | None = None,
    messages: tuple[str, ...] = (),
) -> Result:
    """Apply what the person said yes to: at the terminal, in the review, or by naming this proposal's id."""
    data = data or {}
    applied = learning.engine().apply_refinement(skill, suggestion, True)
    if not applied.success:
        text = f"Failed: {applied.error}"
        if "exceeds bounds" in str(applied.error):
            text += f"\n{_TOO_LARGE}"
        return Result(data | {"error": applied.error}, text, messages, exit_code=1)
    changed = learning.skills.read(skill)
    assert changed is not None  # it was just written
    notes = _commit(changed.path, commits, f"refine {skill} to version {applied.new_version}")
    text = f"Applied: version {applied.new_version} (SHA-256 {changed.hash[:12]})"
    data |= {"applied": True, "newVersion": applied.new_version, "hash": changed.hash}
    return Result(data, text, (*messages, *notes))


_TOO_LARGE = (
    "A refinement stays within 20% of the skill. If it needs more, make a new skill,\n"
    "or wait until the change comes as smaller patterns that each stay within the bound."
)


def _commit(path: Path, commits: bool, message: str) -> tuple[str, ...]:
    """Commit the changed file where it lies in a Git work tree; what was not committed is said, as drift needs it."""
    if find_work_tree(path.parent) is None:
        return ()
    if not commits:
        return (f"{path} is not committed; drift is measured only from commits.",)
    try:
        commit_file(path, message)
    except GitError as error:
        return (f"{path} was changed and could not be committed: {error}; commit it, as drift needs it.",)
    return ()


def _diff(path: Path, data: bytes) -> str:
    """Return what would change in the file, line by line: the audit log alone says nothing that one could agree to."""
    before, after = (text.decode("utf-8", "replace").splitlines() for text in (path.read_bytes(), data))
    return "\n".join(unified_diff(before, after, lineterm="", n=0))


def _undo(learning: Learning, wish: Wish, can_ask: bool) -> Result:
    undone = find_undo(learning.skills, wish.skill)
    version, hash_before = undone.entry.get("fromVersion"), str(undone.entry.get("hashBefore"))[:12]
    diff = _diff(learning.skills.path_of(wish.skill), undone.data)
    data = {"undone": False, "skill": wish.skill, "version": version, "id": hash_before, "diff": diff}
    if wish.yes_id is None:
        question = show_line(f"Bring back version {version} of {wish.skill} (SHA-256 {hash_before})?")
        question = f"{show_text(diff)}\n{question}"
        if not can_ask:
            how = f"Do it with: tellback refine {wish.skill} --undo --yes {hash_before}"
            return Result(data, f"{question}\n{how}")
        if not click.confirm(question, default=False):
            return Result(data, "Nothing was changed.")
    elif wish.yes_id != hash_before:
        raise TellbackError(f"{wish.yes_id} is not the version that would come back", hint=f"that is {hash_before}")
    undo_refinement(learning.skills, wish.skill, True, undone)
    changes = [as_object(change) for change in as_list(undone.entry.get("changes"))]
    with closing(open_db(find_places())) as db, transaction(db):
        pairs = [(as_text(change.get("original")), as_text(change.get("suggested"))) for change in changes]
        reject_changes(db, wish.skill, pairs, time.time())
    notes = _commit(learning.skills.path_of(wish.skill), wish.commits, f"undo the refinement of {wish.skill}")
    return Result(data | {"undone": True}, f"Undone: version {version}", notes)
