"""What a list shows of a log: times, folders, counts; read once, and read on when the log has grown."""

from typing import Any, NamedTuple

from .entry import Entry, Resume, Tally, Want
from .reader import AnyReader, Log

_WANT = Want(texts="none", calls="failed", repeats=False, git=False, facts=True)


class Counts(NamedTuple):
    """The counts of S-169."""

    entries: int = 0
    prompts: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    interrupts: int = 0
    denials: int = 0
    unparsed: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Return the sums."""
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class Counter:
    """Counts entries as they come; a call that comes again counts with its last status."""

    def __init__(self) -> None:
        self._prompts = 0
        self._interrupts = 0
        self._statuses: dict[tuple[str, str], str] = {}

    def take(self, entry: Entry) -> None:
        """Count one entry."""
        if entry.kind == "prompt":
            self._prompts += 1
        elif entry.kind == "interrupt":
            self._interrupts += 1
        elif entry.call is not None:
            if entry.call.status in ("ok", "open"):
                self._statuses.pop((entry.span, entry.call.id), None)
            else:
                self._statuses[entry.span, entry.call.id] = entry.call.status

    def counts(self, tally: Tally) -> Counts:
        """Return the counts, with those that only the reader knows."""
        statuses = list(self._statuses.values())
        return Counts(
            entries=tally.entries,
            prompts=self._prompts,
            tool_calls=tally.calls,
            tool_errors=statuses.count("error"),
            interrupts=self._interrupts,
            denials=statuses.count("denied"),
            unparsed=tally.unparsed,
        )


class Summary(NamedTuple):
    """A log as it was read up to ``complete_bytes``.

    Attributes:
        first_line_hash: SHA-256 (hex) of its first line.
        carry: the reader's own, to read on.
        cwds: distinct recorded working directories, in order; the first is the project.
        cwd: the last recorded one.
        started_at, ended_at: UTC seconds; ``None`` when no entry has a time.
        unknown: record types that the reader does not know, with their numbers.
    """

    complete_bytes: int
    first_line_hash: str
    carry: dict[str, Any]
    cwds: tuple[str, ...]
    cwd: str
    started_at: float | None
    ended_at: float | None
    model: str
    version: str
    counts: Counts
    unknown: dict[str, int]


def read_summary(reader: AnyReader, log: Log, former: Summary | None = None) -> Summary:
    """Summarise *log*; with *former* of the same log only what was appended since is read.

    Raises:
        LogError: the log changed while it was read.
    """
    if former is not None and not continues(log, former):
        former = None
    resume = Resume(former.complete_bytes, former.carry) if former else Resume()
    tally, counter = Tally(), Counter()
    for entry in reader.read_entries(log, resume, tally, _WANT):
        counter.take(entry)
    read = Summary(
        complete_bytes=log.complete_bytes,
        first_line_hash=log.first_line_hash,
        carry=tally.resume.carry,
        cwds=tuple(tally.cwds),
        cwd=tally.cwd,
        started_at=tally.started_at,
        ended_at=tally.ended_at,
        model=tally.model,
        version=tally.version,
        counts=counter.counts(tally),
        unknown=tally.unknown,
    )
    return _join(former, read) if former else read


def continues(log: Log, former: Summary) -> bool:
    """Whether *log* is the one that *former* summarises, grown or unchanged."""
    return log.first_line_hash == former.first_line_hash and log.is_line_start(former.complete_bytes)


def _join(former: Summary, read: Summary) -> Summary:
    unknown = dict(former.unknown)
    for kind, count in read.unknown.items():
        unknown[kind] = unknown.get(kind, 0) + count
    return read._replace(
        cwds=tuple(dict.fromkeys(former.cwds + read.cwds)),
        cwd=read.cwd or former.cwd,
        started_at=former.started_at if former.started_at is not None else read.started_at,
        ended_at=read.ended_at if read.ended_at is not None else former.ended_at,
        model=read.model or former.model,
        version=read.version or former.version,
        counts=former.counts.plus(read.counts),
        unknown=unknown,
    )
