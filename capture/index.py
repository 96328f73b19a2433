"""The text of ``.knowledge/corrections/index.yaml``: counters derived from the log, edited line by line.

Known keys are changed where they stand; comments, unknown keys and their order survive. ``log_bytes`` is ours: how
much of the log the counters cover.
"""

from .log import is_one_line, number_of

SEVERITIES = ("critical", "high", "medium", "low")
CATEGORIES = (
    "join_error", "filter_missing", "metric_definition", "date_range", "aggregation", "schema", "logic", "other",
)  # fmt: skip
_GROUPS = {"by_severity": SEVERITIES, "by_category": CATEGORIES}
_COUNTERS = (
    "total_corrections",
    *[f"by_severity.{name}" for name in SEVERITIES],
    *[f"by_category.{name}" for name in CATEGORIES],
    "log_bytes",
)
_TOP = ("total_corrections", "by_severity", "by_category", "last_correction_id", "last_updated", "log_bytes")
_MOST_DIGITS = 16
_KNOWN = frozenset((*_COUNTERS, *_TOP))


class Index:
    """The counters and the text that they stand in.

    Attributes:
        values: ``total_corrections``, ``last_correction_id``, ``last_updated``, ``log_bytes`` and the counts, these as
            ``by_severity.high``; text as it stands in the file, without quotes. A missing one is not in it.
        read: the values as they were read.
        lines: the file's lines; ``at``: the number of the line that a known key stands on, groups included.
        is_odd: whether a known key stands there in a form that a line edit does not understand.
    """

    __slots__ = ("at", "is_odd", "lines", "read", "values")

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.read: dict[str, str] = {}
        self.lines: list[str] = []
        self.at: dict[str, int] = {}
        self.is_odd = False

    def number(self, name: str) -> int:
        """Return a counter; -1 when it is missing or no number."""
        value = self.values.get(name, "")
        return int(value) if _is_count(value) else -1

    def count(self, severity: str, category: str, ident: str) -> None:
        """Count one more entry. A severity or category outside the documented ones counts in the total only."""
        for name in ("total_corrections", f"by_severity.{severity}", f"by_category.{category}"):
            if name in self.values:
                self.values[name] = str(self.number(name) + 1)
        self.values["last_correction_id"] = ident

    def is_whole(self) -> bool:
        """Whether every key is there with a value of its kind, so that counting can go on from it."""
        ident = self.values.get("last_correction_id", "")
        has_id = ident == "null" or number_of(ident) > 0
        return has_id and not self.is_odd and all(_is_count(self.values.get(name, "")) for name in _COUNTERS)

    def clear(self) -> None:
        """Set every counter to nothing; the text and the day of the last change stay."""
        updated = self.values.get("last_updated", "null")
        self.values = dict.fromkeys(_COUNTERS, "0")
        self.values["last_correction_id"] = "null"
        self.values["last_updated"] = updated if updated and updated.isprintable() else "null"


def parse_index(text: str) -> Index:
    """Return what the known keys say; a shape that is not one ``key: value`` a line is odd."""
    index = Index()
    index.lines = text.rstrip("\n").split("\n") if text.strip() else []
    index.is_odd = not text.replace("\n", "").isprintable()  # tabs, carriage returns, zeros
    group = ""
    for number, line in enumerate(index.lines):
        bare = line.lstrip(" ")
        if not bare or bare[0] == "#" or (bare == "---" and not number):
            continue
        key, colon, value = bare.partition(":")
        value = value.strip(" ")
        if bare == line:
            name = key
            group = key if key in _GROUPS else ""
        elif group:
            name = f"{group}.{key}"
        else:
            continue  # below a key that is somebody else's
        if not colon or not (value.isdecimal() or is_one_line(value) or (not group and value[:1] in ("|", ">"))):
            index.is_odd = True
        elif name in _KNOWN:
            _take(index, name, number, value if value.isdecimal() else _bare(value))
    index.read = index.values.copy()
    return index


def render_index(index: Index) -> str:
    """Return the file's text with the counters: known lines changed in place, missing ones added.

    An odd text is not edited; it is replaced by a new one.
    """
    if index.is_odd:
        index.lines, index.at = [], {}
    lines = index.lines[:]
    for name, number in index.at.items():
        if name in index.values and index.values[name] != index.read.get(name):
            lines[number] = _with_value(lines[number], _shown(name, index.values[name]))
    if len(index.at) < len(_KNOWN):
        _add_missing(lines, index)
    return "\n".join(lines) + "\n"


def _is_count(value: str) -> bool:
    return value.isdecimal() and value.isascii() and len(value) < _MOST_DIGITS


def _take(index: Index, name: str, number: int, value: str) -> None:
    if name in index.at or (name in _GROUPS and value):
        index.is_odd = True  # twice, and which one counts depends on the reader; or a flow mapping
    index.at[name] = number
    if name not in _GROUPS:
        index.values[name] = value


def _bare(value: str) -> str:
    if value[:1] in ('"', "'"):
        return value[1:].partition(value[0])[0]
    return "" if value[:1] == "#" else value.partition(" #")[0].rstrip(" ")


def _shown(name: str, value: str) -> str:
    return f'"{value}"' if name.startswith("last_") and value != "null" else value


def _with_value(line: str, shown: str) -> str:
    head, _, value = line.partition(":")
    comment = value.find(" #")
    return f"{head}: {shown}{value[comment:] if comment >= 0 else ''}"


def _add_missing(lines: list[str], index: Index) -> None:
    there = [top for top in _GROUPS if top in index.at]
    for top in sorted(there, key=index.at.__getitem__, reverse=True):  # from below: the line numbers above stay right
        at = index.at[top] + 1
        indent = _indent_of(lines[at:])
        missing = [name for name in _GROUPS[top] if f"{top}.{name}" not in index.at]
        lines[at:at] = [f"{indent}{name}: {index.values[f'{top}.{name}']}" for name in missing]
    for top in _TOP:
        if top in index.at:
            continue
        if top in _GROUPS:
            lines += [f"{top}:"] + [f"  {name}: {index.values[f'{top}.{name}']}" for name in _GROUPS[top]]
        else:
            lines.append(f"{top}: {_shown(top, index.values[top])}")


def _indent_of(lines: list[str]) -> str:
    """Return how the members of a group are indented, judged by the first one."""
    for line in lines:
        bare = line.lstrip(" ")
        if bare and bare[0] != "#":
            return " " * (len(line) - len(bare)) or "  "
    return "  "
