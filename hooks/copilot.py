"""Copilot CLI: payload to turn. Hot, and loaded only for its own payloads.

Seen with 1.0.102: a hook registered in camelCase gets camelCase members and no name of its event, so the event is
told by the members that only it has; registered in PascalCase (also when Copilot runs a project's hooks for Claude
Code) it gets ``hook_event_name`` and snake_case. No event has an id of the prompt.
"""

from ..core.shapes import Turn
from .fields import get_id, get_path, get_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import EventKind
    from .fields import Payload

EVENTS: "dict[str, EventKind]" = {
    "UserPromptSubmit": "prompt",
    "PostToolUseFailure": "tool_failed",
    "Stop": "turn_end",
    "SessionEnd": "session_end",
    "SessionStart": "session_start",
}

# All of `has` and none of `lacks`: (event, has, lacks).
_SIGNS: "tuple[tuple[EventKind, tuple[str, ...], tuple[str, ...]], ...]" = (
    ("prompt", ("prompt",), ("transformedPrompt",)),
    ("tool_failed", ("toolName", "toolArgs", "error"), ()),
    ("turn_end", ("stopReason", "transcriptPath"), ("response",)),
    ("session_start", ("source",), ()),
    ("session_end", ("reason",), ()),
)


def read_turn(payload: "Payload", at: float) -> Turn:
    """Return what one hook call says; an event that is not ours is ``other``."""
    turn = Turn("copilot", _tell_event(payload), at)
    turn.session_id = get_id(payload, "sessionId") or get_id(payload, "session_id")
    turn.cwd = turn.project = get_path(payload, "cwd")
    turn.roots = (turn.cwd,) if turn.cwd else ()
    turn.transcript = get_path(payload, "transcriptPath") or get_path(payload, "transcript_path")
    turn.is_person = "agentId" not in payload and "agent_id" not in payload
    if turn.event == "prompt":
        turn.prompt = get_prompt(payload, "prompt")
    return turn


def _tell_event(payload: "Payload") -> "EventKind":
    if name := get_id(payload, "hook_event_name"):
        return EVENTS.get(name, "other")
    for event, has, lacks in _SIGNS:
        if all(key in payload for key in has) and not any(key in payload for key in lacks):
            return event
    return "other"
