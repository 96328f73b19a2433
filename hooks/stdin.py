"""Read what the harness sends: all of it, so that its write never blocks, and keep what a message may measure. Hot."""

from ..core.append import nt_or_posix
from .deadline import restart_timer, start_timer

KEEP_BYTES = 8 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024  # what a pipe holds

# These members can be long; what tells whose call it is comes before them in every harness.
_LONG_MEMBERS = (b'"prompt":', b'"tool_input":', b'"tool_response":', b'"last_assistant_message":')


def read_stdin(fd: int, idle_s: float) -> "tuple[bytes, bool]":
    """Drain *fd* until its end or until nothing came for *idle_s* seconds.

    Returns:
        The bytes, and whether they are all that came: beyond ``KEEP_BYTES`` the rest is thrown away.
    """
    pieces: list[bytes] = []
    size = 0
    try:
        start_timer(idle_s)
        while piece := nt_or_posix.read(fd, _CHUNK_BYTES):
            restart_timer(idle_s)
            size += len(piece)
            if size <= KEEP_BYTES:
                pieces.append(piece)
    except TimeoutError:
        pass
    return b"".join(pieces), size <= KEEP_BYTES


def cut_to_head(data: bytes) -> bytes:
    """Return the members before the first long one of a payload that was cut short, as a whole JSON object."""
    ends = [at for key in _LONG_MEMBERS if (at := data.find(key)) >= 0]
    return data[: min(ends, default=0)].rstrip(b" \t\r\n,") + b"}"
