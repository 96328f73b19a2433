"""The text of ``.knowledge/corrections/index.yaml``: counters derived from the log, edited line by line.

Known keys are changed where they stand; comments, unknown keys and their order survive. ``log_bytes`` is ours: how
much of the log the counters cover.
"""

SEVERITIES = ("critical", "high", "medium", "low")
CATEGORIES = (
    "join_error", "filter_missing", "metric_definition", "date_range", "aggregation", "schema", "logic", "other",
)  # fmt: skip
_GROUPS = {"by_severity": SEVERITIES, "by_category": CATEGORIES}
_TOP = ("total_corrections", "by_severity", "by_category", "last_correction_id", "last_updated", "log_bytes")


class Index:
    """The counters.

    Attributes:
        values: ``total_corrections``, ``last_correction_id``, ``last_updated``, ``log_bytes`` and the counts, these as
            ``by_severity.high``; text as it stands in the file, without quotes. A missing one is not in it.
        is_odd: whether a known key stands there in a form that a line edit does not understand.
    """

    __slots__ = ("is_odd", "values")

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.is_odd = False

    def number(self, name: str) -> int:
        """Return a counter; -1 when it is missing or no number."""
        value = self.values.get(name, "")
        return int(value) if value.isdecimal() and value.isascii() else -1

    def count(self, severity: str, category: str, ident: str) -> None:
        """Count one more entry. A severity or category outside the documented ones counts in the total only."""
        for name in ("total_corrections", f"by_severity.{severity}", f"by_category.{category}"):
            if name in self.values:
                self.values[name] = str(self.number(name) + 1)
        self.values["last_correction_id"] = ident

    def is_whole(self) -> bool:
        """Whether every key is there with a value of its kind, so that counting can go on from it."""
        ident = self.values.get("last_correction_id", "")
        counters = [name for name in _names() if name not in ("last_correction_id", "last_updated")]
        has_id = ident == "null" or (ident.startswith("CORR-") and ident[5:].isdecimal())
        return not self.is_odd and has_id and all(self.number(name) >= 0 for name in counters)


def empty_index() -> Index:
    """Return the counters of a log without entries."""
    index = Index()
    index.values = dict.fromkeys(_names(), "0")
    index.values["last_correction_id"] = index.values["last_updated"] = "null"
    return index


def parse_index(text: str) -> Index:
    """Return what the known keys say; a shape that is not one ``key: value`` a line is odd."""
    index = Index()
    if "\t" in text or "\r" in text:
        index.is_odd = True
    for _, name, value in _known_lines(text.split("\n")):
        if name in index.values:
            index.is_odd = True  # twice: which one counts depends on the reader
        elif name in _GROUPS:
            index.is_odd = index.is_odd or bool(value)
        elif value:
            index.values[name] = value
    return index


def render_index(index: Index, old: str) -> str:
    """Return *old* with the counters of *index*: known lines changed in place, missing ones added."""
    if not old.strip() or "\t" in old or "\r" in old:
        return _new_text(index)
    lines = old.rstrip("\n").split("\n")
    seen: dict[str, int] = {}
    for number, name, _ in _known_lines(lines):
        seen.setdefault(name, number)
        if name in index.values:
            lines[number] = _with_value(lines[number], _shown(name, index.values[name]))
    _add_missing(lines, seen, index)
    return "\n".join(lines) + "\n"


def _names() -> list[str]:
    """Return the name of every value in the order of the file."""
    names: list[str] = []
    for top in _TOP:
        names += [f"{top}.{name}" for name in _GROUPS[top]] if top in _GROUPS else [top]
    return names


def _known_lines(lines: list[str]) -> "list[tuple[int, str, str]]":
    """Return (line number, name, bare value) of every line with a known key."""
    found: list[tuple[int, str, str]] = []
    group = ""
    for number, line in enumerate(lines):
        bare = line.lstrip(" ")
        if not bare or bare[0] == "#":
            continue
        key, colon, value = bare.partition(":")
        if bare is line or len(bare) == len(line):
            group = key if key in _GROUPS else ""
            name = key if key in _TOP else ""
        else:
            name = f"{group}.{key}" if group and key in _GROUPS[group] else ""
        if name and colon:
            found.append((number, name, _bare(value)))
    return found


def _bare(value: str) -> str:
    value = value.strip(" ")
    if value[:1] in ('"', "'"):
        return value[1:].partition(value[0])[0]
    return "" if value[:1] == "#" else value.partition(" #")[0].rstrip(" ")


def _shown(name: str, value: str) -> str:
    return f'"{value}"' if name.startswith("last_") and value != "null" else value


def _with_value(line: str, shown: str) -> str:
    head, _, value = line.partition(":")
    comment = value.find(" #")
    return f"{head}: {shown}{value[comment:] if comment >= 0 else ''}"


def _add_missing(lines: list[str], seen: dict[str, int], index: Index) -> None:
    for top in _TOP:
        if top not in _GROUPS:
            if top not in seen:
                lines.append(f"{top}: {_shown(top, index.values[top])}")
            continue
        missing = [f"  {name}: {index.values[f'{top}.{name}']}" for name in _GROUPS[top] if f"{top}.{name}" not in seen]
        if top not in seen:
            lines += [f"{top}:", *missing]
        elif missing:
            at = seen[top] + 1
            lines[at:at] = missing
            for name in seen:
                if seen[name] >= at:
                    seen[name] += len(missing)


def _new_text(index: Index) -> str:
    lines: list[str] = []
    _add_missing(lines, {}, index)
    return "\n".join(lines) + "\n"
