"""Part a correction into its independent points and describe each (R-6, C-14 to C-21); hot, so no ``re``.

Everything told of a point stands in the message; what is not stated stays ``None`` or empty.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hot_tables import Tables


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


_KINDS = (
    ("revert", "revert"),
    ("redo", "redo"),
    ("praise_but", "partial"),
    ("meant", "clarify"),
    ("why", "complaint"),
    ("omission", "omission"),
    ("anger", "complaint"),
)
_STRONG_RULES = {"from_now", "next_time", "always_do", "always", "never_do", "whenever", "store", "remember"}


def name_correction(early: "set[str]", rules: "set[str]") -> str:
    """Return the finer kind of a correction whose first sentence shows the families *early*, with its *rules*."""
    kind = next((kind for family, kind in _KINDS if family in early), "rejection")
    return f"{kind}+rule" if rules & _STRONG_RULES else kind


def name_learning(rules: "set[str]") -> str:
    """Return the finer kind of a learning that is heard by *rules*, cues named without their language."""
    if rules & {"answer_in", "ask_first", "prefer", "only_person"}:
        return "preference"
    if rules & {"convention", "we_do"}:
        return "convention"
    is_said = rules & {"from_now", "always_do", "never_do"}
    told = rules & {"heads_up", "means", "our_x_is", "fact", "is_source"}
    return "fact" if told and not is_said else "rule"


def find_learning_category(low: str, tables: "Tables") -> str:
    """Return the one of C-25 that a learning belongs to; *low* is what cues are sought in."""
    categories: list[tuple[str, int]] = tables.part("learning_categories")
    return next(word for word, number in categories if number < 0 or tables.search(number, low))


def find_points(text: str, own: str, families: "set[str]", tables: "Tables") -> list[Point]:
    """Return the points of a message judged a correction; at least one.

    Args:
        text: the message as delivered.
        own: the person's words with inline code and quotations kept, blocks cut away.
        families: the cue families of the whole message.
    """
    pieces = _part(own, tables) or [own or text[:2000]]
    points = [_describe(piece, families, tables) for piece in pieces]
    points[0].sql_before, points[0].sql_after = _find_sql(text, tables)
    points[0].tables = points[0].tables or _find_tables(text, tables)
    return points


# Without one of these a message has no border; short ones ask for more than a comma.
_SIGNS = (
    "\n",
    ". ",
    "? ",
    "! ",
    ";",
    "..",
    " and ",
    " also ",
    " plus ",
    " y ",
    " e ",
    " und ",
    " et ",
    " & ",
    " + ",
    " 1",
)
_SHORT = 60


def may_part(own: str) -> bool:
    """Whether anything in *own* could be a border between points: cheaper than to load what parts them."""
    if not own.isascii():
        return len(own) > 7
    return any(sign in own for sign in _SIGNS) or (len(own) > _SHORT and ", " in own)


def _part(own: str, tables: "Tables") -> list[str]:
    if not may_part(own):
        return [own]
    from .split import split

    return split(own, tables)


_READ = 1500  # characters of a piece that describe it; longer ones carry a document


def _describe(piece: str, families: "set[str]", tables: "Tables") -> Point:
    point = Point(piece)
    piece = piece[:_READ]
    low = piece.lower()
    point.severity = next(
        word for word, number in tables.part("severities") if number < 0 or tables.search(number, low)
    )
    point.category = next((word for word, number in tables.part("categories") if tables.search(number, low)), "other")
    point.dimension = _dimension(low, families, tables)
    point.fix = _find_fix(piece, tables)
    point.tables = _find_tables(piece, tables)
    if match := tables.search(tables.number("prevented"), piece):
        point.prevented_by = next(group for group in match.groups() if group).strip()
    return point


def _dimension(low: str, families: "set[str]", tables: "Tables") -> "str | None":
    best, best_score = None, 0
    for order, (word, number) in enumerate(tables.part("dimensions")):
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
    for number in tables.part("fixes"):
        match = tables.search(number, piece)
        if match and (fix := match[1].strip(" \t\"'`,.:;，。")):
            return fix
    return None


def _find_tables(piece: str, tables: "Tables") -> list[str]:
    found: list[str] = []
    is_sql = tables.search(tables.number("sql"), piece) is not None
    for index, number in enumerate(tables.part("table_names")):
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
    sql = tables.pattern(tables.number("sql"))
    before = after = None
    for match in tables.pattern(tables.number("code")).finditer(text):
        code = (match[1] or match[2] or "").strip()
        if not sql.search(code):
            continue
        lead = text[max(0, match.start() - 80) : match.start()]
        if before is not None or tables.search(tables.number("sql_after"), lead):
            after = after or code
        elif tables.search(tables.number("sql_before"), lead):
            before = code
    return before, after
