"""The first line of a log, read alone: what a policy must know before anything else of the log may be read."""

import io

from .lines import open_regular
from .reader import LogError


class FirstLineError(Exception):
    """The first line cannot be had; the message says why."""


def read_first_line(path: str, longest: int) -> bytes:
    """Return the first line of a regular file, without newline, and read nothing behind it (S-91).

    Raises:
        FirstLineError: it is longer than *longest* bytes, has no newline, or the file cannot be read.
    """
    try:
        fd = open_regular(path)
    except LogError as error:
        raise FirstLineError(str(error)) from error
    with io.FileIO(fd) as file:  # unbuffered: its readline asks for a byte at a time
        try:
            line = file.readline(longest + 1)
        except OSError as error:
            raise FirstLineError(f"the log could not be read: {error.strerror}") from error
    if not line.endswith(b"\n"):
        raise FirstLineError(
            f"the first line is longer than {longest} bytes" if len(line) > longest else "no first line"
        )
    return line[:-1]
