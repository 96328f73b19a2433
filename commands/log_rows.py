"""What ``tellback log`` and ``tellback watch`` show of a capture, and how."""

import io
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..capture.learnings import make_ident
from ..capture.notebook import Learned
from ..capture.waiting import read_waiting
from ..core.digest import hash_text
from ..core.escape import show_line
from ..core.shapes import Places
from ..learning.ledger import Attributed
from ..sweep.captures import SEPARATOR, Capture, find_where
from ..sweep.lastrun import utc_text
from ..sweep.learned import read_learned
from ..sweep.texts import read_corrections

ELSEWHERE = "(in .knowledge/learnings/index.md)"
PLAIN_WIDTH = 160
# The outcome of words that could not be written to `.knowledge` yet.
QUEUED = "queued"


class Row(NamedTuple):
    """One capture as it is shown.

    Attributes:
        ids: of its entries in ``.knowledge``; without any, ``key`` names it.
        text: the words as they are kept; ``""`` for praise, of which nothing is kept.
        skill: that a correction is about; ``""`` when that is not known.
        fallen: the learnings of this row that no longer stand.
    """

    capture: Capture
    key: str
    text: str
    skill: str = ""
    fallen: tuple[Learned, ...] = ()

    @property
    def name(self) -> str:
        return ", ".join(self.capture.ids) or self.key

    def as_json(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints."""
        capture = self.capture
        return {
            "when": utc_text(capture.at),
            "harness": capture.harness,
            "type": capture.label,
            "ids": list(capture.ids),
            "key": self.key,
            "text": self.text,
            "project": capture.project,
            "session": capture.session,
            "outcome": capture.outcome,
            "late": capture.is_found_late,
            "retracted": capture.retracted or None,
            "skill": self.skill or None,
            "superseded_by": next((one.by for one in self.fallen if one.superseded), None),
            "retired": next((one.retired for one in self.fallen if one.retired), None),
        }


def make_rows(places: Places, captures: Sequence[Capture], skills: Attributed | None = None) -> list[Row]:
    """Return the rows of *captures*, their words read from where they are kept, each file once.

    Args:
        skills: whose skill corrections are about, for those who show it.
    """
    wanted: dict[str, set[str]] = {}
    folders = {one.id: find_where(one, places).folder for one in captures}
    for one in captures:
        wanted.setdefault(folders[one.id], set()).update(one.ids)
    kept = {folder: read_corrections(folder, ids) for folder, ids in wanted.items() if ids}
    queued = _read_queued(places) if any(one.outcome == QUEUED for one in captures) else {}
    rows = [_make_row(one, kept.get(folders[one.id], {}), queued.get((one.session, one.hash), ())) for one in captures]
    fallen = {
        folder: _read_fallen(folder) for folder in {folders[one.id] for one in captures if one.label == "learning"}
    }
    return [
        row._replace(
            skill=skills.find(row.capture.span) if skills else "",
            fallen=_find_fallen(row.capture, fallen.get(folders[row.capture.id], {})),
        )
        for row in rows
    ]


def _read_fallen(folder: str) -> dict[str, Learned]:
    return {one.ident: one for one in read_learned(folder) if not one.stands}


def _find_fallen(capture: Capture, fallen: dict[str, Learned]) -> tuple[Learned, ...]:
    if not fallen or capture.label != "learning":
        return ()
    idents = (make_ident(words) for words in capture.text.split(SEPARATOR))
    return tuple(fallen[ident] for ident in idents if ident in fallen)


def _read_queued(places: Places) -> dict[tuple[str, str], list[str]]:
    """Return the words that wait to be written, by the session and the hash of their prompt."""
    texts: dict[tuple[str, str], list[str]] = {}
    for line in read_waiting(places):
        texts.setdefault((str(line.get("session")), str(line.get("prompt_hash"))), []).append(str(line.get("text")))
    return texts


def _make_row(capture: Capture, kept: dict[str, dict[str, Any]], queued: Sequence[str]) -> Row:
    texts = [str(kept[ident].get("description", "")) for ident in capture.ids if ident in kept]
    text = " | ".join(texts or queued) or capture.text
    if not text and capture.label == "learning":
        text = ELSEWHERE
    return Row(capture, hash_text(capture.session, capture.hash, "0"), text)


def render_rows(rows: Iterable[Row]) -> str:
    """Return the rows as a table for a person; nothing in a text can steer the terminal."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("when", "harness", "type", "id"):
        table.add_column(title, no_wrap=True)
    table.add_column("text", overflow="fold")
    for row in rows:
        table.add_row(*[Text(cell) for cell in _cells(row)])
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else PLAIN_WIDTH
    text = io.StringIO()
    Console(file=text, width=width, force_terminal=is_terminal, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def render_line(row: Row) -> str:
    """Return one row as one line, for a view that grows."""
    return "  ".join(_cells(row))


def _tell_fallen(learned: Learned) -> str:
    return f" (superseded by: {learned.by})" if learned.superseded else f" (retired {learned.retired})"


def _cells(row: Row) -> tuple[str, ...]:
    capture = row.capture
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(capture.at))
    remark = " (late)" if capture.is_found_late else ""
    remark += " (waits to be written)" if capture.outcome == QUEUED else ""
    remark += f" (taken back: {capture.retracted})" if capture.retracted else ""
    remark += "".join(map(_tell_fallen, row.fallen))
    cells = (when, capture.harness, capture.label, row.name, row.text + remark)
    return tuple(show_line(cell) for cell in cells)
