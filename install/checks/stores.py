"""The harnesses' session stores: can they be listed, and do we still understand what is written there?"""

from collections.abc import Iterator

from ...core.errors import TellbackError
from ...sessions.entry import EVERYTHING, Resume, Tally
from ...sessions.reader import AnyReader, Listed, Listing, LogError
from ...sessions.table import READERS
from ...sweep.listening import Listening
from .finding import Finding, Site
from .wired import list_wired

LOG_BYTES = 8 << 20  # of a larger log doctor reads nothing: a person waits


def check_stores(site: Site) -> list[Finding]:
    """A store that cannot be listed hides what hooks missed."""
    wired = {each.harness.name for each in list_wired(site)}
    findings: list[Finding] = []
    for name, reader in READERS.items():
        listing = reader.list_sessions(reader.find_store())
        is_empty = listing.state in ("absent", "ok") and not listing.sessions and not listing.problems
        if not is_empty or name in wired:
            findings += _say_listing(name, listing, is_wired=name in wired)
    return findings


def check_format(site: Site) -> list[Finding]:
    """Records that a reader does not know: the harness has changed, and what they hold is not heard by a sweep."""
    try:
        listening = Listening(site.places)
    except TellbackError:
        return []  # the settings have a check of their own
    wired = {each.harness.name for each in list_wired(site)}
    readers = {name: reader for name, reader in READERS.items() if name in wired and reader.HAS_ENTRIES}
    return [finding for name, reader in readers.items() for finding in _check_newest(name, reader, listening)]


def _say_listing(name: str, listing: Listing, is_wired: bool) -> list[Finding]:
    data = {"harness": name, "location": listing.location, "state": listing.state, "sessions": len(listing.sessions)}
    if listing.state == "absent":
        return [Finding("stores", "ok", f"{name} has written no session yet ({listing.location})", "", data)]
    if listing.state != "ok":
        what = f"the sessions of {name} in {listing.location} are {listing.state}: {listing.reason}"
        fix = "make them readable" if listing.state == "unreadable" else "update Tellback"
        return [Finding("stores", "problem" if is_wired else "warn", what, fix, data)]
    counted = Finding("stores", "ok", f"{name}: {len(listing.sessions)} sessions in {listing.location}", "", data)
    hidden = [f"{problem.path} {problem.what}" for problem in listing.problems[:5]]
    return [counted, *(Finding("stores", "warn", what, "make it readable", data) for what in hidden)]


def _check_newest(name: str, reader: AnyReader, listening: Listening) -> Iterator[Finding]:
    listing = reader.list_sessions(reader.find_store())
    logs = [each for each in listing.sessions if not each.parent and not each.unsupported and each.size <= LOG_BYTES]
    newest = max(logs, key=lambda each: each.mtime_ns, default=None)
    tally = _read_whole(reader, newest, listening) if newest else None
    if newest is None or tally is None or not (tally.unknown or tally.unparsed):
        return
    seen = ", ".join(reader.VERSIONS_SEEN) or "none"
    kinds = ", ".join(f"{kind} ({count})" for kind, count in sorted(tally.unknown.items())[:8])
    lines = f"{tally.unparsed} lines that are no entry" if tally.unparsed else ""
    what = f"{name} {tally.version} writes what Tellback does not know: {'; '.join(filter(None, (kinds, lines)))}"
    data = {"harness": name, "version": tally.version, "unknown": tally.unknown, "unparsed": tally.unparsed}
    yield Finding("format", "warn", f"{what} (held against {seen})", "update Tellback, or report it", data)


def _read_whole(reader: AnyReader, listed: Listed, listening: Listening) -> Tally | None:
    """Return what reading a session counts; ``None`` where it may not be opened or cannot be read."""
    if not listening.may_open(reader.read_gate(listed)):
        return None
    tally = Tally()
    try:
        with reader.open_log(listed) as log:
            for _ in reader.read_entries(log, Resume(), tally, EVERYTHING):
                pass
    except LogError:
        return None
    return tally if all(listening.judge_folder(folder) == "ok" for folder in tally.cwds or [""]) else None
