"""Take secrets out of a text before it is cut, hashed, stored or sent; each becomes ``[REDACTED:<class>]``. Hot.

What counts as a secret is the table in ``scrub_rows`` (O-15), prepared once by ``prepare_scrub`` into plain data that
the hook loads with its other tables. A row's pattern is only thawed when one of its anchors, short literal texts, is
there: an ordinary prompt costs some ``find`` calls and nothing else.

A row is tried where its anchors stand (``core/scrub_rows.py`` tells how) and every repeat in it is bounded or cannot
fail after a long run, so the time is linear in the text. Scrubbing twice changes nothing more.
"""

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable
    from typing import Any

    Row = tuple[str, str, tuple[str, ...], bool]  # class, way (``scrub_parts.Way``), anchors, matched without case
    Anchor = tuple[str, bool, list[int]]  # the anchor, whether it is matched without case, the numbers of its rows
    Details = tuple[list[Row], list[list[Anchor]], list[list[int]]]

_MARK = "[REDACTED:"
# A secret taken out can bring a name and the next value together; more rounds than this have never been needed.
_MOST_ROUNDS = 4
_LONG_WORD = 20  # no token that is known by its look alone is shorter
_KEPT_END = 1 << 16  # characters kept of either end of a very long text


class ScrubRules:
    """The prepared table (``prepare_scrub``), its rows and patterns unpacked when first needed: few texts need one.

    Attributes:
        always: numbers of the rows to try on every text: the person's own.
        stems: what is sought, without case, before the anchors that hold it; word: anchors that count in long words.
    """

    __slots__ = ("_details", "_frozen", "_packed", "_patterns", "always", "stems", "word")

    def __init__(self, prepared: "dict[str, Any]") -> None:
        self.always: list[int] = prepared["always"]
        self.stems: list[str] = prepared["stems"].split("\n")
        self.word: list[str] = prepared["word"].split("\n")
        self._packed: bytes = prepared["details"]
        self._details: Details | None = None
        self._frozen: dict[str, Any] = prepared["frozen"]
        self._patterns: dict[int, re.Pattern[str]] = {}

    def details(self) -> "Details":
        """Return the rows, of each stem its anchors, and of each anchor of long words the numbers of its rows."""
        details = self._details
        if details is None:
            details = self._details = marshal.loads(self._packed)
        return details

    def find_pattern(self, number: int) -> "re.Pattern[str]":
        """Return row *number*'s pattern; the two that tell placeholders are behind the last row."""
        pattern = self._patterns.get(number)
        if pattern is None:
            from .prepared import thaw

            pattern = self._patterns[number] = thaw(self._frozen, number)
        return pattern

    def find_spared(self, way: str) -> "re.Pattern[str] | None":
        """Return the pattern of values that rows of this *way* leave alone."""
        count = len(self.details()[0])
        if way == "named":
            return self.find_pattern(count + 1)
        return self.find_pattern(count) if way == "set" else None


def cut_middle(text: str) -> str:
    """Return a very long text without its middle, before it is scrubbed, hashed and judged.

    The detector looks at a few thousand characters of either end (``strip.py``); a secret that the cut breaks lies far
    behind them, so nothing of it is ever shown.
    """
    return text if len(text) <= 2 * _KEPT_END else f"{text[:_KEPT_END]}\n{text[-_KEPT_END:]}"


def scrub(text: str, rules: ScrubRules) -> str:
    """Return *text* with every secret that *rules* know replaced by ``[REDACTED:<class>]``."""
    for _ in range(_MOST_ROUNDS):
        before, text = text, _scrub_once(text, rules)
        if text == before:
            break
    return text


def scrub_json(value: "Any", rules: ScrubRules) -> "Any":
    """Return a copy of decoded JSON with its string values scrubbed; member names are never changed.

    A string below a member with a secret's name (``password``) is judged together with that name.
    """
    top: list[Any] = [value]
    waiting: list[tuple[Any, Any]] = [(top, 0)]  # a list and not recursion: a log may nest ten thousand deep
    while waiting:
        holder, key = waiting.pop()
        item = holder[key]
        if isinstance(item, str):
            holder[key] = _scrub_member(key, item, rules)
        elif isinstance(item, dict):
            holder[key] = copy = dict(item)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            waiting += [(copy, name) for name in copy]  # pyright: ignore[reportUnknownVariableType]
        elif isinstance(item, list):
            holder[key] = copy = list(item)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            waiting += [(copy, index) for index in range(len(copy))]  # pyright: ignore[reportUnknownArgumentType]
    return top[0]


def prepare_scrub(
    own_patterns: "Iterable[str]" = (), *, emails: bool = False, hosts: "Iterable[str] | None" = None
) -> "dict[str, Any]":
    """Prepare the table for ``ScrubRules``: data that can be marshalled. Cold.

    Args:
        own_patterns: the person's regular expressions (``scrub.patterns``); a group marks the secret part.
        emails: mask e-mail addresses too.
        hosts: mask IP addresses, internal host names and these names too; ``None`` masks none.

    Raises:
        re.error: an own pattern is no regular expression.
    """
    from .scrub_rows import prepare_rows

    return prepare_rows(tuple(own_patterns), emails, hosts)


_default: "ScrubRules | None" = None


def default_rules() -> ScrubRules:
    """Return the rules without any setting, prepared once a process. Cold."""
    global _default
    if _default is None:
        _default = ScrubRules(prepare_scrub())
    return _default


def _scrub_member(name: object, text: str, rules: ScrubRules) -> str:
    scrubbed = scrub(text, rules)
    if not isinstance(name, str) or "\n" in text or '"' in text or "\\" in text or len(text) > 512:
        return scrubbed
    line = f'"{name}": "{scrubbed}"'
    named = scrub(line, rules)
    head = f'"{name}": "'
    # the name itself may look like a secret: then nothing can be said of the value from the pair
    return named[len(head) : -1] if named.startswith(head) and named.endswith('"') else scrubbed


def _scrub_once(text: str, rules: ScrubRules) -> str:
    low = _lower(text)
    for number in _find_rows(text, low, rules):
        kind, way, anchors, without_case = rules.details()[0][number]
        pattern = rules.find_pattern(number)
        if way == "own":
            scrubbed = _scrub_own(text, pattern, kind)
        elif way == "anywhere":
            scrubbed = _replace_anywhere(text, pattern, kind)
        else:
            places = _find_anchors(low if without_case else text, anchors)
            scrubbed = _replace_at(text, places, pattern, kind, rules.find_spared(way))
        if scrubbed is not text:
            text, low = scrubbed, _lower(scrubbed)
    return text


def _lower(text: str) -> str:
    """Lower *text* and keep every place: U+0130 is the only character that grows when lowered."""
    return text.replace("\u0130", "i").lower()


def _find_rows(text: str, low: str, rules: ScrubRules) -> "list[int]":
    """Return the numbers of the rows that may find something in *text*, in the table's order."""
    numbers = set(rules.always)
    for at, stem in enumerate(rules.stems):
        if stem in low:
            for anchor, without_case, of_anchor in rules.details()[1][at]:
                if anchor in (low if without_case else text):
                    numbers.update(of_anchor)
    if long_words := " ".join([word for word in text.split() if len(word) >= _LONG_WORD]):
        for at, anchor in enumerate(rules.word):
            if anchor in long_words:
                numbers.update(rules.details()[2][at])
    return sorted(numbers)


def _find_anchors(text: str, anchors: "tuple[str, ...]") -> "list[int]":
    """Return where any of *anchors* begins, in order."""
    places: list[int] = []
    for anchor in anchors:
        place = text.find(anchor)
        while place >= 0:
            places.append(place)
            place = text.find(anchor, place + 1)
    places.sort()
    return places


def _replace_at(
    text: str, places: "list[int]", pattern: "re.Pattern[str]", kind: str, spared: "re.Pattern[str] | None"
) -> str:
    """Replace what *pattern* matches beginning at one of *places*; without any, *text* itself comes back.

    A value at which *spared* matches is left alone.
    """
    pieces: list[str] = []
    done = 0
    for place in places:
        match = pattern.match(text, place) if place >= done else None
        if match is not None and (spared is None or not spared.match(text, match.start(match.lastindex or 0))):
            done = _add_pieces(pieces, text, done, match, kind)
    return "".join(pieces) + text[done:] if pieces else text


def _replace_anywhere(text: str, pattern: "re.Pattern[str]", kind: str) -> str:
    pieces: list[str] = []
    done = 0
    for match in pattern.finditer(text):
        if match.end() > match.start():
            done = _add_pieces(pieces, text, done, match, kind)
    return "".join(pieces) + text[done:] if pieces else text


def _add_pieces(pieces: "list[str]", text: str, done: int, match: "re.Match[str]", kind: str) -> int:
    """Add the text up to the secret and its mark; the secret is the last group that matched, or the whole match."""
    start, end = match.span(match.lastindex or 0)
    pieces += (text[done:start], _MARK, kind, "]")
    return end


def _scrub_own(text: str, pattern: "re.Pattern[str]", kind: str) -> str:
    """Replace between the marks only: an own pattern may be anything and must not eat a mark."""
    if _MARK not in text:
        return _replace_anywhere(text, pattern, kind)
    pieces: list[str] = []
    for number, piece in enumerate(text.split(_MARK)):
        mark, closing, rest = piece.partition("]") if number else ("", "", piece)
        pieces += (_MARK if number else "", mark, closing, _replace_anywhere(rest, pattern, kind))
    scrubbed = "".join(pieces)
    return text if scrubbed == text else scrubbed
