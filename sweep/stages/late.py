"""Late capture: what the session log has and no hook heard, each once, and the final verdict on what a hook wrote.

Hooks are for the moment, logs are for the truth. A hook knows the message alone; here the turn before is known too,
so the verdict is the final one: it adds what the hook could not see, and takes back (never deletes) what it wrote and
what is no signal after all.
"""

import os
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from ...core.db import Batch, transaction
from ...core.log import log_failure
from ...core.scrub import cut_middle
from ...sessions.prompts import Prompt, PromptReading
from ...sessions.reader import Listed, LogError
from ...sessions.table import READERS
from ..basis import read_look
from ..captures import read_state, write_state
from ..ear import Ear
from ..look import LOOK_EVERY_S, list_logs
from ..news import fetch_news
from ..stores import list_roots
from ..watched import drop_unchanged, list_store, list_with_news, read_watched, write_deaf, write_watched
from ..work import Look, Stage, Work

# The harnesses whose logs are read for what their hooks missed: where none is installed, that is all.
HARNESSES = tuple(name for name, reader in READERS.items() if reader.HAS_ENTRIES)

# What a first look by hand takes of the time before Tellback was there; all the rest is `tellback backfill`'s.
LOOK_BACK_S = 7 * 24 * 3600.0
# Prompts handled as one part of a commit, so that a sweep that is ended goes on near where it was.
BATCH = 50
# Unread bytes of a log from which on reading it takes so long that no commit may wait for it.
LARGE_BYTES = 16 << 20

# The name of the remembered time of the last look at all logs.
LOOKED = "looked"


def take_late(work: Work) -> dict[str, int]:
    """Read what is new in the logs of sessions that hooks told of, or that changed; returns what became of it."""
    fetch_news(work.places, work.db)
    told = [listed for name in HARNESSES for listed in list_with_news(work.db, name)]
    due = {(listed.harness, listed.session_id): listed for listed in told}
    known = _find_last_look(work)
    is_looking = work.look_around or known is None or not known.at <= work.now < known.at + LOOK_EVERY_S
    work.look = _look(work) if is_looking else known
    for listed in find_changed(work) if is_looking else ():
        due.setdefault((listed.harness, listed.session_id), listed)
    counts = _take_all(work, list(due.values()))
    if is_looking and not counts.get("deferred"):
        with transaction(work.db):
            write_state(work.db, LOOKED, str(work.now))
    return counts


def make_history_stage(harnesses: Sequence[str], since: float) -> Stage:
    """Return the stage of `tellback backfill`: the unread sessions that changed after *since*, UTC seconds."""

    def take_history(work: Work) -> dict[str, int]:
        fetch_news(work.places, work.db)
        due = [
            listed for harness in harnesses for listed in drop_unchanged(work.db, harness, list_store(harness), since)
        ]
        return _take_all(work, due)

    return take_history


def find_changed(work: Work) -> list[Listed]:
    """Look at all logs; return those that changed since they were read, and new ones that are not history."""
    since = _find_beginning(work) - (LOOK_BACK_S if work.look_around else 0)
    return [listed for name in HARNESSES for listed in drop_unchanged(work.db, name, list_store(name), since)]


def _find_last_look(work: Work) -> Look | None:
    """Return the last look at all logs, when this database knows of it and the stores are still the same."""
    look = read_look(work.places)
    is_ours = look is not None and look.name == read_state(work.db, LOOKED) and look.roots == list_roots(HARNESSES)
    return look if is_ours else None


def _look(work: Work) -> Look | None:
    """Return what all logs look like before any of them is read; ``None`` when a store cannot be listed."""
    roots = list_roots(HARNESSES)
    try:
        return Look(str(work.now), work.now, roots, list_logs(roots))
    except OSError:
        return None


def _take_all(work: Work, due: list[Listed]) -> dict[str, int]:
    """Read the sessions, the one untouched for longest first: an original before its fork."""
    counts: Counter[str] = Counter()
    due = [listed for listed in due if work.listening.reads(listed.harness)]
    ear = Ear(work)
    if retracted := ear.retract_waiting():
        counts["retracted"] = retracted
    with Batch(work.db) as batch:
        for number, listed in enumerate(sorted(due, key=lambda listed: listed.mtime_ns)):
            if not work.has_time():
                counts["deferred"] += len(due) - number
                break
            _take_guarded(work, ear, listed, batch, counts)
            work.progress("late", number + 1, len(due))
    return dict(counts)


def _take_guarded(work: Work, ear: Ear, listed: Listed, batch: Batch, counts: Counter[str]) -> None:
    try:
        take_session(work, ear, listed, batch, counts)
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


def take_session(work: Work, ear: Ear, listed: Listed, batch: Batch, counts: Counter[str]) -> None:
    """Read one session from where the last reading ended; what fails stays due."""
    reader = READERS[listed.harness]
    watched = read_watched(work.db, listed.harness, listed.session_id)
    gate = reader.read_gate(listed)
    if not work.listening.may_open(gate):
        with batch.part():
            write_deaf(work.db, listed, work.now)
        counts["not listened"] += 1
        return
    if gate.parent:
        with batch.part():
            write_watched(work.db, listed, watched.state)  # a sub-agent's: no person speaks there
        return
    is_large = listed.size - watched.state.offset > LARGE_BYTES
    if is_large:
        batch.commit()
    try:
        with reader.open_log(listed) as log:
            reading = PromptReading(reader, log, watched.state)
            prompts = map(_cut, reading)
            while some := list(islice(prompts, BATCH)):
                with batch.part():
                    _take_prompts(work, ear, listed, some, watched.deaf_until, counts)
                if is_large:
                    batch.commit()
    except LogError:
        counts["unreadable"] += 1
        return
    with batch.part():
        write_watched(work.db, listed, reading.state)
    counts["sessions"] += 1


def _cut(prompt: Prompt) -> Prompt:
    """Keep of a very long prompt what is looked at, before the next one is read."""
    return prompt._replace(text=cut_middle(prompt.text))


def _take_prompts(
    work: Work, ear: Ear, listed: Listed, prompts: list[Prompt], deaf_until: float, counts: Counter[str]
) -> None:
    # A prompt is logged after its hook ended, so the news fetched now tell of every prompt read before.
    fetch_news(work.places, work.db)
    for prompt in prompts:
        if prompt.at is None or prompt.at > deaf_until:
            counts[ear.take(listed, prompt)] += 1
