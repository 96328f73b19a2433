"""References to sessions: ``<harness>:<session id>``, and ``#<span>`` of an entry behind it (S-77)."""

from typing import NamedTuple

from ..core.errors import TellbackError

# What people and saved selections may say besides the canonical name (S-69).
ALIASES = {"opencode": "opencode-v1", "claude": "claude-code", "gemini": "gemini-cli"}


class Ref(NamedTuple):
    """A session by its harness's canonical name and its id."""

    harness: str
    session_id: str

    def __str__(self) -> str:
        return f"{self.harness}:{self.session_id}"


def canonical_harness(name: str) -> str:
    """Return the name that Tellback uses for a harness; an unknown one unchanged."""
    return ALIASES.get(name, name)


def parse_ref(text: str) -> Ref:
    """Return the session that *text* names.

    Raises:
        TellbackError: it does not have the form ``<harness>:<session id>``.
    """
    harness, colon, session_id = text.partition(":")
    if not colon or not harness or not session_id:
        raise TellbackError(f"{text!r} names no session", hint="write it as `tellback sessions list` shows it")
    return Ref(canonical_harness(harness), session_id)
