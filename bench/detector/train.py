"""Fit the detector's weights and write ``capture/model.dat``.

Run from the repository's root, with the ``train`` extra installed::

    python -m bench.detector.train --own CORPUS/messages.jsonl --real CORPUS/real_train.jsonl

The file holds weights, borders, names of cues and hashed n-grams: no text of any message. The same input gives the
same file.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from tellback.capture.detector import Tables
from tellback.capture.anchors import words_of
from tellback.capture.features import SLOTS
from tellback.capture.tables import prepare

from . import calibrate
from .data import Row, fold_of, make_rows
from .fit import Fitted, Recipe, fit

FOLDS = 5
UNIT = 1 / 64  # log-odds that one step of a stored weight is worth
NONE_SHARE = 0.34  # of the messages without feedback, how many may reach tier 1
EXTRA = Path(__file__).with_name("own_words.jsonl")

# One word of each of the documents' phrases (C-8 to C-10), so that no documented phrase fails at tier 0.
DOCUMENTED = (
    "wrong", "incorrect", "actually", "should", "column", "off", "overcounted", "undercounted", "counted", "missing",
    "forgot", "always", "never", "prefer", "convention", "team", "forget", "better", "forward", "remember", "exactly",
    "perfect", "analysis", "looks", "next",
)  # fmt: skip


def empty_model() -> dict[str, Any]:
    """Return a model that weighs nothing: enough to take messages apart."""
    return {"weights": {}, "grams": (b"", b"", b""), "unit": UNIT, "gram_unit": 1.0, "bias": [0.0] * 3,
            "calibration": {}, "thresholds": {}, "anchors": []}  # fmt: skip


def held_out_scores(rows: list[Row], recipe: Recipe, folds: int = FOLDS) -> tuple[np.ndarray, np.ndarray]:
    """Return scores with context and on the text alone, each message scored by a fit that never saw its owner."""
    with_context, alone = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
    fold = np.array([fold_of(row.group, folds) for row in rows])
    for number in range(folds):
        model = fit([row for row, at in zip(rows, fold, strict=True) if at != number], recipe)
        at = np.flatnonzero(fold == number)
        part = [rows[i] for i in at]
        alone[at] = model.scores(part, with_context=False)
        with_context[at] = model.scores(part, with_context=True)
    return with_context, alone


def choose_thresholds(rows: list[Row], chances: np.ndarray) -> dict[str, list[float]]:
    """Return the borders of correction, learning and positive at the three operating points."""
    natural = calibrate.natural_weights(rows)
    chosen = np.array([not row.is_machine for row in rows], float)
    chosen *= np.array([0.5 if row.record.get("ambiguous") else 1.0 for row in rows])
    points: dict[str, list[float]] = {}
    for point, aims in (("report", (None, None, None)), ("write", (0.87, 0.85, 0.85)), ("strict", (0.93, 0.93, 0.93))):
        borders = []
        for k, aim in enumerate(aims):
            true = np.array([row.label == k + 1 for row in rows])
            leaning = chances.argmax(axis=1) == k
            weights = natural if k == 0 else chosen
            borders.append(calibrate.border_for(true, np.where(leaning, chances[:, k], 0), weights, aim))
        points[point] = borders
    for before, after in (("report", "write"), ("write", "strict")):
        points[after] = [max(a, b) for a, b in zip(points[before], points[after], strict=True)]
    return points


def anchors_in(rows: list[Row], tables: Tables) -> list[set[str]]:
    """Return which anchors of the cues stand in each message as delivered."""
    found = []
    for row in rows:
        text = row.record["text"]
        raw = text.encode("utf-8", "surrogatepass")
        words = {word.decode() for word in words_of(raw) & tables.words.keys()}
        low = text.lower()
        found.append(words | {piece for piece, _ in tables.pieces if piece in low})
    return found


def export(model: Fitted, parts: dict[str, Any], path: Path) -> dict[str, Any]:
    """Write weights as small whole numbers: one JSON line, then one byte table of n-grams a label."""
    named = model.name_weights[1:] - model.name_weights[:1]
    grams = model.gram_weights[1:] - model.gram_weights[:1]
    steps = np.rint(named / UNIT).astype(int)
    weights = {name: steps[:, at].tolist() for at, name in enumerate(model.names) if np.abs(steps[:, at]).max() >= 2}
    gram_unit = float(np.abs(grams).max() / 127)
    table = (np.rint(grams / gram_unit).astype(int) + 128).clip(1, 255).astype(np.uint8)
    head = {
        "format": 1,
        "slots": SLOTS,
        "unit": UNIT,
        "gram_unit": gram_unit,
        "bias": [round(float(b), 4) for b in model.bias[1:] - model.bias[0]],
        **parts,
        "weights": weights,
    }
    line = json.dumps(head, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    path.write_bytes(line.encode() + b"\n" + table.tobytes())
    return head


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--own", type=Path, required=True, help="own-worded messages of the corpus")
    parser.add_argument("--real", type=Path, required=True, help="real messages, never part of the project")
    parser.add_argument("--extra", type=Path, default=EXTRA, help="further own-worded messages")
    parser.add_argument("--out", type=Path, default=Path("capture/model.dat"))
    options = parser.parse_args()
    tables = Tables(prepare(empty_model()))
    files = [("own", options.own), ("real", options.real)] + [("extra", options.extra)] * options.extra.exists()
    rows = make_rows(files, tables)
    recipe = Recipe()
    with_context, alone = held_out_scores(rows, recipe)
    parts: dict[str, Any] = {"calibration": {}, "thresholds": {}}
    for name, scores in (("context", with_context), ("text", alone)):
        scale = calibrate.fit_calibration(rows, scores)
        table = calibrate.chances(scores, scale)
        parts["calibration"][name] = scale
        parts["thresholds"][name] = choose_thresholds(rows, table)
    write = np.array(parts["thresholds"]["text"]["write"])
    best = table.argmax(axis=1)
    right = np.array([row.label == k + 1 for row, k in zip(rows, best, strict=True)])
    written = right & (table[np.arange(len(rows)), best] >= write[best])
    parts["anchors"] = calibrate.choose_anchors(
        rows,
        written,
        anchors_in(rows, tables),
        [word for word in DOCUMENTED if word.encode() in tables.words],
        NONE_SHARE,
    )
    head = export(fit(rows, recipe), parts, options.out)
    print(f"{len(rows)} messages, {len(head['weights'])} weights, {len(parts['anchors'])} anchors -> {options.out}")
    print(json.dumps({key: parts[key] for key in ("calibration", "thresholds")}, indent=1))


if __name__ == "__main__":
    main()
