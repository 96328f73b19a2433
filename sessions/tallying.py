"""Counting what every record of a JSON-lines log may say of its session: times, folders, model, version."""

from typing import Any

from .entry import Tally
from .values import as_folder, as_text, parse_time


def note_record(tally: Tally, record: dict[str, Any], model: str) -> bool:
    """Add the facts of one parsed *record* (keys ``timestamp``, ``cwd``, ``version``) and its *model* to *tally*.

    Returns:
        Whether it has a time.
    """
    at = parse_time(record.get("timestamp"))
    note_time(tally, at)
    note_folder(tally, as_folder(record.get("cwd")))
    tally.model = model or tally.model
    tally.version = as_text(record.get("version")) or tally.version
    return at is not None


def note_time(tally: Tally, at: float | None) -> None:
    """Take *at* as the time of the entry just read."""
    if at is not None:
        tally.ended_at = at
        if tally.started_at is None:
            tally.started_at = at


def note_folder(tally: Tally, folder: str) -> None:
    """Take *folder* as the working directory of the entry just read; ``""`` says nothing."""
    if folder and folder != tally.cwd:
        tally.cwd = folder
        if folder not in tally.cwds:
            tally.cwds.append(folder)
