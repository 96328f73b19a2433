"""All sessions of the stores with their states: listed, judged, summarised where a log changed since the last look."""

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from .cache import SummaryCache
from .gate import Gatekeeper, Verdict
from .reader import AnyReader, Gate, Listed, Listing, LogError
from .refs import Ref
from .states import Standing, State, compare
from .summary import Summary, read_summary
from .watermarks import Watermark

# Told as a store is gone through: the harness, how many sessions are done, how many there are.
Progress = Callable[[str, int, int], None]


def no_progress(harness: str, done: int, total: int) -> None:
    """Tell nobody."""


class Session(NamedTuple):
    """One session as a list shows it.

    Attributes:
        path: of its log, or of the database that holds it.
        listed: ``None`` when only a watermark is left of it.
        summary: ``None`` unless it may be shown: nothing of a refused session's log is (S-156).
        folders: what its log or its store records, the project first.
        standing: state, reason, and where a digest would begin.
        watermark: ``None`` before its first digest.
    """

    ref: Ref
    path: str
    listed: Listed | None
    standing: Standing
    summary: Summary | None = None
    folders: tuple[str, ...] = ()
    watermark: Watermark | None = None

    @property
    def state(self) -> State:
        """The state alone."""
        return self.standing.state

    @property
    def ended_at(self) -> float | None:
        """UTC seconds of the last entry; the file's time for a log that is not read (S-210)."""
        if self.summary is not None:
            return self.summary.ended_at
        can_tell = self.listed is not None and self.state in ("new", "changed", "processed", "unknown-project")
        return self.listed.mtime_ns / 1e9 if can_tell and self.listed else None


class StoreView(NamedTuple):
    """One harness's store: how it was found, and its sessions."""

    harness: str
    listing: Listing
    sessions: tuple[Session, ...]


class Surveyor:
    """Goes through stores under one policy and one database."""

    def __init__(
        self,
        db: sqlite3.Connection,
        keeper: Gatekeeper,
        watermarks: dict[Ref, Watermark],
        on_progress: Progress = no_progress,
        subagents: bool = False,
    ) -> None:
        self._db = db
        self._keeper = keeper
        self._watermarks = watermarks
        self._on_progress = on_progress
        self._subagents = subagents

    def look_at(self, reader: AnyReader, store: Path | None = None) -> StoreView:
        """List and judge the sessions of one harness's store."""
        listing = reader.list_sessions(store or reader.find_store(), self._subagents)
        cache = SummaryCache(self._db, reader.HARNESS)
        sessions: list[Session] = []
        for done, listed in enumerate(listing.sessions):
            self._on_progress(reader.HARNESS, done, len(listing.sessions))
            if session := self._look_at_session(reader, listed, cache):
                sessions.append(session)
        self._on_progress(reader.HARNESS, len(listing.sessions), len(listing.sessions))
        cache.save(listing.sessions)
        present = {listed.session_id for listed in listing.sessions}
        sessions += (self._look_at_trace(reader, row, listing) for row in self._rows_without(reader.HARNESS, present))
        return StoreView(reader.HARNESS, listing, tuple(sessions))

    def _rows_without(self, harness: str, present: set[str]) -> Iterable[Watermark]:
        for ref, watermark in self._watermarks.items():
            if ref.harness == harness and ref.session_id not in present:
                yield watermark

    def _look_at_session(self, reader: AnyReader, listed: Listed, cache: SummaryCache) -> Session | None:
        """Return a session; ``None`` for a sub-agent's that was not asked for."""
        ref = Ref(reader.HARNESS, listed.session_id)
        known = cache.find(listed)
        if known is not None and known.is_current:
            verdict, gate = self._keeper.judge_gate(known.gate), known.gate
        else:
            verdict, gate = self._judge_unopened(reader, listed)
        if gate.parent and not self._subagents:
            return None
        if verdict.state != "ok":
            return Session(ref, listed.path, listed, Standing(verdict.state, verdict.reason))
        if listed.unsupported:
            return Session(ref, listed.path, listed, Standing("unsupported-format", listed.unsupported))
        if not reader.HAS_ENTRIES:
            return self._stand_unread(ref, listed, gate)
        if known is not None and known.is_current:
            return self._stand(ref, listed, gate, known.summary)
        try:
            with reader.open_log(listed) as log:
                summary = read_summary(reader, log, known.summary if known else None)
        except LogError as error:
            return Session(ref, listed.path, listed, Standing(error.state, str(error)))
        if gate.is_of_log and not set(gate.dirs) <= set(summary.cwds):
            reason = "the session changed since its policy was checked"
            return Session(ref, listed.path, listed, Standing("unreadable", reason))
        cache.add(listed, gate, summary)
        return self._stand(ref, listed, gate, summary)

    def _judge_unopened(self, reader: AnyReader, listed: Listed) -> tuple[Verdict, Gate]:
        verdict = self._keeper.judge_gate(Gate())
        if verdict.state != "ok":
            return verdict, Gate()  # switched off: not even what lies beside the log is read (S-107)
        gate = reader.read_gate(listed)
        return self._keeper.judge_gate(gate), gate

    def _stand(self, ref: Ref, listed: Listed, gate: Gate, summary: Summary) -> Session:
        """Judge by what was read, and compare with the watermark."""
        verdict = self._keeper.judge_folders(summary.cwds)
        if verdict.state != "ok":
            return Session(ref, listed.path, listed, Standing(verdict.state, verdict.reason))
        if summary.counts.entries <= sum(summary.unknown.values()):
            reason = "no complete line is an entry of this harness"
            return Session(ref, listed.path, listed, Standing("unsupported-format", reason))
        folders = summary.cwds or gate.dirs
        watermark = self._watermarks.get(ref)
        marked = watermark.marked.mark if watermark and watermark.marked else None
        standing = compare(summary.complete_bytes, summary.first_line_hash, marked)
        if not folders:
            reason = "it records no working directory, so no policy can be checked"
            standing = Standing("unknown-project", reason, standing.from_offset)
        return Session(ref, listed.path, listed, standing, summary, folders, watermark)

    def _stand_unread(self, ref: Ref, listed: Listed, gate: Gate) -> Session:
        """Return a session whose log is listed and never read (Cursor)."""
        if not gate.dirs:
            return Session(ref, listed.path, listed, Standing("unknown-project", "no workspace is recorded"))
        return Session(ref, listed.path, listed, Standing("new"), folders=gate.dirs)

    def _look_at_trace(self, reader: AnyReader, watermark: Watermark, listing: Listing) -> Session:
        """Return a session of which only the watermark is left (X-72)."""
        ref, path = watermark.ref, watermark.path
        gate = reader.read_gate(Listed(ref.harness, ref.session_id, path, 0, 0))
        verdict = self._keeper.judge_gate(Gate(dirs=gate.dirs, encoded=gate.encoded))
        if verdict.state != "ok":
            return Session(ref, path, None, Standing(verdict.state, verdict.reason), watermark=watermark)
        if listing.state == "unreadable":
            return Session(ref, path, None, Standing("unreadable", listing.reason), watermark=watermark)
        for problem in listing.problems:
            if path == problem.path or path.startswith(problem.path.rstrip("/\\") + "/"):
                reason = f"{problem.path} {problem.what}"
                return Session(ref, path, None, Standing("unreadable", reason), watermark=watermark)
        return Session(ref, path, None, Standing("absent", "its file is gone"), watermark=watermark)
