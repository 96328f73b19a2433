"""What the races and the kills share: a project, children that capture, and the check that nothing went wrong.

Children are forked, so that the instants at which they meet or die lie in the capture and not in Python's start.
POSIX only.
"""

import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tellback.capture.detector import Verdict
from tellback.capture.heard import Outcome
from tellback.capture.index import parse_index
from tellback.capture.knowledge import capture_turn
from tellback.capture.log import entry_text, name_of, scan
from tellback.capture.points import Point
from tellback.capture.slow import heal_index, open_ledger
from tellback.capture.waiting import write_queued
from tellback.core.digest import hash_text, short_hash
from tellback.core.place import find_knowledge
from tellback.core.shapes import Places, Turn

NAME_LENGTH = 40  # by so many first letters words are told from others


class Scene(NamedTuple):
    """A project in a temporary folder, and Tellback's own folders beside it."""

    folder: Path
    places: Places

    @property
    def corrections(self) -> Path:
        return self.folder / ".knowledge" / "corrections"

    @property
    def log(self) -> Path:
        return self.corrections / "log.yaml"


class Verdicts(NamedTuple):
    """What is wrong after a run; all empty is what must hold."""

    entries: int
    doubled: list[str]
    lost: list[str]
    twice: list[str]
    miscounted: list[str]

    @property
    def is_good(self) -> bool:
        return not (self.doubled or self.lost or self.twice or self.miscounted)


@contextmanager
def open_scene(entries: int = 0) -> Iterator[Scene]:
    """Yield a project whose log holds *entries* already."""
    with tempfile.TemporaryDirectory(prefix="tellback-bench-") as name:
        base = Path(name)
        (base / "project" / ".git").mkdir(parents=True)
        places = Places(*(str(base / part) for part in ("home", "data", "cache", "config")))
        scene = Scene(base / "project", places)
        if entries:
            fill_log(scene, entries)
        yield scene


def fill_log(scene: Scene, entries: int) -> None:
    """Write a log of *entries*, then let one capture make its index and keys (a sweep's work)."""
    scene.corrections.mkdir(parents=True)
    point = Point("the total of the second quarter counts refunds twice, so it is too high")
    with scene.log.open("w", encoding="utf-8") as log:
        log.write("corrections:\n")
        for number in range(1, entries + 1):
            log.write(entry_text(point, name_of(number), "2026-01-31", None, f"{number:012x}", "  "))
    fill_keys(scene, entries)
    with open_ledger(find_knowledge(str(scene.folder), scene.places), scene.places) as ledger:
        ledger.recount()


def fill_keys(scene: Scene, entries: int) -> None:
    """Write the two lines of the key store that every entry leaves."""
    buckets: dict[str, list[str]] = {}
    for number in range(1, entries + 1):
        for key in (f"{number:012x}", hash_text("filled", str(number))):
            buckets.setdefault(hash_text(key)[:2], []).append(f"{hash_text(key)[:2]}{key[2:]} {key} 1800000000 x\n")
    folder = Path(scene.places.data) / "keys"
    folder.mkdir(parents=True)
    for name, lines in buckets.items():
        (folder / name).write_text("".join(lines))


def say(scene: Scene, words: str, **settings: Any) -> Outcome:
    """Capture *words* as a hook does, each under a prompt id of its own."""
    turn = Turn("claude-code", "prompt", 1_800_000_000.0)
    turn.session_id, turn.prompt_id, turn.project = "bench", words, str(scene.folder)
    verdict = Verdict()
    verdict.label, verdict.points = "correction", [Point(words)]
    where = find_knowledge(turn.project, scene.places)
    return capture_turn(turn, verdict, where, scene.places, prompt_hash=short_hash(words.encode()), **settings)


def fork(act: Callable[[int], None]) -> tuple[int, int]:
    """Start a child that does *act* with the end of a pipe to tell on; return its pid and the other end."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return pid, read_end
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(read_end)
        act(write_end)
    finally:
        os._exit(0)


def hear(read_end: int) -> list[str]:
    """Return the whole lines that a child told, after its end."""
    told = b""
    while chunk := os.read(read_end, 1 << 16):
        told += chunk
    os.close(read_end)
    return told.decode().split("\n")[:-1]


def sweep(scene: Scene) -> int:
    """Do what a sweep does: write what waits, heal the index; return the number of lines written."""
    written = write_queued(scene.places).written
    heal_index(find_knowledge(str(scene.folder), scene.places), scene.places)
    return written


def judge(scene: Scene, acknowledged: list[str]) -> Verdicts:
    """Compare log, index and what was acknowledged (the words, each said once)."""
    text = scene.log.read_text("utf-8")
    found = scan(text, is_start=True)
    if found is None:
        return Verdicts(0, [], [], [], ["the log has not the known shape"])
    ids = Counter(entry.ident for entry in found.entries)
    texts = [line.partition(": ")[2].strip('"') for line in text.splitlines() if "  description: " in line]
    words = Counter(said[:NAME_LENGTH] for said in texts)
    index = parse_index((scene.corrections / "index.yaml").read_text("utf-8"))
    wrong = [
        f"{name} says {index.number(name)}, the log {count}"
        for name, count in {
            "total_corrections": len(found.entries),
            **Counter(f"by_severity.{entry.severity}" for entry in found.entries),
            **Counter(f"by_category.{entry.category}" for entry in found.entries),
            "log_bytes": scene.log.stat().st_size,
        }.items()
        if index.number(name) != count
    ]
    return Verdicts(
        len(found.entries),
        [ident for ident, count in ids.items() if count > 1],
        [said for said in acknowledged if said not in words],
        [said for said, count in words.items() if count > 1],
        wrong,
    )
