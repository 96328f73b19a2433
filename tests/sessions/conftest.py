"""What the readers' tests share: reading a session whole, and in pieces as it grows."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tellback.sessions.entry import Entry, Resume, Tally, Want
from tellback.sessions.reader import AnyReader, Listed

Read = Callable[..., tuple[list[Entry], Tally]]
CheckCuts = Callable[[AnyReader, Listed, bytes, list[int]], None]


def _read(reader: AnyReader, listed: Listed, resume: Resume | None = None) -> tuple[list[Entry], Tally]:
    tally = Tally()
    with reader.open_log(listed) as log:
        return list(reader.read_entries(log, resume or Resume(), tally, Want())), tally


def _final(entries: list[Entry]) -> list[Entry]:
    """Return the entries in the order of the log, each call as it was told last."""
    last = {(e.offset, e.kind if e.call is None else e.call.id, e.span): e for e in entries}
    return sorted(last.values(), key=lambda entry: entry.offset)


def _check_cuts(reader: AnyReader, listed: Listed, data: bytes, cuts: list[int]) -> None:
    """Hold the entries of a log that grows to *data* by *cuts*, read after each, against those of one pass."""
    path = Path(listed.path)
    path.write_bytes(data)
    whole, tally = _read(reader, listed)
    entries: list[Entry] = []
    resume, counted = Resume(), [0, 0, 0]
    for cut in [*sorted(cuts), len(data)]:
        path.write_bytes(data[:cut])
        carry = json.loads(json.dumps(resume.carry))
        part, part_tally = _read(reader, listed, Resume(resume.offset, carry))
        entries += part
        resume = part_tally.resume
        part_counts = (part_tally.entries, part_tally.unparsed, part_tally.calls)
        counted = [a + b for a, b in zip(counted, part_counts, strict=True)]
    assert _final(entries) == _final(whole)
    assert counted == [tally.entries, tally.unparsed, tally.calls]
    assert resume.offset == tally.resume.offset


@pytest.fixture(scope="session")
def read() -> Read:
    """Return a function that reads a session's entries and tally."""
    return _read


@pytest.fixture(scope="session")
def final() -> Callable[[list[Entry]], list[Entry]]:
    """Return a function that leaves of each call what was told last."""
    return _final


@pytest.fixture(scope="session")
def check_cuts() -> CheckCuts:
    """Return a function that fails when reading a log in pieces gives other entries than reading it whole."""
    return _check_cuts
