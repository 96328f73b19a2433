"""The analyzer document's keyword classifier, rule for rule (A-37 to A-53, X-2 to X-5, X-10).

It is deterministic and knows one message only. ``--classifier document`` uses it alone; by default it speaks where
our own detector is silent. The lists are the document's, with the few words added that its own sample needs (X-2).
"""

import re
from typing import Literal, NamedTuple

Reaction = Literal["revert", "redo", "partial", "rejection", "explicit", "implicit"]

CONFIDENCE: dict[Reaction, float] = {
    "revert": 0.9,
    "redo": 0.9,
    "partial": 0.7,
    "rejection": 0.9,
    "explicit": 0.8,
    "implicit": 0.6,
}
IMPLICIT_MIN_LENGTH = 20  # characters; a longer statement is an acceptance

REJECTION = ("wrong", "incorrect", "no,", "not right", "not correct", "that's not", "不对", "错了")
REDO = ("try again", "redo", "重新来", "换个方案")
QUALIFIER = ("but", "however", "但是")
ACCEPTANCE = ("lgtm", "looks good", "correct", "可以", "对的")  # and 好, by its position
FRICTION = ("太慢了", "怎么还在搞", "还没好")

# The order decides between dimensions of equal weight.
DIMENSIONS: dict[str, tuple[str, ...]] = {
    "trigger_quality": ("wrong skill", "shouldn't trigger", "不该触发"),
    "accuracy": ("naming", "format", "style", "typo", "not right", "should use", "should be", "命名", "格式", "拼写"),
    "coverage": ("missing", "forgot", "incomplete", "缺少", "漏了"),
    "reliability": ("again", "inconsistent", "重复", "不稳定"),
    "efficiency": ("slow", "verbose", "太慢", "冗余"),
    "security": ("security", "secret", "token", "credential", "密钥"),
}

_CLAUSE = re.compile(r"[^,.;:!?\n，。；：！？、]+[,.;:!?\n，。；：！？、]?")
_NEGATION_BEFORE = re.compile(r"(?:\bnot|n't|\bnever|\bnothing|\bno|不|没|别)\s*(?:\w{1,12}\s+)?$")
_QUESTION_END = re.compile(r"(?:[?？]|[吗么]\s*[?？。!！]?)\s*$")
_ASKS_TO_CORRECT = re.compile(r"\b(?:please|can you|could you|to)\s+(?:\w+ly\s+)?correct\s+\S")
# 好 says yes as a whole clause or at its end; 你好, 好像, 不好, 最好, 还没好 do not.
_GOOD = re.compile(
    r"(?:^\s*好(?:的|了|吧|啊|呀|嘞|啦)*\s*[,.!，。！、]?\s*$)|(?:(?<![你您不没别最更要正刚只还])好(?:了|的|啊|啦)?\s*[,.!，。！]?\s*$)"
)


class Reading(NamedTuple):
    """What one message says: its strongest reaction and what it is about.

    Attributes:
        reaction: by the order of A-17 within one message; ``None`` when no rule matches (A-43).
        dimension: for a correction or partial (``unknown`` without a keyword), else ``None``.
    """

    reaction: Reaction | None
    dimension: str | None


def read_message(text: str) -> Reading:
    """Classify one message of the person by the document's tables."""
    text = _straighten(text)
    if _has_any(text, REDO):
        reaction: Reaction | None = "redo"
    elif has_rejection(text):
        reaction = "partial" if _has_any(text, QUALIFIER) else "rejection"
    elif _is_accepted(text):
        reaction = "partial" if _has_any(text, QUALIFIER) else "explicit"
    else:
        reaction = "implicit" if _is_statement(text) else None
    needs_dimension = reaction not in (None, "explicit", "implicit")
    return Reading(reaction, find_dimension(text) if needs_dimension else None)


def has_rejection(text: str) -> bool:
    """Whether a rejection keyword stands in *text* and is not itself negated (``nothing wrong``)."""
    text = _straighten(text)
    return any(
        not (word in ("wrong", "incorrect") and _NEGATION_BEFORE.search(text[: match.start()]))
        for word in REJECTION
        for match in _find(word, text)
    )


def find_dimension(text: str) -> str:
    """Return the dimension that the message is about, ``unknown`` without a keyword (A-45 to A-53).

    Of several a phrase of several words beats single words, then more distinct hits beat fewer, then the table's order
    decides.
    """
    text = _straighten(text)
    best, best_score = "unknown", (0, 0)
    for dimension, words in DIMENSIONS.items():
        hits = [word for word in words if any(_find(word, text))]
        score = (max((2 if " " in word else 1 for word in hits), default=0), len(hits))
        if score > best_score:
            best, best_score = dimension, score
    return best


def _straighten(text: str) -> str:
    return text.lower().replace("’", "'")


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    return any(any(_find(word, text)) for word in words)


def _find(word: str, text: str) -> "list[re.Match[str]]":
    """Find *word* as a word; Chinese has no borders between words."""
    return list(_PATTERNS[word].finditer(text))


def _compile(word: str) -> "re.Pattern[str]":
    if not word.isascii():
        return re.compile(re.escape(word))
    return re.compile(rf"(?<!\w){re.escape(word)}" + (r"(?!\w)" if word[-1].isalnum() else ""))


def _is_accepted(text: str) -> bool:
    """Whether an acceptance keyword counts: not negated, asked, a verb or part of a friction phrase (X-3, X-4)."""
    if any(phrase in text for phrase in FRICTION):
        return False
    for clause in _CLAUSE.findall(text):
        if _QUESTION_END.search(clause):
            continue
        if _GOOD.search(clause):
            return True
        for word in ACCEPTANCE:
            if word == "correct" and _ASKS_TO_CORRECT.search(clause):
                continue
            if any(not _NEGATION_BEFORE.search(clause[: match.start()]) for match in _find(word, clause)):
                return True
    return False


def _is_statement(text: str) -> bool:
    return len(text.strip()) > IMPLICIT_MIN_LENGTH and "?" not in text and "？" not in text


_PATTERNS = {
    word: _compile(word) for words in (REJECTION, REDO, QUALIFIER, ACCEPTANCE, *DIMENSIONS.values()) for word in words
}
