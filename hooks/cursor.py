"""Cursor: payload to turn. Hot.

Documented: every event but ``workspaceOpen`` has ``conversation_id``, ``generation_id`` (changes with each message of
the person), ``workspace_roots``, ``transcript_path`` or null. A user hook runs in ``~/.cursor``, so the working
directory says nothing: the project is the first workspace root. Cursor runs Claude Code's hooks as well, with its own
payload.
"""

from ..core.shapes import Turn
from .fields import get_id, get_path, get_paths, get_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import EventKind
    from .fields import Payload

EVENTS: "dict[str, EventKind]" = {
    "beforeSubmitPrompt": "prompt",
    "postToolUseFailure": "tool_failed",
    "stop": "turn_end",
    "sessionEnd": "session_end",
    "sessionStart": "session_start",
    # the names under which it runs Claude Code's hooks; the payload is its own either way
    "UserPromptSubmit": "prompt",
    "Stop": "turn_end",
    "SessionEnd": "session_end",
    "SessionStart": "session_start",
}


def read_turn(payload: "Payload", at: float) -> Turn:
    """Return what one hook call says; an event that is not ours is ``other``."""
    turn = Turn("cursor", EVENTS.get(get_id(payload, "hook_event_name"), "other"), at)
    turn.session_id = get_id(payload, "conversation_id") or get_id(payload, "session_id")
    turn.prompt_id = get_id(payload, "generation_id")
    turn.roots = get_paths(payload, "workspace_roots")
    turn.project = turn.roots[0] if turn.roots else ""
    turn.cwd = get_path(payload, "cwd")
    turn.transcript = get_path(payload, "transcript_path")
    turn.is_person = "subagent_id" not in payload and "parent_conversation_id" not in payload
    if turn.event == "prompt":
        turn.prompt = get_prompt(payload, "prompt")
    return turn
