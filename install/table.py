"""The harnesses that Tellback hooks into: one module each, one row here."""

from . import claude_code, cursor
from .harness import Harness

HARNESSES: dict[str, Harness] = {"claude-code": claude_code.HARNESS, "cursor": cursor.HARNESS}
ALIASES: dict[str, str] = {"claude": "claude-code"}


def find_harness(word: str) -> Harness | None:
    """Return the harness that a person names; ``None`` when there is none of that name."""
    return HARNESSES.get(ALIASES.get(word, word))


def list_choices() -> str:
    """Return what may be named, for a message: ``claude-code (or claude), cursor``."""
    short = {name: alias for alias, name in ALIASES.items()}
    return ", ".join(f"{name} (or {short[name]})" if name in short else name for name in HARNESSES)
