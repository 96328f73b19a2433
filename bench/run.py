"""Print the table of promises: what was promised, what was measured, pass or fail.

Run: ``python bench/run.py`` (some minutes), ``--quick`` (fewer rounds), or with words of the rows wanted:
``python bench/run.py hook correction``. Ends with 1 when a promise is not kept. Figures of a busy machine are rough:
the ratios are medians of interleaved rounds, the instruction counts (where valgrind is there) do not depend on it.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import hook_start
from hook_start import Figures

HERE = Path(__file__).parent


class Measured(NamedTuple):
    """A figure and whether it keeps the promise; ``None``: it cannot be measured here."""

    figure: str
    is_kept: bool | None


Measure = Callable[[int], Figures | None]


class Row(NamedTuple):
    """One promise: what it is about, its bar, and how it is measured, given the number of rounds."""

    name: str
    bar: str
    measure: Callable[[int], Measured]


def ratio(
    measure: Callable[[int], Figures | None], median: float, p90: float | None = None
) -> Callable[[int], Measured]:
    """Return how a ratio to the floor is held against its bars."""

    def held(rounds: int) -> Measured:
        figures = measure(rounds)
        if figures is None:
            return Measured("the corpus is not beside this checkout", None)
        return Measured(str(figures), figures.median <= median and (p90 is None or figures.p90 <= p90))

    return held


def instructions(kind: str, bar: float) -> Callable[[int], Measured]:
    """Return how executed instructions are held against a bar."""

    def held(_rounds: int) -> Measured:
        counts = hook_start.count_instructions(kind)
        if counts is None:
            return Measured("valgrind is not here", None)
        return Measured(f"{counts.ratio:.3f} ({counts.hook:,} of {counts.floor:,})", counts.ratio <= bar)

    return held


def script(name: str, *arguments: str) -> Callable[[int], Measured]:
    """Return how a benchmark of its own is run: it prints its figures and ends with 0 when they are kept."""

    def held(_rounds: int) -> Measured:
        if not (HERE / name).is_file():
            return Measured(f"bench/{name} is not here", None)
        done = subprocess.run(
            [sys.executable, str(HERE / name), *arguments], capture_output=True, text=True, check=False
        )
        lines = (done.stdout or done.stderr).strip().splitlines()
        return Measured(" | ".join(line.strip() for line in lines[-4:]), done.returncode == 0)

    return held


ROWS = (
    Row("hook: prompt without a signal", "<= 1.00, p90 <= 1.10", ratio(hook_start.time_none, 1.00, 1.10)),
    Row("hook: 20 KB of text", "<= 1.15", ratio(lambda n: hook_start.time_text(20_000, n), 1.15)),
    Row("hook: 1 MB of text", "<= 1.60", ratio(lambda n: hook_start.time_text(1_000_000, n), 1.60)),
    Row("hook: correction at 100 entries", "<= 1.15", ratio(lambda n: hook_start.time_correction(100, n), 1.15)),
    Row("hook: correction at 100,000", "<= 1.15", ratio(lambda n: hook_start.time_correction(100_000, n), 1.15)),
    Row("hook: turn end, throttled", "<= 1.00", ratio(lambda n: hook_start.time_turn_end(False, n), 1.00)),
    Row("hook: turn end, launching", "<= 1.20", ratio(lambda n: hook_start.time_turn_end(True, n), 1.20)),
    Row("hook: instructions, no signal", "<= 1.00", instructions("none", 1.00)),
    Row("hook: instructions, anchor only", "<= 1.10", instructions("anchor only", 1.10)),
    Row("hook: instructions, turn end", "<= 1.00", instructions("turn end", 1.00)),
    Row("hook: instructions, correction", "<= 1.15", instructions("correction", 1.15)),
    Row("capture: 640 hooks, 32 at a time", "unique, exact", script("append_race.py")),
    Row("capture: 640 real hooks, 100 killed", "one entry a prompt", script("hook_race.py", "640", "32", "100")),
    Row("capture: 1,500 kills", "nothing lost or torn", script("kills.py")),
    Row("capture: log sizes", "<= 1.15 of the smallest", script("log_sizes.py")),
    Row("reading: a warm log", "see DESIGN section 8", script("read_logs.py")),
    Row("learning: 100,000 feedback events", "<= 2 passes of orjson", script("feedback_events.py")),
    Row("reading: outcomes of skill calls", ">= 0.24 raw, >= 2 orjson", script("skill_outcomes.py")),
)


def main(arguments: list[str]) -> int:
    rounds = 20 if "--quick" in arguments else 120
    wanted = [word for word in arguments if not word.startswith("--")]
    kept = True
    for row in ROWS:
        if wanted and not all(word in row.name for word in wanted):
            continue
        measured = row.measure(rounds)
        word = {True: "pass", False: "FAIL", None: "----"}[measured.is_kept]
        print(f"{word}  {row.name:34} {row.bar:24} {measured.figure}", flush=True)
        kept = kept and measured.is_kept is not False
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
