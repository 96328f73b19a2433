"""Take a message apart wherever a new point might begin, and look at each piece; hot, so no ``re``."""

from .anchors import WORD_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hot_tables import Tables

_MOST = 40  # pieces that are looked at; more make a document
BY_SIGN = 4  # the kind of mark that an item has when a semicolon parts it from the one before
_READ = 4000  # characters that are looked at
_CURLY = str.maketrans("’‘", "''")
_BARE, _BARE_WIDE = 48, 12  # a longer verdict tells what is wrong
_WITHIN = ("comma", "and", "joined", "question")  # borders behind which no list's mark stands
_AROUND = " \t\r\n.,:;!?()[]{}<>*_`\"'-–—…"
_MARKS = "-*+(0123456789"
_CODE = '{}[]<>=/\\|@#$:()"_'


class Piece:
    """What may be a point or a part of one.

    Attributes:
        start, end: where it stands in the person's words; the list's mark is within.
        border: what parts it from the piece before: ``line``, ``sentence``, ``question``, ``semicolon``, ``comma``,
            ``wide`` (a comma of Chinese or Japanese), ``and``, ``joined`` (a word like "also"), ``number``.
        body, rest: its words behind the mark; and behind "and", "but", "also".
        mark: kind of the list's mark, 0 for none; deep: it stands further in than the first.
        is_joined, has_and, has_but: it opens with such a word.
        opener: the class of its first word.
        shows: ``f`` a fault, ``w`` a wish, ``n`` neither.
        words: stems of the words that carry meaning; topic: those of the first words.
        is_bare: it says that something is wrong, and not what.
        is_prose: a sentence rather than a line of a log or of code.
    """

    __slots__ = (
        "asks", "body", "border", "deep", "end", "has_and", "has_but", "has_too", "is_bare", "is_good", "is_joined",
        "is_prose", "length", "mark", "mends", "opener", "rest", "shows", "start", "topic", "words",
    )  # fmt: skip

    def __init__(self, start: int, end: int, border: str) -> None:
        self.start = start
        self.end = end
        self.border = border


def cut(own: str, start: int, tables: "Tables") -> list[Piece]:
    """Return the pieces of *own* from *start* on; the last one takes what is not looked at."""
    pieces: list[Piece] = []
    at = unread = start
    border = "start"
    for match in tables.pattern(tables.number("border")).finditer(own, start, _READ):
        name = match.lastgroup or ""
        if "\n" in own[match.start() : match.end() + 1]:
            name = "line"
        begin = match.end() if name in ("sentence", "question") else match.start()
        if has_word(own[unread:begin]):
            pieces.append(Piece(at, begin, border))
            at, border = match.end(), name
            if len(pieces) == _MOST:
                break
        elif name == "line":
            at, border = match.end(), name
        unread = match.end()
    if has_word(own[at:]):
        pieces.append(Piece(at, len(own), border))
    return pieces


def has_word(text: str) -> bool:
    """Whether *text* holds two letters, or one of a writing that needs no more for a word."""
    letters = 0
    for char in text:
        if char.isalpha():
            letters += 1
            if letters > 1 or char >= "\u3040":
                return True
    return False


def look_at_all(own: str, start: int, tables: "Tables") -> list[Piece]:
    """Return the pieces of *own* from *start* on, looked at; a joining word alone goes with what it joins."""
    pieces: list[Piece] = []
    for piece in cut(own, start, tables):
        before = pieces[-1] if pieces else None
        if before is not None and not has_word(before.rest):
            piece.start, piece.border = before.start, before.border
            pieces.pop()
        look(piece, own, tables)
        pieces.append(piece)
    return pieces


def look(piece: Piece, own: str, tables: "Tables") -> None:
    """Fill in what *piece* shows."""
    text = own[piece.start : piece.end].strip()
    piece.mark, piece.body = 0, text
    piece.deep = piece.border == "line" and own[piece.start - 1] in " \t"
    may_be_listed = piece.border not in _WITHIN and may_be_listed_as(text)
    if may_be_listed and (match := tables.pattern(tables.number("mark")).match(text)):
        piece.mark, piece.body = match.lastindex or 0, text[match.end() :]
    piece.has_and, piece.has_but, piece.is_joined, piece.rest = False, False, False, piece.body
    match = tables.pattern(tables.number("opening")).match(piece.body) if may_be_joined(piece.body, tables) else None
    if match and match.lastindex:
        piece.has_and, piece.has_but, piece.is_joined = bool(match[1]), bool(match[2]), bool(match[3])
        piece.rest = piece.body[match.end() :]
    piece.asks = text.endswith(("?", "？"))
    piece.is_prose = len(text) < 400 and sum(map(text.count, _CODE)) <= 2 + len(text) * 0.04
    _read_words(piece, tables)


def may_be_listed_as(text: str) -> bool:
    """Whether *text* could open with a list's mark: cheaper than to have its pattern."""
    low = text[:7].lower()
    return (
        not text.isascii() or low[:1] in _MARKS or low[1:2] in (".", ")") or low.startswith(("problem", "issue", "bug"))
    )


def may_be_joined(text: str, tables: "Tables") -> bool:
    """Whether *text* could open with a word that joins it to what was before: cheaper than to have its pattern."""
    if not text.isascii() or "&" in text[:4] or "+" in text[:4]:
        return True
    words = text[:24].encode().translate(WORD_BYTES).split(None, 1)
    return bool(words) and b" " + words[0] + b" " in tables.part("joining_words")


def _read_words(piece: Piece, tables: "Tables") -> None:
    """Fill in what the words tell."""
    low = piece.rest.lower().translate(_CURLY)
    words = [word for word in map(_bare, low.split()) if word]
    told = [tables.tell_word(word) for word in words]
    flags = "".join([flags for flags, _ in told])
    is_wide = not low.isascii() and any(char >= "\u3040" for char in low)
    if is_wide:
        for flag, parts in tables.part("piece_parts"):
            if flag not in flags:
                for part in parts:
                    if part in low:
                        flags += flag
                        break
    piece.opener = _opener(low, told, tables)
    piece.shows = "n" if not piece.is_prose else "f" if "f" in flags else "w" if "w" in flags else "n"
    piece.has_too = "t" in flags
    piece.mends = ("m" in flags and is_wide) or _asks_to_mend(told)
    piece.is_good = piece.opener == "good" or ("g" in flags and piece.shows == "n")
    piece.length = len(piece.rest) * (2 if is_wide else 1)
    piece.is_bare = _is_bare(piece, told, is_wide)
    piece.words = _stems(low, words, told, is_wide)
    piece.topic = _stems(low[:6], words[:5], told, is_wide)


def _bare(word: str) -> str:
    return word.strip(_AROUND)


def _opener(low: str, told: list[tuple[str, str]], tables: "Tables") -> str:
    """Return the class of the first word, or of the first characters where blanks do not part words."""
    if told and told[0][1]:
        return told[0][1]
    if low[:1] < "\u3040":
        return "other"
    for size in (3, 2, 1):
        if found := tables.tell_word(low[:size])[1]:
            return found
    return "wide"


def _is_bare(piece: Piece, told: list[tuple[str, str]], is_wide: bool) -> bool:
    """Whether *piece* says that something is wrong, and not what."""
    if piece.shows != "f" or piece.length > _BARE or not piece.is_prose:
        return False
    if is_wide:
        return piece.length <= _BARE_WIDE
    return all(flags or opener for flags, opener in told)


def _asks_to_mend(told: list[tuple[str, str]]) -> bool:
    for flags, _ in told[:5]:
        if "m" in flags:
            return True
        if "p" not in flags:
            return False
    return False


def _stems(low: str, words: list[str], told: list[tuple[str, str]], is_wide: bool) -> set[str]:
    """Return the beginnings of words that carry meaning, pairs of characters where blanks do not part words."""
    if is_wide:
        return {low[at : at + 2] for at in range(len(low) - 1) if low[at] >= "\u3040" and low[at + 1] >= "\u3040"}
    return {word[:6] for word, (_, opener) in zip(words, told, strict=False) if len(word) > 3 and not opener}
