"""Whole files are replaced whole, and only while they are what was read."""

import os
import stat
import sys
from pathlib import Path

import pytest

from tellback.core import files
from tellback.core.errors import TellbackError
from tellback.core.files import read_snapshot, replace_file, replace_if_unchanged, rewrite_file

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix_only
def test_a_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", b"new")

    assert (tmp_path / "a").read_bytes() == b"new"
    assert mode_of(tmp_path / "a") == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"], "no draft is left"


@posix_only
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o440])
def test_a_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(mode)

    replace_file(tmp_path / "a", b"new")

    assert mode_of(tmp_path / "a") == mode


@posix_only
def test_a_mode_that_is_asked_for_counts(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")

    replace_file(tmp_path / "a", b"new", mode=0o640, fsync=False)

    assert mode_of(tmp_path / "a") == 0o640


@posix_only
def test_root_does_not_take_a_file_from_its_owner(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can take files")
    (tmp_path / "a").write_bytes(b"old")
    os.chown(tmp_path / "a", 65534, 65534)

    replace_file(tmp_path / "a", b"new")

    assert ((tmp_path / "a").stat().st_uid, (tmp_path / "a").stat().st_gid) == (65534, 65534)


@posix_only
def test_a_link_is_followed_when_asked_and_gives_way_when_not(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")

    replace_file(tmp_path / "link", b"new", follow=True)
    assert ((tmp_path / "real").read_bytes(), (tmp_path / "link").is_symlink()) == (b"new", True)

    replace_file(tmp_path / "link", b"newer")
    assert ((tmp_path / "real").read_bytes(), (tmp_path / "link").is_symlink()) == (b"new", False)


def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fail(_from: object, _to: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(files.os, "replace", fail)

    with pytest.raises(OSError, match="no room"):
        replace_file(tmp_path / "a", b"new")

    assert (tmp_path / "a").read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_file_that_was_written_to_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one")
    snapshot = read_snapshot(path)
    path.write_bytes(b"two")

    assert replace_if_unchanged(snapshot, b"mine") is False
    assert path.read_bytes() == b"two"
    assert replace_if_unchanged(read_snapshot(path), b"mine") is True
    assert path.read_bytes() == b"mine"


def test_a_file_that_appeared_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    snapshot = read_snapshot(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"theirs")

    assert snapshot.data is None
    assert replace_if_unchanged(snapshot, b"mine") is False
    assert (tmp_path / "a").read_bytes() == b"theirs"


def test_a_rewrite_begins_anew_when_somebody_else_wrote(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1")
    seen: list[bytes | None] = []

    def change(data: bytes | None) -> bytes:
        seen.append(data)
        if len(seen) == 1:
            path.write_bytes(b"2")
        return (data or b"") + b"+"

    assert rewrite_file(path, change) is True
    assert (seen, path.read_bytes()) == ([b"1", b"2"], b"2+")


def test_a_rewrite_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1")
    before = path.stat()

    assert rewrite_file(path, lambda data: data or b"") is False
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_ino == before.st_ino


def test_a_rewrite_gives_up_on_a_file_that_never_rests(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1")

    def change(data: bytes | None) -> bytes:
        path.write_bytes((data or b"") + b"!")
        return b"mine"

    with pytest.raises(TellbackError, match="another program"):
        rewrite_file(path, change)
    assert path.read_bytes() == b"1!!!!!"


@posix_only
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()

    with pytest.raises(OSError, match="not a regular file"):
        read_snapshot(tmp_path / "fifo")
    with pytest.raises(OSError, match=r"directory|regular"):
        read_snapshot(tmp_path / "folder")
