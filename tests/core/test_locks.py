"""One at a time, across processes, without ever breaking a lock."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from tellback.core import locks
from tellback.core.locks import NoFlock, free_lock, take_lock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="flock")

HOLD = """
import sys
from tellback.core.locks import take_lock
fd = take_lock(sys.argv[1], 0)
print("held" if fd is not None else "refused", flush=True)
sys.stdin.readline()
"""


def start_holder(path: Path) -> "subprocess.Popen[str]":
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_the_second_waits_its_time_and_gets_nothing(tmp_path: Path) -> None:
    first = take_lock(str(tmp_path / "lock"), 0)
    assert first is not None
    started_at, worked_at = time.monotonic(), time.process_time()

    second = take_lock(str(tmp_path / "lock"), 0.2)

    assert second is None
    assert time.monotonic() - started_at >= 0.2
    assert time.process_time() - worked_at < 0.1, "it sleeps and does not spin"
    free_lock(first)


def test_a_freed_lock_is_taken_again(tmp_path: Path) -> None:
    first = take_lock(str(tmp_path / "lock"), 0)
    assert first is not None

    free_lock(first)
    second = take_lock(str(tmp_path / "lock"), 0)

    assert second is not None
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    free_lock(second)


def test_a_killed_owner_leaves_nothing_to_break(tmp_path: Path) -> None:
    holder = start_holder(tmp_path / "lock")
    assert take_lock(str(tmp_path / "lock"), 0) is None

    holder.kill()
    holder.communicate()

    fd = take_lock(str(tmp_path / "lock"), 5)
    assert fd is not None
    free_lock(fd)


def test_a_waiter_gets_the_lock_when_it_is_freed(tmp_path: Path) -> None:
    holder = start_holder(tmp_path / "lock")
    waiter = subprocess.Popen(
        [sys.executable, "-c", HOLD.replace(", 0)", ", 30)"), str(tmp_path / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert waiter.stdout is not None

    holder.communicate("\n")

    assert waiter.stdout.readline() == "held\n"
    waiter.communicate("\n")


def test_filelock_and_we_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    ours = take_lock(str(path), 0)
    assert ours is not None
    with pytest.raises(Timeout):
        FileLock(path, timeout=0).acquire()
    free_lock(ours)

    with FileLock(path, timeout=0):
        assert take_lock(str(path), 0) is None

    after = take_lock(str(path), 0)
    assert after is not None
    free_lock(after)


def test_a_child_that_inherits_the_descriptor_keeps_the_lock(tmp_path: Path) -> None:
    fd = take_lock(str(tmp_path / "lock"), 0)
    assert fd is not None
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.readline()"], stdin=subprocess.PIPE, pass_fds=[fd]
    )

    os.close(fd)

    assert take_lock(str(tmp_path / "lock"), 0) is None
    child.communicate(b"\n")
    after = take_lock(str(tmp_path / "lock"), 5)
    assert after is not None
    free_lock(after)


def test_a_lock_file_that_was_removed_meanwhile_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"
    real = locks._lock
    removed: list[int] = []

    def remove_before_locking(fd: int) -> None:
        if not removed:
            removed.append(fd)
            path.unlink()
        real(fd)

    monkeypatch.setattr(locks, "_lock", remove_before_locking)

    fd = take_lock(str(path), 1)

    assert fd is not None
    assert os.fstat(fd).st_ino == path.stat().st_ino
    free_lock(fd)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_told_apart(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_fd: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(locks, "_lock", fail)

    with pytest.raises(NoFlock):
        take_lock(str(tmp_path / "lock"), 5)


def test_another_failure_is_raised_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_fd: int) -> None:
        raise OSError(errno.EIO, "the disk is dying")

    monkeypatch.setattr(locks, "_lock", fail)

    with pytest.raises(OSError, match="dying") as caught:
        take_lock(str(tmp_path / "lock"), 5)
    assert not isinstance(caught.value, NoFlock)


def test_a_link_is_not_locked(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("elsewhere")

    with pytest.raises(OSError, match=r"symbolic links|Too many levels"):
        take_lock(str(tmp_path / "lock"), 0)

    assert not (tmp_path / "elsewhere").exists()


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")

    with pytest.raises(OSError, match="not a regular file"):
        take_lock(str(tmp_path / "lock"), 0)


def test_many_turns_lose_no_count(tmp_path: Path) -> None:
    code = """
import sys
from tellback.core.locks import free_lock, take_lock
for _ in range(25):
    fd = take_lock(sys.argv[1] + "/lock", 60)
    with open(sys.argv[1] + "/count") as file:
        count = int(file.read())
    with open(sys.argv[1] + "/count", "w") as file:
        file.write(str(count + 1))
    free_lock(fd)
"""
    (tmp_path / "count").write_text("0")

    workers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(6)]

    assert [worker.wait(120) for worker in workers] == [0] * 6
    assert (tmp_path / "count").read_text() == "150"
