"""A session's prompts, each with what stood before it, read on from where the last reading ended.

What is remembered between two readings holds no text of the log (S-3): the places of the last answer and of the last
prompts, which are read again when the reading goes on.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from .entry import Entry, Origin, Resume, Tally, Want, make_own_span
from .reader import AnyReader, Log

Before = Literal["interrupt", "refusal", "cancelled"]

_EARLIER = 5  # prompts
_KEPT = 4_000  # characters of an answer's end and of an earlier prompt's beginning
_WANT = Want(texts="last", calls="failed", repeats=False, git=True, facts=False)

# Work thrown away by git: not a bare `git checkout <branch>` or `-b`, which only moves to a branch.
_UNDO = re.compile(
    r"\bgit\s+(?:-\S+\s+|-C\s+\S+\s+)*"
    r"(?:(?:restore|reset|revert)\b|checkout\s+(?:\S+\s+)?(?:--\s|\.(?:\s|$))|stash\s+drop\b|clean\s+-\w*f)"
)


class Prompt(NamedTuple):
    """A person's prompt and its context.

    Attributes:
        offset, end: of its line in the log.
        span: the reader's id, with the session where that is a place; a fork of the session repeats ids in another log.
        at: UTC seconds; ``None`` when the log gives none.
        cwd: where the agent worked then; ``""`` when the log gives none.
        text: the words, whole.
        origin: typed, queued while a tool ran, typed when refusing a call, sent by a program.
        answer: the end of the last assistant text before it; ``""`` for the first message, ``None`` when a later one
            has no text before it.
        before: what the person did to the agent's turn just before.
        is_first: no prompt and no typed skill comes before it.
        earlier: the beginnings of the last prompts before it, newest last.
        reverted: since the last prompt somebody threw work away with git.
    """

    offset: int
    end: int
    span: str
    at: float | None
    cwd: str
    text: str
    origin: Origin
    answer: str | None
    before: Before | None
    is_first: bool
    earlier: tuple[str, ...]
    reverted: bool


class PromptState(NamedTuple):
    """Where the reading of prompts goes on; JSON by ``_asdict()`` and ``PromptState(**object)``.

    Attributes:
        offset: after the last line read.
        first_line_hash: of the log then; with another one everything is read again.
        carry: the reader's own.
        answer_at: offset of the last assistant text, -1 for none.
        earlier_at: offsets of the last prompts, newest last.
        before, reverted: as for the next prompt.
        has_prompts: whether the next one is no longer the first.
    """

    offset: int = 0
    first_line_hash: str = ""
    carry: dict[str, Any] = {}  # noqa: RUF012 - never changed in place
    answer_at: int = -1
    earlier_at: tuple[int, ...] = ()
    before: Before | None = None
    reverted: bool = False
    has_prompts: bool = False


class PromptReading:
    """One reading of a session's prompts: iterate it, then take ``state`` for the next one.

    Attributes:
        restarted: the log is not the one that *state* speaks of (cut, rotated, rewritten), so it is read from the
            start: the spans tell which prompts are known.
        state: for the next reading; complete after the last prompt.
        tally: what was counted; ``unknown`` record types are in it.
    """

    def __init__(self, reader: AnyReader, log: Log, state: PromptState) -> None:
        self.restarted = bool(state.first_line_hash) and not _fits(log, state)
        self.state = PromptState() if self.restarted else state
        self.tally = Tally()
        self._reader = reader
        self._log = log
        self._answer = self._text_at(self.state.answer_at)[-_KEPT:]
        self._earlier = [self._text_at(offset)[:_KEPT] for offset in self.state.earlier_at]

    def __iter__(self) -> Iterator[Prompt]:
        """Yield the prompts.

        Raises:
            LogError: the log changed while it was read; ``state`` is then still the one to go on from.
        """
        state = self.state
        for entry in self._reader.read_entries(self._log, Resume(state.offset, state.carry), self.tally, _WANT):
            if entry.kind == "prompt" and entry.origin != "agent":
                yield self._prompt(entry, state)
            state = self._after(entry, state)
        resume = self.tally.resume
        self.state = state._replace(offset=resume.offset, carry=resume.carry, first_line_hash=self._log.first_line_hash)

    def _prompt(self, entry: Entry, state: PromptState) -> Prompt:
        return Prompt(
            offset=entry.offset,
            end=entry.end,
            span=make_own_span(self._log.listed.session_id, entry.span),
            at=entry.at,
            cwd=entry.cwd,
            text=entry.text,
            origin=entry.origin,
            answer=self._answer or (None if state.has_prompts else ""),
            before="refusal" if entry.origin == "refusal" else state.before,
            is_first=not state.has_prompts,
            earlier=tuple(self._earlier),
            reverted=state.reverted,
        )

    def _after(self, entry: Entry, state: PromptState) -> PromptState:
        match entry.kind:
            case "assistant_text":
                self._answer = entry.text[-_KEPT:]
                return state._replace(answer_at=entry.offset)
            case "prompt" if entry.origin != "agent":
                self._earlier = [*self._earlier, entry.text[:_KEPT]][-_EARLIER:]
                earlier_at = (*state.earlier_at, entry.offset)[-_EARLIER:]
                return state._replace(earlier_at=earlier_at, before=None, reverted=False, has_prompts=True)
            case "skill_call" if entry.origin == "typed":
                return state._replace(before=None, reverted=False, has_prompts=True)
            case "interrupt":
                return state._replace(before=state.before or "interrupt")
            case "other":
                return state._replace(reverted=state.reverted or is_undo(entry.text))
            case _:
                return _after_call(entry, state)

    def _text_at(self, offset: int) -> str:
        """Return the text of the entry whose line begins at *offset*; ``""`` for -1."""
        if offset < 0:
            return ""
        entries = self._reader.read_entries(self._log, Resume(offset), Tally(), Want(git=False, facts=False))
        return next((entry.text for entry in entries if entry.kind in ("prompt", "assistant_text")), "")


def _after_call(entry: Entry, state: PromptState) -> PromptState:
    call = entry.call
    if call is None:
        return state
    if call.status == "denied" and call.denied_by == "person":
        state = state._replace(before="refusal")
    elif call.status == "interrupted":
        state = state._replace(before=state.before or "interrupt")
    return state._replace(reverted=state.reverted or (call.status == "ok" and is_undo(call.command)))


def is_undo(command: str) -> bool:
    """Whether a shell command throws away or takes back work with git (X-11)."""
    return "git" in command and _UNDO.search(command) is not None


def _fits(log: Log, state: PromptState) -> bool:
    return log.first_line_hash == state.first_line_hash and log.is_line_start(state.offset)
