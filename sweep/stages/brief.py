"""Lay the briefs ready that the next sessions start with."""

from ...core.db import transaction
from ..brief import remove_briefs, write_briefs
from ..work import Work


def brief(work: Work) -> dict[str, int]:
    """Write the briefs that changed; with ``capture.brief = false`` none is kept."""
    if not work.listening.settings.capture_brief:
        with transaction(work.db):
            return {"removed": remove_briefs(work.db, work.places)}
    with transaction(work.db):
        return {"changed": write_briefs(work.db, work.places, work.listening.settings, work.now)}
