"""A sweep tells how it ended whatever ends it, and what was not done stays due."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tellback.core.errors import TellbackError
from tellback.core.shapes import Places
from tellback.sweep.lastrun import last_run_path, read_last_run
from tellback.sweep.lock import find_sweep_lock
from tellback.sweep.run import Order, run_sweep
from tellback.sweep.work import Work

if TYPE_CHECKING:
    from conftest import House


def read_told(places: Places) -> dict[str, Any]:
    told = read_last_run(places)
    assert told is not None
    return told


def test_a_sweep_tells_its_counts_and_times_in_a_file_of_its_owner(places: Places) -> None:
    done = run_sweep(places, Order())

    told = read_told(places)
    assert done is not None
    assert told["state"] == "finished"
    assert told["stages"] == done.stages
    assert told["started_at"] <= told["finished_at"]
    assert [told[name] for name in ("pushed", "replayed", "skipped", "deferred", "error")] == [0] * 5
    assert Path(last_run_path(places)).stat().st_mode & 0o777 == 0o600


def test_while_it_runs_the_file_says_so_and_names_the_process(places: Places) -> None:
    seen: list[dict[str, Any]] = []

    run_sweep(places, Order(), stages=[("look", lambda work: seen.append(read_told(work.places)) or {})])

    assert (seen[0]["state"], seen[0]["pid"], seen[0]["finished_at"]) == ("running", os.getpid(), None)


def test_a_stage_that_runs_twice_adds_up_what_it_did_and_tells_once_what_waits(places: Places) -> None:
    counts = iter([{"written": 1, "waiting": 3}, {"written": 2, "waiting": 2}])

    done = run_sweep(places, Order(), stages=[("queue", lambda _: next(counts))] * 2)

    assert done is not None
    assert done.stages == {"queue": {"written": 3, "waiting": 2}}


def test_a_stage_that_fails_is_told_by_class_and_place_and_the_next_one_runs(places: Places) -> None:
    def fail(work: Work) -> dict[str, int]:
        raise ValueError("the words of a person")

    done = run_sweep(places, Order(), stages=[("bad", fail), ("good", lambda _: {"done": 1})])

    told = Path(last_run_path(places)).read_text()
    assert done is not None
    assert done.stages["good"] == {"done": 1}
    assert json.loads(told)["state"] == "failed"
    assert "ValueError at test_run.py" in told
    assert "the words of a person" not in told


def test_the_file_holds_no_session_and_no_text(house: "House") -> None:
    log = house.new_log()
    log.prompt("No, you used the wrong file, it should be pyproject.toml, not setup.py")
    house.sweep()

    told = Path(last_run_path(house.places)).read_text()

    assert log.session not in told
    assert "pyproject" not in told


def test_a_database_of_a_newer_version_is_refused_by_name_and_told(places: Places) -> None:
    Path(places.data).mkdir(parents=True)
    with closing(sqlite3.connect(Path(places.data) / "tellback.db")) as db:
        db.execute("PRAGMA user_version = 999")

    with pytest.raises(TellbackError, match="999"):
        run_sweep(places, Order())

    assert read_told(places)["state"] == "failed"


def test_two_sweeps_at_once_are_one(places: Places) -> None:
    def second(work: Work) -> dict[str, int]:
        return {"second started": int(run_sweep(work.places, Order()) is not None)}

    done = run_sweep(places, Order(), stages=[("try", second)])

    assert done is not None
    assert done.stages["try"] == {"second started": 0}


LAUNCHED = """
import sys, time
from tellback.core.paths import find_places
from tellback.sweep import run
def stage(work):
    print("in", flush=True)
    for _ in range(3000):
        time.sleep(0.01)  # a signal that came just before a long sleep would not end it
    return {}
run.GRACE_S = float(sys.argv[2])
run.run_sweep(find_places(), run.Order(lock_fd=int(sys.argv[1]), is_launched=True, budget_s=1.0), stages=[("s", stage)])
"""


def launch(places: Places, grace_s: float) -> "subprocess.Popen[bytes]":
    import fcntl

    Path(places.cache).mkdir(parents=True)
    fd = os.open(find_sweep_lock(places), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    argv = [sys.executable, "-c", LAUNCHED, str(fd), str(grace_s)]
    child = subprocess.Popen(argv, pass_fds=[fd], stdout=subprocess.PIPE)
    os.close(fd)
    assert child.stdout is not None
    assert child.stdout.readline() == b"in\n"
    child.stdout.close()
    return child


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and descriptors")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_launched_sweep_that_is_asked_to_end_says_so(places: Places, number: signal.Signals) -> None:
    child = launch(places, 60)

    child.send_signal(number)
    child.wait(10)

    assert read_told(places)["state"] == "terminated"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX descriptors")
def test_a_launched_sweep_that_takes_too_long_ends_and_says_so(places: Places) -> None:
    child = launch(places, 0.5)

    assert child.wait(15) == 1

    assert read_told(places)["state"] == "timed out"
    assert run_sweep(places, Order()) is not None, "its lock is free"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX descriptors")
def test_a_launched_sweep_works_in_the_data_folder_with_low_priority(places: Places) -> None:
    child = launch(places, 60)
    process = psutil.Process(child.pid)

    assert process.cwd() == os.path.realpath(places.data)
    assert process.nice() > psutil.Process().nice()
    child.kill()
    child.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX descriptors")
def test_after_a_kill_the_file_names_a_dead_process_and_the_next_sweep_runs(places: Places) -> None:
    child = launch(places, 60)
    child.kill()
    child.wait()

    assert (read_told(places)["state"], read_told(places)["pid"]) == ("running", child.pid)
    assert run_sweep(places, Order()) is not None
    assert read_told(places)["state"] == "finished"


def test_nothing_new_is_taken_when_the_time_is_up(house: "House") -> None:
    for _ in range(3):
        house.new_log().prompt("No, you used the wrong file, it should be pyproject.toml, not setup.py")

    first = house.sweep(budget_s=-1.0)
    second = house.sweep()

    assert first.stages["late"] == {"deferred": 3}
    assert second.stages["late"]["sessions"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(3))
@pytest.mark.parametrize("logs", [pytest.param(4, id="some long sessions"), pytest.param(40, id="many short sessions")])
def test_a_sweep_killed_at_any_instant_and_run_again_keeps_each_correction_once(
    house: "House", logs: int, attempt: int
) -> None:
    (house.project / ".knowledge").mkdir()
    said = [f"No, you used the wrong file, it should be part_{number}.toml, not setup.py" for number in range(40)]
    for part in range(logs):
        log = house.new_log()
        for text in said[part::logs]:
            log.answer("I used pip.")
            log.prompt(text)
    argv = [sys.executable, "-m", "tellback", "sweep", "--json"]
    for number in range(12):
        child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, cwd=house.project)
        time.sleep(0.25 + (number * 3 + attempt) * 0.07)  # a random instant is what is wanted
        child.kill()
        child.wait()

    house.sweep()

    kept = [entry["description"] for entry in house.entries()]
    assert sorted(kept) == sorted(said)
    ids = [entry["id"] for entry in house.entries()]
    assert len(set(ids)) == len(ids)
    assert sorted(one.ids for one in house.captures()) == sorted((ident,) for ident in ids)
