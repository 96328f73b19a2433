"""Fit where one message parts into points and write ``capture/borders.json``.

Run from the repository's root, with the ``train`` extra installed::

    python -m bench.detector.fit_points --own CORPUS/messages.jsonl --real CORPUS/real_train.jsonl

Two small models over what ``capture/split.py`` names: whether a message has several points (a sparse logistic
regression), and where it parts when it has (each border with its own chance; only the number of points is known, so
the chance of that number is made likely). Ten folds by owner choose the score from which a message is parted: of the
single messages of people never seen ``CUT`` may be cut. The file holds names and weights: no text of any message.
"""

import argparse
import json
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from tellback.capture import split, strip
from tellback.capture.detector import Tables
from tellback.capture.points import may_part
from tellback.capture.scoring import wilson
from tellback.capture.tables import prepare

CUT = 0.04  # of single messages, how many may be cut
FOLDS = 10
RAREST = 8  # messages that must show a name for it to have a weight
FIRMNESS = 0.25  # of the first model: less makes fewer weights
SPARSENESS, SHRINKING = 1.0, 0.3  # of the second
HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "capture" / "borders.json"


class Row(NamedTuple):
    """One message judged a correction: what it and its borders show, and how many points it has."""

    owner: str
    lang: str
    count: int
    message: list[str]
    borders: list[list[str]]
    items: int

    @property
    def is_real(self) -> bool:
        return self.owner != ""


class Model(NamedTuple):
    """Weights by name: of the message, and of its borders."""

    several: dict[str, float]
    borders: dict[str, float]


def read_rows(paths: list[Path], tables: Tables) -> list[Row]:
    """Return the corrections of *paths*; a record without a count of points has one."""
    rows: list[Row] = []
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            record: dict[str, Any] = json.loads(line)
            if record["label"] == "correction":
                rows.append(make_row(record, tables))
    return rows


def make_row(record: dict[str, Any], tables: Tables) -> Row:
    own = strip.own_words(record["text"], tables=tables, keep_inline=True).strip()
    pieces, marks = split.read_pieces(own, tables) if may_part(own) else ([], [])
    borders = [split.name_border(pieces, at) for at in range(1, len(pieces))]
    message = split.name_message(own, pieces, marks, borders) if borders else []
    items = len(split.find_items(pieces, borders)) if borders else 0
    return Row(record.get("group") or "", record["lang"], record.get("n_points") or 1, message, borders, items)


def fit_several(rows: list[Row]) -> dict[str, float]:
    """Return weights of what a message shows; their sum is above 0 when several points are likelier than one."""
    rows = [row for row in rows if row.borders]
    names = _common([row.message for row in rows])
    chosen = LogisticRegression(C=FIRMNESS, l1_ratio=1, solver="liblinear", random_state=0, max_iter=500)
    chosen.fit(_matrix([row.message for row in rows], names), [row.count > 1 for row in rows])
    weights = {name: float(weight) for name, weight in zip(names, chosen.coef_[0], strict=True) if weight}
    weights["message"] = weights.get("message", 0.0) + float(chosen.intercept_[0])  # every message shows it
    return weights


def fit_borders(rows: list[Row]) -> dict[str, float]:
    """Return weights of what a border shows, from messages with several points that are no lists."""
    rows = [row for row in rows if 1 < row.count <= len(row.borders) + 1 and row.items < 2]
    names = _common([names for row in rows for names in row.borders])
    tables = [_matrix(row.borders, names).toarray() for row in rows]
    counts = [row.count - 1 for row in rows]
    size = len(names)
    free = np.array([0.01 if name == "border" else 1.0 for name in names])

    def cost(halves: np.ndarray) -> tuple[float, np.ndarray]:
        weights = halves[:size] - halves[size:]
        value, slope = _unlikelihood(weights, tables, counts)
        value += float((0.5 * SHRINKING * free * weights**2).sum() + (SPARSENESS * free * halves.reshape(2, -1)).sum())
        slope = slope + SHRINKING * free * weights
        return value, np.concatenate([slope + SPARSENESS * free, SPARSENESS * free - slope])

    start = np.zeros(2 * size)
    found = minimize(
        cost, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * size), options={"maxiter": 200}
    )
    weights = found.x[:size] - found.x[size:]
    return {name: float(weight) for name, weight in zip(names, weights, strict=True) if abs(weight) >= 0.02}


def _common(shown: list[list[str]]) -> list[str]:
    counts: dict[str, int] = {}
    for names in shown:
        for name in set(names):
            counts[name] = counts.get(name, 0) + 1
    return sorted(name for name, count in counts.items() if count >= RAREST)


def _matrix(shown: list[list[str]], names: list[str]) -> csr_matrix:
    at = {name: number for number, name in enumerate(names)}
    cells = [(row, at[name]) for row, found in enumerate(shown) for name in set(found) if name in at]
    where = ([row for row, _ in cells], [column for _, column in cells])
    return csr_matrix((np.ones(len(cells)), where), shape=(len(shown), len(names)))


def _unlikelihood(weights: np.ndarray, tables: list[np.ndarray], counts: list[int]) -> tuple[float, np.ndarray]:
    """Return minus the log of the chance that each message parts at *count* borders, given that it parts; its slope."""
    value, slope = 0.0, np.zeros_like(weights)
    for table, count in zip(tables, counts, strict=True):
        chances = np.clip(1 / (1 + np.exp(-np.clip(table @ weights, -30, 30))), 1e-6, 1 - 1e-6)
        exactly, without = _ways(chances, count)
        never = min(float(np.prod(1 - chances)), 1 - 1e-9)
        value -= np.log(exactly) - np.log(1 - never)
        pull = without / exactly - never / (1 - chances) / (1 - never)
        slope -= table.T @ (pull * chances * (1 - chances))
    return value, slope


def _ways(chances: np.ndarray, count: int) -> tuple[float, np.ndarray]:
    """Return the chance of *count* borders, and its slope in each border's chance."""
    size = len(chances)
    before, after = np.zeros((size + 1, count + 1)), np.zeros((size + 1, count + 1))
    before[0, 0] = after[size, 0] = 1.0
    for at in range(size):
        before[at + 1] = before[at] * (1 - chances[at])
        before[at + 1, 1:] += before[at, :-1] * chances[at]
    for at in reversed(range(size)):
        after[at] = after[at + 1] * (1 - chances[at])
        after[at, 1:] += after[at + 1, :-1] * chances[at]
    slope = [before[at, :count] @ after[at + 1, :count][::-1] - before[at] @ after[at + 1][::-1] for at in range(size)]
    return max(float(before[size, count]), 1e-12), np.array(slope)


def fit(rows: list[Row]) -> Model:
    return Model(fit_several(rows), fit_borders(rows))


def score(row: Row, model: Model) -> float:
    """Return how surely a message has several points; what has no border has none."""
    return split.add_up(row.message, model.several) if row.borders else -99.0


def count_points(row: Row, model: Model) -> int:
    """Return the number of points of a message that is parted."""
    if row.items > 1:
        return row.items
    return 1 + split.likeliest_count([split.chance(names, model.borders) for names in row.borders])


def held_out(rows: list[Row]) -> list[tuple[float, int]]:
    """Return score and number of points of each real message, from fits that never saw its owner."""
    found: list[tuple[float, int]] = [(-99.0, 1)] * len(rows)
    fold = [zlib.crc32(row.owner.encode()) % FOLDS if row.is_real else -1 for row in rows]
    for number in range(FOLDS):
        model = fit([row for row, at in zip(rows, fold, strict=True) if at != number])
        for place, (row, at) in enumerate(zip(rows, fold, strict=True)):
            if at == number and row.borders:
                found[place] = score(row, model), count_points(row, model)
    return found


def choose_border(rows: list[Row], found: list[tuple[float, int]]) -> float:
    """Return the lowest score at which no more than ``CUT`` of the real single messages are cut."""
    singles = sorted(
        (sure for row, (sure, _) in zip(rows, found, strict=True) if row.is_real and row.count == 1), reverse=True
    )
    return singles[int(CUT * len(singles))] + 1e-6


def tell(name: str, cases: list[tuple[Row, int]]) -> None:
    """Print how many messages with several points are counted exactly, and how many single ones are cut."""
    several = [said == row.count for row, said in cases if row.count > 1]
    cut = [said > 1 for row, said in cases if row.count == 1]
    parts = []
    for what, hits in (("several, exact", several), ("single, cut", cut)):
        share = wilson(sum(hits), len(hits))
        parts.append(
            f"{what} {sum(hits):3} of {len(hits):4}, {share.value or 0:.2f} [{share.low:.2f}-{share.high:.2f}]"
        )
    print(f"{name:24} {'   '.join(parts)}")


def report(rows: list[Row], found: list[tuple[float, int]], border: float) -> None:
    cases = [
        (row, count if sure >= border else 1) for row, (sure, count) in zip(rows, found, strict=True) if row.is_real
    ]
    tell("real, owner not seen", cases)
    for lang in sorted({row.lang for row, _ in cases if row.count > 1}):
        tell(f"  {lang}", [case for case in cases if case[0].lang == lang])
    print("real, points there (rows) and points told (columns), 1 to 6 and more")
    for true in range(1, 7):
        line = [sum(min(row.count, 6) == true and min(said, 6) == told for row, said in cases) for told in range(1, 7)]
        print(f"  {true}: {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--own", type=Path, required=True)
    parser.add_argument("--real", type=Path, required=True)
    parser.add_argument("--test", type=Path, nargs="*", default=[], help="labelled files to score with the result")
    arguments = parser.parse_args()
    tables = Tables(prepare())
    own = read_rows([arguments.own], tables)
    written = read_rows([HERE / "own_words.jsonl", HERE / "own_points.jsonl"], tables)
    rows = [*read_rows([arguments.real], tables), *written, *own]
    found = held_out(rows)
    border = choose_border(rows, found)
    report(rows, found, border)
    unseen = fit([row for row in rows if row.is_real] + written)
    tell("own, not seen", [(row, count_points(row, unseen) if score(row, unseen) >= border else 1) for row in own])
    model = fit(rows)
    for path in arguments.test:
        cases = read_rows([path], tables)
        tell(path.name, [(row, count_points(row, model) if score(row, model) >= border else 1) for row in cases])
    write(model, border)


def write(model: Model, border: float) -> None:
    several = {**model.several, "message": model.several["message"] - border}
    kept = {
        "several": {name: round(weight, 2) for name, weight in sorted(several.items()) if abs(weight) >= 0.01},
        "borders": {name: round(weight, 2) for name, weight in sorted(model.borders.items())},
    }
    TARGET.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    print(f"{TARGET.name}: {len(kept['several'])} and {len(kept['borders'])} weights")


if __name__ == "__main__":
    main()
