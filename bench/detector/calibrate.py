"""From held-out scores to chances, borders and anchors: what makes a score a verdict."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from .data import Row

BASE_RATE = 0.16  # share of corrections among real messages; the training labels draw the line a little wider

# shares of none, correction, learning, positive in a set drawn to hold every label: what the borders of the two rare
# labels are chosen for, since at their share in real use (one in some hundred messages) no border can be learnt
RICH_SHARES = (0.45, 0.36, 0.07, 0.12)


def chances(scores: np.ndarray, scale: list[list[float]]) -> np.ndarray:
    """Return calibrated chances of the three labels, as the detector computes them."""
    table = scores * np.array([slope for slope, _ in scale]) + np.array([shift for _, shift in scale])
    return np.asarray(1 / (1 + np.exp(-np.clip(table, -30, 30))))


def natural_weights(rows: list[Row]) -> np.ndarray:
    """Weigh the random sample so that corrections are as frequent as in real use, doubtful ones counting half."""
    natural = np.array([row.record.get("sample") == "natural" and not row.is_machine for row in rows])
    doubt = np.array([0.5 if row.record.get("ambiguous") else 1.0 for row in rows])
    weights = natural * doubt
    is_correction = np.array([row.label == 1 for row in rows])
    now, rest = weights[is_correction].sum(), weights[~is_correction].sum()
    weights[is_correction] *= BASE_RATE / (1 - BASE_RATE) * rest / now
    return np.asarray(weights)


def rich_weights(rows: list[Row]) -> np.ndarray:
    """Weigh real messages as in a set drawn to hold enough of every label: the two rare ones of both samples."""
    weights = np.zeros(len(rows))
    for label, share in enumerate(RICH_SHARES):
        chosen = [
            at
            for at, row in enumerate(rows)
            if row.source == "real" and row.label == label and (label > 1 or row.record["sample"] == "enriched")
        ]
        doubt = np.array([0.5 if rows[at].record.get("ambiguous") else 1.0 for at in chosen])
        weights[chosen] = share * doubt / max(doubt.sum(), 1e-9)
    return weights


def fit_calibration(rows: list[Row], scores: np.ndarray) -> list[list[float]]:
    """Return slope and shift for each label: the likelihood's maximum on held-out scores of the random sample.

    Praise and learnings are too rare in it: theirs are fitted on all messages, and their chance is that of a
    message which might well hold one.
    """
    natural = natural_weights(rows)
    everything = np.array([0.0 if row.is_machine else 0.5 if row.record.get("ambiguous") else 1.0 for row in rows])
    found: list[list[float]] = []
    for k in range(3):
        weights = natural if k == 0 else everything
        truth = np.array([row.label == k + 1 for row in rows])

        def loss(parameters: np.ndarray, k: int = k, w: np.ndarray = weights, truth: np.ndarray = truth) -> float:
            z = np.clip(parameters[0] * scores[:, k] + parameters[1], -30, 30)
            return float((w * np.where(truth, np.log1p(np.exp(-z)), np.log1p(np.exp(z)))).sum() / w.sum())

        best = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(0.2, 3.0), (-6, 6)])
        found.append([round(float(value), 4) for value in best.x])
    return found


def precision_and_recall(true: np.ndarray, hit: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return weighted precision and recall."""
    both = float((weights * (true & hit)).sum())
    return both / max(float((weights * hit).sum()), 1e-9), both / max(float((weights * true).sum()), 1e-9)


def border_for(
    true: np.ndarray, chance: np.ndarray, weights: np.ndarray, precision: float | None, lowest: float = 0.05
) -> float:
    """Return the lowest border with *precision*, or the one with the best F1 for ``None``."""
    grid = np.arange(0.98, lowest, -0.01)
    best, best_f1 = 0.5, -1.0
    for border in grid:
        p, r = precision_and_recall(true, chance >= border, weights)
        if precision is not None:
            if p >= precision:
                best = float(border)
        elif 2 * p * r / max(p + r, 1e-9) > best_f1:
            best, best_f1 = float(border), 2 * p * r / max(p + r, 1e-9)
    return round(best, 2)


def choose_anchors(
    rows: list[Row], written: np.ndarray, present: list[set[str]], must: list[str], share: float
) -> list[str]:
    """Choose the words that let a prompt into tier 1.

    Greedy: the word that opens most messages that would rightly be written for the fewest of the random sample that
    hold nothing, until *share* of those pass.

    Args:
        written: messages whose label passes ``write`` on the text alone and is right.
        present: the anchors in each message.
        must: anchors that the documents' lists need.
    """
    nothing = [i for i, row in enumerate(rows) if row.label == 0 and row.record.get("sample") == "natural"]
    weight = np.array([{"real": 1.0, "own": 0.3, "extra": 0.3}[row.source] for row in rows])
    open_now = {i for i in range(len(rows)) if present[i] & set(must)}
    chosen = list(dict.fromkeys(must))
    candidates = sorted(set().union(*present) - set(chosen))
    where: dict[str, list[int]] = {word: [] for word in candidates}
    for i, words in enumerate(present):
        for word in words:
            if word in where:
                where[word].append(i)
    is_nothing = np.zeros(len(rows), bool)
    is_nothing[nothing] = True
    limit = share * len(nothing)
    while candidates:
        best, best_value = "", 0.0
        for word in candidates:
            fresh = [i for i in where[word] if i not in open_now]
            gain = sum(weight[i] for i in fresh if written[i])
            cost = sum(1 for i in fresh if is_nothing[i])
            if gain and gain / (cost + 1.0) > best_value:
                best, best_value = word, gain / (cost + 1.0)
        if not best or sum(is_nothing[i] for i in open_now | set(where[best])) > limit:
            break
        chosen.append(best)
        open_now |= set(where[best])
        candidates.remove(best)
    return sorted(chosen)


def summary(name: str, true: np.ndarray, hit: np.ndarray) -> dict[str, Any]:
    """Return precision, recall and F1 unweighted."""
    p, r = precision_and_recall(true, hit, np.ones(len(true)))
    return {"name": name, "precision": round(p, 3), "recall": round(r, 3), "f1": round(2 * p * r / max(p + r, 1e-9), 3)}
