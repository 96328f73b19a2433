"""What a store says of a session before its log may be read: the first line alone, or a small file beside the log."""

import io
import os

from .lines import open_regular
from .reader import LogError


class MetadataError(Exception):
    """It cannot be had; the message says why."""


def read_first_line(path: str, longest: int) -> bytes:
    """Return the first line of a regular file, without newline, and read nothing behind it (S-91).

    Raises:
        MetadataError: it is longer than *longest* bytes, has no newline, or the file cannot be read.
    """
    try:
        fd = open_regular(path)
    except LogError as error:
        raise MetadataError(str(error)) from error
    with io.FileIO(fd) as file:  # unbuffered: its readline asks for a byte at a time
        try:
            line = file.readline(longest + 1)
        except OSError as error:
            raise MetadataError(f"the log could not be read: {error.strerror}") from error
    if not line.endswith(b"\n"):
        raise MetadataError(
            f"the first line is longer than {longest} bytes" if len(line) > longest else "no first line"
        )
    return line[:-1]


def read_small_file(path: str, longest: int) -> str:
    """Return the text of a regular file that is no link.

    Raises:
        MetadataError: it is longer than *longest* bytes or cannot be read.
    """
    try:
        fd = open_regular(path)
    except LogError as error:
        raise MetadataError(str(error).replace("the log", os.path.basename(path))) from error
    try:
        data = os.read(fd, longest + 1)
    except OSError as error:
        raise MetadataError(f"{os.path.basename(path)} could not be read: {error.strerror}") from error
    finally:
        os.close(fd)
    if len(data) > longest:
        raise MetadataError(f"{os.path.basename(path)} is longer than {longest} bytes")
    return data.decode("utf-8-sig", "replace")
