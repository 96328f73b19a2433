"""What our hooks cost a real Claude Code run: pairs of runs with and without them, interleaved.

    python bench/rig_pairs.py [--pairs 20]

Runs in the rig's sandbox (shared folder and clients needed, else it says why not). The bar: the median difference of a
pair is at most the number of our hook calls × 1.5 idle starts of the Python that the hooks run. The same hooks running
nothing but such a start are timed beside: what they take is the harness's own price of a hook, and Python's.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "rig"))
from sandbox import find_reason_to_skip, play

# SessionStart, UserPromptSubmit, Stop, SessionEnd: what one headless prompt fires.
STARTS_A_CALL = 1.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=20)
    options = parser.parse_args()
    if reason := find_reason_to_skip():
        print(f"rig pairs: not run: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="rig-pairs-") as folder:
        played = play("pairs", Path(folder), "pairs.py", "--pairs", str(options.pairs))
        if played.status != 0:
            print("rig pairs: the sandbox failed")
            return 1
        measured = played.read_json("pairs.json")
    return report(measured)


def report(measured: dict[str, object]) -> int:
    """Print the row of the table of promises; 0 when the bar holds."""
    rounds: list[dict[str, float]] = json.loads(json.dumps(measured["rounds"]))
    idle_s = statistics.median(json.loads(json.dumps(measured["idle_s"])))
    calls = int(str(measured["calls_a_run"]))
    difference_s = statistics.median(each["hooked"] - each["bare"] for each in rounds)
    nothing_s = statistics.median(each["idle"] - each["bare"] for each in rounds)
    bar_s = calls * STARTS_A_CALL * idle_s
    is_good = difference_s <= bar_s
    print(
        f"{'pass' if is_good else 'FAIL'}  {len(rounds)} pairs of real runs: {difference_s * 1e3:.1f} ms for {calls}"
        f" hook calls, bar {bar_s * 1e3:.1f} ms ({STARTS_A_CALL} × {idle_s * 1e3:.1f} ms idle start a call);"
        f" hooks that only start Python: {nothing_s * 1e3:.1f} ms"
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
