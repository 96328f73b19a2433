"""What the calls of a log became: kept by the readers of logs in which a later line holds, or changes, a result."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from .entry import Call, Entry, Status, Tally
from .values import as_folder, as_list, as_text

DeniedBy = Literal["person", "rule", "nobody", ""]
_STATUSES = ("ok", "error", "denied", "interrupted", "open")
_MOST_CARRIED = 500  # calls; what a log leaves open beyond that is not waited for


class Outcome(NamedTuple):
    """What a result, or a record beside it, says of its call."""

    status: Status
    exit_code: int | None = None
    result: str = ""
    denied_by: DeniedBy = ""


class Memo(NamedTuple):
    """What is kept of a call whose entry is out, or that an earlier reading left open; its line has the rest.

    Attributes:
        offset: of the line that made it.
        cwd, model: as they were there.
        status: what the call is so far.
    """

    offset: int
    cwd: str
    model: str
    status: Status


class Ledger:
    """The calls of a log.

    A call is begun by its line and settled by the first line with a result; a later line that changes the status
    settles it again, and that entry replaces the former.

    Attributes:
        open: the calls that this reading began and found no result for, in the order of the log.
        past: the other known calls.
    """

    def __init__(self, tally: Tally, reread: Callable[[Memo], list[Entry]]) -> None:
        """Begin empty; *reread* returns the calls of an earlier line, as they were begun."""
        self.tally = tally
        self.open: dict[str, Entry] = {}
        self.past: dict[str, Memo] = {}
        self._reread = reread

    def begin(self, entry: Entry) -> None:
        """Note a call; one whose id is known already is the same call written again."""
        if entry.call and not self.knows(entry.call.id):
            self.open[entry.call.id] = entry
            self.tally.calls += 1

    def knows(self, call_id: str) -> bool:
        """Whether a line of this log made that call."""
        return call_id in self.open or call_id in self.past

    def status_of(self, call_id: str) -> Status | None:
        """Return what a call is so far; ``None`` when it is not known."""
        if call_id in self.open:
            return "open"
        memo = self.past.get(call_id)
        return memo.status if memo else None

    def call_of(self, call_id: str) -> Call | None:
        """Return an open call; ``None`` when it has a result or is not known."""
        if self.status_of(call_id) != "open":
            return None
        entry = self.open.get(call_id) or self._reopen(call_id)
        return entry.call if entry else None

    def settle(self, call_id: str, end: int, outcome: Outcome) -> Entry | None:
        """Give a call its result; return its entry, or ``None`` when it is not known or has that status already."""
        if self.status_of(call_id) in (None, outcome.status):
            return None
        entry = self.open.pop(call_id, None) or self._reopen(call_id)
        if entry is None or entry.call is None:
            return None
        self.past[call_id] = Memo(entry.offset, entry.cwd, entry.model, outcome.status)
        return entry._replace(end=end, call=entry.call._replace(**outcome._asdict()))

    def settle_open(self, end: int, outcome: Outcome) -> list[Entry]:
        """Settle every call without a result."""
        waiting = [*(i for i, memo in self.past.items() if memo.status == "open"), *self.open]
        return [entry for call_id in waiting if (entry := self.settle(call_id, end, outcome))]

    def _reopen(self, call_id: str) -> Entry | None:
        for entry in self._reread(self.past[call_id]):
            if entry.call and entry.call.id == call_id:
                return entry
        return None

    def carry(self, keep_settled: int) -> list[list[Any]]:
        """Return the open calls and the *keep_settled* settled last, for ``Resume.carry``."""
        waiting = {i: memo for i, memo in self.past.items() if memo.status == "open"}
        waiting |= {i: Memo(entry.offset, entry.cwd, entry.model, "open") for i, entry in self.open.items()}
        settled = [(i, memo) for i, memo in self.past.items() if memo.status != "open"]
        kept = [*settled[len(settled) - keep_settled :], *list(waiting.items())[-_MOST_CARRIED:]]
        return [[call_id, *memo] for call_id, memo in kept]

    def restore(self, carried: Any) -> None:
        """Take over what ``carry`` returned; anything else in it is left out."""
        for item in map(as_list, as_list(carried)):
            if len(item) == 5 and isinstance(item[0], str) and isinstance(item[1], int) and item[4] in _STATUSES:
                self.past[item[0]] = Memo(item[1], as_folder(item[2]), as_text(item[3]), item[4])

    def trim(self, keep_settled: int) -> None:
        """Let go of calls that no line is likely to change any more, so that memory does not grow with the log."""
        if len(self.past) > 2 * keep_settled + _MOST_CARRIED:
            settled = [call_id for call_id, memo in self.past.items() if memo.status != "open"]
            for call_id in settled[: len(settled) - keep_settled]:
                del self.past[call_id]


def note_unknown(tally: Tally, kind: Any) -> None:
    """Count a type of record that the reader does not know; a log is not trusted to hold few or short ones."""
    name = kind[:80] if isinstance(kind, str) else "?"
    if name in tally.unknown or len(tally.unknown) < 64:
        tally.unknown[name] = tally.unknown.get(name, 0) + 1
