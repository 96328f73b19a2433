"""Learn from sessions: outcomes of skill calls, signals beside the skill, feedback with both texts (O-4, O-17).

Late capture comes first and has the final verdict on every prompt; what it did not take, nothing here takes. A session
is read from the first call that still matters, so one more turn costs that turn.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ...capture.detector import Context, judge
from ...capture.tables import default_tables
from ...core.db import Batch, transaction
from ...core.errors import TellbackError
from ...core.log import log_failure
from ...core.scrub import cut_middle, scrub
from ...learning.analyze import is_headless, is_skipped_folder
from ...learning.course import Turn, find_context_offset, list_turns
from ...learning.event_file import EventLog, archive_old_events
from ...learning.event_store import find_event_file
from ...learning.events import FeedbackEvent, make_event_id
from ...learning.excerpt import Span, read_context, read_light
from ...learning.friction import find_repeated, is_finished_after
from ...learning.installed import make_is_installed
from ...learning.ledger import (
    Call,
    Progress,
    add_call,
    add_skill,
    find_oldest_open,
    list_due,
    read_progress,
    write_progress,
)
from ...learning.marks import find_marks
from ...learning.outcomes import Window, find_windows, make_event
from ...learning.questions import lay_questions
from ...learning.ratings import find_score
from ...learning.reading import make_read_turn
from ...learning.sinks import Sinks, describe_repeat
from ...sessions import claude_code
from ...sessions.entry import Entry, Tally
from ...sessions.reader import Listed, LogError
from ...sessions.table import READERS
from ..captures import NOT_LISTENED, find_span
from ..watched import Finder, read_watched
from ..work import Work

# In a session in which nothing happened for so long, a call has the reaction that it has.
SETTLE_AFTER_S = 24 * 3600.0

# What was said longer ago (a backfill reads all history) gives events and neither signals nor questions: they are about
# the skill as it is now, carry its hash of now, and nobody remembers what was meant a month ago.
HISTORY_AFTER_S = 7 * 24 * 3600.0


class _Session(NamedTuple):
    """What was read of one session, and where in its log that ends.

    Attributes:
        entries: in the order of the log, without the prompts that may not be listened to.
        end: of what was read.
        is_headless: a program drove it; its events count apart, and nobody is there to be asked.
    """

    listed: Listed
    entries: list[Entry]
    is_installed: Callable[[str], bool]
    end: int
    is_headless: bool


def find_due_at(work: Work) -> float | None:
    """Return when the next call is settled that nobody reacted to, in UTC seconds; ``None`` when none waits.

    One that is still open though its time is over cannot be settled: its log is gone, or may not be read.
    """
    oldest = find_oldest_open(work.db, work.now - SETTLE_AFTER_S)
    return None if oldest is None else oldest + SETTLE_AFTER_S


def learn(work: Work) -> dict[str, int]:
    """Learn from the sessions that grew, and settle what was left open; returns what became of it."""
    counts: Counter[str] = Counter()
    logs = {is_headless: EventLog(find_event_file(work.places, is_headless)) for is_headless in (False, True)}
    due, finder = list_due(work.db, work.now - SETTLE_AFTER_S), Finder()
    with Batch(work.db) as batch:
        for number, (harness, session, path) in enumerate(due):
            if not work.has_time():
                counts["deferred"] += len(due) - number
                break
            listed = finder.find(harness, session, path) if work.listening.reads(harness) else None
            if listed is not None:
                _learn_guarded(work, listed, logs, batch, counts)
            work.progress("learn", number + 1, len(due))
    if counts["events"] or counts["headless events"]:
        for is_headless in logs:
            archive_old_events(
                find_event_file(work.places, is_headless), days=work.listening.settings.analyze_archive_days
            )
    try:
        counts["asked"] += lay_questions(work.db, work.places, work.now)
    except OSError as error:
        log_failure(work.places, "questions", error)
    return dict(counts)


def _learn_guarded(work: Work, listed: Listed, logs: dict[bool, EventLog], batch: Batch, counts: Counter[str]) -> None:
    try:
        _learn_session(work, listed, logs, batch, counts)
    except (LogError, OSError):
        counts["unreadable"] += 1
    except Exception as error:  # a door: a log that cannot be dealt with keeps no other from being learned from
        log_failure(work.places, "learn", error)
        counts["failed sessions"] += 1


def _learn_session(work: Work, listed: Listed, logs: dict[bool, EventLog], batch: Batch, counts: Counter[str]) -> None:
    progress = read_progress(work.db, listed.harness, listed.session_id)
    # No further than late capture came: it says which prompts may be listened to, and the log may have grown since.
    watched = read_watched(work.db, listed.harness, listed.session_id)
    gate = READERS[listed.harness].read_gate(listed)
    if gate.parent or not work.listening.may_open(gate):
        _remember(batch, work, listed, progress._replace(size=watched.size, open_at=None))
        return
    with READERS[listed.harness].open_log(listed) as log:
        if progress.first_line_hash not in ("", log.first_line_hash) or not log.is_line_start(progress.context_offset):
            progress = Progress()  # another log under the same name
        end, first_line_hash = min(watched.state.offset, log.complete_bytes), log.first_line_hash
    session = _read_session(work, listed, Span(progress.context_offset, end))
    if session is None:
        _remember(batch, work, listed, Progress(watched.size, end, end, first_line_hash))
        return
    batch.commit()  # what goes to other files is begun in the database before and done after: each step is committed
    last_at = min(max((entry.at for entry in session.entries if entry.at is not None), default=work.now), work.now)
    is_settling = last_at < work.now - SETTLE_AFTER_S
    settings = work.listening.settings
    read = make_read_turn(default_tables())
    windows = find_windows(session.entries, session.is_installed, read, settings.analyze_window)
    _write_events(work, session, [w for w in windows if w.is_closed or is_settling], logs, counts)
    done_offset = _hand_on(work, session, progress, is_settling, counts)
    # The turn after a window closes it, so a call is read again until that is there.
    turns = max(settings.recorder_lookback_turns, settings.analyze_window + 1)
    context = find_context_offset(session.entries, session.is_installed, end, turns)
    is_open = not is_settling and (done_offset < end or any(not window.is_closed for window in windows))
    open_at = last_at if is_open else None
    progress = Progress(watched.size, min(context, done_offset), done_offset, first_line_hash, open_at)
    _remember(batch, work, listed, progress)
    counts["sessions"] += 1


def _read_session(work: Work, listed: Listed, part: Span) -> _Session | None:
    """Read of *part* what skill calls make matter; ``None`` when there are none, or nobody may be listened to.

    Raises:
        LogError, OSError: the log cannot be read.
    """
    settings, tally = work.listening.settings, Tally()
    reader = READERS[listed.harness]
    if listed.harness == claude_code.HARNESS:
        marks = find_marks(listed.path, part.begin)
        turns = max(settings.analyze_window, settings.recorder_lookback_turns)
        entries = read_context(reader, listed, part, marks, turns, tally) if marks else []
    else:
        entries = read_light(reader, listed, part, tally)
    if all(entry.kind != "skill_call" for entry in entries) or _is_nobodys(work, tally):
        return None
    entries = [_cut(entry) for entry in entries if entry.kind != "prompt" or _was_listened_to(work, listed, entry)]
    is_installed = make_is_installed(listed.harness, tally.cwds, settings.recorder_skills_roots)
    return _Session(listed, entries, is_installed, part.end, is_headless(entries))


def _cut(entry: Entry) -> Entry:
    return entry._replace(text=cut_middle(entry.text)) if entry.kind == "prompt" else entry


def _is_nobodys(work: Work, tally: Tally) -> bool:
    """Whether nobody may be, or is, listened to in this session: denied, temporary, an observer's."""
    return any(work.listening.judge_folder(cwd) != "ok" or is_skipped_folder(cwd) for cwd in tally.cwds)


def _was_listened_to(work: Work, listed: Listed, prompt: Entry) -> bool:
    """Whether late capture took the prompt: what was said in a pause, or by the program, is nobody's turn."""
    capture = find_span(work.db, listed.harness, prompt.span)
    return capture is not None and capture.outcome not in NOT_LISTENED


def _remember(batch: Batch, work: Work, listed: Listed, progress: Progress) -> None:
    with batch.part():
        write_progress(work.db, listed.harness, listed.session_id, progress)


def _write_events(
    work: Work, session: _Session, windows: Sequence[Window], logs: dict[bool, EventLog], counts: Counter[str]
) -> None:
    """Write an event for each settled call that somebody reacted to, and note every call."""
    rules, with_snippets = work.listening.scrub_rules, work.listening.settings.capture_snippets
    events: list[FeedbackEvent] = []
    with transaction(work.db):
        for window in windows:
            add_call(work.db, _describe_call(work, session, window))
            if window.reacted is not None:
                said = window.reacted._replace(text=scrub(window.reacted.text, rules))
                events.append(make_event(session.listed.session_id, window.call, said, with_snippets))
    if events:
        added = logs[session.is_headless].append(events).added
        counts["headless events" if session.is_headless else "events"] += added


def _describe_call(work: Work, session: _Session, window: Window) -> Call:
    call = window.call
    later = islice(session.entries, call.idx, None)
    return Call(
        event_id=make_event_id(call.span, call.skill),
        harness=session.listed.harness,
        session=session.listed.session_id,
        skill=call.skill,
        at=call.at,
        skill_hash=_hash_skill(work, session.listed.harness, call.skill, session.entries[call.idx]),
        model=next((entry.model for entry in later if entry.model), ""),
        is_headless=session.is_headless,
    )


def _hash_skill(work: Work, harness: str, skill: str, entry: Entry) -> str:
    """Return the hash of the skill's file as it was at the call; ``""`` when that is too long ago to say."""
    if entry.at is None or not 0 <= work.now - entry.at < SETTLE_AFTER_S * 2:
        return ""
    folder = _sinks(work, entry.cwd, harness).find_root(skill)
    if folder is None:
        return ""
    path = folder / "SKILL.md"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.stat().st_mtime <= entry.at else ""


def _sinks(work: Work, cwd: str, harness: str) -> Sinks:
    listening = work.listening
    return Sinks(work.db, work.places, listening.settings, listening.scrub_rules, Path(cwd or "/"), harness)


def _hand_on(work: Work, session: _Session, progress: Progress, is_settling: bool, counts: Counter[str]) -> int:
    """Hand on what new prompts said of skills; returns the offset before which every prompt is dealt with.

    A prompt that the agent is still answering waits: the edit that follows, or the end of the work, is part of it.
    """
    turns = list_turns(session.entries, session.is_installed, work.listening.settings.recorder_lookback_turns)
    for number, turn in enumerate(turns):
        if turn.entry.offset < progress.done_offset:
            continue
        is_answered = number + 1 < len(turns) or any(entry.kind == "assistant_text" for entry in turn.after)
        if not is_answered and not is_settling:
            return turn.entry.offset
        if session.is_headless:
            continue
        _attribute(work, session, turn)
        if (turn.entry.at or work.now) < work.now - HISTORY_AFTER_S:
            continue
        try:
            _hand_on_turn(work, session, turn, counts)
        except TellbackError as error:
            log_failure(work.places, "signals", error)
            counts["signals not written"] += 1
    return session.end


def _attribute(work: Work, session: _Session, turn: Turn) -> None:
    """Note whose skill a correction is about, where only one can be meant; of several the person is asked."""
    capture = find_span(work.db, session.listed.harness, turn.entry.span)
    if len(turn.skills) == 1 and capture is not None and capture.label == "correction" and not capture.retracted:
        add_skill(work.db, turn.entry.span, turn.skills[0])


def _hand_on_turn(work: Work, session: _Session, turn: Turn, counts: Counter[str]) -> None:
    listed = session.listed
    sinks = _sinks(work, turn.entry.cwd, listed.harness)
    if turn.skills:
        for friction in find_repeated(turn.before):
            counts[sinks.take_friction(turn.skills, turn, "repeated_operation", describe_repeat(friction))] += 1
    capture = find_span(work.db, listed.harness, turn.entry.span)
    if capture is None or not turn.skills:
        return  # nothing that may be listened to, or nothing about a skill
    if score := find_score(turn.entry.text):
        counts[sinks.take_score(listed.session_id, turn, score)] += 1
    context = Context(answer=turn.answer, is_first=False)
    verdict = judge(turn.entry.text, context, tables=default_tables(), point="report")
    if capture.label == "correction" and not capture.retracted:
        counts[sinks.take_correction(listed.harness, listed.session_id, turn, verdict)] += 1
    elif verdict.friction and is_finished_after(session.entries, turn.idx):
        counts[sinks.take_friction(turn.skills, turn, "user_urged", "the person urged; the work got done")] += 1
