"""Append to a log: one record, one line, one write. Hot: posix only.

Everything written here lies in Tellback's own folders or in ``.knowledge``; neither is followed through a link, and
what is not a regular file (a FIFO put there by somebody) is refused with ``OSError`` instead of waited for.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING or sys.platform != "win32":
    import posix as nt_or_posix
else:
    import nt as nt_or_posix

_S_IFMT, _S_IFREG = 0o170000, 0o100000
_EINVAL, _ENOSPC = 22, 28  # the same numbers on Linux, macOS and Windows

# O_NONBLOCK: opening a FIFO must not wait for its other end. The flags that Windows lacks are 0 there.
_NO_LINK: int = getattr(nt_or_posix, "O_NOFOLLOW", 0) | getattr(nt_or_posix, "O_NONBLOCK", 0)
_BINARY: int = getattr(nt_or_posix, "O_BINARY", 0) | getattr(nt_or_posix, "O_NOINHERIT", 0)
OPEN_LOG = nt_or_posix.O_RDWR | nt_or_posix.O_APPEND | nt_or_posix.O_CREAT | _NO_LINK | _BINARY


def open_regular(path: str, flags: int, *, mode: int = 0o600, dir_fd: "int | None" = None) -> int:
    """Open *path* (below *dir_fd*) and return the descriptor.

    Raises:
        OSError: it cannot be opened, is a symbolic link, or is not a regular file.
    """
    fd = nt_or_posix.open(path, flags | _NO_LINK | _BINARY, mode, dir_fd=dir_fd)
    try:
        if nt_or_posix.fstat(fd).st_mode & _S_IFMT != _S_IFREG:
            raise OSError(_EINVAL, "not a regular file", path)
    except BaseException:
        nt_or_posix.close(fd)
        raise
    return fd


def write_once(fd: int, data: bytes) -> None:
    """Write *data* with one ``write``; a short write raises ``OSError``, for its rest would not be atomic."""
    written = nt_or_posix.write(fd, data)
    if written != len(data):
        raise OSError(_ENOSPC, f"short write: {written} of {len(data)} bytes")


def has_torn_end(fd: int) -> bool:
    """Whether the file's last byte is not a newline: a writer before was cut short. Moves the file position."""
    size = nt_or_posix.lseek(fd, 0, 2)
    if not size:
        return False
    nt_or_posix.lseek(fd, size - 1, 0)
    return nt_or_posix.read(fd, 1) != b"\n"


def append_line(path: str, line: bytes, *, dir_fd: "int | None" = None) -> None:
    """Append *line* (without its newline) to *path*, created with mode 0600 if need be.

    A torn line left by a writer that was cut short is ended first, so that it does not take this one with it: readers
    skip lines that they cannot parse, and empty ones (two writers may both end the same torn line).

    Raises:
        OSError: nothing, or not all of it, was written.
        ValueError: *line* holds a newline and would be two records.
    """
    if b"\n" in line:
        raise ValueError("a record is one line")
    fd = open_regular(path, OPEN_LOG, dir_fd=dir_fd)
    try:
        write_once(fd, b"\n" + line + b"\n" if has_torn_end(fd) else line + b"\n")
    finally:
        nt_or_posix.close(fd)


def make_private_folder(path: str) -> None:
    """Make *path* and what is missing above it with mode 0700; one that exists keeps its mode.

    Raises:
        OSError: it cannot be made, or is there and is no folder.
    """
    try:
        nt_or_posix.mkdir(path, 0o700)
    except FileNotFoundError:
        parent = path.rstrip("/\\" if sys.platform == "win32" else "/")
        parent = parent[: max(parent.rfind("/"), parent.rfind("\\") if sys.platform == "win32" else -1)]
        if not parent:
            raise
        make_private_folder(parent)
        make_private_folder(path)
    except FileExistsError:
        if nt_or_posix.stat(path).st_mode & _S_IFMT == _S_IFREG:
            raise
