"""Corrections that repeat: the patterns that a refinement may follow (L-46 to L-50, L-54, L-108, X-21)."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .feedback_store import Event

_KEY_LENGTH = 50  # characters of each side: longer texts may differ behind them
_MIN_FREQUENCY = 2  # once is noise


class Pattern(NamedTuple):
    """A correction that was made more than once.

    Attributes:
        original, corrected: the full texts of its most frequent exact pair, of the newest correction on a tie.
        frequency: corrections in it.
        sessions: distinct sessions they come from.
        weight: the frequency with repetitions from further sessions counted `cross_session_weight` times.
    """

    original: str
    corrected: str
    frequency: int
    sessions: int
    weight: float


def find_patterns(corrections: Sequence[Event], cross_session_weight: float = 2) -> list[Pattern]:
    """Group *corrections*, in the order of the log, that have both texts; the most frequent pattern first."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in corrections:
        original, corrected = event.get("original"), event.get("corrected")
        if isinstance(original, str) and isinstance(corrected, str):
            groups.setdefault((original[:_KEY_LENGTH], corrected[:_KEY_LENGTH]), []).append(event)
    patterns = [_describe(group, cross_session_weight) for group in groups.values() if len(group) >= _MIN_FREQUENCY]
    return sorted(patterns, key=lambda pattern: -pattern.frequency)


def _describe(group: list[Event], cross_session_weight: float) -> Pattern:
    pairs = Counter((event["original"], event["corrected"]) for event in group)
    newest = {(event["original"], event["corrected"]): place for place, event in enumerate(group)}
    original, corrected = max(pairs, key=lambda pair: (pairs[pair], newest[pair]))
    sessions = len({event["sessionId"] for event in group})
    # The first one counts once; each session that joins later counts its first correction the given number of times.
    weight = len(group) + (sessions - 1) * (cross_session_weight - 1)
    return Pattern(original, corrected, len(group), sessions, weight)


def compute_confidence(patterns: Sequence[Pattern], total_corrections: int) -> float:
    """Return ``min(1, total weight / (2 * corrections))``; with weight 1 it is the document's literal formula."""
    if not total_corrections:
        return 0.0
    return min(1.0, sum(pattern.weight for pattern in patterns) / (2 * total_corrections))
