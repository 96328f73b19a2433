"""Many captures at once, captures killed at any instant, and a disk that is full: real processes, real signals."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.capture.waiting import write_queued

if TYPE_CHECKING:
    from conftest import Project

resource = pytest.importorskip("resource", reason="limits on a file's size as POSIX has them")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and signals as POSIX has them")
BENCH = Path(__file__).parents[2] / "bench"


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=BENCH, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_child(act: Callable[[], None]) -> int:
    """Return the exit code of a child that does *act*; negative when a signal ended it."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize(
    ("captures", "at_once"), [("48", "16"), pytest.param("640", "32", marks=pytest.mark.slow, id="as promised")]
)
def test_captures_at_one_instant_all_get_their_own_id(captures: str, at_once: str) -> None:
    assert "PASS" in run("append_race.py", captures, at_once)


@pytest.mark.parametrize("kills", ["40", pytest.param("1500", marks=pytest.mark.slow, id="as promised")])
def test_kills_at_random_instants_lose_and_double_nothing(kills: str) -> None:
    assert "PASS" in run("kills.py", kills)


def test_captures_by_hook_and_by_sweep_at_once_write_a_prompt_once(project: "Project") -> None:
    project.knowledge.mkdir()

    def say_all(*, is_late: bool) -> None:
        for number in range(30):
            project.say(f"wrong {number}", prompt_id=f"p{number}", at=1e9, is_late=is_late, uuid=f"u{number}" * is_late)

    pid = os.fork()
    if pid == 0:
        try:
            say_all(is_late=True)
        finally:
            os._exit(0)
    say_all(is_late=False)
    os.waitpid(pid, 0)

    assert sorted(entry["description"] for entry in project.entries()) == sorted(f"wrong {n}" for n in range(30))
    assert project.counts()["total_corrections"] == 30


@pytest.mark.parametrize("room", [0, 1, 30, 100, 250])
def test_on_a_full_disk_nothing_torn_stays_in_the_log(room: int, project: "Project") -> None:
    project.say("wrong 1", prompt_id="p1")
    size = project.log.stat().st_size
    before = project.log.read_bytes()

    def say_on_full_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write past the limit is short, or EFBIG
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, size + room))
        project.say("wrong 2", prompt_id="p2")

    assert in_child(say_on_full_disk) == 0

    assert project.log.read_bytes() == before
    write_queued(project.places)
    again = project.say("wrong 2", prompt_id="p2")
    assert again.ids == ["CORR-002"]
    assert [entry["description"] for entry in project.entries()] == ["wrong 1", "wrong 2"]
    assert project.counts()["total_corrections"] == 2
