"""Hear what one message says of the agent's work: a pure function, the same in hook and sweep; hot, so no ``re``.

``judge`` strips, looks for cues, adds fitted weights of cues and n-grams, and names a label at one of three operating
points. The tables come prepared from ``tables.py``; rows in ``rules.py``, weights in ``model.dat``.
"""

from . import features, grams, strip
from .anchors import may_hold_signal
from .hot_tables import ZERO, Tables, slot_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from .points import Point

    Label = Literal["correction", "learning", "positive", "none"]
    OperatingPoint = Literal["strict", "write", "report"]

__all__ = ["Context", "Tables", "Verdict", "judge", "may_hold_signal"]

_E = 2.718281828459045  # importing math for its exp costs more than to judge
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
        explain: returns name and weight (log-odds for *leaning*) of what fired, the weightiest first.
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
    if in_hook and not may_hold_signal(text.encode("utf-8", "surrogatepass"), tables.anchors()):
        return verdict
    verdict.own = strip.own_words(text, tables=tables)
    seen = features.observe(text, verdict.own, tables)
    names = features.text_features(seen)
    if context is not None:
        names += features.context_features(seen, context, names, tables)
    model = tables.model(context is not None and context.answer is not None)
    _decide(verdict, _weigh(verdict, seen, names, model, tables), model["thresholds"][point])
    _describe(verdict, text, seen, tables)
    return verdict


def _is_template(text: str, context: "Context | None") -> bool:
    """The same long text sent twice before is a template, not something said."""
    return context is not None and len(text) > 200 and context.earlier.count(text) >= 2


def _weigh(
    verdict: Verdict, seen: features.Seen, names: list[str], model: "dict[str, Any]", tables: Tables
) -> "list[float]":
    """Return the calibrated chances of the labels; fill in leaning and confidence, and how to explain them."""
    said = [_weigh_slots(slots, k, model) for k, slots in enumerate(grams.label_slots(seen.own, tables))]
    found = [row for name in names if (row := find_weights(name, model))]
    chances = [_chance(k, sum([row[k] for row in found]), said[k], model) for k in range(3)]
    best = max(range(3), key=chances.__getitem__)
    verdict.leaning = LABELS[best]
    verdict.confidence = round(chances[best], 4)
    verdict.explain = lambda: _explain(seen, names, best, said[best], model)
    return chances


def find_weights(name: str, model: "dict[str, Any]") -> "tuple[int, ...] | None":
    """Return the weights of a feature for the three labels; ``None`` when it has none."""
    known: dict[str, tuple[int, ...] | None] = model["known"]
    if name in known:
        return known[name]
    raw = name.encode()
    slot, lines, starts = slot_of(raw), model["weights"], model["starts"]
    sought = b"\n" + raw + b" "
    at, row = lines.find(sought, starts[slot], starts[slot + 1]), None
    if at >= 0:
        a, b, c, d, e, f = lines[at + len(sought) : at + len(sought) + 6]
        row = (a * 256 + b - ZERO, c * 256 + d - ZERO, e * 256 + f - ZERO)
    known[name] = row
    return row


def _chance(label: int, steps: int, gram: float, model: "dict[str, Any]") -> float:
    """Return the chance of a label from the sum of its named weights and what the n-grams say."""
    slope, shift = model["calibration"][label]
    score = slope * (model["bias"][label] + model["unit"] * steps + gram) + shift
    return 1 / (1 + _E ** -max(-30.0, min(30.0, score)))


def _weigh_slots(slots: "set[int]", label: int, model: "dict[str, Any]") -> float:
    """Return what n-grams say for a label; a table's byte is a weight plus 128."""
    if not slots:
        return 0.0
    start, last = grams.STARTS[label], grams.SIZES[label] - 1
    found = slots if label == 0 else [start + (slot & last) for slot in slots]
    total = sum(map(model["grams"].__getitem__, found)) - 128 * len(slots)
    return float(model["gram_units"][label] * total / len(slots) ** 0.5)


def _explain(
    seen: features.Seen, names: list[str], label: int, gram: float, model: "dict[str, Any]"
) -> list[tuple[str, float]]:
    """Return what spoke for and against *label*: cues with their family's share, marks of the context, the n-grams."""
    unit: float = model["unit"]
    share: dict[str, float] = {"n-grams": gram}
    family_of = {family: name for name, family, *_ in reversed(seen.cues)}
    for name in names:
        row = find_weights(name, model)
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


_NONE_KINDS = (("question", "question"), ("answer", "answer"), ("task", "task"))


def _describe(verdict: Verdict, text: str, seen: features.Seen, tables: Tables) -> None:
    families = {family for _, family, _, _ in seen.cues}
    early = {family for _, family, start, _ in seen.cues if start < seen.ends[0]}
    verdict.friction = "friction" in families and len(verdict.own) < 400
    if verdict.label == "none":
        verdict.also = next((kind for family, kind in _NONE_KINDS if family in early), "other")
    elif verdict.label == "positive":
        verdict.also = _praise_kind(seen)
    else:
        from . import points  # what is kept alone asks for all of it

        names = {name.split(".")[1] for name, family, *_ in seen.cues if family in _RULES}
        kept = strip.own_words(text, tables=tables, keep_inline=True)
        if verdict.label == "correction":
            verdict.also = points.name_correction(early, names)
            verdict.points = points.find_points(text, kept, families, tables)
        else:
            verdict.also = points.name_learning(names)
            verdict.points = [points.Point(kept.strip())]
            verdict.learning_category = points.find_learning_category(seen.low, tables)


def _praise_kind(seen: features.Seen) -> str:
    return "thanks" if {name for name, family, *_ in seen.cues if family == "praise"} <= _THANKS else "explicit"


_THANKS = {"en.thanks", "en.thanks_open", "zh.thanks", "ja.thanks", "ko.thanks", "es.thanks", "de.thanks", "fr.thanks",
           "pt.thanks", "ru.thanks"}  # fmt: skip
_RULES = ("rule", "norm", "fact")  # to keep: said to the agent, told as what holds, told of the work
