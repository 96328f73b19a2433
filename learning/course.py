"""The course of one session as learning sees it: its new prompts, and the skills that each may be about (R-21, O-10).

Pure: entries in, facts out. A prompt may be about the skills called in the last three user turns before it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..sessions.entry import Entry
from .outcomes import SkillCall, find_skill_calls, is_call

LOOKBACK = 3  # user turns


class Turn(NamedTuple):
    """A prompt with its surroundings.

    Attributes:
        idx: its place in the session's entries.
        entry: the prompt.
        answer: the end of the agent's text before it; ``None`` when there is none.
        intent: the prompt before the last skill call, what the person wanted first; ``""`` when unknown.
        skills: names of the skills called in the last turns before it, newest last.
        before: the entries of the turn before it; after: those up to the next prompt.
    """

    idx: int
    entry: Entry
    answer: str | None
    intent: str
    skills: tuple[str, ...]
    before: Sequence[Entry]
    after: Sequence[Entry]


def list_turns(entries: Sequence[Entry], is_installed: Callable[[str], bool], lookback: int = LOOKBACK) -> list[Turn]:
    """Return the turns of a session, in order; *entries* are in the order of the log."""
    calls = find_skill_calls(entries, is_installed)
    places = [idx for idx, entry in enumerate(entries) if entry.kind == "prompt"]
    borders = [-1, *places, len(entries)]
    return [
        Turn(
            idx=place,
            entry=entries[place],
            answer=_last_answer(entries[borders[number] + 1 : place]),
            intent=_find_intent(entries, calls, place),
            skills=_skills_before(calls, place, borders[max(0, number - lookback + 1)]),
            before=entries[borders[number] + 1 : place],
            after=entries[place + 1 : borders[number + 2]],
        )
        for number, place in enumerate(places)
    ]


def find_context_offset(entries: Sequence[Entry], is_installed: Callable[[str], bool], end: int, turns: int) -> int:
    """Return the offset of the first call that fewer than *turns* prompts came after; *end* when no call is left."""
    calls = find_skill_calls(entries, is_installed)
    prompts = [idx for idx, entry in enumerate(entries) if entry.kind == "prompt"]
    border = prompts[-turns] if len(prompts) >= turns else -1
    alive = [call for call in calls if call.idx > border]
    if not alive:
        return end
    # The prompt before a call tells what was wanted, so reading begins there.
    intents = [idx for idx in prompts if idx < alive[0].idx]
    return entries[intents[-1] if intents else alive[0].idx].offset


def _skills_before(calls: Sequence[SkillCall], place: int, border: int) -> tuple[str, ...]:
    """Return the distinct skills called after the prompt at *border* and before the one at *place*."""
    return tuple(dict.fromkeys(call.skill for call in calls if border < call.idx < place))


def _find_intent(entries: Sequence[Entry], calls: Sequence[SkillCall], place: int) -> str:
    before = [call.idx for call in calls if call.idx < place]
    if not before:
        return ""
    call = entries[before[-1]]
    if call.origin == "typed" and not (before[-1] and is_call(entries, before[-1] - 1)):
        return f"/{call.skill} {call.text}".strip()
    prompts = [entry.text for entry in entries[: before[-1]] if entry.kind == "prompt"]
    return prompts[-1] if prompts else ""


def _last_answer(entries: Sequence[Entry]) -> str | None:
    answers = [entry.text for entry in entries if entry.kind == "assistant_text"]
    return answers[-1] if answers else None
