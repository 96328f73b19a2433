"""Corrections that people had to make again: the figure that says whether anything was learned.

A repeat says what an earlier correction of another session said. Two corrections say the same when their words do,
but for case, marks and order, or when most of their words are shared; what nobody would notice as the same is not
counted, so the share is a lower bound.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_CJK = r"\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af"
_LETTERS = rf"[^\W_{_CJK}]+"
_WORD = re.compile(rf"{_LETTERS}(?:[./_-]{_LETTERS})*|[{_CJK}]")  # scripts without spaces: each sign is a word
_MIN_WORDS = 3  # shorter ones ("still wrong") say nothing of what they are about
_MIN_SHARE = 0.7  # of the words of both together

# Words that every correction may have; what is left says what it is about.
_COMMON = frozenset(
    """
    a an and are again as at be but can did do does don for have i in is it its just me my no not of on or please so
    still that the there this to use was we what why with wrong you your
    """.split()  # noqa: SIM905 - fifty quoted words read worse
)


class Said(NamedTuple):
    """A correction: when (UTC seconds), in which session, and its words."""

    at: float
    session: str
    words: str


class Repeats(NamedTuple):
    """How many of the corrections repeat an earlier one."""

    corrections: int
    repeats: int

    @property
    def share(self) -> float:
        """The share of repeats; 0.0 without a correction."""
        return self.repeats / self.corrections if self.corrections else 0.0

    def to_json(self) -> dict[str, float]:
        """Return the figures by name."""
        return {"corrections": self.corrections, "repeats": self.repeats, "share": round(self.share, 4)}


def format_repeats(repeats: Repeats) -> str:
    """Return the headline of a report: how much had to be said again."""
    if not repeats.corrections:
        return "No corrections yet."
    return (
        f"Said again: {repeats.repeats} of {repeats.corrections} corrections ({repeats.share:.0%}) repeat one of an "
        "earlier session."
    )


def count_repeats(said: Iterable[Said], since: float = 0.0) -> Repeats:
    """Count the corrections at or after *since*, and those of them that repeat one of another session before them."""
    earlier: list[tuple[str, frozenset[str]]] = []
    corrections = repeats = 0
    for one in sorted(said):
        words = find_subject(one.words)
        if one.at >= since:
            corrections += 1
            repeats += any(session != one.session and is_same(words, known) for session, known in earlier)
        earlier.append((one.session, words))
    return Repeats(corrections, repeats)


def find_subject(words: str) -> frozenset[str]:
    """Return the words that say what a correction is about."""
    return frozenset(word for word in _WORD.findall(words.lower()) if word not in _COMMON)


def is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two corrections are about the same."""
    if min(len(one), len(other)) < _MIN_WORDS:
        return False
    return len(one & other) >= _MIN_SHARE * len(one | other)


def find_repeats_of(words: str, said: Sequence[Said]) -> list[Said]:
    """Return those of *said* that say what *words* say."""
    subject = find_subject(words)
    return [one for one in said if is_same(subject, find_subject(one.words))]
