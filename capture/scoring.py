"""Score the detector on labelled messages: how often it is right, how sure that is, and what it got wrong; cold."""

import math
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .detector import LABELS, Context, Tables, Verdict, judge

if TYPE_CHECKING:
    from .detector import OperatingPoint

_Z = 1.959964  # 95 %
_DRAWS = 400  # bootstrap draws for the interval of an F1


class Judged(NamedTuple):
    """One labelled message and what the detector says of it."""

    record: dict[str, Any]
    verdict: Verdict


class Share(NamedTuple):
    """A share with its 95 % interval; ``value`` is ``None`` when there is nothing to count."""

    value: float | None
    low: float
    high: float


@dataclass(frozen=True)
class Score:
    """How well one label is heard."""

    label: str
    right: int
    said: int
    true: int
    precision: Share
    recall: Share
    f1: Share


@dataclass(frozen=True)
class Report:
    """What ``tellback eval`` tells of a file.

    Attributes:
        splits: messages with several points, those with the exact number, single ones, and those cut.
        calibration: rows of (lower border, messages, mean confidence, share that were right).
        ms_per_message: wall time of judging, milliseconds.
    """

    messages: int
    scores: list[Score]
    macro_f1: float
    splits: dict[str, int]
    friction: Score
    calibration: list[tuple[float, int, float, float]]
    ms_per_message: float
    errors: list[Judged] = field(default_factory=list[Judged])


def wilson(hits: int, total: int) -> Share:
    """Return a share and its Wilson interval."""
    if total == 0:
        return Share(None, 0.0, 1.0)
    share, square = hits / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = _Z / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    return Share(share, max(0.0, middle - half), min(1.0, middle + half))


def context_of(record: dict[str, Any], text_alone: bool) -> Context | None:
    """Return what a labelled record tells of the turn before; ``None`` when it tells nothing."""
    answer = record.get("prev_assistant")
    if text_alone or answer is None:
        return None
    return Context(answer=str(answer), before=record.get("before"), is_first=answer == "")


def judge_records(
    records: Iterable[dict[str, Any]], tables: Tables, point: "OperatingPoint", text_alone: bool
) -> tuple[list[Judged], float]:
    """Judge every record; returns also the wall time in seconds."""
    cases = [(record, context_of(record, text_alone)) for record in records]
    started = time.perf_counter()
    judged = [Judged(record, judge(record["text"], context, tables=tables, point=point)) for record, context in cases]
    return judged, time.perf_counter() - started


def score_label(judged: list[Judged], label: str) -> Score:
    """Return precision, recall and F1 of one label."""
    pairs = [(row.record["label"] == label, row.verdict.label == label) for row in judged]
    return _score(label, pairs)


def _score(label: str, pairs: list[tuple[bool, bool]]) -> Score:
    right = sum(true and said for true, said in pairs)
    true, said = sum(true for true, _ in pairs), sum(said for _, said in pairs)
    return Score(label, right, said, true, wilson(right, said), wilson(right, true), _bootstrap_f1(pairs))


def _f1(right: int, said: int, true: int) -> float:
    return 2 * right / (said + true) if said + true else 0.0


def _bootstrap_f1(pairs: list[tuple[bool, bool]]) -> Share:
    """Return F1 with the middle 95 % of what re-drawn messages give; the same for the same input."""
    kinds = [(t, s) for t, s in ((True, True), (True, False), (False, True), (False, False))]
    counts = [pairs.count(kind) for kind in kinds]
    if not sum(counts[:3]):
        return Share(None, 0.0, 1.0)
    chance = random.Random(len(pairs))
    drawn: list[float] = []
    for _ in range(_DRAWS):
        both, missed, false, _rest = _redraw(counts, chance)
        drawn.append(_f1(both, both + false, both + missed))
    drawn.sort()
    value = _f1(counts[0], counts[0] + counts[2], counts[0] + counts[1])
    return Share(value, drawn[int(0.025 * _DRAWS)], drawn[int(0.975 * _DRAWS) - 1])


def _redraw(counts: list[int], chance: random.Random) -> list[int]:
    """Draw as many messages again as there are, each kind by its share (a normal step stands for a binomial one)."""
    total = left = sum(counts)
    rest = total
    drawn: list[int] = []
    for count in counts:
        share = count / rest if rest else 0.0
        step = chance.gauss(left * share, math.sqrt(max(left * share * (1 - share), 0.0)))
        drawn.append(min(left, max(0, round(step))))
        left -= drawn[-1]
        rest -= count
    return drawn


def make_report(judged: list[Judged], seconds: float) -> Report:
    """Return everything that is to be told of judged records."""
    scores = [score_label(judged, label) for label in (*LABELS, "none")]
    heard = [score.f1.value or 0.0 for score in scores if score.label != "none" and score.true]
    friction = [(bool(row.record.get("is_friction")), row.verdict.friction) for row in judged]
    return Report(
        messages=len(judged),
        scores=scores,
        macro_f1=sum(heard) / len(heard) if heard else 0.0,
        splits=_splits(judged),
        friction=_score("friction", friction),
        calibration=_calibration(judged),
        ms_per_message=1000 * seconds / len(judged) if judged else 0.0,
        errors=[row for row in judged if row.record["label"] != row.verdict.label],
    )


def _splits(judged: list[Judged]) -> dict[str, int]:
    """Count over corrections that were heard as such."""
    found = {"several": 0, "several_exact": 0, "single": 0, "single_cut": 0}
    for row in judged:
        wanted = row.record.get("n_points") or 0
        if not wanted or row.record["label"] != "correction" or row.verdict.label != "correction":
            continue
        count = len(row.verdict.points)
        kind = "several" if wanted > 1 else "single"
        found[kind] += 1
        found["several_exact"] += wanted > 1 and count == wanted
        found["single_cut"] += wanted == 1 and count > 1
    return found


def _calibration(judged: list[Judged]) -> list[tuple[float, int, float, float]]:
    """Return how often the leaning was right, in steps of confidence."""
    rows: list[tuple[float, int, float, float]] = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8, 0.9):
        high = {0.8: 0.9, 0.9: 1.01}.get(low, low + 0.2)
        part = [row for row in judged if low <= row.verdict.confidence < high]
        if part:
            mean = sum(row.verdict.confidence for row in part) / len(part)
            right = sum(row.verdict.leaning == row.record["label"] for row in part) / len(part)
            rows.append((low, len(part), mean, right))
    return rows
