"""Write what waits in the queue: entries that a hook, or this sweep, could not append at once."""

from ...capture.folder import BusyError
from ...capture.heard import NO_ID
from ...capture.keys import find_known
from ...capture.log import number_of
from ...capture.waiting import list_keys, read_waiting, write_queued
from ...core.db import transaction
from ...core.place import find_knowledge
from ..captures import Capture, list_by_outcome, settle
from ..news import fetch_news
from ..work import Work


def write_waiting(work: Work) -> dict[str, int]:
    """Write the queue, and note the ids that its entries got."""
    try:
        found = write_queued(work.places, work.patience)
    except BusyError:
        return {"busy": 1}
    fetch_news(work.places, work.db)
    with transaction(work.db):
        for capture in list_by_outcome(work.db, "queued"):
            _note_ids(work, capture)
    return {"written": found.written, "waiting": found.waiting, "unreadable": found.unreadable}


def _note_ids(work: Work, capture: Capture) -> None:
    keys = list_keys(capture.session, capture.hash)
    known = [line.ident for key in keys for line in find_known(work.places, key)]
    ids = tuple(sorted({ident for ident in known if number_of(ident)}))
    if ids:
        is_sweeps = capture.is_late or bool(capture.folder)
        folder = find_knowledge(capture.project, work.places, may_create=not is_sweeps).folder if is_sweeps else ""
        label = capture.label or "correction"
        settle(work.db, capture._replace(label=label, outcome="logged", ids=ids, folder=folder))
    elif not capture.label:
        _note_judged(work, capture, known)


def _note_judged(work: Work, capture: Capture, known: list[str]) -> None:
    """Note of a prompt that was queued unjudged what it was, unless it waits still."""
    if NO_ID in known:
        settle(work.db, capture._replace(label="learning", outcome="logged"))
    elif all(line.get("prompt_hash") != capture.hash for line in read_waiting(work.places)):
        settle(work.db, capture._replace(label="none", outcome="nothing"))
