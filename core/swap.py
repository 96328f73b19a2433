"""Replace a small file of ours that tells of a moment: by one rename, without waiting for the disk. Light."""

import os

from .append import write_once


def swap_file(path: str, data: bytes) -> None:
    """Make *data* the whole of *path*, mode 0600: a reader sees the old bytes or the new; the last of two writers wins.

    Raises:
        OSError: nothing was changed.
    """
    draft = f"{path}.{os.getpid()}.draft"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    fd = os.open(draft, flags, 0o600)
    try:
        try:
            write_once(fd, data)
        finally:
            os.close(fd)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
