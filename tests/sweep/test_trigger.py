"""A turn's end launches a sweep when one is due, once, detached, with the lock in its hand."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tellback
from tellback.core.shapes import Places
from tellback.sweep.stamp import is_due, read_stamp, stamp_path
from tellback.sweep.trigger import Order, trigger

NOW = 1_796_032_515.0
QUIET_S = 600.0
BUDGET_S = 60.0


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.chdir(tmp_path)  # a launcher is about to end, so it changes its folder; here that is taken back
    for name in ("data", "cache"):
        (tmp_path / name).mkdir()
    return Places(str(tmp_path), str(tmp_path / "data"), str(tmp_path / "cache"), str(tmp_path / "config"))


def order(places: Places, code: str = "pass") -> Order:
    """Return an order whose sweep is *code*, with the report's path as its first argument."""
    report = str(Path(places.home) / "report")
    return Order([sys.executable, "-I", "-S", "-c", code, report], {"LEFT": "alone"}, QUIET_S, BUDGET_S)


def stamp(places: Places, text: str) -> None:
    Path(stamp_path(places)).write_text(text)


def end_run(places: Places, at: float, finished: str | None) -> None:
    path = Path(places.cache) / "push.last-run.json"
    path.write_text(json.dumps({"finished_at": finished}))
    os.utime(path, (at, at))


def wait_for(path: Path, timeout_s: float = 20) -> str:
    """Return what a child wrote once it is whole: it writes a draft and renames it."""
    give_up_at = time.monotonic() + timeout_s
    while not path.exists():
        assert time.monotonic() < give_up_at, "the child never reported"
        time.sleep(0.01)
    return path.read_text()


def wait_until_free(places: Places) -> None:
    with open(Path(places.cache) / "push.lock", "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)


@pytest.mark.parametrize(
    ("last", "due"),
    [
        pytest.param(None, True, id="never"),
        pytest.param(NOW - QUIET_S, True, id="a quiet interval ago"),
        pytest.param(NOW - QUIET_S + 1, False, id="a second less"),
        pytest.param(NOW + 1, True, id="in the future"),
    ],
)
def test_a_launch_is_due_after_the_quiet_interval(last: float | None, due: bool) -> None:
    assert is_due(last, NOW, QUIET_S) is due


@pytest.mark.parametrize(
    ("text", "word"),
    [
        pytest.param(None, "launched", id="no stamp"),
        pytest.param(f"{NOW - 599:.0f}\n", "throttled", id="within the quiet interval"),
        pytest.param(f"{NOW - 600:.0f}\n", "launched", id="after it"),
        pytest.param("0\n", "launched", id="zero"),
        pytest.param("nonsense", "launched", id="malformed"),
        pytest.param("nan", "launched", id="no number"),
        pytest.param("", "launched", id="empty"),
        pytest.param(f"{NOW + 5000:.0f}\n", "launched", id="from the future"),
    ],
)
def test_a_turns_end_launches_by_the_stamp_and_repairs_it(places: Places, text: str | None, word: str) -> None:
    if text is not None:
        stamp(places, text)
    end_run(places, NOW, "2026-11-30T15:00:00Z")

    assert trigger(places, NOW, order(places)) == word

    if word == "launched":
        assert read_stamp(places) == NOW
        wait_until_free(places)


@pytest.mark.parametrize(
    ("age_s", "ended", "word"),
    [
        pytest.param(BUDGET_S + 60, "never", "launched", id="no end within budget and a minute"),
        pytest.param(BUDGET_S + 59, "never", "throttled", id="a second less"),
        pytest.param(BUDGET_S + 60, "still running", "launched", id="begun, and dead without an end"),
        pytest.param(BUDGET_S + 60, "before", "launched", id="the end is of a run before"),
        pytest.param(BUDGET_S + 60, "ended", "throttled", id="ended"),
    ],
)
def test_an_abandoned_run_is_retried_sooner(places: Places, age_s: float, ended: str, word: str) -> None:
    stamp(places, f"{NOW - age_s:.0f}\n")
    if ended == "still running":
        end_run(places, NOW - 100, None)
    elif ended == "before":
        end_run(places, NOW - age_s - 500, "2026-11-30T15:00:00Z")
    elif ended == "ended":
        end_run(places, NOW - 100, "2026-11-30T15:00:00Z")

    assert trigger(places, NOW, order(places)) == word

    if word == "launched":
        wait_until_free(places)


@pytest.mark.parametrize("text", ["1\n", "nonsense", f"{NOW + 9:.0f}\n"])
def test_no_stamp_passes_a_lock_that_is_held_and_none_is_repaired_without_it(places: Places, text: str) -> None:
    stamp(places, text)
    with open(Path(places.cache) / "push.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        assert trigger(places, NOW, order(places)) == "held"

    assert Path(stamp_path(places)).read_text() == text


def test_the_child_holds_the_lock_through_its_life(places: Places) -> None:
    code = "import sys, time, os; open(sys.argv[1], 'w').close(); time.sleep(60)"

    assert trigger(places, NOW, order(places, code)) == "launched"
    wait_for(Path(places.home) / "report")

    assert trigger(places, NOW + 2 * QUIET_S, order(places)) == "held"
    assert os.stat(stamp_path(places)).st_mode & 0o777 == 0o600
    kill_holder(places)
    wait_until_free(places)
    assert trigger(places, NOW + 2 * QUIET_S, order(places)) == "launched"
    wait_until_free(places)


def kill_holder(places: Places) -> None:
    """Kill the child; it is found by the lock that it has open."""
    lock = os.path.realpath(Path(places.cache) / "push.lock")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            holds = any(os.path.realpath(fd) == lock for fd in (process / "fd").iterdir())
        except OSError:
            continue
        if holds and int(process.name) != os.getpid():
            os.kill(int(process.name), signal.SIGKILL)


TELL_ALL = """
import json, os, sys
fds = sorted(int(name) for name in os.listdir("/proc/self/fd"))
told = {
    "argv": sys.argv[2:],
    "fds": {fd: os.readlink(f"/proc/self/fd/{fd}") for fd in fds if os.path.exists(f"/proc/self/fd/{fd}")},
    "environment": dict(os.environ),
    "cwd": os.getcwd(),
    "session": os.getsid(0),
    "group": os.getpgrp(),
    "pid": os.getpid(),
}
with open(sys.argv[1] + ".draft", "w") as file:
    json.dump(told, file)
os.rename(sys.argv[1] + ".draft", sys.argv[1])
"""


def test_the_child_has_nothing_of_the_harnesss(places: Places) -> None:
    kept = os.open("/dev/zero", os.O_RDONLY)
    os.set_inheritable(kept, True)
    try:
        trigger(places, NOW, order(places, TELL_ALL))
    finally:
        os.close(kept)

    told = json.loads(wait_for(Path(places.home) / "report"))
    fds = {int(fd): target for fd, target in told["fds"].items()}
    assert told["argv"][0] == "--lock-fd"
    lock = int(told["argv"][1])
    assert fds.pop(lock) == os.path.realpath(Path(places.cache) / "push.lock")
    assert set(fds.values()) == {"/dev/null"}
    assert set(fds) == {0, 1, 2}
    assert {name for name in told["environment"] if name != "LC_CTYPE"} == {"LEFT"}  # Python sets LC_CTYPE itself
    assert told["cwd"] == os.path.realpath(places.data)
    assert told["session"] == told["group"] == told["pid"]


LAUNCHER = """
import sys
root = type(sys)("tellback"); root.__path__ = [sys.argv[1]]; sys.modules["tellback"] = root
from tellback.core.shapes import Places
from tellback.sweep.trigger import Order, trigger
home = sys.argv[2]
places = Places(home, home + "/data", home + "/cache", home + "/config")
argv = [sys.executable, "-I", "-S", "-c", sys.argv[3], home + "/report"]
print(trigger(places, 1796032515.0, Order(argv, {}, 600, 60)))
"""


def launch(places: Places, code: str) -> "subprocess.Popen[bytes]":
    root = str(Path(tellback.__file__).parent)
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, root, places.home, code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def test_the_harness_is_not_kept_waiting_and_cannot_kill_the_child(places: Places) -> None:
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getppid())); time.sleep(60)"
    launcher = launch(places, code)

    out, err = launcher.communicate(timeout=20)  # returns only when nobody holds its pipes any more

    assert (launcher.returncode, out, err) == (0, b"launched\n", b"")
    wait_for(Path(places.home) / "report")
    with pytest.raises(ProcessLookupError):
        os.killpg(launcher.pid, signal.SIGKILL)  # the hook's process group has nobody left in it
    assert str(launcher.pid) not in list_ancestors_of_holder(places)
    kill_holder(places)


def list_ancestors_of_holder(places: Places) -> list[str]:
    lock = os.path.realpath(Path(places.cache) / "push.lock")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if all(os.path.realpath(fd) != lock for fd in (process / "fd").iterdir()):
                continue
        except OSError:
            continue
        found: list[str] = []
        pid = process.name
        while pid != "0":
            pid = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
            found.append(pid)
        return found
    raise AssertionError("nobody holds the lock")


def test_two_turn_ends_at_one_instant_launch_one_sweep(places: Places) -> None:
    code = "import sys, time; open(sys.argv[1], 'a').write('x'); time.sleep(3)"
    launchers = [launch(places, code) for _ in range(6)]

    words = sorted(launcher.communicate(timeout=30)[0] for launcher in launchers)

    assert words.count(b"launched\n") == 1
    assert set(words) <= {b"launched\n", b"held\n", b"throttled\n"}
    wait_until_free(places)
    assert (Path(places.home) / "report").read_text() == "x"


def test_a_program_that_is_gone_is_an_error_and_frees_the_lock(places: Places) -> None:
    gone = Order(["/no/such/python"], {}, QUIET_S, BUDGET_S)

    with pytest.raises(OSError):  # noqa: PT011 - which one depends on the C library
        trigger(places, NOW, gone)

    wait_until_free(places)
