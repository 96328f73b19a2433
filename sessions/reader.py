"""What a reader offers: the protocol that each harness's module meets, and the records it speaks in.

A reader touches a store in three steps, so that a log is opened only when the policy allows it:
``list_sessions`` (folders and ``stat``, no log), ``read_gate`` (what the store says of a session's folders beside the
log), ``open_log`` and ``read_entries`` (the log itself). Nothing of a harness is ever written.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from ..core.escape import show_line
from .entry import Entry, Resume, Tally, Want

StoreState = Literal["ok", "absent", "unreadable", "unsupported-format"]


class Listed(NamedTuple):
    """A session as its store's listing shows it, its log unopened.

    Attributes:
        harness: its name in ``table.READERS``.
        session_id: with the harness, the session's ref.
        path: absolute path of the log or of the database that holds it.
        size: bytes of the log as listed; for a row of a database any number that changes with it.
        mtime_ns: of the log; of a row the time that it was changed.
        unsupported: why its format is not read; ``""`` when it is.
        parent: the session that started it, for a sub-agent's log; ``""`` otherwise.
    """

    harness: str
    session_id: str
    path: str
    size: int
    mtime_ns: int
    unsupported: str = ""
    parent: str = ""


# The latest time that a database's number holds, in the year 2262; file systems and harnesses' databases hold later.
LATEST_NS = (1 << 63) - 1


def clip_ns(time_ns: int) -> int:
    """Return *time_ns*, or the nearest time that `Listed.mtime_ns` may be."""
    return max(-LATEST_NS, min(time_ns, LATEST_NS))


class Problem(NamedTuple):
    """A path of a store that could not be listed, and what is the matter, as the rest of a sentence."""

    path: str
    what: str


def find_odd_name(path: str) -> Problem | None:
    """Return the problem of a path with bytes that are no UTF-8: no harness makes one, and no database takes it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return Problem(show_line(path), "has a name that is not UTF-8, and is not read")
    return None


class Listing(NamedTuple):
    """A store as found.

    Attributes:
        location: what a person is shown of where it is.
        reason: why it is unreadable or of a format that is not read.
        problems: what in it could not be listed; a watermark whose log one hides is `unreadable`, not `absent` (S-74).
    """

    location: str
    state: StoreState
    reason: str = ""
    sessions: tuple[Listed, ...] = ()
    problems: tuple[Problem, ...] = ()


class Gate(NamedTuple):
    """What is known of a session's folders before its log is opened (S-145).

    Attributes:
        dirs: absolute folders, to be judged with the whole policy.
        encoded: Claude Code's name for the launch folder, which lost its separators (S-148); ``""`` elsewhere.
        unknown: why the metadata that should have named the folders could not be read; with `deny_paths` or
            `opt_in_only` such a session is denied (S-92).
        parent: the session that started this one, where only the metadata tells a sub-agent's log from a person's
            (Codex); such a session is left out like one with ``Listed.parent``.
        is_of_log: the log itself records the same folder; one that does not was replaced in between (S-93).
    """

    dirs: tuple[str, ...] = ()
    encoded: str = ""
    unknown: str = ""
    parent: str = ""
    is_of_log: bool = False


class LogError(Exception):
    """A log cannot be read; the message is the session's ``reason``.

    Attributes:
        state: ``unreadable`` or ``unsupported-format``.
    """

    def __init__(self, reason: str, state: Literal["unreadable", "unsupported-format"] = "unreadable") -> None:
        super().__init__(reason)
        self.state: Literal["unreadable", "unsupported-format"] = state


class Log(Protocol):
    """An open log: complete lines at byte offsets that never move while it only grows.

    Attributes:
        listed: the session it belongs to.
        complete_bytes: up to and with the last newline; a rest without one is neither read nor counted (S-158).
        first_line_hash: SHA-256 (hex) of the first line without its newline; ``""`` of an empty log.
        mtime_ns: of the file when it was opened.
    """

    listed: Listed
    complete_bytes: int
    first_line_hash: str
    mtime_ns: int

    def lines(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Yield offset and bytes (without newline) of each complete line from *start* on.

        Raises:
            LogError: the log was replaced, cut or could not be read.
        """
        ...

    def is_line_start(self, offset: int) -> bool:
        """Whether a line begins at *offset*, or the complete lines end there."""
        ...


L = TypeVar("L", bound=Log)


class Reader(Protocol[L]):
    """A harness's module in this folder; *L* is the kind of log that it opens and reads.

    Attributes:
        HARNESS: its name, the first half of a session's ref.
        LABEL: the reader's name (S-62 to S-68).
        VERSIONS_SEEN: the harness's versions whose logs it was held against.
        HAS_ENTRIES: false where sessions are listed but never read (Cursor).
    """

    @property
    def HARNESS(self) -> str: ...  # noqa: N802 - a constant of the module
    @property
    def LABEL(self) -> str: ...  # noqa: N802
    @property
    def VERSIONS_SEEN(self) -> tuple[str, ...]: ...  # noqa: N802
    @property
    def HAS_ENTRIES(self) -> bool: ...  # noqa: N802

    def find_store(self) -> Path:
        """Return where the store is or would be, from the environment of a person's command."""
        ...

    def list_sessions(self, store: Path, subagents: bool = False) -> Listing:
        """List the store by folders and `stat` alone; sub-agents' logs only on request."""
        ...

    def read_gate(self, listed: Listed) -> Gate:
        """Return what the store says of the session's folders; reads at most the metadata beside the log."""
        ...

    def open_log(self, listed: Listed) -> AbstractContextManager[L]:
        """Open the log for reading: never through a link, never a FIFO, without locking it.

        Raises:
            LogError: it cannot be opened or is not a log of this reader.
        """
        ...

    def read_entries(self, log: L, resume: Resume, tally: Tally, want: Want) -> Iterator[Entry]:
        """Yield the entries from ``resume.offset`` on and fill *tally* as it goes.

        Raises:
            LogError: the log changed under the reading in a way that makes it worthless.
        """
        ...


AnyReader = Reader[Any]
