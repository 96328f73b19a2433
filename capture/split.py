"""Part a correction into its independent points (R-6) with fitted weights of what each border shows; hot, so no ``re``.

First the whole message is weighed: has it several points? Then the borders: how many, and which. The weights and the
border between one point and several are in ``borders.json``.
"""

from .pieces import BY_SIGN, Piece, has_word, look_at_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hot_tables import Tables

_E = 2.718281828459045  # importing math for its exp costs more than to part
_HEADING = 80  # characters in which a heading ends
_MOST = 12  # more than so many points are a document, not a message
_STRONG = ("line", "sentence", "question", "semicolon", "number", "start")
_LEANING = (
    "it",
    "i",
    "you",
    "do",
    "ask",
    "because",
    "but",
    "good",
    "when",
)  # openers of what goes with the piece before
_DOUBT = 0.7  # each further border is so much less likely: messages with two points are the most
_ALSO, _SURE = ("also", "also within"), 0.9  # who says "also" begins another point
_EDGES = " ,;，；、\t\r\n"


def split(own: str, tables: "Tables") -> list[str]:
    """Return the points of *own*, each as written; one when nothing parts it surely, none when it has no word."""
    own = own.strip()
    pieces, marks = read_pieces(own, tables)
    if len(pieces) > 1:
        borders = [name_border(pieces, at) for at in range(1, len(pieces))]
        if add_up(name_message(own, pieces, marks, borders), tables.part("border_weights")["several"]) >= 0:
            return _part(own, pieces, borders, tables)
    return [own] if has_word(own) else []


def read_pieces(own: str, tables: "Tables") -> tuple[list[Piece], list[str]]:
    """Return the pieces that could be points, without headings and praise; and what was left out."""
    marks: list[str] = []
    line = len(own[:_HEADING].partition("\n")[0])
    start = 1 + max(own.find(":", 0, line), own.find("：", 0, line))
    if start and tables.search(tables.number("heading"), own[:start]) is not None:
        marks.append("headed")
    else:
        start = 0
    if tables.search(tables.number("counted"), own[:400]) is not None:
        marks.append("counted")
    pieces = look_at_all(own, start, tables)
    if len(pieces) > 1 and not start and _is_heading(pieces, tables):
        marks.append("headed")
        del pieces[0]
    if marks[:1] == ["headed"]:
        _mark_items(pieces)
    kept = [piece for at, piece in enumerate(pieces) if not _is_idle(pieces, at, tables)]
    if len(kept) < len(pieces):
        marks.append("idle")
    return kept, marks


def _mark_items(pieces: list[Piece]) -> None:
    """Take what semicolons part behind a heading for the items of a list."""
    items = [piece for piece in pieces[1:] if piece.border == "semicolon"]
    if items and not any(piece.mark for piece in pieces):
        for piece in (pieces[0], *items):
            piece.mark = BY_SIGN


def _is_heading(pieces: list[Piece], tables: "Tables") -> bool:
    first = pieces[0]
    if first.mark or first.length > _HEADING:
        return False
    if pieces[1].mark and pieces[1].border == "line" and first.body.endswith((":", "：")):
        return True
    return tables.search(tables.number("counted"), first.body) is not None


def _is_idle(pieces: list[Piece], at: int, tables: "Tables") -> bool:
    """Whether piece *at* is praise, thanks, a bare "that is wrong" or a request to mend what was said before."""
    piece = pieces[at]
    if piece.length > 60 or piece.mark:
        return False
    if piece.is_bare:  # "it looks wrong and ..." goes on
        return at + 1 == len(pieces) or pieces[at + 1].border in (*_STRONG, "comma", "wide")
    return (piece.is_good and piece.shows == "n") or tables.search(tables.number("good"), piece.body) is not None


def name_border(pieces: list[Piece], at: int) -> list[str]:
    """Return what the border before piece *at* shows, as names of weights."""
    before, after = pieces[at - 1], pieces[at]
    left, right = _clause(pieces, at - 1), after
    kind = _kind(pieces, at)
    shows = _shown_after(pieces, at)
    said = "".join([piece.shows for piece in pieces[:at]])
    all_said = "f" if "f" in said else "w" if "w" in said else "n"
    if left.topic & right.topic:
        topic = "same"
    else:
        topic = "old" if any(piece.words & right.words for piece in pieces[:at]) else "new"
    strong = (
        "strong" if kind in ("line", "row", "sentence", "question") else "weak" if after.border not in _STRONG else kind
    )
    names = [
        "border",
        kind,
        f"{kind} {_shown_before(pieces, at)}{shows}",
        f"{kind} {topic}",
        f"topic {topic}",
        f"said {all_said}{shows}",
        f"said {all_said}{shows} {topic}",
        f"{strong} {after.opener}",
        f"{strong} {after.opener} {shows}",
        f"{strong} long{_step(after.length)}",
        f"long{_step(after.length)}",
        f"before long{_step(before.length)}",
    ]
    for name, is_so in (
        ("mends", after.mends), ("too", after.has_too), ("but", after.has_but), ("and", after.has_and),
        ("asks", after.asks), ("good", after.is_good), ("colon", after.body.endswith((":", "：")))
    ):  # fmt: skip
        if is_so:
            names += [name, f"{strong} {name}"]
    for name, is_so in (
        ("before mends", before.mends), ("before asks", before.asks), ("before good", left.is_good),
        ("before colon", before.body.endswith((":", "："))), ("before log", not before.is_prose),
        ("log", not after.is_prose), (f"{strong} alike", left.opener == after.opener),
        (f"{kind} wide", after.rest[:1] >= "\u3040"), ("parallel", _first_word(left) == _first_word(after) != ""),
    ):  # fmt: skip
        if is_so:
            names.append(name)
    return names


def _first_word(piece: Piece) -> str:
    """Return the first word of *piece* when it is one that carries meaning."""
    word = piece.rest[:40].split(None, 1)[0].lower() if piece.rest else ""
    return word if len(word) > 3 else ""


def _kind(pieces: list[Piece], at: int) -> str:
    after = pieces[at]
    if not after.is_prose:
        return "log"
    if after.mark:
        first = next(piece for piece in pieces if piece.mark)
        if first is not after:
            return "item" if first.mark == after.mark and not (after.deep and not first.deep) else "deeper"
        return "first item"
    if after.is_joined:
        return "also" if after.border in _STRONG else "also within"
    return "row" if after.border == "line" and _are_rows(pieces) else after.border


def _are_rows(pieces: list[Piece]) -> bool:
    """Whether the message is one short line after another, each a sentence at most."""
    if len(pieces) < 3 or len(pieces) > 12 + 1:
        return False
    heads = [piece for piece in pieces if piece.border in _STRONG]
    return len(heads) > 2 and all(piece.border in ("line", "start") and piece.is_prose for piece in heads)


def _clause(pieces: list[Piece], at: int) -> Piece:
    """Return the piece that opens the sentence of piece *at*."""
    while at and pieces[at].border not in _STRONG:
        at -= 1
    return pieces[at]


def _shown_before(pieces: list[Piece], at: int) -> str:
    """Return what the sentence before the border shows."""
    shown = pieces[at - 1].shows
    at -= 1
    while at and pieces[at].border not in _STRONG:
        at -= 1
        shown += pieces[at].shows
    return "f" if "f" in shown else "w" if "w" in shown else "n"


def _shown_after(pieces: list[Piece], at: int) -> str:
    """Return what the sentence behind the border shows, only its first piece where the border is within it."""
    shown = pieces[at].shows
    if pieces[at].border in _STRONG:
        for piece in pieces[at + 1 :]:
            if piece.border in _STRONG:
                break
            shown += piece.shows
    return "f" if "f" in shown else "w" if "w" in shown else "n"


def _step(length: int) -> int:
    return (length > 14) + (length > 29) + (length > 59) + (length > 119)


def name_message(own: str, pieces: list[Piece], marks: list[str], borders: list[list[str]]) -> list[str]:
    """Return what the whole message shows: all that its borders do, once, and twice; and its shape."""
    seen: dict[str, int] = {}
    for names in borders:
        for name in names:
            seen[name] = seen.get(name, 0) + 1
    found = ["message", *seen, *[f"2 {name}" for name, count in seen.items() if count > 1], *marks]
    heads = [at for at, piece in enumerate(pieces) if piece.border in _STRONG or not at]
    shown = [
        _shown_after(pieces, at) if at else _shown_before(pieces, heads[1] if len(heads) > 1 else len(pieces))
        for at in heads
    ]
    found += _levels("faults", shown.count("f"))
    found += _levels(
        "claims", sum(1 for at, sign in zip(heads, shown, strict=True) if sign != "n" and not pieces[at].mends)
    )
    clear = [sign == "f" and pieces[at].opener not in _LEANING for at, sign in zip(heads, shown, strict=True)]
    found += _levels("clear faults", sum(clear))
    items = [piece for piece in pieces if piece.mark and piece.is_prose]
    if len(items) > 1:
        faulty = sum(1 for piece in items if piece.shows == "f")
        found.append("list")
        found += _levels("items", sum(1 for piece in items if piece.shows != "n"))
        found += _levels("faulty items", faulty)
        found.append(f"{('few', 'half', 'all')[2 * faulty // len(items)]} faulty")
        found += [f"list {mark}" for mark in marks]
    if all(piece.border in ("line", "start") or piece.border not in _STRONG for piece in pieces) and len(heads) > 1:
        found += _levels("only lines", len(heads))
    length = len(own) * (1 if own.isascii() or max(own[:200]) < "\u3040" else 2)
    found += [f"over {size}" for size in (60, 120, 240, 480, 960, 1500) if length >= size]
    if 4 * sum(1 for piece in pieces if piece.is_prose) < 3 * len(pieces):
        found.append("logs")
    if "…" in own[10:-1]:
        found.append("cut in")
    if own.isupper():
        found.append("shout")
    return found


def _levels(name: str, count: int) -> list[str]:
    return [f"{name} {level}" for level in range(1, min(count, 6) + 1)]


def add_up(names: list[str], weights: "dict[str, float]") -> float:
    """Return the sum of the weights that *names* have."""
    return sum([weights[name] for name in names if name in weights])


def _part(own: str, pieces: list[Piece], borders: list[list[str]], tables: "Tables") -> list[str]:
    """Return *own* parted at the likeliest borders, as many as are likeliest together, at least one."""
    items = find_items(pieces, borders)
    if len(items) > _MOST:
        return [own]
    if len(items) > 1:
        return [_words_of(own, pieces[first], pieces[last]) for first, last in items]
    weights = tables.part("border_weights")["borders"]
    chances = [chance(names, weights) for names in borders]
    count = likeliest_count(chances)
    ranked = sorted(range(len(chances)), key=lambda at: (-chances[at], at))
    cuts = sorted(ranked[:count])
    starts = [0, *[at + 1 for at in cuts]]
    ends = [*cuts, len(pieces) - 1]
    return [_words_of(own, pieces[first], pieces[last]) for first, last in zip(starts, ends, strict=True)]


def chance(names: list[str], weights: "dict[str, float]") -> float:
    """Return how likely a border that shows *names* parts points of a message that has several."""
    if names[1] in _ALSO:
        return _SURE
    return 1 / (1 + _E ** -max(-30.0, min(30.0, add_up(names, weights))))


def find_items(pieces: list[Piece], borders: list[list[str]]) -> list[tuple[int, int]]:
    """Return first and last piece of each item of a list, and of what is said after it with a word like "also"."""
    kinds = ["start", *[names[1] for names in borders]]
    if "item" not in kinds:
        return []
    opening = next(at for at, piece in enumerate(pieces) if piece.mark)
    spans: list[tuple[int, int]] = [(opening, opening)]
    for at in range(opening + 1, len(pieces)):
        piece = pieces[at]
        if kinds[at] == "item" or (kinds[at] == "also" and piece.border == "line"):
            spans.append((at, at))
        elif spans[-1][1] == at - 1 and (piece.border != "line" or piece.mark or piece.deep):
            spans[-1] = (spans[-1][0], at)
    return [span for span in spans if not pieces[span[0]].is_good]


def likeliest_count(chances: list[float]) -> int:
    """Return the likeliest number of borders, at least one, when each parts with its own chance."""
    most = min(len(chances), _MOST - 1)
    ways = [1.0] + [0.0] * most
    for chance in chances:
        for count in range(most, 0, -1):
            ways[count] = ways[count] * (1 - chance) + ways[count - 1] * chance
        ways[0] *= 1 - chance
    return max(range(1, most + 1), key=lambda count: ways[count] * _DOUBT**count)


def _words_of(own: str, first: Piece, last: Piece) -> str:
    """Return what stands from one piece to another, without the mark and the joining word that it opens with."""
    text = own[first.start : last.end].strip()
    text = text[len(own[first.start : first.end].strip()) - len(first.rest) :] if first.rest else text
    return text.strip(_EDGES)
