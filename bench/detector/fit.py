"""Fit and calibrate: a multinomial linear model over named features and hashed n-grams (scikit-learn, numpy)."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from tellback.capture.features import SLOTS

from .data import LABELS, Row


@dataclass(frozen=True)
class Recipe:
    """What the fit may vary.

    Attributes:
        inverse_penalty: ``C`` of the logistic regression.
        gram_scale: how loud the n-grams are beside the cues.
        name_scale: how loud a named feature is (a smaller one is penalised more).
        min_count: a named feature must be seen that often.
        weight_ambiguous, weight_own, weight_extra: sample weights; a clear real message weighs 1.
        weight_rare: factor for learning and positive.
    """

    inverse_penalty: float = 1.0
    gram_scale: float = 6.0
    name_scale: float = 0.5
    min_count: int = 4
    weight_ambiguous: float = 0.4
    weight_own: float = 0.7
    weight_extra: float = 0.7
    weight_rare: float = 1.0
    weight_enriched: float = 1.0


@dataclass
class Fitted:
    """Coefficients by label (none first) in the units that the detector adds up."""

    names: list[str]
    name_weights: np.ndarray  # labels x names
    gram_weights: np.ndarray  # labels x slots
    bias: np.ndarray

    def scores(self, rows: list[Row], with_context: bool) -> np.ndarray:
        """Return log-odds against none, one row a message, columns correction, learning, positive."""
        named = names_matrix(rows, self.names, with_context)
        grams = grams_matrix(rows)
        raw = named @ self.name_weights.T + grams @ self.gram_weights.T + self.bias
        return np.asarray(raw[:, 1:] - raw[:, :1])


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


def grams_matrix(rows: list[Row]) -> csr_matrix:
    """Return 1/sqrt(n) for each of the n slots of a message."""
    indices: list[int] = []
    starts = [0]
    values: list[float] = []
    for row in rows:
        indices += row.slots
        starts.append(len(indices))
        values += [1 / max(len(row.slots), 1) ** 0.5] * len(row.slots)
    return csr_matrix((values, indices, starts), shape=(len(rows), SLOTS))


def sample_weights(rows: list[Row], recipe: Recipe) -> np.ndarray:
    """Return how much each message counts."""
    weights = []
    for row in rows:
        weight = {"real": 1.0, "own": recipe.weight_own, "extra": recipe.weight_extra}[row.source]
        if row.record.get("ambiguous"):
            weight *= recipe.weight_ambiguous
        if row.record.get("sample") == "enriched":
            weight *= recipe.weight_enriched
        if LABELS[row.label] in ("learning", "positive"):
            weight *= recipe.weight_rare
        weights.append(weight)
    return np.array(weights)


def fit(rows: list[Row], recipe: Recipe) -> Fitted:
    """Fit on every message twice, with the turn before and without, so that one model serves both."""
    rows = [row for row in rows if not row.is_machine]
    counts = Counter(name for row in rows for name in set(row.text_names + row.context_names))
    names = sorted(name for name, count in counts.items() if count >= recipe.min_count)
    known = [row for row in rows if row.context_names]
    grams = grams_matrix(rows)
    present = np.bincount(grams.indices, minlength=SLOTS)
    rarity = np.log((1 + len(rows)) / (1 + present)) / np.log(1 + len(rows)) * (present >= 2)
    scaled = grams.multiply(rarity[None, :]).tocsr() * recipe.gram_scale
    at = np.array([i for i, row in enumerate(rows) if row.context_names])
    design = hstack(
        [
            _stack(names_matrix(rows, names, False), names_matrix(known, names, True)) * recipe.name_scale,
            _stack(scaled, scaled[at]),
        ]
    ).tocsr()
    labels = np.array([row.label for row in rows] + [row.label for row in known])
    weights = sample_weights(rows, recipe)
    both = np.array([0.5 if row.context_names else 1.0 for row in rows])
    weights = np.concatenate([weights * both, weights[at] * 0.5])
    model = LogisticRegression(C=recipe.inverse_penalty, max_iter=300, tol=1e-3)
    model.fit(design, labels, sample_weight=weights)
    coef = model.coef_
    return Fitted(
        names=names,
        name_weights=coef[:, : len(names)] * recipe.name_scale,
        gram_weights=coef[:, len(names) :] * rarity[None, :] * recipe.gram_scale,
        bias=model.intercept_,
    )


def _stack(above: Any, below: Any) -> csr_matrix:
    from scipy.sparse import vstack

    return vstack([above, below]).tocsr()
