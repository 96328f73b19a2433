"""Late capture: what the session log has and no hook heard, each once, and the final verdict on what a hook wrote.

Hooks are for the moment, logs are for the truth. A hook knows the message alone; here the turn before is known too,
so the verdict is the final one: it adds what the hook could not see, and takes back (never deletes) what it wrote and
what is no signal after all.
"""

import os
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from ...core.db import transaction
from ...core.log import log_failure
from ...sessions.prompts import PromptReading
from ...sessions.reader import Listed, LogError
from ...sessions.table import READERS
from ..captures import read_state, write_state
from ..ear import Ear
from ..news import fetch_news
from ..watched import drop_unchanged, list_store, list_with_news, read_watched, write_deaf, write_watched
from ..work import Stage, Work

# The harnesses whose logs are read for what their hooks missed: where none is installed, that is all.
HARNESSES = tuple(name for name, reader in READERS.items() if reader.HAS_ENTRIES)

LOOK_EVERY_S = 3600.0
# What a first look by hand takes of the time before Tellback was there; all the rest is `tellback backfill`'s.
LOOK_BACK_S = 7 * 24 * 3600.0
# Prompts handled between two commits, so that a sweep that is ended goes on near where it was.
BATCH = 50


def take_late(work: Work) -> dict[str, int]:
    """Read what is new in the logs of sessions that hooks told of, or that changed; returns what became of it."""
    fetch_news(work.places, work.db)
    return _take_all(work, [listed for harness in HARNESSES for listed in find_due(work, harness)])


def make_history_stage(harnesses: Sequence[str], since: float) -> Stage:
    """Return the stage of `tellback backfill`: the unread sessions that changed after *since*, UTC seconds."""

    def take_history(work: Work) -> dict[str, int]:
        fetch_news(work.places, work.db)
        due = [
            listed for harness in harnesses for listed in drop_unchanged(work.db, harness, list_store(harness), since)
        ]
        return _take_all(work, due)

    return take_history


def find_due(work: Work, harness: str) -> list[Listed]:
    """Return the sessions to read."""
    due = {listed.session_id: listed for listed in list_with_news(work.db, harness)}
    last_look = float(read_state(work.db, f"looked.{harness}") or 0)
    if work.look_around or not last_look <= work.now < last_look + LOOK_EVERY_S:
        since = _find_beginning(work) - (LOOK_BACK_S if work.look_around else 0)
        for listed in drop_unchanged(work.db, harness, list_store(harness), since):
            due.setdefault(listed.session_id, listed)
        with transaction(work.db):
            write_state(work.db, f"looked.{harness}", str(work.now))
    return list(due.values())


def _take_all(work: Work, due: list[Listed]) -> dict[str, int]:
    """Read the sessions, the one untouched for longest first: an original before its fork."""
    counts: Counter[str] = Counter()
    ear = Ear(work)
    if retracted := ear.retract_waiting():
        counts["retracted"] = retracted
    for number, listed in enumerate(sorted(due, key=lambda listed: listed.mtime_ns)):
        if not work.has_time():
            counts["deferred"] += len(due) - number
            break
        _take_guarded(work, ear, listed, counts)
        work.progress("late", number + 1, len(due))
    return dict(counts)


def _take_guarded(work: Work, ear: Ear, listed: Listed, counts: Counter[str]) -> None:
    try:
        take_session(work, ear, listed, counts)
    except Exception as error:  # a door: a log that cannot be dealt with keeps no other from being read
        log_failure(work.places, "late capture", error)
        counts["failed sessions"] += 1


def _find_beginning(work: Work) -> float:
    """Return when Tellback began to listen here: logs untouched since are history, which only backfill takes."""
    if known := read_state(work.db, "since"):
        return float(known)
    try:
        since = os.stat(os.path.join(work.places.data, "hook", "fire.py")).st_mtime
    except OSError:
        since = work.now
    with transaction(work.db):
        write_state(work.db, "since", str(since))
    return since


def take_session(work: Work, ear: Ear, listed: Listed, counts: Counter[str]) -> None:
    """Read one session from where the last reading ended; what fails stays due."""
    reader = READERS[listed.harness]
    watched = read_watched(work.db, listed.harness, listed.session_id)
    gate = reader.read_gate(listed)
    if not work.listening.may_open(gate):
        with transaction(work.db):
            write_deaf(work.db, listed, work.now)
        counts["not listened"] += 1
        return
    if gate.parent:
        with transaction(work.db):
            write_watched(work.db, listed, watched.state)  # a sub-agent's: no person speaks there
        return
    try:
        with reader.open_log(listed) as log:
            reading = PromptReading(reader, log, watched.state)
            _take_prompts(work, ear, listed, reading, watched.deaf_until, counts)
    except LogError:
        counts["unreadable"] += 1
        return
    with transaction(work.db):
        write_watched(work.db, listed, reading.state)
    counts["sessions"] += 1


def _take_prompts(
    work: Work, ear: Ear, listed: Listed, reading: PromptReading, deaf_until: float, counts: Counter[str]
) -> None:
    prompts = iter(reading)
    while batch := list(islice(prompts, BATCH)):
        # A prompt is logged after its hook ended, so the news fetched now tell of every prompt read above.
        fetch_news(work.places, work.db)
        with transaction(work.db):
            for prompt in batch:
                if prompt.at is None or prompt.at > deaf_until:
                    counts[ear.take(listed, prompt)] += 1
