"""The whole table of secrets in the order in which its rows are tried, and its preparation. Cold: install runs it."""

import marshal
import re
from collections.abc import Callable, Iterable
from typing import Any

from .prepared import freeze, pack
from .scrub_named import ADDRESSES, ASSIGNMENTS, COMMANDS, HEADERS, SENTENCES
from .scrub_parts import PLACEHOLDER, SHOWN, Row
from .scrub_tokens import TOKENS

# What has a look of its own comes before what only its name gives away: the class then says more.
ROWS: tuple[Row, ...] = (*ADDRESSES, *TOKENS, *HEADERS, *COMMANDS, *ASSIGNMENTS, *SENTENCES)

# What several anchors hold: where a text has none of it, none of them need be sought.
_STEMS = ("pass", "auth", "sess", "secret", "token", "pwd", "key", "--", "__")

_EMAIL = Row(
    "email",
    ("@",),
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}",
    way="anywhere",
)
_ADDRESS = Row(
    "host",
    (".",),
    r"(?<![0-9A-Za-z.])(?!127\.|0\.0\.0\.0)(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9A-Za-z]|\.[0-9])",
    way="anywhere",
)
_INTERNAL = Row(
    "host",
    (".internal", ".local", ".lan", ".corp", ".intranet", ".home.arpa"),
    r"(?<![A-Za-z0-9.-])(?:[a-z0-9-]{1,63}\.){1,8}(?:internal|local|lan|corp|intranet|home\.arpa)(?![A-Za-z0-9-])",
    re.I,
    way="anywhere",
)


def prepare_rows(own_patterns: Iterable[str], emails: bool, hosts: Iterable[str] | None) -> dict[str, Any]:
    """Return what ``ScrubRules`` takes; see ``scrub.prepare_scrub``."""
    rows = [*(Row("own", (), pattern, way="own") for pattern in own_patterns), *ROWS]
    if emails:
        rows.append(_EMAIL)
    if hosts is not None:
        rows += [_ADDRESS, _INTERNAL, *(_name_row(host) for host in hosts if host)]
    told = [(row.kind, row.way, row.anchors, bool(row.flags & re.I)) for row in rows]
    word = _index(rows, lambda row: row.way == "word")
    low = _index(rows, lambda row: row.way == "anywhere" or bool(row.flags & re.I))
    exact = _index(rows, lambda row: row.way in ("at", "set") and not row.flags & re.I)
    stems: dict[str, list[tuple[str, bool, list[int]]]] = {}
    for index in (low, exact):
        for anchor, numbers in index.items():
            stems.setdefault(_find_stem(anchor), []).append((anchor, index is low, numbers))
    return {
        "stems": "\n".join(stems),
        "word": "\n".join(word),
        "always": [number for number, row in enumerate(rows) if row.way == "own"],
        "details": marshal.dumps((told, list(stems.values()), list(word.values()))),
        "frozen": pack(freeze((row.pattern, row.flags) for row in (*rows, PLACEHOLDER, SHOWN))),
    }


def _find_stem(anchor: str) -> str:
    low = anchor.lower()
    return next((stem for stem in _STEMS if stem in low), low)


def _index(rows: list[Row], has: Callable[[Row], bool]) -> dict[str, list[int]]:
    """Return each anchor of the rows that *has* picks, with the numbers of its rows."""
    index: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if has(row):
            for anchor in row.anchors:
                index.setdefault(anchor, []).append(number)
    return index


def _name_row(host: str) -> Row:
    pattern = rf"(?<![A-Za-z0-9-]){re.escape(host)}(?![A-Za-z0-9-])"
    return Row("host", (host.lower(),), pattern, re.I, way="anywhere")
