"""What waits for a person's decision, and what each decision does: the hands of ``tellback review``."""

import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from ..capture.folder import BusyError
from ..capture.queue import UNSURE
from ..capture.slow import keep_slowly
from ..capture.waiting import drop_waiting, heard_from, read_unsure
from ..core.config import load_settings
from ..core.db import open_db, transaction
from ..core.errors import TellbackError
from ..core.paths import find_places
from ..core.scrub import scrub
from ..core.scrub_own import make_scrub_rules
from ..core.shapes import Places
from ..learning.contradictions import ContradictionDetector
from ..learning.feedback_store import Event, FeedbackStore
from ..learning.ledger import Attributed, Attribution, list_attributions
from ..learning.refinement import Suggestion
from ..learning.rejected import are_rejected, reject_changes
from ..learning.where import find_feedback_folder
from ..sweep.captures import list_by_outcome, list_captures, settle
from ..sweep.ear import UNSURE_OUTCOME
from .learning import Learning, open_learning
from .log_rows import make_rows
from .record import resolve_attribution
from .refine import apply_proposal
from .review_item import Item
from .review_learnings import accept_learning, list_learning_items, reject_learning


def list_items(project: Path) -> list[Item]:
    """Return what waits, of *project* and of everything that belongs to no project alone."""
    places = find_places()
    with closing(open_db(places)) as db:
        attributions = list_attributions(db)
        proposals = list(_list_proposals(project, places, db))
        learnings = list(list_learning_items(project, places, db))
    return [*proposals, *map(_describe_attribution, attributions), *_list_unsure(places), *learnings]


def accept(item: Item, project: Path, *, skill: str | None = None, text: str | None = None) -> str:
    """Do what the person said yes to and return what was done, in one line.

    Raises:
        TellbackError: it could not be done; the item stays.
    """
    match item.kind:
        case "proposal":
            return _apply(item, project)
        case "attribution":
            if skill is None:
                raise TellbackError("say which skill it is about", hint=f"one of {', '.join(item.choices)}")
            resolve_attribution(item.id, skill)
            return f"Recorded for {skill}."
        case "learning":
            return _keep_learning(item, _scrub(text) if text else item.text)
        case _:
            return accept_learning(item)


def reject(item: Item) -> str:
    """Do what the person said no to and return what was done, in one line."""
    places = find_places()
    match item.kind:
        case "proposal":
            with closing(open_db(places)) as db, transaction(db):
                reject_changes(db, item.title, [(c.original, c.suggested) for c in item.changes], time.time())
            return "This change is not proposed again."
        case "attribution":
            resolve_attribution(item.id, "none")
            return "It is about none of them."
        case "learning":
            _drop_learning(places, item.id)
            return "Dropped."
        case _:
            return reject_learning(item)


def _list_proposals(project: Path, places: Places, db: sqlite3.Connection) -> Iterable[Item]:
    store = FeedbackStore(find_feedback_folder(project, places, load_settings(places)), warn=lambda _: None)
    corrections = [event for event in store.get_all() if event["type"] == "correction"]
    for skill in dict.fromkeys(event["skillName"] for event in corrections):
        if (suggestion := _find_suggestion(skill, project)) is None:
            continue
        if are_rejected(db, skill, [(c.original, c.suggested) for c in suggestion.suggested_changes]):
            continue
        of = [event for event in corrections if event["skillName"] == skill]
        evidence = tuple(_tell_evidence(of, _read_sentences(db, places, skill)))
        yield Item(suggestion.id, "proposal", skill, evidence, suggestion.suggested_changes)


def _tell_evidence(corrections: Iterable[Event], sentences: dict[str, list[str]]) -> Iterable[str]:
    """Yield what was corrected, and below each session's what the person said there."""
    for event in corrections:
        head = f"{event.get('timestamp', '')[:10]} session {event['sessionId']}: "
        yield f"{head}{event.get('original')!r} -> {event.get('corrected')!r}"
        yield from (f"{' ' * len(head)}“{words}”" for words in sentences.pop(event["sessionId"], ()))


def _read_sentences(db: sqlite3.Connection, places: Places, skill: str) -> dict[str, list[str]]:
    """Return the words of the corrections of *skill*, by session."""
    skills = Attributed(db)
    captures = [one for one in list_captures(db) if one.label == "correction" and skills.find(one.span) == skill]
    sentences: dict[str, list[str]] = {}
    for row in make_rows(places, captures):
        if row.text:
            sentences.setdefault(row.capture.session, []).append(row.text)
    return sentences


def _find_suggestion(skill: str, project: Path) -> Suggestion | None:
    try:
        learning: Learning = open_learning(skill, project)
        if ContradictionDetector(learning.feedback).detect(skill).has_conflicts:
            return None
        return learning.engine().generate_suggestion(skill)
    except TellbackError:
        return None  # a plugin's skill, or a file that cannot be read: nothing to propose


def _describe_attribution(waiting: Attribution) -> Item:
    words = waiting.said[0].words if waiting.said else ""
    day = time.strftime("%Y-%m-%d", time.localtime(waiting.at))
    evidence = (f"{day} session {waiting.session}: {words}",)
    return Item(waiting.id, "attribution", "刚才的问题属于哪个 skill？", evidence, choices=waiting.candidates)


def _list_unsure(places: Places) -> Iterable[Item]:
    seen: set[str] = set()
    for fields in read_unsure(places):
        key, text = str(fields.get("key", "")), str(fields.get("text", ""))
        if key and key not in seen:
            seen.add(key)
            day = time.strftime("%Y-%m-%d", time.localtime(float(fields.get("at") or 0)))
            evidence = (f"{day} in {fields.get('project', '')}",)
            yield Item(key, "learning", str(fields.get("learning_category", "")), evidence, text=text)


def _apply(item: Item, project: Path) -> str:
    learning = open_learning(item.title, project)
    suggestion = learning.engine().generate_suggestion(item.title)
    if suggestion is None or suggestion.id != item.id:
        raise TellbackError(f"proposal {item.id} is not what would be changed now", hint="look at it again")
    result = apply_proposal(learning, item.title, suggestion)
    if result.exit_code:
        raise TellbackError(result.text)
    return result.text


def _scrub(text: str) -> str:
    return scrub(text, make_scrub_rules(load_settings(find_places())))


def _keep_learning(item: Item, text: str) -> str:
    places = find_places()
    fields = next((one for one in read_unsure(places) if one.get("key") == item.id), None)
    if fields is None:
        raise TellbackError(f"no learning waits under {item.id}")
    try:
        heard, where = heard_from(fields | {"text": text}, places)
        keep_slowly(heard, where, places)
    except BusyError:
        raise TellbackError("somebody writes there just now", hint="try again") from None
    except (OSError, ValueError) as error:
        raise TellbackError(f"it could not be kept: {error}") from error
    with closing(open_db(places)) as db, transaction(db):
        for capture in list_by_outcome(db, UNSURE_OUTCOME):
            if (capture.session, capture.hash) == (heard.session, heard.prompt_hash):
                settle(db, capture._replace(outcome="logged", text=text))
    _drop_learning(places, item.id)
    return f"Kept in {where.folder}."


def _drop_learning(places: Places, key: str) -> None:
    try:
        drop_waiting(places, UNSURE, {key})
    except BusyError:
        raise TellbackError("a sweep writes there just now", hint="try again") from None
