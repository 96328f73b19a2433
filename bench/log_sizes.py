"""A capture costs the same at 100, 10,000 and 100,000 entries: each size in its turn, compared round by round.

Measured in this process, without the start of Python; the whole hook is measured by the hook's own benchmark.
Run: ``python bench/log_sizes.py [rounds]``
"""

import statistics
import subprocess
import sys
import time
from contextlib import ExitStack

from racing import Scene, open_scene, say

SIZES = (100, 10_000, 100_000)
BAR = 1.15  # of the capture alone; beside a whole hook the difference is a tenth of that


def time_capture(scene: Scene, words: str) -> float:
    started_at = time.perf_counter()
    say(scene, words)
    return time.perf_counter() - started_at


def time_floor() -> float:
    started_at = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return time.perf_counter() - started_at


def main(rounds: int = 200) -> int:
    with ExitStack() as stack:
        scenes = {size: stack.enter_context(open_scene(size)) for size in SIZES}
        times: dict[int, list[float]] = {size: [] for size in SIZES}
        floors: list[float] = []
        for number in range(rounds):
            floors.append(time_floor())
            turn = number % len(SIZES)  # none is always the first behind the floor, whose caches are cold
            for size in SIZES[turn:] + SIZES[:turn]:
                times[size].append(time_capture(scenes[size], f"wrong {number}"))
    smallest = times[SIZES[0]]
    is_good = True
    for size in SIZES:
        to_smallest = statistics.median(a / b for a, b in zip(times[size], smallest, strict=True))
        to_floor = statistics.median(a / b for a, b in zip(times[size], floors, strict=True))
        is_good = is_good and to_smallest <= BAR
        median_us = statistics.median(times[size]) * 1e6
        print(
            f"{size:>7,} entries: {median_us:6.0f} us, {to_smallest:.2f} x the smallest, {to_floor:.3f} x an idle start"
        )
    print("PASS" if is_good else "FAIL")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
