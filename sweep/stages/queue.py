"""Write what waits in the queue: entries that a hook, or this sweep, could not append at once."""

from ...capture.folder import BusyError
from ...capture.keys import find_known
from ...capture.log import number_of
from ...capture.waiting import write_queued
from ...core.db import transaction
from ...core.digest import hash_text
from ...core.place import find_knowledge
from ..captures import Capture, list_by_outcome, settle
from ..news import fetch_news
from ..work import Work

# Points of one prompt that are looked for; the detector finds fewer.
MOST_POINTS = 20


def write_waiting(work: Work) -> dict[str, int]:
    """Write the queue, and note the ids that its entries got."""
    try:
        found = write_queued(work.places)
    except BusyError:
        return {"busy": 1}
    fetch_news(work.places, work.db)
    with transaction(work.db):
        for capture in list_by_outcome(work.db, "queued"):
            _note_ids(work, capture)
    return {"written": found.written, "waiting": found.waiting, "unreadable": found.unreadable}


def _note_ids(work: Work, capture: Capture) -> None:
    keys = [hash_text(capture.session, capture.hash, str(number)) for number in range(MOST_POINTS)]
    known = [line.ident for key in keys for line in find_known(work.places, key)]
    ids = tuple(sorted({ident for ident in known if number_of(ident)}))
    if ids:
        is_sweeps = capture.is_late or bool(capture.folder)
        folder = find_knowledge(capture.project, work.places, may_create=not is_sweeps).folder if is_sweeps else ""
        settle(work.db, capture._replace(outcome="logged", ids=ids, folder=folder))
