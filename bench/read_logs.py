"""What reading session logs costs, against tools that do nothing else: the read promises of DESIGN section 8.

Run: ``python bench/read_logs.py [row ...]`` (rows: scan, digest, turn, files, survey, memory). Each row interleaves
what it compares, on warm files, and takes the median of the rounds' ratios. What counts is processor time, of children
too: the waiting of a busy machine would fall on one or the other at random. Ends with 1 when a bar is missed.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
from made_logs import write_log

from tellback.core.db import open_db
from tellback.core.policy import Policy
from tellback.core.scrub import default_rules
from tellback.core.shapes import Places
from tellback.install.record import read_record
from tellback.sessions import claude_code
from tellback.sessions.entry import Resume, Tally, Want
from tellback.sessions.gate import Gatekeeper
from tellback.sessions.reader import Listed
from tellback.sessions.refs import Ref
from tellback.sessions.run import digest_log
from tellback.sessions.states import Standing
from tellback.sessions.survey import Session, Surveyor
from tellback.sweep.lastrun import read_last_run
from tellback.sweep.look import look_path
from tellback.sweep.trigger import Order, trigger

MB = 1_000_000
LITERAL = '"is_error":true'
_SCAN = Want("none", "failed", repeats=False, git=False, facts=False)
_FILES = 10_000

# In a process of its own, for the peak of its memory; a sweep's, which loads no command.
_PEAK = """
import pathlib, re, resource, sys
from tellback.core.scrub import default_rules
from tellback.sessions import claude_code
from tellback.sessions.entry import Resume
from tellback.sessions.reader import Listed
from tellback.sessions.refs import Ref
from tellback.sessions.run import digest_log
from tellback.sessions.states import Standing
from tellback.sessions.survey import Session
listed = Listed("claude-code", "s1", sys.argv[1], 0, 0)
with claude_code.open_log(listed) as log:
    session = Session(Ref("claude-code", "s1"), listed.path, listed, Standing("new"))
    digest_log(claude_code, log, session, Resume(), default_rules())
status = pathlib.Path("/proc/self/status")  # ru_maxrss would count what the process was before exec
if status.exists():
    print(int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]) * 1024)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def clock(act: Callable[[], object]) -> float:
    """Return the seconds of processor time that *act* takes, here and in the processes that it starts."""
    before = _processor_time()
    act()
    return _processor_time() - before


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def compare(rounds: int, *acts: Callable[[], object]) -> list[list[float]]:
    """Return the seconds of each act, round by round; a first round warms up and does not count."""
    times = [[clock(act) for act in acts] for _ in range(rounds + 1)]
    return times[1:]


def median_ratio(times: list[list[float]], above: int, below: int) -> float:
    return statistics.median(row[above] / row[below] for row in times)


def list_log(path: Path) -> Listed:
    return Listed("claude-code", path.stem, str(path), path.stat().st_size, path.stat().st_mtime_ns)


def grep(path: Path) -> None:
    subprocess.run(["grep", "-c", LITERAL, str(path)], stdout=subprocess.PIPE, check=False)


def read_raw(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 18):
            pass


def parse_all(path: Path) -> None:
    with path.open("rb", buffering=1 << 18) as file:
        for line in file:
            orjson.loads(line)


def scan(path: Path) -> None:
    with claude_code.open_log(list_log(path)) as log:
        for _ in claude_code.read_entries(log, Resume(), Tally(), _SCAN):
            pass


def digest(path: Path, start: Resume) -> Resume:
    listed = list_log(path)
    session = Session(Ref("claude-code", path.stem), listed.path, listed, Standing("new"))
    with claude_code.open_log(listed) as log:
        return digest_log(claude_code, log, session, start, default_rules())[1]


def tell(row: str, figure: str, is_kept: bool) -> bool:
    print(f"{'pass' if is_kept else 'FAIL'}  {row}: {figure}", flush=True)
    return is_kept


def measure_scan(folder: Path) -> bool:
    path = folder / "log100.jsonl"
    write_log(path, 100 * MB)
    times = compare(9, lambda: grep(path), lambda: scan(path), lambda: read_raw(path))
    speed, raw = median_ratio(times, 0, 1), median_ratio(times, 2, 1)
    ms = statistics.median(row[1] for row in times) * 1000
    figure = f"{speed:.2f} x the speed of grep -c (>= 0.85), {raw:.2f} x a raw read, {ms:.0f} ms for 100 MB"
    return tell("scan for prompts and failures", figure, speed >= 0.85)


def measure_digest(folder: Path) -> bool:
    path = folder / "log100.jsonl"
    write_log(path, 100 * MB)
    times = compare(7, lambda: grep(path), lambda: digest(path, Resume()), lambda: parse_all(path))
    to_grep, to_parser = median_ratio(times, 0, 1), median_ratio(times, 2, 1)
    ms = statistics.median(row[1] for row in times) * 1000
    figure = f"{to_grep:.2f} x grep -c (>= 0.4), {to_parser:.2f} x full orjson (>= 2), {ms:.0f} ms for 100 MB"
    return tell("whole digest", figure, to_grep >= 0.4 and to_parser >= 2)


def measure_turn(folder: Path) -> bool:
    """Time the digest of the last turn, from a mark before it, at both sizes."""
    acts: list[Callable[[], object]] = []
    turn = folder / "turn.jsonl"
    write_log(turn, 1, seed=2)
    for name, size in (("small", MB), ("large", 1000 * MB)):
        path = folder / f"{name}.jsonl"
        write_log(path, size)
        start = Resume(path.stat().st_size)
        with path.open("ab") as file:
            file.write(turn.read_bytes())
        acts.append(lambda path=path, start=start: [digest(path, start) for _ in range(20)])
    times = compare(25, *acts)
    ratio = median_ratio(times, 1, 0)
    ms = statistics.median(row[1] for row in times) / 20 * 1000
    figure = f"{ratio:.3f} x the same at 1 MB (<= 1.05), {ms:.2f} ms"
    return tell("one new turn at 1 GB", figure, ratio <= 1.05)


def look_around(store: Path) -> None:
    for entry in os.scandir(store):
        for below in os.scandir(entry.path):
            below.stat(follow_symlinks=False)


def measure_files(folder: Path) -> bool:
    """Time a launched sweep over a store in which nothing changed since the last sweep, and with one log that grew."""
    home, store, last = make_store(folder)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    for verb in ("install claude-code", "sweep"):
        argv = [sys.executable, "-I", "-m", "tellback", *verb.split(), "--json"]
        subprocess.run(argv, env=environment, check=True, stdout=subprocess.DEVNULL)
    places = Places(str(home), *(f"{home}/{name}/tellback" for name in (".local/share", ".cache", ".config")))
    record = read_record(places)
    assert record is not None
    order = Order(record["sweep_argv"], record["environment"], 0.0, 60.0)

    def sweep() -> None:
        os.utime(look_path(places), (0, 0))  # so that a look at all logs is due
        assert trigger(places, time.time(), order) == "launched"
        assert os.wait()[1] == 0

    def grow_and_sweep() -> None:
        with last.open("ab") as file:
            file.write(b'{"type":"summary"}\n')
        sweep()
        told = read_last_run(places)
        assert told is not None
        assert told["stages"]["late"]["sessions"] == 1

    def start_python() -> None:
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)

    times = compare(15, lambda: look_around(store), start_python, sweep)
    told = read_last_run(places)
    assert told is not None
    assert told["stages"] == {}, "the sweep had nothing to do"
    look_around_s, start_s, sweep_s = (statistics.median(row[number] for row in times) for number in range(3))
    ratio = statistics.median(row[2] / (1.5 * row[0] + row[1]) for row in times)
    changed = statistics.median(clock(grow_and_sweep) for _ in range(5))
    figure = f"a launched sweep that finds them unchanged {ratio:.2f} x (1.5 listings with stat and one start) (<= 1): "
    figure += f"{sweep_s * 1000:.0f} ms; listing {look_around_s * 1000:.0f} ms, start {start_s * 1000:.0f} ms; "
    figure += f"with one that grew {changed * 1000:.0f} ms"
    return tell(f"{_FILES:,} sessions", figure, ratio <= 1)


def make_store(folder: Path) -> tuple[Path, Path, Path]:
    """Return a home, the store in it with many small sessions, and one of their logs."""
    seed, home = folder / "seed.jsonl", folder / "home"
    store = home / ".claude" / "projects"
    write_log(seed, 1)
    data = seed.read_bytes()[:20_000].rsplit(b"\n", 1)[0] + b"\n"
    path = seed
    for number in range(_FILES):
        path = store / f"-home-dev-project-{number % 100}" / f"{number:08d}-1111-4222-8333-444444444444.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return home, store, path


def measure_survey(folder: Path) -> bool:
    """Time `sessions list`: the states of all sessions, first, unchanged, and with one that grew."""
    _, store, last = make_store(folder)
    places = Places(*(str(folder / name) for name in ("home", "data", "cache", "config")))

    def survey() -> None:
        with closing(open_db(places)) as db:
            Surveyor(db, Gatekeeper(Policy()), {}).look_at(claude_code, store)

    first = clock(survey)
    times = compare(9, lambda: look_around(store), survey)
    with last.open("ab") as file:
        file.write(last.read_bytes())
    one_changed, unchanged = clock(survey), statistics.median(row[1] for row in times)
    ms = f"first {first * 1000:.0f} ms, unchanged {unchanged * 1000:.0f} ms, one changed {one_changed * 1000:.0f} ms"
    return tell(f"states of {_FILES:,} sessions", f"{ms}: {median_ratio(times, 1, 0):.2f} x a bare listing", True)


def measure_memory(folder: Path) -> bool:
    path = folder / "log100.jsonl"
    write_log(path, 100 * MB)
    longest = max(map(len, path.open("rb")))
    plain, most = peak(path), 25 * MB + 3 * longest
    with path.open("ab") as file:
        file.write(b'{"type":"user","uuid":"u","message":{"content":"' + b"x" * 50 * MB + b'"}}\n')
    huge, most_huge = peak(path), 25 * MB + 3 * 50 * MB
    figure = (
        f"{plain / MB:.0f} MB (<= {most / MB:.0f}); with a line of 50 MB {huge / MB:.0f} MB (<= {most_huge / MB:.0f})"
    )
    return tell("peak memory of a digest", figure, plain <= most and huge <= most_huge)


def peak(path: Path) -> int:
    """Return the peak bytes of a process that digests a log."""
    done = subprocess.run([sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout)


ROWS: dict[str, Callable[[Path], bool]] = {
    "scan": measure_scan,
    "digest": measure_digest,
    "turn": measure_turn,
    "files": measure_files,
    "survey": measure_survey,
    "memory": measure_memory,
}


def main(names: list[str]) -> int:
    kept = True
    for name in names or ROWS:
        folder = Path(tempfile.mkdtemp(prefix="read-logs-"))
        try:
            kept = ROWS[name](folder) and kept
        finally:
            shutil.rmtree(folder)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
