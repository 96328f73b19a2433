"""The text of ``.knowledge/corrections/log.yaml``: one entry written, and the known shape read back line by line.

The known shape is what Tellback writes and what the documented template gives: a top-level list ``corrections`` with
its dashes at column 0 or 2, one field a line, every value on its line, line feeds. Everything else is an odd shape,
which only the slow path (ruamel.yaml) understands.
"""

from .quote import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .points import Point

KEY_MARK = "# tellback "
TAIL_BYTES = 16 * 1024
NEW_INDENT = "  "
_FIRST, _LAST = "id", "prevented_by"
_ENTRY_LINES = 12
_MOST_DIGITS = 9  # a number beyond that is nobody's count
_BOM = "\ufeff"
_INDENTS = ("", "  ")
_EMPTY_LISTS = ("corrections: []", "corrections: null", "corrections: ~")


class Entry:
    """What the index and the keys need to know of one entry.

    Attributes:
        number: the numeric suffix of ``CORR-NNN``; 0 for an id of another form.
        key: the 12 digits of its comment line; ``""`` when somebody else wrote it.
    """

    __slots__ = ("category", "ident", "key", "number", "severity")

    def __init__(self, ident: str, key: str) -> None:
        self.ident = ident
        self.number = number_of(ident)
        self.key = key
        self.severity = ""
        self.category = ""


class Scan:
    """A stretch of the log of the known shape.

    Attributes:
        entries: those that were read, in order.
        indent: what stands before the dashes; ``None`` when no entry was seen.
        has_list: whether the line ``corrections:`` was seen.
        empty_line: number of the line ``corrections: []``, after which no entry can stand; -1 when there is none.
    """

    __slots__ = ("empty_line", "entries", "has_list", "indent")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.indent: str | None = None
        self.has_list = False
        self.empty_line = -1


def name_of(number: int) -> str:
    """Return ``CORR-007`` for 7; more than three digits grow."""
    return f"CORR-{number:03d}"


def number_of(ident: str) -> int:
    """Return 7 for ``CORR-007``; 0 for anything else."""
    digits = ident[5:]
    is_number = digits.isdecimal() and digits.isascii() and len(digits) <= _MOST_DIGITS
    return int(digits) if ident.startswith("CORR-") and is_number else 0


def entry_text(point: "Point", ident: str, date: str, dataset: str | None, key: str, indent: str) -> str:
    """Return one entry: the comment line with its key and the eleven documented fields in their order."""
    tables = ", ".join([quote(table) for table in point.tables])
    return (
        f"{indent}{KEY_MARK}{key}\n"
        f"{indent}- id: {quote(ident)}\n"
        f"{indent}  date: {quote(date)}\n"
        f"{indent}  severity: {quote(point.severity)}\n"
        f"{indent}  category: {quote(point.category)}\n"
        f"{indent}  dataset: {quote(dataset)}\n"
        f"{indent}  tables: [{tables}]\n"
        f"{indent}  description: {quote(point.text)}\n"
        f"{indent}  fix: {quote(point.fix)}\n"
        f"{indent}  sql_before: {quote(point.sql_before)}\n"
        f"{indent}  sql_after: {quote(point.sql_after)}\n"
        f"{indent}  prevented_by: {quote(point.prevented_by)}\n"
    )


def split_torn(text: str) -> tuple[str, str]:
    """Return *text* without, and then with only, what a killed write or a full disk left of an entry of ours."""
    start = _last_key_line(text)
    if start >= 0 and _is_torn(text[start:]):
        return text[:start], text[start:]
    last = text[text.rfind("\n") + 1 :]
    if last and any(f"{indent}{KEY_MARK}".startswith(last) for indent in _INDENTS):
        return text[: -len(last)], last
    return text, ""


def _last_key_line(text: str) -> int:
    """Return where the last key line starts; -1 when there is none. Words in quotes hold no line ends."""
    found = [text.rfind(f"\n{indent}{KEY_MARK}") + 1 for indent in _INDENTS]
    if max(found) > 0:
        return max(found)
    return 0 if any(text.startswith(f"{indent}{KEY_MARK}") for indent in _INDENTS) else -1


def _is_torn(block: str) -> bool:
    """Whether a block that starts with a key line breaks off before the end of its last field."""
    lines = block.split("\n", _ENTRY_LINES)
    if len(lines) > _ENTRY_LINES:
        return False
    indent = block[: block.index("#")]
    return all(line.startswith((f"{indent}- ", f"{indent}  ")) for line in lines[1:-1])


def tail_indent(tail: bytes) -> str | None:
    """Return how the list is indented, judged by the file's last line; ``None`` when that is not an entry's end."""
    if not tail.endswith(b"\n"):
        return None
    last = tail[tail.rfind(b"\n", 0, -1) + 1 : -1].decode("utf-8", "surrogateescape")
    for indent in _INDENTS:
        start = f"{indent}  {_LAST}: "
        if last.startswith(start) and is_one_line(last[len(start) :]):
            return indent
    return None


def scan(text: str, is_start: bool) -> Scan | None:
    """Read the whole log, or (``is_start=False``) entries that were appended to it; ``None``: an odd shape."""
    if "\r" in text or "\t" in text:
        return None
    found = Scan()
    lines = text.split("\n")
    position = _open_list(lines, found) if is_start else 0
    if position < 0:
        return None
    key = ""
    for line in lines[position:]:
        bare = line.lstrip(" ")
        if not bare:
            continue
        if bare[0] == "#":
            key = bare[len(KEY_MARK) :] if bare.startswith(KEY_MARK) else key
        elif _take(found, bare, len(line) - len(bare), key):
            key = ""
        else:
            return None
    return found


def _open_list(lines: list[str], found: Scan) -> int:
    """Read up to the line that opens the list; return the number of lines read, -1 for an odd shape."""
    for number, line in enumerate(lines):
        bare = line.rstrip(" ") if number else line.lstrip(_BOM).rstrip(" ")
        if not bare or bare[0] == "#" or bare == "---":
            continue
        if bare == "corrections:" or bare in _EMPTY_LISTS:
            found.has_list = True
            found.empty_line = -1 if bare == "corrections:" else number
            return number + 1
        name, value = _field(bare)
        if name in ("", "corrections") or not value or not is_one_line(value):
            return -1
    return len(lines)


def _take(found: Scan, bare: str, column: int, key: str) -> bool:
    """Add one line that is neither blank nor a comment; false when it has no place in the known shape."""
    if not found.has_list and found.indent is None and column == 0 and not bare.startswith("- "):
        return False
    if bare.startswith("- "):
        indent = " " * column
        if found.empty_line >= 0 or indent not in _INDENTS or found.indent not in (None, indent):
            return False
        name, value = _field(bare[2:])
        found.indent = indent
        found.entries.append(Entry(_bare_value(value), key))
        return name == _FIRST and is_one_line(value)
    if found.indent is None or column != len(found.indent) + 2:
        return False
    name, value = _field(bare)
    if name == "severity":
        found.entries[-1].severity = _bare_value(value)
    elif name == "category":
        found.entries[-1].category = _bare_value(value)
    return bool(name) and is_one_line(value)


def _field(bare: str) -> tuple[str, str]:
    """Return name and value of ``name: value``; an empty name when it is no such line."""
    name, separator, value = bare.partition(": ")
    if not separator and bare.endswith(":"):
        name = bare[:-1]
    return (name, value.strip(" ")) if name.isidentifier() and (separator or bare.endswith(":")) else ("", "")


def is_one_line(value: str) -> bool:
    """Whether a value surely ends on its line: null, a closed scalar in quotes, a flat list, or plain words."""
    if value in ("null", "[]"):
        return True
    first = value[:1]
    if first == '"':
        if value[-1] == first and value.count(first) == 2 and "\\" not in value:
            return True
        return _is_closed(value[1:].replace("\\\\", "").replace('\\"', ""), '"')
    if first == "'":
        return _is_closed(value[1:].replace("''", ""), "'")
    if first == "[":
        pieces = value.replace("\\\\", "").replace('\\"', "").split('"')
        outside = "".join(pieces[::2])
        return len(pieces) % 2 == 1 and outside.endswith("]") and outside.count("'") % 2 == 0
    if value == "-" or value.startswith("- "):
        return False  # a list within a line, which YAML does not allow
    return first not in tuple("|>&*!%@`{}],?") and ": " not in value and not value.endswith(":")


def _is_closed(body: str, mark: str) -> bool:
    rest = body.partition(mark)[2].lstrip(" ") if mark in body else "open"
    return not rest or rest[0] == "#"


def _bare_value(value: str) -> str:
    mark = value[:1]
    if mark in ('"', "'") and mark:
        return value[1:].partition(mark)[0]
    return value.partition(" #")[0].strip(" ")


def last_number(tail: bytes) -> int:
    """Return the number of the last entry in the log's last part; 0 when there is none."""
    head, _, line = tail.rpartition(b"- id: ")
    return number_of(_bare_value(line.partition(b"\n")[0].decode("utf-8", "replace"))) if head else 0
