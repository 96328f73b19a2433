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

from tellback.capture.anchors import words_of
from tellback.capture.detector import Tables
from tellback.capture.rules import CUES
from tellback.capture.tables import MODES, prepare

from . import calibrate
from .data import Row, fold_of, make_rows
from .fit import fit

FOLDS = 5
# Precision that an operating point must reach for correction, learning and positive; None: the best F1. What the text
# alone shows is kept only if the sweep, which knows more, does not take it back.
AIMS: dict[str, dict[str, tuple[float | None, ...]]] = {
    "text": {"report": (None, None, None), "write": (0.75, 0.85, 0.85), "strict": (0.9, 0.93, 0.93)},
    "context": {"report": (None, None, None), "write": (0.82, 0.85, 0.85), "strict": (0.92, 0.93, 0.93)},
}
LIGHTEST = 3  # weights that are never larger are left out
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
    return {"unit": UNIT, "anchors": [], "modes": {mode: {"weights": {}, "grams": b""} for mode in MODES}}


def held_out_scores(rows: list[Row], with_context: bool, folds: int = FOLDS) -> np.ndarray:
    """Return log-odds of the three labels, each message scored by fits that never saw its owner."""
    scores = np.zeros((len(rows), 3))
    fold = np.array([fold_of(row.group, folds) for row in rows])
    for number in range(folds):
        seen = [row for row, at in zip(rows, fold, strict=True) if at != number]
        at = np.flatnonzero(fold == number)
        part = [rows[i] for i in at]
        for k in range(3):
            scores[at, k] = fit(seen, k + 1, with_context).scores(part, with_context)
    return scores


def choose_thresholds(rows: list[Row], chances: np.ndarray, mode: str) -> dict[str, list[float]]:
    """Return the borders of correction, learning and positive at the three operating points.

    Corrections on the random sample, weighed as in real use. The other two are too rare in it: on real messages with
    the shares of a set drawn to hold them.
    """
    natural, rich = calibrate.natural_weights(rows), calibrate.rich_weights(rows)
    points: dict[str, list[float]] = {}
    for point, aims in AIMS[mode].items():
        borders: list[float] = []
        for k, aim in enumerate(aims):
            true = np.array([row.label == k + 1 for row in rows])
            leaning = np.where(chances.argmax(axis=1) == k, chances[:, k], 0)
            borders.append(calibrate.border_for(true, leaning, natural if k == 0 else rich, aim))
        points[point] = borders
    for before, after in (("report", "write"), ("write", "strict")):
        points[after] = [max(a, b) for a, b in zip(points[before], points[after], strict=True)]
    return points


def anchors_in(rows: list[Row]) -> list[set[str]]:
    """Return which anchors of the cues stand in each message as delivered."""
    anchors = {anchor for cue in CUES for anchor in cue.anchors}
    whole = {anchor for anchor in anchors if anchor.isascii()}
    found = []
    for row in rows:
        text = row.record["text"]
        words = {word.decode("utf-8", "replace") for word in words_of(text.encode("utf-8", "surrogatepass"))}
        low = text.lower()
        found.append((words & whole) | {piece for piece in anchors - whole if piece in low})
    return found


def find_written(rows: list[Row], chances: np.ndarray, borders: list[float]) -> np.ndarray:
    """Return which messages pass ``write`` with their right label."""
    best = chances.argmax(axis=1)
    right = np.array([row.label == k + 1 for row, k in zip(rows, best, strict=True)])
    return np.asarray(right & (chances[np.arange(len(rows)), best] >= np.array(borders)[best]))


def fit_mode(rows: list[Row], mode: str) -> tuple[dict[str, Any], np.ndarray]:
    """Return one mode of the model, weights as whole numbers of ``UNIT``, and its held-out chances."""
    with_context = mode == "context"
    scores = held_out_scores(rows, with_context)
    scale = calibrate.fit_calibration(rows, scores)
    chances = calibrate.chances(scores, scale)
    models = [fit(rows, k + 1, with_context) for k in range(3)]
    weights: dict[str, list[int]] = {}
    for k, model in enumerate(models):
        for name, weight in zip(model.names, np.rint(model.weights / UNIT).astype(int).tolist(), strict=True):
            weights.setdefault(name, [0, 0, 0])[k] = weight
    units = [float(np.abs(model.grams).max() / 127) for model in models]
    tables = [
        (np.rint(model.grams / unit).astype(int) + 128).clip(1, 255).astype(np.uint8)
        for model, unit in zip(models, units, strict=True)
    ]
    fitted = {
        "bias": [round(model.bias, 4) for model in models],
        "calibration": scale,
        "gram_units": units,
        "grams": b"".join(table.tobytes() for table in tables),
        "thresholds": choose_thresholds(rows, chances, mode),
        "weights": {name: row for name, row in weights.items() if max(map(abs, row)) >= LIGHTEST},
    }
    return fitted, chances


def write_model(model: dict[str, Any], path: Path) -> None:
    """Write one JSON line, then the n-grams of each mode, a byte a slot."""
    tables = [model["modes"][mode]["grams"] for mode in MODES]
    modes = {mode: {k: v for k, v in model["modes"][mode].items() if k != "grams"} for mode in MODES}
    line = json.dumps({**model, "modes": modes}, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    path.write_bytes(b"\n".join([line.encode(), b"".join(tables)]))


def make_parser(description: str) -> argparse.ArgumentParser:
    """Return the command line that training and cross-validation share."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--own", type=Path, required=True, help="own-worded messages of the corpus")
    parser.add_argument("--real", type=Path, required=True, help="real messages, never part of the project")
    parser.add_argument("--extra", type=Path, default=EXTRA, help="further own-worded messages")
    return parser


def find_files(options: argparse.Namespace) -> list[tuple[str, Path]]:
    """Return the files of messages with their source."""
    return [("own", options.own), ("real", options.real), ("extra", options.extra)]


def main() -> None:
    parser = make_parser(__doc__ or "")
    parser.add_argument("--out", type=Path, default=Path("capture/model.dat"))
    options = parser.parse_args()
    rows = make_rows(find_files(options), Tables(prepare(empty_model())))
    model = {**empty_model(), "format": 2}
    written = np.zeros(len(rows), bool)
    for mode in MODES:
        model["modes"][mode], chances = fit_mode(rows, mode)
        if mode == "text":
            written = find_written(rows, chances, model["modes"][mode]["thresholds"]["write"])
    model["anchors"] = calibrate.choose_anchors(rows, written, anchors_in(rows), list(DOCUMENTED), NONE_SHARE)
    write_model(model, options.out)
    print(f"{len(rows)} messages, {len(model['anchors'])} anchors -> {options.out}, {options.out.stat().st_size} bytes")
    for mode in MODES:
        fitted = model["modes"][mode]
        print(mode, len(fitted["weights"]), "weights", fitted["calibration"], fitted["thresholds"])


if __name__ == "__main__":
    main()
