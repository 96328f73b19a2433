"""Hear what one message says of the agent's work: a pure function, the same in hook and sweep; hot, so no ``re``.

``judge`` strips, looks for cues, adds fitted weights of cues and n-grams, and names a label at one of three operating
points. The tables come prepared from ``tables.py``; rows in ``rules.py``, weights in ``model.dat``.
"""

import marshal
from math import exp

from ..core.prepared import thaw
from . import features, points, strip
from .anchors import may_hold_signal
from .points import Point

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any, Literal

    Label = Literal["correction", "learning", "positive", "none"]
    OperatingPoint = Literal["strict", "write", "report"]

__all__ = ["Context", "Point", "Tables", "Verdict", "judge", "may_hold_signal"]

FAR = 0.1  # chance by which a label must lead to go before one of higher priority (C-11)
LABELS: "tuple[Label, ...]" = ("correction", "learning", "positive")


class Context:
    """What is known around a message; the hook knows nothing, the sweep reads it from the log.

    Attributes:
        answer: end of the agent's turn before; ``""`` when the message opens the session, ``None`` when unknown.
        before: ``"interrupt"``, ``"refusal"`` or ``"cancelled"`` just before the message, else ``None``.
        is_first: whether the message opens the session; ``None`` when unknown.
        earlier: the session's messages before this one, newest last.
        reverted: whether edits of the turn before were taken back since (git restore, checkout, reset).
    """

    __slots__ = ("answer", "before", "earlier", "is_first", "reverted")

    def __init__(
        self,
        answer: "str | None" = None,
        before: "str | None" = None,
        is_first: "bool | None" = None,
        earlier: "tuple[str, ...]" = (),
        reverted: bool = False,
    ) -> None:
        self.answer = answer
        self.before = before
        self.is_first = is_first
        self.earlier = earlier
        self.reverted = reverted


class Verdict:
    """What a message says.

    Attributes:
        label: at the asked operating point.
        also: the finer kind of *label* (``rejection``, ``partial`` ...; of none ``injected``, ``question`` ...).
        leaning: the likeliest of the three feedback labels, whatever the operating point.
        confidence: calibrated probability of *leaning*, 0 to 1.
        cues: name and weight (log-odds for *leaning*) of what fired, the weightiest first; put together when asked for.
        points: the independent corrections; of a learning one, its words; else empty.
        learning_category: one of the six of C-25 when *label* is ``learning``.
        friction: the person urges or waits (R-9), whatever the label.
        own: the person's own words.
    """

    __slots__ = (
        "also",
        "confidence",
        "explain",
        "friction",
        "label",
        "leaning",
        "learning_category",
        "own",
        "points",
    )

    def __init__(self) -> None:
        self.label: Label = "none"
        self.also = "other"
        self.leaning: Label = "correction"
        self.confidence = 0.0
        self.explain: Callable[[], list[tuple[str, float]]] = list
        self.points: list[Point] = []
        self.learning_category: str | None = None
        self.friction = False
        self.own = ""

    @property
    def cues(self) -> "list[tuple[str, float]]":
        return self.explain()


class Tables:
    """The prepared tables; each part and each pattern is unpacked when it is first asked for.

    Args:
        prepared: what ``tables.prepare`` returned, straight from ``marshal``.
    """

    if TYPE_CHECKING:
        steps: list[tuple[int, tuple[str, ...], str]]
        blocks: int
        machine_openings: tuple[str, ...]
        cue_names: str
        cue_families: str
        cue_patterns: bytes
        words: dict[bytes, bytes]
        pieces: dict[str, list[tuple[str, tuple[int, ...]]]]
        always: tuple[int, ...]
        slips: dict[bytes, bytes]
        word_number: int
        sentence_number: int
        error_number: int
        answer_cues: list[tuple[str, frozenset[bytes], tuple[str, ...]]]
        crossing: frozenset[str]
        anchor_words: dict[bytes, bytes]
        anchor_pieces: dict[str, tuple[bytes, ...]]
        model_text: dict[str, Any]
        model_context: dict[str, Any]
        severities: list[tuple[str, int]]
        categories: list[tuple[str, int]]
        dimensions: list[tuple[str, int]]
        learning_categories: list[tuple[str, int]]
        fixes: list[int]
        table_names: list[int]
        numbers: dict[str, int]

    def __init__(self, prepared: "dict[str, Any]") -> None:
        self._engine: str = prepared["engine"]
        self._frozen: list[bytes] = prepared["patterns"]
        self._lazy: dict[str, bytes] = prepared["lazy"]
        self._thawed: dict[int, re.Pattern[str]] = {}
        self._needles: dict[int, tuple[tuple[tuple[str, ...], ...], bool, bytes]] = {}

    def __getattr__(self, name: str) -> "Any":
        if name.startswith("_") or name not in self._lazy:
            raise AttributeError(name)
        part = marshal.loads(self._lazy[name])
        setattr(self, name, part)
        return part

    def cue_rows(self) -> "tuple[list[str], list[str], memoryview[int]]":
        """Return names, families and pattern numbers of the cues, by cue number."""
        rows = self.__dict__.get("_cues")
        if rows is None:
            rows = (self.cue_names.split("\n"), self.cue_families.split("\n"), memoryview(self.cue_patterns).cast("H"))
            self._cues = rows
        return rows

    def pattern(self, number: int) -> "re.Pattern[str]":
        """Return compiled pattern *number*."""
        found = self._thawed.get(number)
        if found is None:
            row = marshal.loads(self._needles_of(number)[2])
            found = self._thawed[number] = thaw({"engine": self._engine, "rows": (row,)}, 0)
        return found

    def _needles_of(self, number: int) -> "tuple[tuple[tuple[str, ...], ...], bool, bytes]":
        found = self._needles.get(number)
        if found is None:
            found = self._needles[number] = marshal.loads(self._frozen[number])
        return found

    def may_match(self, number: int, text: str) -> bool:
        """Whether *text* holds what pattern *number* cannot match without: cheaper than to thaw and try it."""
        needs, is_blind, _ = self._needles_of(number)
        if is_blind:
            text = text.lower()
        for need in needs:
            for literal in need:
                if literal in text:
                    break
            else:
                return False
        return True

    def search(self, number: int, text: str) -> "re.Match[str] | None":
        """Search *text* for pattern *number*."""
        return self.pattern(number).search(text) if self.may_match(number, text) else None


def judge(
    text: str,
    context: "Context | None" = None,
    *,
    tables: Tables,
    point: "OperatingPoint" = "report",
    in_hook: bool = False,
) -> Verdict:
    """Return what *text* says of the agent's work.

    Args:
        text: the message as delivered.
        context: what was before it; ``None`` judges the text alone.
        point: how sure a label must be: ``report``, ``write`` or ``strict``.
        in_hook: give a label only where tier 0 lets the text through.
    """
    verdict = Verdict()
    if strip.is_machine_text(text, tables=tables) or _is_template(text, context):
        verdict.also = "injected"
        return verdict
    if in_hook and not may_hold_signal(text.encode("utf-8", "surrogatepass"), tables):
        return verdict
    verdict.own = strip.own_words(text, tables=tables)
    seen = features.observe(text, verdict.own, tables)
    names = features.text_features(seen)
    if context is not None:
        names += features.context_features(seen, context, names, tables)
    known = context is not None and context.answer is not None
    model = tables.model_context if known else tables.model_text
    _decide(verdict, _weigh(verdict, seen, names, model), model["thresholds"][point])
    _describe(verdict, text, seen, tables)
    return verdict


def _is_template(text: str, context: "Context | None") -> bool:
    """The same long text sent twice before is a template, not something said."""
    return context is not None and len(text) > 200 and context.earlier.count(text) >= 2


def _weigh(verdict: Verdict, seen: features.Seen, names: list[str], model: "dict[str, Any]") -> "list[float]":
    """Return the calibrated chances of the labels; fill in leaning and confidence, and how to explain them."""
    grams = _weigh_grams(seen.own, model)
    found = [row for row in map(model["weights"].get, names) if row is not None]
    chances = [_chance(k, sum([row[k] for row in found]), grams[k], model) for k in range(3)]
    best = max(range(3), key=chances.__getitem__)
    verdict.leaning = LABELS[best]
    verdict.confidence = round(chances[best], 4)
    verdict.explain = lambda: _explain(seen, names, best, grams[best], model)
    return chances


def _chance(label: int, steps: int, gram: float, model: "dict[str, Any]") -> float:
    """Return the chance of a label from the sum of its named weights and what the n-grams say."""
    slope, shift = model["calibration"][label]
    score = slope * (model["bias"][label] + model["unit"] * steps + gram) + shift
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))


def _hear_piece(piece: str, tables: Tables) -> float:
    """Return how likely a piece of a message is a correction by itself.

    A piece without a cue of its own is a statement that may tell a fault (0.2), a wish (0.1), a question or praise (0).
    """
    seen = features.observe(piece, piece, tables)
    families = {family for _, family, _, _ in seen.cues}
    if families & features.NEGATIVE:
        model = tables.model_text
        steps = sum(row[0] for row in map(model["weights"].get, features.text_features(seen)) if row is not None)
        words, characters = features.slots_of(piece)
        return _chance(0, steps, _weigh_slots(words | characters, 0, model), model)
    if "task" in families:
        return 0.1
    return 0.0 if families & {"question", "answer", "praise"} else 0.2


def _weigh_grams(own: str, model: "dict[str, Any]") -> "list[float]":
    """Return what the n-grams say for each label."""
    return [_weigh_slots(slots, k, model) for k, slots in enumerate(features.label_slots(own))]


def _weigh_slots(slots: "set[int]", label: int, model: "dict[str, Any]") -> float:
    """Return what n-grams say for a label; a table's byte is a weight plus 128."""
    if not slots:
        return 0.0
    table, last = model["grams"][label], features.SIZES[label] - 1
    found = slots if label == 0 else [slot & last for slot in slots]
    total = sum(map(table.__getitem__, found)) - 128 * len(slots)
    return float(model["gram_units"][label] * total / len(slots) ** 0.5)


def _explain(
    seen: features.Seen, names: list[str], label: int, gram: float, model: "dict[str, Any]"
) -> list[tuple[str, float]]:
    """Return what spoke for and against *label*: cues with their family's share, marks of the context, the n-grams."""
    unit: float = model["unit"]
    share: dict[str, float] = {"n-grams": gram}
    family_of = {family: name for name, family, *_ in reversed(seen.cues)}
    for name in names:
        row = model["weights"].get(name)
        if row is None:
            continue
        kind, _, rest = name.partition(":")
        if kind == "f":
            rest = family_of[rest.replace("@", "*").replace("?", "*").split("*")[0]]
        key = rest if kind in ("c", "f") else name
        share[key] = share.get(key, 0.0) + unit * row[label]
    ranked = sorted(share.items(), key=lambda item: -abs(item[1]))
    return [(name, round(weight, 2)) for name, weight in ranked if abs(weight) >= 0.05][:12]


def _decide(verdict: Verdict, chances: "list[float]", borders: "list[float]") -> None:
    """Give the label: of those past their border the first in order of priority, unless another is far likelier."""
    passed = [k for k in range(3) if chances[k] >= borders[k]]
    if passed:
        best = max(passed, key=chances.__getitem__)
        chosen = best if chances[best] - chances[passed[0]] > FAR else passed[0]
        verdict.label = LABELS[chosen]  # pyright: ignore[reportAttributeAccessIssue]


_KINDS = (
    ("revert", "revert"),
    ("redo", "redo"),
    ("praise_but", "partial"),
    ("meant", "clarify"),
    ("why", "complaint"),
    ("omission", "omission"),
    ("anger", "complaint"),
)
_NONE_KINDS = (("question", "question"), ("answer", "answer"), ("task", "task"))


def _describe(verdict: Verdict, text: str, seen: features.Seen, tables: Tables) -> None:
    families = {family for _, family, _, _ in seen.cues}
    early = {family for _, family, start, _ in seen.cues if start < seen.ends[0]}
    verdict.friction = "friction" in families and len(verdict.own) < 160
    if verdict.label == "correction":
        kind = next((kind for family, kind in _KINDS if family in early), "rejection")
        verdict.also = f"{kind}+rule" if "rule" in families and _has_rule(seen) else kind
        kept = strip.own_words(text, tables=tables, keep_inline=True)
        verdict.points = points.find_points(text, kept, families, tables, lambda piece: _hear_piece(piece, tables))
    elif verdict.label == "learning":
        verdict.also = _learning_kind(seen)
        verdict.points = [Point(strip.own_words(text, tables=tables, keep_inline=True).strip())]
        low = seen.low
        verdict.learning_category = next(
            word for word, number in tables.learning_categories if number < 0 or tables.search(number, low)
        )
    elif verdict.label == "positive":
        verdict.also = (
            "thanks" if {name for name, family, *_ in seen.cues if family == "praise"} <= _THANKS else "explicit"
        )
    else:
        verdict.also = next((kind for family, kind in _NONE_KINDS if family in early), "other")


_THANKS = {"en.thanks", "en.thanks_open", "zh.thanks", "ja.thanks", "ko.thanks", "es.thanks", "de.thanks", "fr.thanks",
           "pt.thanks", "ru.thanks"}  # fmt: skip
_STRONG_RULES = {"from_now", "next_time", "always_do", "always", "never_do", "whenever", "store", "remember"}


def _has_rule(seen: features.Seen) -> bool:
    return any(name.split(".")[1] in _STRONG_RULES for name, family, *_ in seen.cues if family == "rule")


def _learning_kind(seen: features.Seen) -> str:
    found = {name.split(".")[1] for name, family, *_ in seen.cues if family == "rule"}
    if found & {"answer_in", "ask_first", "prefer", "only_person"}:
        return "preference"
    if found & {"convention", "we_do"}:
        return "convention"
    if found & {"heads_up", "means", "our_x_is", "fact", "is_source"} and not found & {
        "from_now",
        "always_do",
        "never_do",
    }:
        return "fact"
    return "rule"
