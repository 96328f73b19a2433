"""Learnings that were not sure enough to be written: they wait in ``<data>/unsure.jsonl`` for a person to decide."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from ..capture.waiting import read_unsure
from ..core.escape import show_line
from ..core.shapes import Places
from ..sweep.lastrun import utc_text


class Unsure(NamedTuple):
    """One such learning; ``key`` names it."""

    at: float
    key: str
    text: str
    category: str
    project: str

    def is_in(self, project: str) -> bool:
        """Whether it was said in *project* or below it; ``""`` is everywhere."""
        return not project or Path(self.project).is_relative_to(project)

    def as_json(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints."""
        return {**self._asdict(), "at": utc_text(self.at)}


def list_unsure(places: Places) -> list[Unsure]:
    """Return what waits, oldest first, each once."""
    found = {one.key: one for one in map(_parse, read_unsure(places)) if one is not None}
    return sorted(found.values(), key=lambda one: one.at)


def _parse(fields: dict[str, Any]) -> Unsure | None:
    try:
        texts = [str(fields.get(name) or "") for name in ("key", "text", "learning_category", "project")]
        return Unsure(float(fields["at"]), *texts)
    except (KeyError, TypeError, ValueError):
        return None


def render_unsure(found: list[Unsure]) -> str:
    """Return one line a learning: when, key, category, words."""
    rows = [(time.strftime("%Y-%m-%d %H:%M", time.localtime(one.at)), one.key, one.category, one.text) for one in found]
    return "\n".join("  ".join(show_line(cell) for cell in row) for row in rows)
