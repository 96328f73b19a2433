"""Whole files: replaced by one rename, or only if nobody changed them meanwhile. Cold.

Logs grow by ``append.append_line`` instead. A file that more than one process writes is replaced under its lock.
"""

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .errors import TellbackError


class Snapshot(NamedTuple):
    """A file as it was read, to be replaced only while it still is so.

    Attributes:
        path: where its bytes lie, links followed.
        data: its bytes; ``None`` when there was no file.
        mark: what tells that it was written to: device, inode, size, mtime and ctime.
    """

    path: Path
    data: bytes | None
    mark: tuple[int, ...] | None


def replace_file(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    fsync: bool = True,
    follow: bool = False,
    is_refinement: bool = False,
) -> None:
    """Make *data* the whole of *path* by one rename: a reader sees the old bytes or the new, never a part.

    Args:
        mode: permission bits; by default those that the file has, or 0600 for a new one.
        fsync: wait until it is on the disk, the folder's entry too.
        follow: when *path* is a symbolic link, replace what it points to; else the link itself gives way.
        is_refinement: a person said yes to this change of a skill; nothing else replaces a SKILL.md.

    Raises:
        OSError: nothing was changed; the draft is removed.
        TellbackError: it is a skill.
    """
    if not is_refinement:
        refuse_skill(path)
    target = Path(os.path.realpath(path)) if follow else path
    found = _stat_or_none(target)
    fd, draft = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".draft", dir=target.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            if fsync:
                os.fsync(file.fileno())
        _give_mode(draft, found, mode)
        os.replace(draft, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft)
        raise
    if fsync:
        _sync_folder(target.parent)


def refuse_skill(path: Path) -> None:
    """Raise ``TellbackError`` for a file to be written that is a SKILL.md or leads to one.

    A skill changes on a person's yes to that very change and in no other way, whatever flag, setting or link says.
    """
    if os.path.basename(os.path.realpath(path)).casefold() == "skill.md":
        raise TellbackError(f"{path} is a skill, which nothing but `tellback refine` changes", hint="name another file")


def read_snapshot(path: Path) -> Snapshot:
    """Read the file at *path*, links followed.

    Raises:
        OSError: it is there and cannot be read, or is no regular file.
    """
    target = Path(os.path.realpath(path))
    try:
        fd = os.open(target, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return Snapshot(target, None, None)
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(22, "not a regular file", str(target))
        return Snapshot(target, file.read(), _mark_of(found))


def replace_if_unchanged(snapshot: Snapshot, data: bytes, *, mode: int | None = None) -> bool:
    """Replace the file unless somebody wrote to it since *snapshot*; whether it was replaced.

    Between the last look and the rename lies an instant that no file system closes; the look is the last thing done.
    """
    if read_snapshot(snapshot.path)[1:] != snapshot[1:]:
        return False
    replace_file(snapshot.path, data, mode=mode)
    return True


def rewrite_file(
    path: Path, change: Callable[[bytes | None], bytes], *, tries: int = 5, mode: int | None = None
) -> bool:
    """Read *path*, replace it by what *change* makes of its bytes, and begin anew when it was changed meanwhile.

    Returns:
        Whether anything was written; when *change* gives the same bytes back, nothing is.

    Raises:
        TellbackError: it was changed at every try.
        OSError: it cannot be read or replaced.
    """
    for _ in range(tries):
        snapshot = read_snapshot(path)
        data = change(snapshot.data)
        if data == snapshot.data:
            return False
        if replace_if_unchanged(snapshot, data, mode=mode):
            return True
    raise TellbackError(f"{path} is being changed by another program", hint="try again when that is done")


def _stat_or_none(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _mark_of(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _give_mode(draft: str, found: os.stat_result | None, mode: int | None) -> None:
    """Give the draft *mode*, else the mode of the file before it; and its owner, as root would otherwise take it."""
    if found is not None and stat.S_ISREG(found.st_mode):
        mode = stat.S_IMODE(found.st_mode) if mode is None else mode
        if hasattr(os, "chown") and os.geteuid() == 0:
            os.chown(draft, found.st_uid, found.st_gid)
    if mode is not None:
        os.chmod(draft, mode)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # a folder cannot be opened there
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
