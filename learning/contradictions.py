"""ContradictionDetector: corrections of a skill that undo each other are shown, never averaged (L-79 to L-90).

It aims at precision: only texts that are equal, or contain each other, after trimming and lower-casing. Reworded
contradictions are not found; ``tellback feedback <skill>`` lists the corrections for a reader.
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from .feedback_store import Event, FeedbackStore

Severity = Literal["conflict", "warning"]

_MIN_OVERLAP = 10  # characters (L-82)


class Contradiction(NamedTuple):
    """Two corrections that push in opposite directions, the earlier one first (X-29)."""

    correction1: Event
    correction2: Event
    field: str
    description: str
    severity: Severity

    def to_json(self) -> dict[str, Any]:
        """Return the members under their documented names."""
        return self._asdict()


class Detected(NamedTuple):
    """What ``detect`` finds; ``has_conflicts`` is true only with at least one full reversal."""

    contradictions: tuple[Contradiction, ...]
    has_conflicts: bool
    summary: str
    analyzed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the members under their documented names."""
        return {
            "contradictions": [found.to_json() for found in self.contradictions],
            "hasConflicts": self.has_conflicts,
            "summary": self.summary,
        }


class ContradictionDetector:
    """Compares the corrections in a store."""

    def __init__(self, feedback_store: FeedbackStore) -> None:
        self._store = feedback_store

    def detect(self, skill: str) -> Detected:
        """Compare all corrections of *skill* in pairs."""
        return find_contradictions(self._store.get_corrections(skill))


class _Side(NamedTuple):
    original: str
    corrected: str


def find_contradictions(corrections: list[Event]) -> Detected:
    """Compare *corrections* in pairs; one without both texts takes no part."""
    ordered = sorted(corrections, key=lambda event: str(event.get("timestamp", "")))
    by_pair: dict[_Side, list[Event]] = {}
    for event in ordered:
        if side := _normalise(event):
            by_pair.setdefault(side, []).append(event)
    found: list[Contradiction] = []
    for one, other in _pair_up(list(by_pair)):  # equal corrections are one side: they agree
        if severity := _compare(one, other):
            found += [_contradict(severity, a, b) for a in by_pair[one] for b in by_pair[other]]
    found.sort(key=lambda c: (c.severity, str(c.correction1.get("timestamp")), str(c.correction2.get("timestamp"))))
    conflicts = sum(contradiction.severity == "conflict" for contradiction in found)
    return Detected(tuple(found), conflicts > 0, _summarise(len(found), conflicts), len(corrections))


def _pair_up(sides: list[_Side]) -> Iterator[tuple[_Side, _Side]]:
    """Yield the sides that may contradict, each two once: the corrected text of one holds what the other began with.

    Thousands of corrections are not compared one by one: of an original only those are looked at in whose corrected
    text its beginning stands.
    """
    by_start: dict[str, list[int]] = {}
    for number, side in enumerate(sides):
        by_start.setdefault(side.original[:_MIN_OVERLAP], []).append(number)
    for number, side in enumerate(sides):
        text = side.corrected
        starts = {text[at : at + _MIN_OVERLAP] for at in range(max(1, len(text) - _MIN_OVERLAP + 1))}
        later = {place for start in starts for place in by_start.get(start, ()) if place > number}
        yield from ((side, sides[place]) for place in sorted(later))


def _normalise(event: Event) -> _Side | None:
    original, corrected = event.get("original"), event.get("corrected")
    if not isinstance(original, str) or not isinstance(corrected, str):
        return None
    return _Side(original.strip().lower(), corrected.strip().lower())


def _compare(one: _Side, other: _Side) -> Severity | None:
    if one.original == other.corrected and one.corrected == other.original:
        return "conflict" if one.original != one.corrected else None
    if one.original == other.original or one.corrected == other.corrected:
        return None  # agreement
    is_reversal = _overlaps(one.corrected, other.original) and _overlaps(other.corrected, one.original)
    return "warning" if is_reversal else None


def _overlaps(holder: str, held: str) -> bool:
    """Whether *holder* contains *held* and that is long enough not to be chance."""
    enough = max(_MIN_OVERLAP, min(len(holder), len(held)) / 2)
    return len(held) >= enough and held in holder


def _contradict(severity: Severity, one: Event, other: Event) -> Contradiction:
    if str(other.get("timestamp", "")) < str(one.get("timestamp", "")):
        one, other = other, one
    a, b = one["original"], one["corrected"]
    if severity == "conflict":
        description = f"Correction reversal: changed '{a}' to '{b}' then back to '{a}'"
    else:
        description = f"Partial reversal: changed '{a}' to '{b}', then '{other['original']}' to '{other['corrected']}'"
    return Contradiction(one, other, "body", description, severity)


def _summarise(found: int, conflicts: int) -> str:
    if not found:
        return "No contradictions detected"
    return f"Found {found} contradiction(s): {conflicts} conflict(s), {found - conflicts} warning(s)"
