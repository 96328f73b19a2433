"""The readers: one module a harness, one row each; a test holds the table against the folder."""

from . import claude_code, codex, copilot, gemini_cli
from .reader import AnyReader

READERS: dict[str, AnyReader] = {
    "claude-code": claude_code,
    "codex": codex,
    "copilot": copilot,
    "gemini-cli": gemini_cli,
}
