"""Which learning replaces which: two that cannot both hold, and what says that the later one is meant to (L-79, wider).

Pure. The contradictions are those that ``statements`` finds; here the order in time is added, and how sure it is. Only
words that this person said put others out of force without being asked about: what came with a pull never does.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ..capture.notebook import Learned, is_quoted_as
from .statements import Clash, find_clashes, is_turned_by, parse_statement


class Succession(NamedTuple):
    """A learning and the one that replaces it.

    Attributes:
        is_sure: the newer one is this person's, was surely said later, and both are about exactly the same.
    """

    older: Learned
    newer: Learned
    is_sure: bool


def find_successions(learned: Sequence[Learned], said: Mapping[str, float]) -> list[Succession]:
    """Return the learnings that others replace, in the order of the file.

    Args:
        said: when this person last said the learning of an ident, in UTC seconds.
    """
    standing = [one for one in learned if one.stands]
    statements = [
        statement for number, one in enumerate(standing) if (statement := parse_statement(str(number), one.words))
    ]
    return [
        _order(clash, standing[int(clash.one.source)], standing[int(clash.other.source)], said)
        for clash in find_clashes(statements)
    ]


def find_said_again(
    learned: Sequence[Learned], said: Mapping[str, float], retired_at: Mapping[str, float]
) -> list[Learned]:
    """Return the learnings that no longer stand and were said again since.

    Args:
        retired_at: when this person retired the learning of an ident, as far as that was here.
    """
    return [one for one in learned if one.ident in said and _is_said_since(one, learned, said, retired_at)]


def _is_said_since(
    one: Learned, learned: Sequence[Learned], said: Mapping[str, float], retired_at: Mapping[str, float]
) -> bool:
    if one.superseded:
        return any(_is_before(other, one, said) for other in learned if is_quoted_as(one.by, other.words))
    if one.retired:
        at = said[one.ident]
        return at > retired_at[one.ident] if one.ident in retired_at else _local_day(at) > one.retired
    return False


def _order(clash: Clash, one: Learned, other: Learned, said: Mapping[str, float]) -> Succession:
    older, newer, first, second = one, other, clash.one, clash.other
    is_ordered = _is_before(one, other, said)
    if not is_ordered and _is_before(other, one, said):
        older, newer, first, second = other, one, clash.other, clash.one
        is_ordered = True
    is_same = first.rest == second.rest
    is_turned = clash.kind != "turned" or is_turned_by(first, second)
    return Succession(older, newer, is_ordered and is_same and is_turned and newer.ident in said)


def _is_before(one: Learned, other: Learned, said: Mapping[str, float]) -> bool:
    """Whether *one* was last said before *other*, for sure."""
    at, later_at = said.get(one.ident), said.get(other.ident)
    if at is not None and later_at is not None:
        return at < later_at
    day, later_day = _day_of(one, at), _day_of(other, later_at)
    if day != later_day:
        return day < later_day
    return one.section == other.section and one.line < other.line and at is None and later_at is not None


def _day_of(learned: Learned, at: float | None) -> str:
    """Return the local day on which it was last said, as far as known here."""
    return learned.day if at is None else max(learned.day, _local_day(at))


def _local_day(at: float) -> str:
    return f"{datetime.fromtimestamp(at):%Y-%m-%d}"
