"""The states of a session and which of them it has; pure (S-143 to S-154)."""

from typing import Literal, NamedTuple

State = Literal[
    "disabled",
    "denied",
    "unreadable",
    "unsupported-format",
    "unknown-project",
    "absent",
    "new",
    "changed",
    "processed",
]
# In precedence: a session has the first that fits.
STATES: tuple[State, ...] = (
    "disabled",
    "denied",
    "unreadable",
    "unsupported-format",
    "unknown-project",
    "absent",
    "new",
    "changed",
    "processed",
)
REFUSED: frozenset[State] = frozenset(("disabled", "denied", "unreadable", "unsupported-format", "absent"))


class Mark(NamedTuple):
    """How far a log was read: complete-line bytes and the SHA-256 (hex) of its first line."""

    size: int
    first_line_hash: str


class Standing(NamedTuple):
    """A session's state, why, and from which byte a digest starts."""

    state: State
    reason: str = ""
    from_offset: int = 0


def compare(complete_bytes: int, first_line_hash: str, marked: Mark | None) -> Standing:
    """Return how a log stands against the mark of its last triage (S-152 to S-154, S-165)."""
    if marked is None:
        return Standing("new")
    if first_line_hash != marked.first_line_hash:
        return Standing("changed", "rotated")
    if complete_bytes < marked.size:
        return Standing("changed", "truncated")
    if complete_bytes > marked.size:
        return Standing("changed", "appended", marked.size)
    return Standing("processed", from_offset=marked.size)
