"""How much of a text changed: a diff by words, white space and single marks, counted in characters (L-58, L-109)."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


class Piece(NamedTuple):
    """A run of text that both sides share, or that one side alone has."""

    value: str
    added: bool = False
    removed: bool = False


def diff_words(before: str, after: str) -> list[Piece]:
    """Return the pieces that turn *before* into *after*, in order; joined, they give both texts back."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    head = _count_shared(old, new)
    tail = _count_shared(old[head:][::-1], new[head:][::-1])  # what did not change costs nothing
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    pieces = [Piece("".join(old[:head]))]
    matcher = SequenceMatcher(None, old_middle, new_middle, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("".join(old_middle[i1:i2])))
        else:
            pieces.append(Piece("".join(old_middle[i1:i2]), removed=True))
            pieces.append(Piece("".join(new_middle[j1:j2]), added=True))
    pieces.append(Piece("".join(old[len(old) - tail :])))
    return [piece for piece in pieces if piece.value]


def _count_shared(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def measure_change(before: str, after: str) -> float:
    """Return ``(added + removed characters) / length of before * 100``, unrounded.

    A text without a character has no percentage: from nothing to nothing is 0, from nothing to something 100.
    """
    if not before:
        return 100.0 if after else 0.0
    changed = sum(len(piece.value) for piece in diff_words(before, after) if piece.added or piece.removed)
    return changed / len(before) * 100
