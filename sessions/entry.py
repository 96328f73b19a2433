"""What every reader yields: the entries of a session's log, whatever harness wrote it.

An entry comes out when it is complete: a prompt or a text with its own line, a call with the line that holds its
result. So the stream is in the order of completion (S-160); ``offset`` gives the order of the log. Where a later line
changes the result of a call, the call comes again with that line's ``end`` and replaces the former. Calls without a
result come last, with the status ``open``, and are carried into the next reading.
"""

import re
from typing import Any, Literal, NamedTuple

Kind = Literal["prompt", "interrupt", "tool_call", "assistant_text", "skill_call", "edit", "other"]

# Where a prompt's words come from: a terminal or an input box, the queue while a tool ran, the dialog in which a call
# was refused, a program that drives the harness, or a log that does not tell. A skill call is typed or the agent's.
Origin = Literal["typed", "queued", "refusal", "sdk", "unknown", "agent", ""]

Status = Literal["ok", "error", "denied", "interrupted", "open"]


class Call(NamedTuple):
    """A tool call and its result.

    Attributes:
        id: the harness's id of the call.
        tool: its name as recorded.
        input: the arguments; ``{}`` when they are absent or not an object.
        command: the command line of a shell call, from the harness's own argument; ``""`` for other tools.
        status: ``open`` while the log holds no result.
        exit_code: as recorded by the harness; ``None`` where it records none.
        result: the result's text, whole.
        denied_by: who refused it: the person, a rule, or nobody was there to ask; ``""`` otherwise or unknown.
    """

    id: str
    tool: str
    input: dict[str, Any]
    command: str = ""
    status: Status = "open"
    exit_code: int | None = None
    result: str = ""
    denied_by: Literal["person", "rule", "nobody", ""] = ""


class Edit(NamedTuple):
    """A change to one file: the text before and after; ``before`` is ``None`` when the whole file was written."""

    path: str
    before: str | None
    after: str


class Entry(NamedTuple):
    """One thing that happened in a session.

    Attributes:
        offset: byte offset of its line (of a call: of the line that made it); the order of the log.
        end: offset after the line that completed it (of a call: after its result's line).
        span: the reader's id of the log entry (S-77).
        at: UTC seconds; ``None`` when the log gives no time.
        cwd: the working directory that its line or turn records; ``""`` when none.
        model: the model that its line or turn names; ``""`` when none.
        kind: ``tool_call``, ``skill_call`` by the agent and ``edit`` have a ``call``; ``other`` is a command that a
            person ran past the agent (``!git status``), in ``text``.
        text: the words of a prompt, an interrupt's marker, the assistant's text, what a person typed after a skill.
        call: the call and its result, one an entry: parallel calls of one line are entries with the same span.
        origin: see ``Origin``.
        skill: name of the skill, without slash, of a ``skill_call``.
        edits: the changes of an ``edit``.
    """

    offset: int
    end: int
    span: str
    at: float | None
    cwd: str
    model: str
    kind: Kind
    text: str = ""
    call: Call | None = None
    origin: Origin = ""
    skill: str = ""
    edits: tuple[Edit, ...] = ()


_OFFSET_SPAN = re.compile(r"L\d+(?:/\d+)?")


def make_own_span(session_id: str, span: str) -> str:
    """Return *span* as no other session has it: a record without an id of its own is told by its place alone."""
    return f"{session_id}#{span}" if _OFFSET_SPAN.fullmatch(span) else span


class Want(NamedTuple):
    """What a caller needs; a reader may leave out the rest, which is what makes it fast, and may yield more.

    Attributes:
        texts: ``last``: only the last assistant text before each prompt and interrupt and the last of the log;
            ``final``: only the last of the log.
        calls: ``failed``: those that did not succeed.
        repeats: besides the failed ones, every later call that may repeat one of them (S-173); a `Switch` that is
            turned off ends that.
        git: besides, every call whose command mentions git, and what a person ran with ``!``.
        facts: whether the tally must hold times, folders, models and the number of calls.
        said: what people said: prompts, interrupts, typed skills. Without anything only ``tally.resume`` is wanted.
    """

    texts: Literal["all", "last", "final", "none"] = "all"
    calls: Literal["all", "failed", "none"] = "all"
    repeats: "bool | Switch" = True
    git: bool = True
    facts: bool = True
    said: bool = True


class Switch:
    """A wish that may end while a log is read: true until it is turned off."""

    __slots__ = ("is_on",)

    def __init__(self) -> None:
        self.is_on = True

    def __bool__(self) -> bool:
        return self.is_on


EVERYTHING = Want()
NOTHING = Want("none", "none", repeats=False, git=False, facts=False, said=False)


class Resume(NamedTuple):
    """Where reading goes on.

    Attributes:
        offset: of the first line to read.
        carry: what the reader must know of the lines before it (open calls, the turn's folder): small, of JSON types,
            the reader's own. Without it reading goes on as well as it can.
    """

    offset: int = 0
    carry: dict[str, Any] = {}  # noqa: RUF012 - never changed in place


class Tally:
    """What reading a log counts beside its entries; complete once the entries are exhausted.

    Attributes:
        entries: complete lines that are an entry; a line that reading skipped counts when it begins `{` and ends `}`.
        unparsed: complete lines that are not.
        calls: calls made.
        cwds: the distinct absolute working directories, in order of appearance.
        cwd: the last one.
        started_at, ended_at: UTC seconds of the first and last entry with a time.
        model: of the last entry that names one.
        version: the harness's version, of the last entry that names one.
        unknown: how often each record type came that the reader does not know.
        resume: where the next reading goes on.
    """

    __slots__ = (
        "calls",
        "cwd",
        "cwds",
        "ended_at",
        "entries",
        "model",
        "resume",
        "started_at",
        "unknown",
        "unparsed",
        "version",
    )

    def __init__(self) -> None:
        self.entries = 0
        self.unparsed = 0
        self.calls = 0
        self.cwds: list[str] = []
        self.cwd = ""
        self.started_at: float | None = None
        self.ended_at: float | None = None
        self.model = ""
        self.version = ""
        self.unknown: dict[str, int] = {}
        self.resume = Resume()
