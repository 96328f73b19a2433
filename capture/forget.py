"""Take words out of every file that capture writes; ids, numbers and keys stay, so that nothing is heard again.

Cold. The log keeps the entry's id, date, severity and category; lines that wait are dropped; a learning's bullet keeps
its place and date.
"""

import re
from typing import Any, NamedTuple

from ..core.place import Where
from ..core.shapes import Places
from . import learnings
from .folder import Folder, draft_of
from .ledger import LOG, TORN, to_bytes, to_text
from .log import KEY_MARK, scan
from .notebook import FORGOTTEN, drop_quotes
from .odd import entries_of, load_tree, read_yaml, write_tree
from .queue import QUEUE, UNSURE
from .quote import one_line, quote
from .retract import LIMIT_BYTES, RETRACTED
from .slow import SlowLedger, open_learnings, open_ledger
from .waiting import drop_waiting

_BLANK: dict[str, Any] = {
    "tables": [],
    "description": FORGOTTEN,
    "fix": None,
    "sql_before": None,
    "sql_after": None,
    "prevented_by": None,
}
_LINE = re.compile(r"^(?P<indent>  (?:  )?)(?P<name>\w+):(?: .*)?$")
_ID = re.compile(r"^ {0,2}- id: [\"']?(?P<id>[^\"'\s#]+)")


class Forgotten(NamedTuple):
    """What was taken out.

    Attributes:
        ids, keys: of the entries of the log; keys also of lines that waited.
        entries: number of entries; more than one when a merge doubled the id.
        waiting: number of lines of the queue and of the unsure learnings.
        bullets: number of learnings.
    """

    ids: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    entries: int = 0
    waiting: int = 0
    bullets: int = 0


def forget(where: Where, places: Places, target: str) -> Forgotten:
    """Take out the words of an entry, named by its id (``CORR-007``) or by its key (12 hexadecimal digits).

    Raises:
        BusyError: a lock was not had.
        UnreadableError: the log is no YAML.
        OSError: a file could not be replaced; what was done before stays done, so ask again.
    """
    found: list[tuple[str, str]] = []
    if where.exists:
        with open_ledger(where, places) as ledger:
            found = _forget_in_log(ledger, target)
            _forget_beside(ledger.folder, {ident for ident, _ in found}, {key for _, key in found if key})
    keys = {key for _, key in found if key}
    if re.fullmatch("[0-9a-f]{12}", target):
        keys.add(target)
    waiting = sum(drop_waiting(places, name, keys) for name in (QUEUE, UNSURE)) if keys else 0
    ids = tuple(dict.fromkeys(ident for ident, _ in found))
    return Forgotten(ids, tuple(sorted(keys)), len(found), waiting)


def forget_learning(where: Where, places: Places, learning: str) -> Forgotten:
    """Take out every bullet with these words, whatever its date, and what quotes them; errors as :func:`forget`."""
    if not where.exists:
        return Forgotten()
    with open_learnings(where, places) as folder:
        folder.remove(draft_of(learnings.INDEX))
        text = to_text(folder.read(learnings.INDEX, LIMIT_BYTES) or b"")
        start = f"- {one_line(learning)} (source: user feedback, "
        lines = text.split("\n")
        hits = [number for number, line in enumerate(lines) if line.startswith(start)]
        for number in hits:
            lines[number] = f"- {FORGOTTEN} (source: user feedback, {lines[number][len(start) :]}"
        if (cleaned := drop_quotes("\n".join(lines), learning)) != text:
            folder.replace(learnings.INDEX, to_bytes(cleaned))
    return Forgotten(bullets=len(hits))


def _forget_in_log(ledger: SlowLedger, target: str) -> list[tuple[str, str]]:
    """Return (id, key) of every entry whose words were taken out."""
    text = ledger.read_text()
    new, found = _blank_lines(text, target) if scan(text, is_start=True) is not None else _blank_tree(text, target)
    if new != text:
        ledger.replace_text(new)
    return found


def _blank_lines(text: str, target: str) -> tuple[str, list[tuple[str, str]]]:
    lines = text.split("\n")
    found: list[tuple[str, str]] = []
    key, is_hit = "", False
    for number, line in enumerate(lines):
        if line.lstrip(" ").startswith(KEY_MARK):
            key = line.lstrip(" ")[len(KEY_MARK) :]
        elif match := _ID.match(line):
            is_hit = target in (match["id"], key)
            if is_hit:
                found.append((match["id"], key))
            key = ""
        elif is_hit and (match := _LINE.match(line)) and match["name"] in _BLANK:
            lines[number] = f"{match['indent']}{match['name']}: {_shown(_BLANK[match['name']])}"
    return "\n".join(lines), found


def _shown(value: Any) -> str:
    return "[]" if value == [] else quote(value)


def _blank_tree(text: str, target: str) -> tuple[str, list[tuple[str, str]]]:
    read_yaml(text)  # which says what is wrong with it
    tree = load_tree(text)
    found: list[tuple[str, str]] = []
    for entry in entries_of(tree or {}):
        if str(entry.get("id")) == target:
            found.append((target, ""))
            entry.update({name: value for name, value in _BLANK.items() if name in entry})
    return (write_tree(tree, text), found) if found else (text, found)


def _forget_beside(folder: Folder, ids: set[str], keys: set[str]) -> None:
    """Take the words out of the reasons of verdicts taken back, and of what killed writes left."""
    retracted = to_text(folder.read(RETRACTED, LIMIT_BYTES) or b"")
    lines = retracted.split("\n")
    for number, line in enumerate(lines):
        if any(f"- {{id: {quote(ident)}, " in line for ident in ids):
            lines[number] = re.sub(r'reason: "(?:[^"\\]|\\.)*"', lambda _: f"reason: {quote(FORGOTTEN)}", line)
    if (new := "\n".join(lines)) != retracted:
        folder.replace(RETRACTED, to_bytes(new))
    for name in (LOG, RETRACTED):
        folder.remove(draft_of(name))  # of a replacement that was killed
    torn = to_text(folder.read(TORN, LIMIT_BYTES) or b"")
    if any(key in torn for key in keys):
        folder.remove(TORN)  # nobody was told that any of it is kept
