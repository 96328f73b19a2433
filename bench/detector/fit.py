"""Fit linear models over named features and hashed n-grams: one a label, with context and on the text alone.

N-grams fill the gaps that the cues leave; learnings and praise, of which there are few, get a smaller table of them.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from tellback.capture.grams import SIZES

from .data import Row


@dataclass(frozen=True)
class Recipe:
    """What a fit may vary; the values were chosen on held-out owners.

    Attributes:
        inverse_penalty: ``C`` of the logistic regression.
        gram_scale: how loud the n-grams are beside the named features.
        name_scale: how loud a named feature is (a smaller one is penalised more).
        min_count: a named feature must be seen that often.
        weight_ambiguous: of a message on which careful readers could differ; a clear real one weighs 1.
        weight_own: of a message that we wrote ourselves.
        weight_label: of a message that has the label, against the others.
        origin_scale: how loud the columns are that tell our own messages from real ones; they are fitted and thrown
            away, so that what is more frequent in messages written to hold something is not taken for a sign of it.
    """

    inverse_penalty: float = 0.5
    gram_scale: float = 7.5
    name_scale: float = 0.35
    min_count: int = 4
    weight_ambiguous: float = 0.4
    weight_own: float = 0.7
    weight_label: float = 1.0
    origin_scale: float = 0.0


RECIPES = (
    Recipe(),
    Recipe(gram_scale=5.0, name_scale=0.3, weight_own=1.5, weight_ambiguous=0.3, origin_scale=2.0),
    Recipe(gram_scale=5.0, name_scale=0.5, weight_own=1.5, weight_ambiguous=0.3, weight_label=1.5, origin_scale=2.0),
)


RULE, PRAISE = 2, 3
PRAISE_MARKS = frozenset(("asked", "asks", "claimed", "claim_only", "first", "known", "plans", "options", "stopped"))
PRAISE_FAMILIES = frozenset(
    ("praise", "praise?", "praise_but", "no_effect", "defect", "still", "contrast", "task", "question")
)


@dataclass
class Fitted:
    """One label's coefficients, in the units that the detector adds up."""

    label: int
    names: list[str]
    weights: np.ndarray
    grams: np.ndarray
    bias: float

    def scores(self, rows: list[Row], with_context: bool) -> np.ndarray:
        """Return the log-odds of the label for each message."""
        named = names_matrix(rows, self.names, with_context) @ self.weights
        grams = grams_matrix(rows, self.label) @ self.grams
        return np.asarray(named + grams + self.bias)


def names_matrix(rows: list[Row], names: list[str], with_context: bool) -> csr_matrix:
    """Return 0/1 of named features."""
    index = {name: at for at, name in enumerate(names)}
    indices: list[int] = []
    starts = [0]
    for row in rows:
        own = row.text_names + row.context_names if with_context else row.text_names
        indices += sorted({index[name] for name in own if name in index})
        starts.append(len(indices))
    return csr_matrix((np.ones(len(indices)), indices, starts), shape=(len(rows), len(names)))


def grams_matrix(rows: list[Row], label: int) -> csr_matrix:
    """Return 1/sqrt(n) for each of the n slots of a message, folded into the label's table."""
    indices: list[int] = []
    starts = [0]
    values: list[float] = []
    size = SIZES[label - 1]
    for row in rows:
        slots = row.slots[label - 1]
        indices += [slot % size for slot in slots]
        starts.append(len(indices))
        values += [1 / max(len(slots), 1) ** 0.5] * len(slots)
    return csr_matrix((values, indices, starts), shape=(len(rows), size))


def origin_matrix(rows: list[Row]) -> csr_matrix:
    """Return four columns: written by us; by us in English, in another language; by us for the training."""
    columns = [
        [
            row.source != "real",
            row.source != "real" and in_english,
            row.source != "real" and not in_english,
            row.source == "extra",
        ]
        for row in rows
        for in_english in [row.record.get("lang", "en") == "en"]
    ]
    return csr_matrix(np.array(columns, float))


def sample_weights(rows: list[Row], label: int, recipe: Recipe) -> np.ndarray:
    """Return how much each message counts."""
    own = np.array([1.0 if row.source == "real" else recipe.weight_own for row in rows])
    doubt = np.array([recipe.weight_ambiguous if row.record.get("ambiguous") else 1.0 for row in rows])
    rare = np.array([recipe.weight_label if row.label == label else 1.0 for row in rows])
    return np.asarray(own * doubt * rare)


def may_tell_praise(name: str) -> bool:
    """Whether a feature may count for praise: what opens a message tells it, however the message goes on."""
    kind, _, rest = name.partition(":")
    if kind == "x":
        return rest in PRAISE_MARKS
    if kind == "f":
        return rest.endswith(("@0", "@1")) or rest in PRAISE_FAMILIES
    return kind == "c" or name in ("bang", "shout")


def may_tell_rule(name: str) -> bool:
    """Whether a feature may count for a learning: of the few that there are, nothing finer can be learnt."""
    return not ((name.startswith("x:") and "&" in name) or (name.startswith("f:") and "*" in name))


def may_tell(name: str, label: int) -> bool:
    """Whether a feature may count for a label."""
    return may_tell_praise(name) if label == PRAISE else label != RULE or may_tell_rule(name)


def fit(rows: list[Row], label: int, with_context: bool, recipe: Recipe | None = None) -> Fitted:
    """Fit one label (index into ``LABELS``) against all others."""
    recipe = recipe or RECIPES[label - 1]
    rows = [row for row in rows if not row.is_machine]
    found = [row.text_names + row.context_names if with_context else row.text_names for row in rows]
    counts = Counter(name for own in found for name in set(own) if may_tell(name, label))
    names = sorted(name for name, count in counts.items() if count >= recipe.min_count)
    design = names_matrix(rows, names, with_context) * recipe.name_scale
    grams = grams_matrix(rows, label)
    present = np.bincount(grams.indices, minlength=grams.shape[1])
    rarity = np.log((1 + len(rows)) / (1 + present)) / np.log(1 + len(rows)) * (present >= 2) * recipe.gram_scale
    origin = origin_matrix(rows) * recipe.origin_scale
    design = hstack([design, grams.multiply(rarity[None, :]), origin]).tocsr()
    model = LogisticRegression(C=recipe.inverse_penalty, max_iter=300, tol=1e-4)
    truth = np.array([row.label == label for row in rows])
    model.fit(design, truth, sample_weight=sample_weights(rows, label, recipe))
    weights = model.coef_[0]
    return Fitted(
        label,
        names,
        weights[: len(names)] * recipe.name_scale,
        weights[len(names) : len(names) + len(rarity)] * rarity,
        float(model.intercept_[0]),
    )
