"""Gemini CLI: payload to turn. Hot, and loaded only for its own payloads.

Seen with 0.61.0: ``session_id``, ``transcript_path``, ``cwd``, ``hook_event_name`` and ``timestamp`` in every event,
no id of the prompt. ``AfterTool`` tells of failures too, but only its result's text says so; the sweep reads that.
"""

from ..core.shapes import Turn
from .fields import get_id, get_path, get_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import EventKind
    from .fields import Payload

EVENTS: "dict[str, EventKind]" = {
    "BeforeAgent": "prompt",
    "AfterAgent": "turn_end",
    "SessionEnd": "session_end",
    "SessionStart": "session_start",
}


def read_turn(payload: "Payload", at: float) -> Turn:
    """Return what one hook call says; an event that is not ours is ``other``."""
    turn = Turn("gemini-cli", EVENTS.get(get_id(payload, "hook_event_name"), "other"), at)
    turn.session_id = get_id(payload, "session_id")
    turn.cwd = turn.project = get_path(payload, "cwd")
    turn.roots = (turn.cwd,) if turn.cwd else ()
    turn.transcript = get_path(payload, "transcript_path")
    if turn.event == "prompt":
        turn.prompt = get_prompt(payload, "prompt")
    return turn
