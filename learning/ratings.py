"""Explicit scores in what people type: four out of five, 4/5, stars (L-11)."""

import re

_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_FORMS = (
    # not part of a date, a path, a fraction of tests or a version
    re.compile(
        r"(?<![\w./-])([1-5])\s?/\s?5(?![\w/-]|\.\d)(?!\s*(?:tests?|files?|checks?|passed|failed|done|of)\b)", re.I
    ),
    re.compile(r"\b([1-5]|one|two|three|four|five) out of (?:5|five)(?!\s*(?:tests?|files?|checks?))\b", re.I),
    re.compile(r"\b([1-5])[ -]stars?\b", re.I),
)
_STARS = re.compile(r"(★{1,5})☆*(?!★)|(⭐{1,5})(?!⭐)")
_LONGEST = 300  # characters: a score stands in a short message, in a long one it is part of what was pasted


def find_score(words: str) -> int | None:
    """Return the score from 1 to 5 that *words* give; ``None`` when they give none, or several that differ."""
    if len(words) > _LONGEST:
        return None
    scores = {_WORDS.get(match[1].lower()) or int(match[1]) for form in _FORMS for match in form.finditer(words)}
    scores |= {len(match[1] or match[2]) for match in _STARS.finditer(words)}
    return scores.pop() if len(scores) == 1 else None
