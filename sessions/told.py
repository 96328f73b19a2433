"""What commands tell of sessions: plain objects of JSON types, every string from a log or a path scrubbed (S-157)."""

from collections import Counter
from typing import Any

from ..core.scrub import ScrubRules, scrub
from .selection import Selection
from .states import STATES
from .survey import Session, StoreView
from .values import format_time


class Teller:
    """Tells sessions and stores; folders repeat from session to session, so what was scrubbed is remembered."""

    def __init__(self, rules: ScrubRules) -> None:
        self._rules = rules
        self._cleaned: dict[str, str] = {}

    def clean(self, text: str) -> str:
        """Return *text* scrubbed."""
        cleaned = self._cleaned.get(text)
        if cleaned is None:
            cleaned = self._cleaned[text] = scrub(text, self._rules)
        return cleaned

    def tell_session(self, session: Session) -> dict[str, Any]:
        """Return the members of S-206; one with nothing to say is left out."""
        summary = session.summary
        folders = [self.clean(folder) for folder in session.folders]
        data = {
            "ref": self.clean(str(session.ref)),
            "harness": session.ref.harness,
            "session_id": self.clean(session.ref.session_id),
            "state": session.state,
            "reason": self.clean(session.standing.reason),
            "path": self.clean(session.path),
            "project": folders[0] if folders else "",
            "cwds": folders,
            "start": _time(summary.started_at if summary else None),
            "end": _time(session.ended_at),
            "counts": summary.counts._asdict() if summary else None,
        }
        return {name: value for name, value in data.items() if value}

    def tell_store(self, view: StoreView) -> dict[str, Any]:
        """Return where a store is, how it was found, and how many sessions have which state."""
        counts = Counter(session.state for session in view.sessions)
        listing = view.listing
        return {
            "harness": view.harness,
            "location": self.clean(listing.location),
            "state": listing.state,
            **({"reason": self.clean(listing.reason)} if listing.reason else {}),
            "problems": self.tell_problems(view),
            "sessions": {state: counts[state] for state in STATES if counts[state]},
        }

    def tell_problems(self, view: StoreView) -> list[str]:
        """Return one sentence for each problem of a store."""
        return [self.clean(f"{problem.path} {problem.what}") for problem in view.listing.problems]


def tell_selection(selection: Selection | None) -> dict[str, Any] | None:
    """Return the saved selection; ``None`` when there is none."""
    if selection is None:
        return None
    return {"harnesses": list(selection.harnesses), "since": selection.since or None, "limit": selection.limit}


def _time(at: float | None) -> str:
    return format_time(at) if at is not None else ""
