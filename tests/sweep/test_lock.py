"""At most one sweep, however it was started."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tellback.core.shapes import Places
from tellback.sweep.lock import find_sweep_lock, hold_sweep_lock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are inherited on POSIX only")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(str(tmp_path), str(tmp_path), str(tmp_path), str(tmp_path))


def take_raw(places: Places) -> int:
    fd = os.open(find_sweep_lock(places), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return fd


def test_the_second_sweep_does_not_start(places: Places) -> None:
    with hold_sweep_lock(places, None) as first, hold_sweep_lock(places, None) as second:
        assert (first, second) == (True, False)


def test_a_lock_of_the_launcher_keeps_a_sweep_by_hand_out(places: Places) -> None:
    fd = take_raw(places)

    with hold_sweep_lock(places, None) as is_ours:
        assert not is_ours
    os.close(fd)


def test_the_inherited_descriptor_is_the_lock(places: Places) -> None:
    with hold_sweep_lock(places, take_raw(places)) as is_ours, hold_sweep_lock(places, None) as other:
        assert (is_ours, other) == (True, False)


def test_the_lock_file_stays_with_mode_0600(places: Places) -> None:
    with hold_sweep_lock(places, None):
        pass

    assert find_sweep_lock(places).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("what", ["another file", "closed", "a pipe"])
def test_a_descriptor_that_is_not_the_lock_is_not_believed(places: Places, tmp_path: Path, what: str) -> None:
    if what == "another file":
        fd = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT, 0o600)
    elif what == "closed":
        fd = 987
    else:
        fd, _ = os.pipe()
    held = take_raw(places)

    with hold_sweep_lock(places, fd) as is_ours:
        assert not is_ours
    os.close(held)


def test_a_child_of_the_sweep_does_not_keep_the_lock_after_it(places: Places) -> None:
    fd = take_raw(places)
    os.set_inheritable(fd, True)
    with hold_sweep_lock(places, fd):
        argv = [sys.executable, "-c", "print(flush=True); input()"]
        child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        assert child.stdout is not None
        child.stdout.readline()  # before its first line the kernel may still be closing what it inherited
    os.close(fd)

    with hold_sweep_lock(places, None) as is_ours:
        assert is_ours
    child.communicate(b"\n")
