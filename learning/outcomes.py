"""What people made of a skill's work: one event a skill call, read from what was typed after it (document A).

A call's window is the next three user turns, cut at the next call of any skill (A-12 to A-16). Over the whole window
revert beats redo, partial, rejection and acceptance (A-17); of equals the earliest turn decides. Pure: entries of a
session in, events out; how one message is read is a function that comes in.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from math import inf
from typing import NamedTuple

from ..core.moment import format_moment
from ..sessions.entry import Entry
from ..sessions.prompts import is_undo
from .document import CONFIDENCE, Reaction, Reading, find_dimension, read_message
from .events import SNIPPET_LENGTH, CorrectionType, FeedbackEvent, Outcome, make_event_id

WINDOW = 3  # user turns

_STRENGTH: dict[Reaction, int] = {
    "revert": 5, "redo": 4, "partial": 3, "rejection": 2, "explicit": 1, "implicit": 1
}  # fmt: skip


class UserTurn(NamedTuple):
    """A message of the person and the end of the agent's text before it; ``None`` when there is none."""

    text: str
    answer: str | None


ReadTurn = Callable[[UserTurn], Reading]


class SkillCall(NamedTuple):
    """A call of a skill.

    Attributes:
        idx: its place in the session's entries.
        skill: the name as called.
        span: the log entry's id: of the assistant record, or of the record of the typed command (A-69).
        at: UTC seconds; ``None`` when the log does not tell.
        is_typed: by the person, after a slash.
    """

    idx: int
    skill: str
    span: str
    at: float | None
    is_typed: bool


class Reacted(NamedTuple):
    """The reaction that decides a window.

    Attributes:
        reaction: the strongest of the window.
        turn: the user turn at which it appeared, from 1 (of a revert: the one before it, X-11).
        text: that turn's words.
        dimension: of a correction or partial; ``None`` for an acceptance.
        tools: names of the tools used between the call and that turn, in order of first use (A-90).
    """

    reaction: Reaction
    turn: int
    text: str
    dimension: str | None
    tools: tuple[str, ...]


class Window(NamedTuple):
    """A call's window.

    Attributes:
        call: the skill call.
        reacted: ``None`` when no turn gives a signal (A-43).
        is_closed: nothing that comes later can change it: a further user turn or a further call stands behind it.
    """

    call: SkillCall
    reacted: Reacted | None
    is_closed: bool


def find_skill_calls(entries: Sequence[Entry], is_installed: Callable[[str], bool]) -> list[SkillCall]:
    """Return the skill calls among *entries*, which are in the order of the log.

    A call by tool always counts; a typed one only when its skill is installed (A-36, A-91).
    """
    return [
        SkillCall(idx, entry.skill, entry.span, entry.at, entry.origin == "typed")
        for idx, entry in enumerate(entries)
        if entry.kind == "skill_call" and entry.skill and (entry.origin != "typed" or is_installed(entry.skill))
    ]


def find_windows(
    entries: Sequence[Entry],
    is_installed: Callable[[str], bool],
    read: ReadTurn = lambda turn: read_message(turn.text),
    window: int = WINDOW,
) -> list[Window]:
    """Return the window of every skill call; two calls of one skill in one log entry are one (X-16)."""
    calls = find_skill_calls(entries, is_installed)
    windows: dict[str, Window] = {}
    for number, call in enumerate(calls):
        next_idx = calls[number + 1].idx if number + 1 < len(calls) else None
        found = Window(
            call,
            classify_outcome(entries, call.idx, next_idx, read, window),
            next_idx is not None or _count_turns(entries, call.idx) > window,
        )
        windows[make_event_id(call.span, call.skill)] = found
    return list(windows.values())


def classify_outcome(
    entries: Sequence[Entry],
    invocation_idx: int,
    next_invocation_idx: int | None,
    read: ReadTurn = lambda turn: read_message(turn.text),
    window: int = WINDOW,
) -> Reacted | None:
    """Return what decides the window of the call at *invocation_idx*; nothing from *next_invocation_idx* on counts."""
    best: Reacted | None = None
    tools: dict[str, None] = {}
    answer: str | None = None
    turns: list[str] = []
    used: tuple[str, ...] = ()  # up to the last user turn
    end = _find_end(entries, invocation_idx, next_invocation_idx, window)
    closed_at = entries[end].offset if end < len(entries) else inf
    for idx, entry in enumerate(entries[invocation_idx + 1 : end], invocation_idx + 1):
        if entry.kind == "prompt":
            turns.append(entry.text)
            used = tuple(tools)
            reading = read(UserTurn(entry.text, answer))
            if reading.reaction == "implicit" and is_call(entries, idx):
                reading = Reading(None, None)  # these words go on with another skill, whatever became of this one
            best = _stronger(best, reading.reaction, len(turns), entry.text, reading.dimension, used)
            answer = None
        elif entry.kind == "assistant_text":
            answer = entry.text
        elif entry.call is not None and entry.kind != "skill_call":
            if turns and entry.call.status == "ok" and entry.end <= closed_at and is_undo(entry.call.command):
                dimension = read(UserTurn(turns[-1], None)).dimension or find_dimension(turns[-1])
                best = _stronger(best, "revert", len(turns), turns[-1], dimension, used)
            tools[entry.call.tool] = None
    return best


def is_call(entries: Sequence[Entry], idx: int) -> bool:
    """Whether the prompt at *idx* calls the skill after it (Codex's ``$name``, Copilot's ``/name``)."""
    called = entries[idx + 1] if idx + 1 < len(entries) else None
    if called is None or called.kind != "skill_call" or called.origin != "typed":
        return False
    words = entries[idx].text
    return f"${called.skill}" in words or words.startswith(f"/{called.skill}")


def _find_end(entries: Sequence[Entry], invocation_idx: int, next_invocation_idx: int | None, window: int) -> int:
    """Return the index of what closes the window: the next call, or the prompt after the last of its turns."""
    last = len(entries) if next_invocation_idx is None else next_invocation_idx
    prompts = 0
    for idx in range(invocation_idx + 1, last):
        prompts += entries[idx].kind == "prompt"
        if prompts > window:
            return idx
    return last


def _stronger(
    best: Reacted | None,
    reaction: Reaction | None,
    turn: int,
    text: str,
    dimension: str | None,
    tools: tuple[str, ...],
) -> Reacted | None:
    if reaction is None or (best is not None and _STRENGTH[reaction] <= _STRENGTH[best.reaction]):
        return best
    return Reacted(reaction, turn, text, dimension, tools)


def _count_turns(entries: Sequence[Entry], invocation_idx: int) -> int:
    return sum(entry.kind == "prompt" for entry in entries[invocation_idx + 1 :])


def make_event(session_id: str, call: SkillCall, reacted: Reacted, with_snippet: bool = True) -> FeedbackEvent:
    """Return the event of a call that somebody reacted to; the snippet must be scrubbed already in *reacted*."""
    outcome, correction_type = _OUTCOMES[reacted.reaction]
    return FeedbackEvent(
        event_id=make_event_id(call.span, call.skill),
        timestamp="" if call.at is None else format_moment(datetime.fromtimestamp(call.at, timezone.utc)),
        session_id=session_id,
        skill_id=call.skill,
        invocation_uuid=call.span,
        outcome=outcome,
        confidence=CONFIDENCE[reacted.reaction],
        correction_type=correction_type,
        user_message_snippet=reacted.text[:SNIPPET_LENGTH] if with_snippet else "",
        turns_to_feedback=reacted.turn,
        ai_tools_used=list(reacted.tools),
        dimension_hint=None if outcome == "acceptance" else reacted.dimension or "unknown",
    )


_OUTCOMES: dict[Reaction, tuple[Outcome, CorrectionType | None]] = {
    "revert": ("correction", "revert"),
    "redo": ("correction", "redo"),
    "partial": ("partial", "partial"),
    "rejection": ("correction", "rejection"),
    "explicit": ("acceptance", None),
    "implicit": ("acceptance", None),
}
