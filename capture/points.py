"""Part a correction into its independent points and describe each (R-6, C-14 to C-21); hot, so no ``re``.

Everything told of a point stands in the message; what is not stated stays ``None`` or empty.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

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


def find_points(
    text: str, own: str, families: "set[str]", tables: "Tables", hears: "Callable[[str], float]"
) -> list[Point]:
    """Return the points of a message judged a correction; at least one.

    Args:
        text: the message as delivered.
        own: the person's words with inline code and quotations kept, blocks cut away.
        families: the cue families of the whole message.
        hears: how likely a piece alone is a correction, 0 to 1; 0 when it has no cue of its own.
    """
    pieces = split_points(own, tables, hears) or [own or text[:2000]]
    points = [_describe(piece, families, tables) for piece in pieces]
    points[0].sql_before, points[0].sql_after = _find_sql(text, tables)
    points[0].tables = points[0].tables or _find_tables(text, tables)
    return points


_READ = 1500  # characters of a piece that describe it; longer ones carry a document


def _describe(piece: str, families: "set[str]", tables: "Tables") -> Point:
    point = Point(piece)
    piece = piece[:_READ]
    low = piece.lower()
    point.severity = next(word for word, number in tables.severities if number < 0 or tables.search(number, low))
    point.category = next((word for word, number in tables.categories if tables.search(number, low)), "other")
    point.dimension = _dimension(low, families, tables)
    point.fix = _find_fix(piece, tables)
    point.tables = _find_tables(piece, tables)
    if match := tables.search(tables.numbers["prevented"], piece):
        point.prevented_by = next(group for group in match.groups() if group).strip()
    return point


def _dimension(low: str, families: "set[str]", tables: "Tables") -> "str | None":
    best, best_score = None, 0
    for order, (word, number) in enumerate(tables.dimensions):
        hits = {match[0] for match in tables.pattern(number).finditer(low)} if tables.may_match(number, low) else None
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
        match = tables.search(number, piece)
        if match and (fix := match[1].strip(" \t\"'`,.:;，。")):
            return fix
    return None


def _find_tables(piece: str, tables: "Tables") -> list[str]:
    found: list[str] = []
    is_sql = tables.search(tables.numbers["sql"], piece) is not None
    for index, number in enumerate(tables.table_names):
        if index or is_sql:  # the first row reads SQL only: "from" and "join" are English words
            found += (
                [match[1] for match in tables.pattern(number).finditer(piece)]
                if tables.may_match(number, piece)
                else []
            )
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
        if before is not None or tables.search(tables.numbers["sql_after"], lead):
            after = after or code
        elif tables.search(tables.numbers["sql_before"], lead):
            before = code
    return before, after


# How likely a piece, and the piece before it, must be a correction alone for the border between them to part points:
# chosen on real messages, of which those with one point are six of seven.
_MARK, _CONNECTIVE, _SEMICOLON = (0.15, 0.0), (0.1, 0.1), (0.3, 0.3)
_AND, _SENTENCE, _LINE = (0.8, 0.5), (0.95, 0.8), (0.9, 0.8)
_LIST = 0.6  # how likely the clearest item of a list must be one where no heading calls the list faults
_MOST = 12  # more than so many points are a document, not a message
_SHORT = 24  # a piece of fewer characters says that something is wrong; what it is stands in the next


def split_points(own: str, tables: "Tables", hears: "Callable[[str], float]") -> list[str]:
    """Return the independent pieces of *own*, each as written; one piece when nothing parts it surely.

    A list's items part first, then numbers in a line, then connectives and sentences. A piece counts only when it is
    a correction by itself, and never when it gives the cause or the consequence of the one before.
    """
    own = own.strip()
    for items, has_heading in (_list_items(own, tables), _run_on_items(own, tables)):
        kept = [item for item in items if _counts(item, has_heading, tables, hears)]
        if 1 < len(kept) <= _MOST and (has_heading or max(map(hears, kept)) >= _LIST):
            return kept
    if len(own) <= 1000:
        kept = _spoken_items(own, tables, hears)
        if 1 < len(kept) <= _MOST:
            return kept
    return [own] if own else []


def _counts(item: str, has_heading: bool, tables: "Tables", hears: "Callable[[str], float]") -> bool:
    if len(item) < 3 or tables.search(tables.numbers["good"], item) is not None:
        return False
    return has_heading or hears(item) >= _MARK[0]


def _list_items(own: str, tables: "Tables") -> tuple[list[str], bool]:
    """Return the items of a list and whether a line before it calls them faults; deeper levels stay in their item."""
    marks = list(tables.pattern(tables.numbers["borders"]).finditer(own))
    if len(marks) < 2:
        return [], False
    kind = _kind_of_mark(marks[0][0])
    marks = [mark for mark in marks if _kind_of_mark(mark[0]) == kind]
    ends = [mark.start() for mark in marks[1:]] + [len(own)]
    items = [own[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    items[-1] = items[-1].split("\n")[0].strip()
    return items, _is_heading(own[: marks[0].start()], tables)


def _kind_of_mark(mark: str) -> tuple[int, bool]:
    return len(mark) - len(mark.lstrip(" \t\n")), any(char.isdigit() for char in mark)


def _is_heading(lead: str, tables: "Tables") -> bool:
    return tables.search(tables.numbers["heading"], lead[-80:]) is not None


def _run_on_items(own: str, tables: "Tables") -> tuple[list[str], bool]:
    """Return what stands behind 1), 2), 3) ... within a line."""
    if "1" not in own and "１" not in own:
        return [], False
    wanted = 1
    marks: list[re.Match[str]] = []
    for mark in tables.pattern(tables.numbers["run_on"]).finditer(own):
        if int(mark[1]) == wanted:
            marks.append(mark)
            wanted += 1
    if len(marks) < 2:
        return [], False
    ends = [mark.start() for mark in marks[1:]] + [len(own)]
    items = [own[mark.end() : end].strip(" ;；,，、\n") for mark, end in zip(marks, ends, strict=True)]
    return items, _is_heading(own[: marks[0].start()], tables)


def _spoken_items(own: str, tables: "Tables", hears: "Callable[[str], float]") -> list[str]:
    """Return the points between connectives, lines and sentences; a piece that makes none goes with the one before."""
    heading = max(own.find(":", 0, 80), own.find("：", 0, 80))
    is_headed = heading > 0 and _is_heading(own[:heading], tables)
    start = heading + 1 if is_headed else 0
    spans: list[list[int]] = []
    score, opening = 0.0, ""
    pieces = _cut(own, start, tables)
    if len(pieces) < 2:
        return []
    for at, end, border in pieces:
        piece = own[at:end].strip(_EDGES)
        if len(piece) < 3 or _matches(piece, "good", tables):
            continue
        first = piece.split(None, 1)[0].lower()
        chance = hears(piece) if _is_prose(piece) else 0.0
        needed = _MARK if is_headed or (first == opening and len(first) > 3) else border
        if not spans or (
            chance >= needed[0] and score >= needed[1] and not _goes_on(piece, own[spans[-1][0] : at], needed, tables)
        ):
            spans.append([at, end])
            score = chance
        else:
            spans[-1][1] = end
            score = max(score, chance)
        opening = first
    return [own[at:end].strip(_EDGES) for at, end in spans]


def _is_prose(piece: str) -> bool:
    """Whether *piece* is a sentence rather than a line of a log or of code."""
    return len(piece) < 400 and sum(map(piece.count, '{}[]<>=/\\|@#$:()"_')) <= 2 + len(piece) * 0.04


def _goes_on(piece: str, before: str, border: tuple[float, float], tables: "Tables") -> bool:
    """Whether *piece* tells more of the same point: a cause, a consequence, or what the short piece before meant."""
    if _matches(piece, "causes", tables):
        return True
    return border not in (_MARK, _CONNECTIVE) and (
        len(before.strip(_EDGES)) < _SHORT or _matches(piece, "going_on", tables)
    )


def _matches(piece: str, name: str, tables: "Tables") -> bool:
    return tables.search(tables.numbers[name], piece) is not None


def _cut(own: str, start: int, tables: "Tables") -> "list[tuple[int, int, tuple[float, float]]]":
    """Return start and end of the pieces of *own*, each with what the border before it asks for."""
    spots: list[tuple[int, int, tuple[float, float]]] = []
    for name, needed in (("connectives", _CONNECTIVE), ("ands", _AND)):
        if tables.may_match(tables.numbers[name], own):
            spots += [(m.start(), m.end(), needed) for m in tables.pattern(tables.numbers[name]).finditer(own, start)]
    for match in tables.pattern(tables.numbers["sentences"]).finditer(own, start):
        sign = match[0]
        needed = _SEMICOLON if sign[0] in ";；" else _LINE if "\n" in sign else _SENTENCE
        spots.append((match.end(), match.end(), needed))
    at, border = start, _SENTENCE
    pieces: list[tuple[int, int, tuple[float, float]]] = []
    for begin, end, needed in sorted(spots):
        if own[at:begin].strip(_EDGES):
            pieces.append((at, begin, border))
            border = needed
        else:
            border = min(border, needed)
        at = max(at, end)
    return [*pieces, (at, len(own), border)]


_EDGES = " ,;，；、\r\n"
