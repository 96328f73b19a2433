"""What a message shows, as named features: the same for the hook, the sweep and the training; hot.

A feature is a short readable name (``f:still@1``: the family *still* in the first sentence).
"""

from .anchors import words_of
from .grams import straighten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .detector import Context
    from .hot_tables import Tables

_HEAD, _TAIL = 1000, 600  # own characters that cues are sought in
_LENGTHS = (12, 30, 60, 120, 250, 500, 1000)
_AGAINST = (
    "still again no_effect neg_open meant you_did why defect should contrast revert redo stop praise_but omission"
)
NEGATIVE = frozenset((*_AGAINST.split(), "doubt", "anger"))  # families that judge the work


class Seen:
    """One message taken apart.

    Attributes:
        own: the person's own words; low: the part that cues are sought in, lower case, slips mended.
        cues: name, family, start, end of each cue that fired, in table order.
    """

    __slots__ = ("cues", "ends", "low", "own", "raw_chars", "raw_error")

    def __init__(self, own: str, low: str) -> None:
        self.own = own
        self.low = low
        self.raw_chars = 0
        self.raw_error = False
        self.cues: list[tuple[str, str, int, int]] = []
        self.ends: list[int] = []


def _anchored(low: str, tables: "Tables") -> tuple[str, list[int]]:
    """Return the text with slips mended and the numbers of the cues that have an anchor in it."""
    numbers = set(tables.part("always"))
    mended: dict[str, str] = {}
    for word in words_of(low.encode("utf-8", "surrogatepass")):
        cues, meant = tables.look_up(word)
        numbers.update(cues)
        if meant:
            mended[word.decode()] = meant.decode()
    if mended:
        low = _mend(low, mended, tables)
        for word in mended.values():
            numbers.update(tables.look_up(word.replace("'", "").encode())[0])
    if not low.isascii():
        for character in set(low):
            if character >= "\x80":
                for piece, cues in tables.part("pieces").get(character, ()):
                    if piece in low:
                        numbers.update(cues)
    return low, sorted(numbers)


def _mend(low: str, mended: "dict[str, str]", tables: "Tables") -> str:
    """Put key words right that a finger slipped on."""
    return tables.pattern(tables.part("word_number")).sub(lambda m: mended.get(m[0].replace("'", ""), m[0]), low)


def observe(text: str, own: str, tables: "Tables") -> Seen:
    """Find the cues of *own* (the person's words of *text*) whose anchors are there."""
    look = own if len(own) <= _HEAD + _TAIL else f"{own[:_HEAD]}\n{own[-_TAIL:]}"
    low, numbers = _anchored(straighten(look).lower(), tables)
    seen = Seen(own, low)
    seen.raw_chars = len(text)
    seen.cues = tables.find_cues(numbers, low)
    seen.ends = [match.end() for match in tables.pattern(tables.part("sentence_number")).finditer(low)]
    if not seen.ends or seen.ends[-1] < len(low):
        seen.ends.append(len(low))
    if len(own) < 200 and len(text) > len(own) + 40:
        seen.raw_error = tables.search(tables.part("error_number"), text) is not None
    return seen


def _bucket(value: int, borders: "tuple[int, ...]") -> int:
    for index, border in enumerate(borders):
        if value < border:
            return index
    return len(borders)


def text_features(seen: Seen) -> list[str]:
    """Return the features that the message alone shows."""
    low, ends = seen.low, seen.ends
    length = _bucket(len(seen.own), _LENGTHS)
    first, last = ends[0], ends[-2] if len(ends) > 1 else 0
    features = [f"len{length}", f"sent{min(len(ends), 6)}"]
    families: dict[str, bool] = {}
    for name, family, start, _ in seen.cues:
        features.append(f"c:{name}")
        fresh = family not in families
        families[family] = True
        if fresh:
            features.append(f"f:{family}")
            features.append(f"f:{family}*{length // 2}")
        if start < first:
            features.append(f"f:{family}@1")
        elif start >= last:
            features.append(f"f:{family}@z")
        if start < 25:
            features.append(f"f:{family}@0")
        end = next((e for e in ends if e > start), len(low))
        if low[end - 1 : end] in "?？" or low[end - 2 : end - 1] in ("?", "？"):
            features.append(f"f:{family}?")
    features.append(f"neg{min(len(NEGATIVE.intersection(families)), 5)}")
    features += _shape_features(seen, length)
    return list(dict.fromkeys(features))


def _shape_features(seen: Seen, length: int) -> list[str]:
    """Name what the message looks like, whatever it says."""
    own = seen.own
    lines = own.count("\n")
    is_listed = "\n1" in own or "\n- " in own or own.startswith(("1.", "1)", "- ", "* ", "1、"))
    is_cut = seen.raw_chars > 2 * len(own) + 20
    asks_last = "?" in own[-3:] or "？" in own[-3:]
    shape = (
        ("q_end", asks_last),
        (f"q_end*{length // 2}", asks_last),
        ("q_in", not asks_last and ("?" in own or "？" in own)),
        ("bang", "!" in own or "！" in own),
        ("cut_open", own[:1] == "…"),
        ("cut_in", "…" in own[1:]),
        ("dots", ".." in own),
        (f"lines{_bucket(lines, (2, 4, 8, 16))}", lines > 0),
        ("list", is_listed),
        ("mostly_cut", is_cut),
        (f"mostly_cut*{length // 2}", is_cut),
        ("raw_error", seen.raw_error),
        (f"raw_error*{length // 2}", seen.raw_error),
        ("small_open", own[:1].islower()),
        ("shout", len(own) > 8 and own.isupper()),
    )
    features = [name for name, is_so in shape if is_so]
    if not own.isascii():
        features.append(_script(own))
    return features


def _script(own: str) -> str:
    """Name the writing of the first letter that is not ASCII (kana anywhere means Japanese)."""
    for char in own[:200]:
        if "\u3040" <= char <= "\u30ff":
            return "kana"
    for char in own[:200]:
        if char >= "\u0400":
            if char <= "\u04ff":
                return "cyrillic"
            if "\u4e00" <= char <= "\u9fff":
                return "han"
            if "\uac00" <= char <= "\ud7a3":
                return "hangul"
            if "\u0600" <= char <= "\u06ff":
                return "arabic"
    return "accents"


def _content_words(low: str) -> set[str]:
    words = {word.strip(".,:;!?()[]{}*_`'\"#-") for word in low.split()}
    return {word for word in words if len(word) > 4 or (len(word) > 1 and not word.isascii())}


def _shared(seen: Seen, answer: str) -> int:
    """Count the content words (or pairs of CJK characters) of the message that the answer names too."""
    own = seen.low[:600]
    if any("\u3040" <= char <= "\u9fff" for char in own[:60]):
        return sum(1 for i in range(0, min(len(own), 120) - 1, 2) if own[i : i + 2] in answer and own[i] > "\u3040")
    return len([word for word in _content_words(own) if word in answer])


def context_features(seen: Seen, context: "Context", text_names: list[str], tables: "Tables") -> list[str]:
    """Return what the turn before adds; nothing when it is not known."""
    if context.answer is None:
        return []
    marks = _marks(seen, context, tables)
    features = [f"x:{mark}" for mark in marks]
    length = next(name for name in text_names if name.startswith("len"))
    crossed = [mark for mark in marks if mark in tables.part("crossing")]
    for name in text_names:
        if name[:2] == "f:" and not (set("@*?") & set(name)):
            features += [f"x:{name[2:]}&{mark}" for mark in crossed]
    for name in (length, "q_end", "raw_error", "mostly_cut", "bang", "cut_open", "neg0", "neg1", "neg2"):
        if name == length or name in text_names:
            features += [f"x:{name}&{mark}" for mark in crossed]
    return features


def _marks(seen: Seen, context: "Context", tables: "Tables") -> list[str]:
    """Name what the turn before shows."""
    answer = (context.answer or "")[-600:].lower()
    if not answer.strip():
        marks = ["first" if context.is_first is not False else "silent"]
    else:
        marks = ["known", *_answer_marks(answer, tables)]
        marks.append(f"shared{min(_shared(seen, answer), 4)}")
        if len(seen.own) > 80 and seen.own[:80].lower() in answer:
            marks.append("pasted_answer")
    if context.before:
        marks += [context.before, "stopped"]
    if context.reverted:
        marks.append("reverted")
    if seen.own and any(seen.own == other.strip() for other in context.earlier[-3:]):
        marks.append("repeat")
    return marks


def _answer_marks(answer: str, tables: "Tables") -> list[str]:
    words = words_of(answer.encode("utf-8", "surrogatepass"))
    marks = [
        name
        for name, own, pieces in tables.part("answer_cues")
        if not own.isdisjoint(words) or any(piece in answer for piece in pieces)
    ]
    last = answer.rstrip(_TRAILING)
    if last.endswith(("?", "？")):
        marks.append("asked")
    if last.endswith("```") or "\n+ " in answer:
        marks.append("code_end")
    if last.endswith(("cancelled", "canceled", "interrupted", "rejected")):
        marks.append("cancelled")
    if "claimed" in marks and "asked" not in marks and "asks" not in marks:
        marks.append("claim_only")
    return marks


# decoration that may follow an answer's last sign
_TRAILING = " \n\r\t*_`\"')）」》~🎉🚀😊✅✨👍🙂🎯🎊💪🙏\ufe0f"
