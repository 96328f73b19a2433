"""The readers: one module a harness, one row each; a test holds the table against the folder."""

from . import claude_code, codex, copilot, cursor, gemini_cli, opencode_v1, opencode_v2
from .reader import AnyReader

READERS: dict[str, AnyReader] = {
    "claude-code": claude_code,
    "codex": codex,
    "copilot": copilot,
    "cursor": cursor,
    "gemini-cli": gemini_cli,
    "opencode-v1": opencode_v1,
    "opencode-v2": opencode_v2,
}
