"""The harness families: one module each, one row here; and which of them sent a payload. Hot.

The hook's argument only says whose settings file the hook stands in. Cursor runs Claude Code's hooks always, Copilot
CLI those of a trusted project, so who calls is told from the payload.
"""

from .fields import get_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ..core.shapes import EventKind, Turn
    from .fields import Payload

    class Family(Protocol):
        """What a family's module offers."""

        EVENTS: dict[str, EventKind]

        def read_turn(self, payload: Payload, at: float) -> Turn: ...


# harness: its module in this folder, loaded only when it is the one
FAMILIES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "copilot": "copilot",
    "cursor": "cursor",
    "gemini-cli": "gemini_cli",
}


def load_family(harness: str) -> "Family":
    """Return the module of *harness*, which is a key of ``FAMILIES``."""
    family: Family = __import__(FAMILIES[harness], globals(), None, ("read_turn",), 1)
    return family


def tell_harness(payload: "Payload", argument: str) -> str:
    """Return who sent *payload*.

    Raises:
        ValueError: it has nobody's signs, and *argument* names no harness either.
    """
    if "cursor_version" in payload or "conversation_id" in payload:
        return "cursor"
    if "sessionId" in payload:
        return "copilot"
    transcript = get_path(payload, "transcript_path").replace("\\", "/")
    if "timestamp" in payload and "hook_event_name" in payload:
        if argument == "gemini-cli" or "/.gemini/" in transcript:
            return "gemini-cli"
        if not transcript or transcript.endswith("/events.jsonl"):
            return "copilot"
    if "prompt_id" not in payload and ("turn_id" in payload or ("model" in payload and "permission_mode" in payload)):
        return "codex"  # Claude Code's MessageDisplay has a turn_id too, and like all its turns a prompt_id
    if transcript.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    if "hook_event_name" in payload and "session_id" in payload:
        return "claude-code"
    if argument in FAMILIES:
        return argument
    raise ValueError("nobody's payload")
