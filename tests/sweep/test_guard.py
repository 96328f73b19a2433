"""A launched sweep ends in time and says how."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tellback.sweep.guard import Terminated, end_on_signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def test_a_signal_ends_the_block_and_the_old_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with pytest.raises(Terminated), end_on_signals():
        _wait_for_signal()

    assert signal.getsignal(signal.SIGTERM) is before


def _wait_for_signal() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)  # ended by the signal at once


LATE = """
import subprocess, sys, time
from tellback.sweep.guard import hard_limit
def tell():
    print("told", flush=True)
with hard_limit(1.5, tell):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    print(child.pid, flush=True)
    {wait}
"""


def run_late(wait: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", LATE.format(wait=wait)], capture_output=True, text=True, timeout=30)


def test_the_limit_ends_the_process_and_its_children_and_tells_before() -> None:
    done = run_late("time.sleep(60)")

    pid, told = done.stdout.split()
    assert (done.returncode, told) == (1, "told")
    assert _has_ended(int(pid))


def test_a_block_that_ends_in_time_is_not_touched() -> None:
    done = run_late("child.kill(); child.wait()")

    assert done.returncode == 0
    assert "told" not in done.stdout


def test_the_kernel_ends_a_process_whose_threads_cannot_run() -> None:
    script = LATE.replace(
        "with hard_limit", "import tellback.sweep.guard as g; g.KERNEL_GRACE_S = 0.3\nwith hard_limit"
    )
    stuck = (
        "child.kill(); import re; re.match('(a*)*b', 'a' * 64)"  # holds the interpreter for longer than anyone waits
    )

    done = subprocess.run([sys.executable, "-c", script.format(wait=stuck)], capture_output=True, timeout=30)

    assert done.returncode == -signal.SIGALRM


def _has_ended(pid: int) -> bool:
    """Whether a process is gone, or goes within the time that a kill may take to arrive."""
    try:
        psutil.Process(pid).wait(5)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True
