"""Part a correction into its independent points and describe each (R-6, C-14 to C-21); hot, so no ``re``.

Everything told of a point stands in the message; what is not stated stays ``None`` or empty.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .detector import Tables


class Point:
    """One correction of a message.

    Attributes:
        text: a piece of the message as written.
        severity: ``critical``, ``high``, ``medium`` or ``low``.
        category: one of the eight of C-16.
        dimension: one of the six of A-46 to A-51; ``None`` for a plain undo.
        fix: what the person says is right; ``None`` when it is not stated.
        tables, sql_before, sql_after, prevented_by: only from the message's own words and code.
    """

    __slots__ = (
        "category",
        "dimension",
        "fix",
        "prevented_by",
        "severity",
        "sql_after",
        "sql_before",
        "tables",
        "text",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.severity = "medium"
        self.category = "other"
        self.dimension: str | None = None
        self.fix: str | None = None
        self.tables: list[str] = []
        self.sql_before: str | None = None
        self.sql_after: str | None = None
        self.prevented_by: str | None = None


def find_points(text: str, own: str, families: "set[str]", tables: "Tables") -> list[Point]:
    """Return the points of a message judged a correction; at least one.

    Args:
        text: the message as delivered.
        own: the person's words with inline code and quotations kept, blocks cut away.
        families: the cue families of the whole message.
    """
    pieces = split_points(own, tables) or [own or text[:2000]]
    points = [_describe(piece, families, tables) for piece in pieces]
    points[0].sql_before, points[0].sql_after = _find_sql(text, tables)
    points[0].tables = points[0].tables or _find_tables(text, tables)
    return points


def _describe(piece: str, families: "set[str]", tables: "Tables") -> Point:
    point = Point(piece)
    low = piece.lower()
    point.severity = next(
        word for word, number in tables.severities if number < 0 or tables.pattern(number).search(low)
    )
    point.category = next((word for word, number in tables.categories if tables.pattern(number).search(low)), "other")
    point.dimension = _dimension(low, families, tables)
    point.fix = _find_fix(piece, tables)
    point.tables = _find_tables(piece, tables)
    if match := tables.pattern(tables.numbers["prevented"]).search(piece):
        point.prevented_by = next(group for group in match.groups() if group).strip()
    return point


def _dimension(low: str, families: "set[str]", tables: "Tables") -> "str | None":
    best, best_score = None, 0
    for order, (word, number) in enumerate(tables.dimensions):
        hits = {match[0] for match in tables.pattern(number).finditer(low)}
        if not hits:
            continue
        score = 100 * max(2 if " " in hit else 1 for hit in hits) + 10 * min(len(hits), 5) - order
        if score > best_score:
            best, best_score = word, score
    if best is None and families and families <= {"revert", "task", "stop"}:
        return None
    return best or ("reliability" if families & {"still", "no_effect", "again"} else "accuracy")


def _find_fix(piece: str, tables: "Tables") -> "str | None":
    for number in tables.fixes:
        match = tables.pattern(number).search(piece)
        if match and (fix := match[1].strip(" \t\"'`,.:;，。")):
            return fix
    return None


def _find_tables(piece: str, tables: "Tables") -> list[str]:
    found: list[str] = []
    is_sql = tables.pattern(tables.numbers["sql"]).search(piece) is not None
    for index, number in enumerate(tables.table_names):
        if index or is_sql:  # the first row reads SQL only: "from" and "join" are English words
            found += [match[1] for match in tables.pattern(number).finditer(piece)]
    return list(dict.fromkeys(found))


def _find_sql(text: str, tables: "Tables") -> "tuple[str | None, str | None]":
    if "`" not in text:
        return None, None
    sql = tables.pattern(tables.numbers["sql"])
    before = after = None
    for match in tables.pattern(tables.numbers["code"]).finditer(text):
        code = (match[1] or match[2] or "").strip()
        if not sql.search(code):
            continue
        lead = text[max(0, match.start() - 80) : match.start()]
        if before is not None or tables.pattern(tables.numbers["sql_after"]).search(lead):
            after = after or code
        elif tables.pattern(tables.numbers["sql_before"]).search(lead):
            before = code
    return before, after


def split_points(own: str, tables: "Tables") -> list[str]:
    """Return the independent pieces of *own*, each as written; one piece when nothing parts it surely."""
    own = own.strip()
    for parts in (_list_items(own, tables), _run_on_items(own, tables)):
        if len(parts) > 1:
            return parts
    return [own] if own else []


def _list_items(own: str, tables: "Tables") -> list[str]:
    marks = list(tables.pattern(tables.numbers["borders"]).finditer(own))
    if len(marks) < 2:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(own)]
    items = [own[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    items[-1] = items[-1].split("\n")[0].strip()
    return [item for item in items if item]


def _run_on_items(own: str, tables: "Tables") -> list[str]:
    marks = list(tables.pattern(tables.numbers["run_on"]).finditer(own))
    marks = [mark for index, mark in enumerate(marks) if int(mark[1]) == index + 1]
    if len(marks) < 2:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(own)]
    return [own[mark.end() : end].strip(" ;；,，\n") for mark, end in zip(marks, ends, strict=True)]
