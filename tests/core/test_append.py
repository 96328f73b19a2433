"""A log only grows, by whole lines, and only where it is ours."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tellback.core import append
from tellback.core.append import append_line, make_private_folder, write_once

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and modes of POSIX")


def test_a_line_is_added_behind_the_others(tmp_path: Path) -> None:
    log = tmp_path / "log"

    append_line(str(log), b"one")
    append_line(str(log), "zwei – 二".encode())

    assert log.read_bytes() == "one\nzwei – 二\n".encode()


@posix_only
def test_a_new_log_is_for_its_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        append_line(str(tmp_path / "log"), b"one")
    finally:
        os.umask(before)

    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


def test_a_torn_line_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"whole\nto")

    append_line(str(log), b"next")

    assert log.read_bytes() == b"whole\nto\nnext\n"


def test_a_record_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one line"):
        append_line(str(tmp_path / "log"), b"two\nlines")

    assert not (tmp_path / "log").exists()


def test_a_short_write_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fd = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    monkeypatch.setattr(append.nt_or_posix, "write", lambda _fd, data: len(data) - 1)

    with pytest.raises(OSError, match="short write"):
        write_once(fd, b"abc")

    os.close(fd)


@posix_only
def test_a_full_disk_is_an_error() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    fd = os.open("/dev/full", os.O_WRONLY)

    with pytest.raises(OSError, match="No space"):
        write_once(fd, b"abc")

    os.close(fd)


@posix_only
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("precious\n")
    (tmp_path / "log").symlink_to("theirs")

    with pytest.raises(OSError, match=r"symbolic links|Too many levels"):
        append_line(str(tmp_path / "log"), b"one")

    assert (tmp_path / "theirs").read_text() == "precious\n"


@posix_only
def test_a_fifo_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")

    with pytest.raises(OSError, match="not a regular file"):
        append_line(str(tmp_path / "log"), b"one")


@posix_only
def test_a_path_below_an_open_folder_does_not_leave_it(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)

    append_line("log", b"one", dir_fd=folder)

    assert (tmp_path / "log").read_bytes() == b"one\n"
    os.close(folder)


def test_a_refused_file_leaves_no_descriptor_open(tmp_path: Path) -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc here")
    os.mkfifo(tmp_path / "log")
    before = count()

    for _ in range(20):
        with pytest.raises(OSError, match="not a regular file"):
            append_line(str(tmp_path / "log"), b"one")

    assert count() == before


def test_eight_writers_at_once_tear_nothing(tmp_path: Path) -> None:
    code = """
import sys
from tellback.core.append import append_line
sys.stdin.readline()  # the barrier
for number in range(100):
    append_line(sys.argv[1], f"{sys.argv[2]} {number} {'x' * 300}".encode())
"""
    log = tmp_path / "log"
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(log), str(number)], stdin=subprocess.PIPE, text=True)
        for number in range(8)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.close()
    assert [writer.wait(60) for writer in writers] == [0] * 8

    lines = log.read_text().splitlines()
    assert sorted(line for line in lines if line) == sorted(
        f"{writer} {number} {'x' * 300}" for writer in range(8) for number in range(100)
    )


def test_threads_of_one_process_tear_nothing_either(tmp_path: Path) -> None:
    log = tmp_path / "log"
    threads = [threading.Thread(target=lambda: [append_line(str(log), b"abc") for _ in range(50)]) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert log.read_bytes() == b"abc\n" * 200


@posix_only
def test_missing_folders_are_made_for_the_owner_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    make_private_folder(str(tmp_path / "a" / "b" / "c"))
    make_private_folder(f"{tmp_path}/a/b/c/")

    assert [oct((tmp_path / part).stat().st_mode & 0o777) for part in ("", "a", "a/b", "a/b/c")] == [
        "0o755",
        "0o700",
        "0o700",
        "0o700",
    ]


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")

    with pytest.raises(OSError, match=r"exists"):
        make_private_folder(str(tmp_path / "a"))
    with pytest.raises(OSError, match=r"."):
        make_private_folder(str(tmp_path / "a" / "b"))
