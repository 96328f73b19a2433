"""What a hook call costs against an idle start of the same Python, both through ``sh -c``, interleaved.

Every round times the floor (``PY -I -S -c pass``) and the hook, in turns first; what counts is the median of the
rounds' ratios, so that a busy machine spoils rounds and not the figure. Messages without a signal are raced each in
rounds of its own, spread over the whole run: a message's figure is the median of its rounds, and median and 90th
percentile are taken over the messages. Elsewhere all rounds are alike, and both are taken over them. Run alone:
``python bench/hook_start.py [rounds]``; ``bench/run.py`` prints it among the other promises.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from racing import Scene, open_scene

from tellback.core.news import news_path, parse_news
from tellback.install import bundle
from tellback.install.command import hook_command
from tellback.sweep.stamp import stamp_path

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "messages.jsonl"
FLOOR = f"{sys.executable} -I -S -c pass"
HARNESS = "claude-code"
MESSAGES = 60
CORRECTION = "No, that is wrong. The total must use order_date_{}, not ship_date."


class Figures(NamedTuple):
    """Ratios to the floor: median and 90th percentile of the rounds, or of the messages; the floor in milliseconds."""

    median: float
    p90: float
    floor_ms: float

    def __str__(self) -> str:
        return f"median {self.median:.3f}, p90 {self.p90:.3f} (floor {self.floor_ms:.1f} ms)"


@contextmanager
def open_hooked(entries: int = 0) -> Iterator[Scene]:
    """Yield a project with *entries* corrections, the hook written as install writes it, and no sweep due."""
    with open_scene(entries) as scene:
        for folder in (scene.places.data, scene.places.cache):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        bundle.write_hook(scene.places, sys.executable)
        rest(scene)
        yield scene


def rest(scene: Scene) -> None:
    """Let no sweep be due."""
    Path(stamp_path(scene.places)).write_text(f"{int(time.time())}\n")


def make_payload(scene: Scene, event: str, prompt: str | None = None) -> bytes:
    payload: dict[str, Any] = {
        "session_id": "573ad00f-a8ce-4e56-a5a1-7d846c102f46",
        "transcript_path": f"{scene.places.home}/.claude/projects/-project/573ad00f.jsonl",
        "cwd": str(scene.folder),
        "prompt_id": os.urandom(16).hex(),
        "permission_mode": "default",
        "hook_event_name": event,
    }
    return json.dumps(payload if prompt is None else {**payload, "prompt": prompt}).encode()


def read_none_messages() -> list[str]:
    """Return typed messages of the corpus without a signal, evenly spread; ``[]`` where it is not there."""
    if not CORPUS.is_file():
        return []
    rows = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    texts = [row["text"] for row in rows if row["label"] == "none" and row["kind"] == "typed"]
    return [texts[number * len(texts) // MESSAGES] for number in range(MESSAGES)]


def make_text(size_bytes: int) -> str:
    """Return natural text without a signal of about *size_bytes*."""
    sentence = "the parser reads each table from a file in the source folder and prints its rows for the report"
    words = sentence.split()
    lines = [" ".join(words[at % 7 :] + words[: at % 5]) + f" {at}." for at in range(size_bytes // 60)]
    return "\n".join(lines)[:size_bytes]


def time_command(command: str, stdin: Path) -> float:
    """Return the seconds from start to end of *command* run by ``sh -c`` as a harness would."""
    source, sink = os.open(stdin, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1)]
        started_at = time.perf_counter()
        pid = os.posix_spawn("/bin/sh", ["sh", "-c", command], {"PATH": os.defpath}, file_actions=actions)
        os.waitpid(pid, 0)
        return time.perf_counter() - started_at
    finally:
        os.close(source)
        os.close(sink)


class Round(NamedTuple):
    """Seconds of the hook and of the floor beside it."""

    hook_s: float
    floor_s: float


def race(scene: Scene, payloads: list[bytes], before: Callable[[], None] = lambda: None) -> list[Round]:
    """Time one round for each of *payloads*; *before* runs ahead of each, untimed."""
    command = hook_command(scene.places, sys.executable, HARNESS)
    stdin = scene.folder.parent / "payload"
    rounds: list[Round] = []
    for number, payload in enumerate(payloads):
        stdin.write_bytes(payload)
        before()
        ways = [command, FLOOR] if (number + number // MESSAGES) % 2 else [FLOOR, command]
        took = {way: time_command(way, stdin) for way in ways}
        rounds.append(Round(took[command], took[FLOOR]))
    return rounds


def sum_up(ratios: list[float], rounds: list[Round]) -> Figures:
    """Return the figures of *ratios*, which were made of *rounds*."""
    ratios = sorted(ratios)
    floor_s = statistics.median(each.floor_s for each in rounds)
    return Figures(statistics.median(ratios), ratios[int(0.9 * len(ratios))], floor_s * 1e3)


def compare(scene: Scene, payloads: list[bytes], before: Callable[[], None] = lambda: None) -> Figures:
    """Race alike *payloads*; the figures are those of the rounds."""
    rounds = race(scene, payloads, before)
    return sum_up([each.hook_s / each.floor_s for each in rounds], rounds)


def read_outcomes(scene: Scene) -> list[str]:
    found = [parse_news(line) for line in Path(news_path(scene.places)).read_bytes().splitlines()]
    return [news.outcome if news else "?" for news in found]


def time_none(rounds: int) -> Figures | None:
    """Time messages without a signal, each in a tenth of *rounds*; ``None`` where the corpus is not there."""
    messages = read_none_messages()
    if not messages:
        return None
    with open_hooked() as scene:
        turns = [make_payload(scene, "UserPromptSubmit", text) for text in messages] * max(3, rounds // 10)
        raced = race(scene, turns)
        own = [raced[number :: len(messages)] for number in range(len(messages))]
        return sum_up([statistics.median(each.hook_s / each.floor_s for each in rows) for rows in own], raced)


def time_text(size_bytes: int, rounds: int) -> Figures:
    with open_hooked() as scene:
        return compare(scene, [make_payload(scene, "UserPromptSubmit", make_text(size_bytes))] * rounds)


def time_correction(entries: int, rounds: int) -> Figures:
    """Time corrections, each with words of its own, in a project that holds *entries* already."""
    with open_hooked(entries) as scene:
        texts = [
            f"No, that is wrong. The total must use order_date_{number}, not ship_date." for number in range(rounds)
        ]
        figures = compare(scene, [make_payload(scene, "UserPromptSubmit", text) for text in texts])
        outcomes = read_outcomes(scene)
        if outcomes != ["logged"] * rounds:
            raise AssertionError(f"not every correction was kept: {sorted(set(outcomes))}")
        return figures


def time_turn_end(is_due: bool, rounds: int) -> Figures:
    """Time turn ends; when due, each launches a child that ends at once, so that only the launch is timed."""
    with open_hooked() as scene:
        if is_due:
            _launch_nothing(scene)
        before = (lambda: _make_due(scene)) if is_due else (lambda: None)
        figures = compare(scene, [make_payload(scene, "Stop")] * rounds, before)
        expected = "launched" if is_due else "throttled"
        if set(read_outcomes(scene)) != {expected}:
            raise AssertionError(f"turn ends were not all {expected}")
        return figures


def _launch_nothing(scene: Scene) -> None:
    """Write the hook with a sweep that is an idle Python."""
    real = bundle.make_bundle
    bundle.make_bundle = lambda record: real({**record, "sweep_argv": [sys.executable, "-I", "-S", "-c", "pass"]})
    try:
        bundle.write_hook(scene.places, sys.executable)
    finally:
        bundle.make_bundle = real


def _make_due(scene: Scene) -> None:
    import fcntl

    with open(f"{scene.places.cache}/push.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the child before is gone
    Path(stamp_path(scene.places)).write_text("1\n")


class Counts(NamedTuple):
    """Instructions of the hook and of the floor, in user space, without the shell."""

    hook: int
    floor: int

    @property
    def ratio(self) -> float:
        return self.hook / self.floor


def count_instructions(kind: str) -> Counts | None:
    """Count what a call of *kind* executes; ``None`` without valgrind.

    Args:
        kind: ``none``, ``correction``, ``turn end``, or ``anchor only``: a message that tier 0 lets pass in vain.
    """
    if not shutil.which("valgrind"):
        return None
    with open_hooked(100) as scene:
        _slow_clock(scene)
        payload = {
            "none": make_payload(scene, "UserPromptSubmit", "How do I install the dependencies?"),
            "anchor only": make_payload(scene, "UserPromptSubmit", "What should the column before this one return?"),
            "correction": make_payload(
                scene, "UserPromptSubmit", "No, that is wrong. The total must use order_date, not ship_date."
            ),
            "turn end": make_payload(scene, "Stop"),
        }[kind]
        entry = str(bundle.entry_path(scene.places))
        hook = _count([sys.executable, "-I", "-S", entry, HARNESS], payload)
        return Counts(hook, _count([sys.executable, "-I", "-S", "-c", "pass"], b""))


def _slow_clock(scene: Scene) -> None:
    """Write the hook with a deadline for a machine fifty times as slow."""
    real = bundle.pack_settings
    bundle.pack_settings = lambda loaded: {**real(loaded), "prompt_s": 60.0}
    try:
        bundle.write_hook(scene.places, sys.executable)
    finally:
        bundle.pack_settings = real


def _count(argv: list[str], stdin: bytes) -> int:
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv]
    done = subprocess.run(valgrind, input=stdin, capture_output=True, check=True, env={"PATH": os.defpath})
    line = next(line for line in done.stderr.decode().splitlines() if "Collected" in line)
    return int(line.rpartition(":")[2])


def main(rounds: int = 60) -> int:
    print("none          ", time_none(rounds))
    print("20 KB         ", time_text(20_000, rounds))
    print("1 MB          ", time_text(1_000_000, rounds))
    print("correction    ", time_correction(100, rounds))
    print("turn end      ", time_turn_end(False, rounds))
    print("launch        ", time_turn_end(True, rounds))
    for kind in ("none", "anchor only", "correction", "turn end"):
        counts = count_instructions(kind)
        print(f"{kind:14} instructions", f"{counts.ratio:.3f}" if counts else "valgrind is not here")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
