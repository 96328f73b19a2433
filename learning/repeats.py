"""Corrections that people had to make again: the figure that says whether anything was learned.

A repeat says what an earlier correction of another session said. Two corrections say the same when their words do,
but for case, marks and order, or when most of their words are shared; what nobody would notice as the same is not
counted, so the share is a lower bound.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, inf
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
    """A correction.

    Attributes:
        at: UTC seconds.
        folder: that holds the ``.knowledge`` of its project.
        briefed_at: since when it stood in the brief of that project; refined_at: in the skill that it is about;
            infinite while it did not.
    """

    at: float
    session: str
    words: str
    folder: str = ""
    briefed_at: float = inf
    refined_at: float = inf

    def was_told_before(self, later: "Said") -> bool:
        """Whether the agent that *later* corrects had been told of this one."""
        is_briefed = self.folder == later.folder and self.briefed_at < later.at
        return is_briefed or self.refined_at < later.at


class Repeats(NamedTuple):
    """How many of the corrections repeat an earlier one, and how many although agents were told of that one before."""

    corrections: int
    repeats: int
    told: int = 0

    @property
    def share(self) -> float:
        """The share of repeats; 0.0 without a correction."""
        return self.repeats / self.corrections if self.corrections else 0.0

    @property
    def told_share(self) -> float:
        """The share of those that agents were told of; 0.0 without a correction."""
        return self.told / self.corrections if self.corrections else 0.0

    def to_json(self) -> dict[str, float]:
        """Return the figures by name."""
        return {
            "corrections": self.corrections,
            "repeats": self.repeats,
            "share": round(self.share, 4),
            "told": self.told,
            "told_share": round(self.told_share, 4),
        }


def format_repeats(repeats: Repeats) -> str:
    """Return the headline of a report: how much had to be said again."""
    if not repeats.corrections:
        return "No corrections yet."
    return (
        f"Said again: {repeats.repeats} of {repeats.corrections} corrections ({repeats.share:.0%}) repeat one of an "
        f"earlier session, {repeats.told} ({repeats.told_share:.0%}) after it stood in the brief or the skill."
    )


def count_repeats(said: Iterable[Said], since: float = 0.0) -> Repeats:
    """Count the corrections at or after *since*, and those of them that repeat one of another session before them."""
    ordered = sorted(said)
    corrections = repeats = told = 0
    for one, known in zip(ordered, _find_earlier(ordered), strict=True):
        if one.at >= since:
            corrections += 1
            repeats += bool(known)
            told += any(earlier.was_told_before(one) for earlier in known)
    return Repeats(corrections, repeats, told)


def _find_earlier(ordered: Sequence[Said]) -> Iterator[list[Said]]:
    """Yield for each correction those of other sessions before it that say the same.

    Two that share so many words share one of the rarest few of each, so only those with such a word are compared.
    """
    subjects = [find_subject(one.words) for one in ordered]
    counts = Counter(word for subject in subjects for word in subject)
    by_word: dict[str, list[int]] = {}
    for number, (one, subject) in enumerate(zip(ordered, subjects, strict=True)):
        few = len(subject) - ceil(_MIN_SHARE * len(subject) - 1e-9) + 1
        rare = sorted(subject, key=lambda word: (counts[word], word))[:few]
        near = sorted({before for word in rare for before in by_word.get(word, ())})
        yield [ordered[n] for n in near if ordered[n].session != one.session and is_same(subject, subjects[n])]
        for word in rare:
            by_word.setdefault(word, []).append(number)


def find_subject(words: str) -> frozenset[str]:
    """Return the words that say what a correction is about."""
    return frozenset(list_subject(words))


def list_subject(words: str) -> list[str]:
    """Return the words that say what a correction is about, in their order."""
    return [word for word in _WORD.findall(words.lower()) if word not in _COMMON]


def is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two corrections are about the same."""
    if min(len(one), len(other)) < _MIN_WORDS:
        return False
    return len(one & other) >= _MIN_SHARE * len(one | other)


def find_repeats_of(words: str, said: Sequence[Said]) -> list[Said]:
    """Return those of *said* that say what *words* say."""
    subject = find_subject(words)
    return [one for one in said if is_same(subject, find_subject(one.words))]
