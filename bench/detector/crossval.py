"""Score held-out owners: what the detector would have said of people whose messages it never saw.

    python -m bench.detector.crossval --own CORPUS/messages.jsonl --real CORPUS/real_train.jsonl

Five folds by owner. The calibration and the borders by which a fold is judged are chosen on the others.
"as rich" are all real messages weighed so that the labels are as frequent as in a set drawn to hold every label.
Nothing is written.
"""

import numpy as np

from tellback.capture.detector import FAR, LABELS, Tables
from tellback.capture.scoring import Share, wilson
from tellback.capture.tables import prepare

from . import calibrate
from .data import Row, fold_of, make_rows
from .train import AIMS, FOLDS, MODES, choose_thresholds, empty_model, find_files, held_out_scores, make_parser


def say(chances: np.ndarray, borders: list[float], rows: list[Row]) -> np.ndarray:
    """Return the label of each message as the detector decides it: index into (none, *LABELS)."""
    passed = chances >= np.array(borders)
    first = passed.argmax(axis=1)
    best = np.where(passed, chances, -1).argmax(axis=1)
    at = np.arange(len(rows))
    said = np.where(chances[at, best] - chances[at, first] > FAR, best, first) + 1
    said[~passed.any(axis=1)] = 0
    said[[row.is_machine for row in rows]] = 0
    return np.asarray(said)


def hear(rows: list[Row], scores: np.ndarray, mode: str) -> dict[str, np.ndarray]:
    """Return the label of each message at each operating point, by borders chosen on the other folds."""
    fold = np.array([fold_of(row.group, FOLDS) for row in rows])
    said = {point: np.zeros(len(rows), int) for point in AIMS[mode]}
    for number in range(FOLDS):
        other = np.flatnonzero(fold != number)
        others = [rows[at] for at in other]
        scale = calibrate.fit_calibration(others, scores[other])
        borders = choose_thresholds(others, calibrate.chances(scores[other], scale), mode)
        own = np.flatnonzero(fold == number)
        chances = calibrate.chances(scores[own], scale)
        for point, line in borders.items():
            said[point][own] = say(chances, line, [rows[at] for at in own])
    return said


def rich_line(name: str, rows: list[Row], said: np.ndarray, label: int) -> str:
    """Return precision, recall and F1 of one label as in a rich set, the F1 with what re-drawn owners give."""
    weights = calibrate.rich_weights(rows)
    truth, hit = np.array([row.label == label for row in rows]), said == label
    owners = sorted({row.group for row in rows if row.source == "real"})
    number = {owner: at for at, owner in enumerate(owners)}
    of = np.array([number.get(row.group, 0) for row in rows])
    sums = np.array([np.bincount(of, weights * part, len(owners)) for part in (truth & hit, hit, truth)])
    draw = np.random.default_rng(0)
    drawn = [sums @ np.bincount(draw.integers(0, len(owners), len(owners)), minlength=len(owners)) for _ in range(400)]
    low, high = np.quantile([2 * both / max(out + held, 1e-9) for both, out, held in drawn], (0.025, 0.975))
    both, out, held = sums.sum(axis=1)
    f1 = 2 * both / (out + held)
    return f"{name:34} P {both / max(out, 1e-9):.2f}  R {both / held:.2f}  F1 {f1:.3f} [{low:.2f}-{high:.2f}]"


def show(share: Share) -> str:
    return f"{share.value or 0:.2f} [{share.low:.2f}-{share.high:.2f}]"


def line(name: str, rows: list[Row], said: np.ndarray, chosen: np.ndarray, label: int) -> str:
    """Return precision, recall and F1 of one label over the chosen messages."""
    truth = np.array([row.label == label for row in rows])[chosen]
    hit = (said == label)[chosen]
    both = int((truth & hit).sum())
    f1 = 2 * both / max(int(truth.sum() + hit.sum()), 1)
    precision, recall = wilson(both, int(hit.sum())), wilson(both, int(truth.sum()))
    return f"{name:34} P {show(precision)}  R {show(recall)}  F1 {f1:.3f}  of {int(truth.sum())}"


def main() -> None:
    rows = make_rows(find_files(make_parser(__doc__ or "").parse_args()), Tables(prepare(empty_model())))
    sample = np.array([row.record.get("sample") or row.source for row in rows])
    clear = np.array([not row.record.get("ambiguous") for row in rows])
    for mode in MODES:
        scores = held_out_scores(rows, mode == "context")
        said = hear(rows, scores, mode)
        print(f"\n{mode}")
        for point in ("report", "write", "strict"):
            print(line(f"natural, correction, {point}", rows, said[point], sample == "natural", 1))
            print(line(f"  the clear ones, {point}", rows, said[point], (sample == "natural") & clear, 1))
        for k, label in enumerate(LABELS, 1):
            print(line(f"enriched, {label}", rows, said["report"], sample == "enriched", k))
            print(line("  the clear ones", rows, said["report"], (sample == "enriched") & clear, k))
            print(rich_line(f"  as rich, {label}", rows, said["report"], k))
            print(line(f"natural, {label}, write", rows, said["write"], sample == "natural", k))
        for k, label in enumerate(LABELS, 1):
            print(line(f"own words of the corpus, {label}", rows, said["report"], sample == "own", k))
        machine = [row.record.get("also") == "injected" and row.source == "own" for row in rows]
        print("injected heard as something:", int((said["report"][machine] > 0).sum()), "of", sum(machine))


if __name__ == "__main__":
    main()
