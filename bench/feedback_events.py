"""100,000 feedback events: queries and pattern analysis against one pass of orjson over the same file.

Run: ``python bench/feedback_events.py``. Ends with 1 when one costs more than twice that pass (paired medians).
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from tellback.learning.feedback_store import FeedbackStore
from tellback.learning.patterns import find_patterns

EVENTS = 100_000
ROUNDS = 7
BAR = 2.0


def write_events(path: Path) -> None:
    """Write the log: 50 skills, three types, texts of the usual length, some corrections that repeat."""
    chance = random.Random(7)
    with path.open("wb") as file:
        for number in range(EVENTS):
            kind = chance.choice(["correction"] * 8 + ["override", "rating"])
            event: dict[str, object] = {
                "id": f"{number:08x}-0000-4000-8000-000000000000",
                "timestamp": f"2026-{1 + number % 12:02}-{1 + number % 28:02}T10:00:00.000Z",
                "type": kind,
                "skillName": f"skill-{number % 50}",
                "sessionId": f"session-{number // 20}",
            }
            if kind == "correction":
                pattern = chance.randrange(2000)
                event |= {
                    "original": f"npx tool-{pattern} --fix .",
                    "corrected": f"npx tool-{pattern} --fix --ext .ts .",
                }
            file.write(orjson.dumps(event) + b"\n")


def pass_once(path: Path) -> int:
    """Parse every line and keep the events, as any query has to."""
    return len([orjson.loads(line) for line in path.read_bytes().splitlines()])


def main() -> None:
    """Time each query against the pass, in turn, and print the median of the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        store = FeedbackStore(folder)
        write_events(store.path)
        calls: dict[str, Callable[[], object]] = {
            "get_all": store.get_all,
            "get_by_skill": lambda: store.get_by_skill("skill-7"),
            "get_since": lambda: store.get_since("2026-06-01T00:00:00Z"),
            "count": store.count,
            "patterns": lambda: find_patterns(store.get_corrections("skill-7")),
        }
        worst = 0.0
        for name, call in calls.items():
            ratio = statistics.median(_time(call) / _time(lambda: pass_once(store.path)) for _ in range(ROUNDS))
            print(f"{name}: {ratio:.2f} x one pass")
            worst = max(worst, ratio)
    sys.exit(0 if worst <= BAR else 1)


def _time(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
