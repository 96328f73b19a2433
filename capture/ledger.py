"""``.knowledge/corrections``: log, index and keys brought to one state under the folder's lock, then one entry more."""

from ..core.append import OPEN_LOG, write_once
from ..core.append import nt_or_posix as os
from .folder import Folder, read_to
from .heard import NO_EVENT
from .index import parse_index, render_index
from .keys import find_known, record_keys
from .log import (
    KEY_MARK,
    NEW_INDENT,
    TAIL_BYTES,
    entry_text,
    last_number,
    name_of,
    number_of,
    scan,
    split_torn,
    tail_indent,
)
from .settle import find_standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.shapes import Places
    from .heard import Heard
    from .keys import Standing
    from .log import Entry, Scan
    from .points import Point

LOG, INDEX, LOCK, TORN = "log.yaml", "index.yaml", "log.yaml.lock", "log.yaml.torn"
ODD_INDEX = "index.yaml.odd"  # one that had to be made anew; a person may have written something into it
# What a hook reads of a log whose index is missing or behind: some 3,000 entries, in a fraction of its second.
SCAN_BYTES = 1 << 20
_INDEX_BYTES = 1 << 20
_HEALED_KEYS = 50


class OddShapeError(OSError):
    """The log is not of the known shape, or too long to be read in a hook; the slow path can."""


class Ledger:
    """The log and its index, open and agreeing, while the lock is held.

    Attributes:
        size: bytes of the log.
        highest: the highest number that any entry or the index names.
        indent: what stands before the list's dashes.
        lead: what an appended entry needs before it: a missing line end, the line ``corrections:``.
        empty_line: number of the line ``corrections: []``, which has to be rewritten; -1 when there is none.
        tail: the last part of the log, for keys that the store does not have.
    """

    __slots__ = (
        "empty_line",
        "fd",
        "folder",
        "highest",
        "indent",
        "index",
        "is_changed",
        "lead",
        "places",
        "size",
        "tail",
    )

    scan_bytes = SCAN_BYTES

    def __init__(self, folder: Folder, places: "Places") -> None:
        self.folder = folder
        self.places = places
        self.indent = NEW_INDENT
        self.lead = ""
        self.tail = b""
        self.empty_line = -1
        self.is_changed = False
        self.index = parse_index(to_text(folder.read(INDEX, _INDEX_BYTES) or b""))
        self.size = self.highest = 0
        self.fd = folder.open(LOG, OPEN_LOG)
        try:
            self.size = os.fstat(self.fd).st_size
            self._catch_up()
            self.highest = max(self.highest, last_number(self.tail))
        except BaseException:
            os.close(self.fd)
            raise

    def close(self) -> None:
        os.close(self.fd)

    def standing(self, heard: "Heard", number: int) -> "tuple[Standing, str]":
        """Return whether a point was heard before and its entry's id; the log's own comments count as well."""
        standing, ident = find_standing(self.places, heard, number)
        if standing == "new" and (at := self.tail.find(f"{KEY_MARK}{heard.key(number)}\n".encode())) >= 0:
            return "unclaimed", to_text(self.tail[at:].partition(b' id: "')[2].partition(b'"')[0])
        return standing, ident

    def append(self, points: "list[tuple[int, Point]]", heard: "Heard") -> list[str]:
        """Append an entry for each (number, point) with one write and return their ids.

        Raises:
            OSError: nothing was appended.
        """
        idents = [name_of(self.highest + 1 + n) for n in range(len(points))]
        keys = [heard.key(number) for number, _ in points]

        def render(indent: str) -> str:
            return "".join(
                [
                    entry_text(point, ident, heard.date, heard.dataset, key, indent)
                    for ident, key, (_, point) in zip(idents, keys, points, strict=True)
                ]
            )

        self._write(render, idents)
        for ident, (_, point) in zip(idents, points, strict=True):
            self.index.count(point.severity, point.category, ident)
        self.index.values["last_updated"] = heard.date
        self.highest += len(points)
        self.is_changed = True
        return idents

    def save_index(self) -> None:
        """Replace the index when anything was counted."""
        if self.is_changed:
            self.index.values["log_bytes"] = str(self.size)
            if self.index.is_odd:
                self.folder.replace(ODD_INDEX, to_bytes("\n".join(self.index.lines) + "\n"))
            self.folder.swap(INDEX, to_bytes(render_index(self.index)))
            self.is_changed = False

    def _write(self, render: "Callable[[str], str]", idents: list[str]) -> None:  # noqa: ARG002 - the slow one asks
        if self.empty_line >= 0:
            lines = to_text(read_to(self.fd, self.size)).split("\n")
            lines[self.empty_line] = lines[self.empty_line].partition(":")[0] + ":"
            data = to_bytes("\n".join(lines) + self.lead + render(self.indent))
            self.folder.replace(LOG, data)
            self.size = len(data)
            return
        data = to_bytes(self.lead + render(self.indent))
        try:
            write_once(self.fd, data)
        except OSError:
            os.ftruncate(self.fd, self.size)  # only bytes of ours, just written, that nobody was told of
            raise
        self.size += len(data)

    # --- bringing log and index to one state ----------------------------------------------------------------------

    def _catch_up(self) -> None:
        counted = self.index.number("log_bytes") if self.index.is_whole() else -1
        self.highest = number_of(self.index.values.get("last_correction_id", ""))
        if counted < 0 or counted > self.size or (counted < self.size and not self._adopt(counted)):
            self._rebuild()
        self.tail = read_to(self.fd, TAIL_BYTES, max(0, self.size - TAIL_BYTES))
        indent = tail_indent(self.tail)
        if indent is None:
            self._fit(self._scan_all())
        else:
            self.indent = indent

    def _adopt(self, counted: int) -> bool:
        """Count the whole entries behind *counted*; false when that place is not where an entry can begin."""
        before = 1 if counted else 0
        if self.size - counted > self.scan_bytes:
            return False
        text = to_text(read_to(self.fd, self.size - counted + before, counted - before))
        if before and "\n" not in text[:2]:
            return False
        whole, torn = split_torn(text[before:])
        found = scan(whole, is_start=not counted)
        if found is None or any(entry.number <= self.highest for entry in found.entries):
            return False
        self._set_aside(torn)
        self._count(found.entries)
        return True

    def _rebuild(self) -> None:
        self.index.clear()
        self._count(self._scan_all().entries)

    def _scan_all(self) -> "Scan":
        if self.size > self.scan_bytes:
            raise OddShapeError(f"{self.folder.path}/{LOG} is longer than its index and too long to be read here")
        whole, torn = split_torn(to_text(read_to(self.fd, self.size)))
        found = self._scan_text(whole)
        self._set_aside(torn)
        return found

    def _scan_text(self, text: str) -> "Scan":
        found = scan(text, is_start=True)
        if found is None:
            raise OddShapeError(f"{self.folder.path}/{LOG} does not have the known shape")
        return found

    def _set_aside(self, torn: str) -> None:
        """Move the torn rest of a killed write into a file beside: it is ours, and nobody was told that it is kept."""
        if not torn:
            return
        fd = self.folder.open(TORN, OPEN_LOG)
        try:
            write_once(fd, to_bytes(torn + "\n"))
        finally:
            os.close(fd)
        self.size -= len(to_bytes(torn))
        os.ftruncate(self.fd, self.size)
        self.is_changed = True

    def _count(self, entries: "list[Entry]") -> None:
        for entry in entries:
            self.index.count(entry.severity, entry.category, entry.ident)
            self.highest = max(self.highest, entry.number)
            self.is_changed = True
        if self.highest:
            self.index.values["last_correction_id"] = name_of(self.highest)
        for entry in entries[-_HEALED_KEYS:]:  # a killed capture leaves a few; what a merge brought needs none
            if entry.key and not find_known(self.places, entry.key):
                record_keys(self.places, [entry.key], NO_EVENT, 0, entry.ident)

    def _fit(self, found: "Scan") -> None:
        """Take over what the whole log tells about how to append to it."""
        self.indent = NEW_INDENT if found.indent is None else found.indent
        self.empty_line = found.empty_line
        self.lead = "" if self.tail.endswith(b"\n") or not self.tail else "\n"
        self.lead += "" if found.has_list else "corrections:\n"


def to_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
