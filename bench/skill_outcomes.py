"""What reading outcomes of skill calls costs, against tools that do nothing else (DESIGN section 8).

A made log of 100 MB calls a skill in every fiftieth turn; only the turns after a call need to be parsed. Each row
interleaves what it compares, in seconds of processor time, which a busy machine changes least, and takes the median of
the rounds' ratios. Ends with 1 when a bar is missed. Run: ``python bench/skill_outcomes.py [row ...]`` (rows: log,
sessions).
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import orjson
from made_logs import Session

from tellback.capture.tables import default_tables
from tellback.core.policy import Policy
from tellback.core.scrub import default_rules
from tellback.learning.analyze import Wish, analyze_sessions, list_claude_sessions
from tellback.learning.reading import make_read_turn
from tellback.sessions.gate import Gatekeeper

MB = 1_000_000
EVERY = 50  # turns between two skill calls
REACTIONS = ("no, that is wrong, use pnpm", "looks good", "redo it please", "but the naming is off")


class SkilledSession(Session):
    """Calls a skill now and then; the person answers."""

    def turn(self) -> Iterator[bytes]:
        """Yield a turn, and in every fiftieth a call of a skill with a reaction."""
        yield from super().turn()
        turns = self.turns = getattr(self, "turns", 0) + 1
        if turns % EVERY == 0:
            self._count += 1
            call_id = f"toolu_{self._count:024d}"
            block = {"type": "tool_use", "id": call_id, "name": "Skill", "input": {"skill": "lint"}}
            yield self._assistant(block, "tool_use")
            yield self._result(call_id, "Skill")
            text = REACTIONS[turns // EVERY % len(REACTIONS)]
            yield self._common("user", {"promptSource": "typed"}, {"role": "user", "content": text})


def write_log(path: Path, size_bytes: int, seed: int = 1) -> None:
    """Write a session of *size_bytes*."""
    with path.open("wb") as file:
        file.writelines(SkilledSession(seed, f"0a0a0a0a-1111-4222-8333-{seed:012d}").lines(size_bytes))


def read_raw(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 18):
            pass


def parse_all(path: Path) -> None:
    with path.open("rb", buffering=1 << 18) as file:
        for line in file:
            orjson.loads(line)


def analyze(root: Path) -> int:
    wish = Wish(make_read_turn(default_tables()), default_rules())
    return len(analyze_sessions(list_claude_sessions(root), Gatekeeper(Policy()), wish).events)


def clock(act: Callable[[], object]) -> float:
    started_at = time.process_time()
    act()
    return time.process_time() - started_at


def compare(rounds: int, *acts: Callable[[], object]) -> list[list[float]]:
    """Return the seconds of each act, round by round; a first round warms up and does not count."""
    return [[clock(act) for act in acts] for _ in range(rounds + 1)][1:]


def ratio(times: list[list[float]], above: int, below: int) -> float:
    return statistics.median(row[above] / row[below] for row in times)


def tell(row: str, figure: str, is_kept: bool) -> bool:
    print(f"{'pass' if is_kept else 'FAIL'}  {row}: {figure}", flush=True)
    return is_kept


def measure_log(folder: Path) -> bool:
    path = folder / "s1.jsonl"
    write_log(path, 100 * MB)
    events = analyze(folder)
    times = compare(7, lambda: read_raw(path), lambda: analyze(folder), lambda: parse_all(path))
    to_raw, to_parser = ratio(times, 0, 1), ratio(times, 2, 1)
    ms = statistics.median(row[1] for row in times) * 1000
    figure = (
        f"{to_raw:.2f} x a raw read (>= 0.24), {to_parser:.2f} x full orjson (>= 2), {ms:.0f} ms for 100 MB, "
        f"{events} events"
    )
    return tell("outcomes in one log of 100 MB", figure, to_raw >= 0.24 and to_parser >= 2)


def measure_sessions(folder: Path) -> bool:
    """Time 10,000 sessions of 10 KB and more, one in ten with a skill call, against reading them all."""
    body = b"".join(Session(3).lines(10_000))
    calling = b"".join(SkilledSession(3).lines(10_000))
    block = {"type": "tool_use", "id": "t1", "name": "Skill", "input": {"skill": "lint"}}
    calling += SkilledSession(4)._assistant(block, "tool_use")
    for number in range(10_000):
        (folder / f"{number:05}.jsonl").write_bytes(calling if number % 10 == 0 else body)
    paths = list(folder.iterdir())

    def raw() -> None:
        for path in paths:
            read_raw(path)

    def parse() -> None:
        for path in paths:
            parse_all(path)

    times = compare(3, raw, lambda: analyze(folder), parse)
    to_raw, to_parser = ratio(times, 0, 1), ratio(times, 2, 1)
    size_mb = sum(path.stat().st_size for path in paths) / MB
    seconds = statistics.median(row[1] for row in times)
    figure = (
        f"{to_raw:.2f} x a raw read (>= 0.24), {to_parser:.2f} x full orjson (>= 2), {seconds:.1f} s, {size_mb:.0f} MB"
    )
    return tell("outcomes in 10,000 sessions", figure, to_raw >= 0.24 and to_parser >= 2)


ROWS: dict[str, Callable[[Path], bool]] = {"log": measure_log, "sessions": measure_sessions}


def main(wanted: list[str]) -> int:
    kept = True
    for name in wanted or ROWS:
        with closing(_Folder()) as folder:
            kept = ROWS[name](folder.path) and kept
    return 0 if kept else 1


class _Folder:
    """A folder that is no temporary one by its name: those are left out."""

    def __init__(self) -> None:
        self._made = tempfile.TemporaryDirectory(prefix="bench-")
        self.path = Path(self._made.name) / "-home-dev-project"
        os.mkdir(self.path)

    def close(self) -> None:
        self._made.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
