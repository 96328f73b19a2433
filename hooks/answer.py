"""What a hook prints, in the form that each harness takes. Hot, loaded only when there is something to print.

Seen: what is told reaches the model of Claude Code 2.1.332, Codex 0.171.0 (whose schema makes an answer with a member
that it does not know fail), Gemini CLI 0.61.0 and Copilot CLI 1.0.102; the person sees ``systemMessage``, but not in
Copilot and Codex ``exec``. Documented: Cursor takes context at a session's start alone.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import EventKind

    Answer = dict[str, object] | None

# The harnesses that take context under the event's own name, with that of their prompt.
_PROMPT_NAMES = {"claude-code": "UserPromptSubmit", "codex": "UserPromptSubmit", "gemini-cli": "BeforeAgent"}


def takes_context(harness: str) -> bool:
    """Whether what a prompt hook prints reaches the model."""
    return harness in _PROMPT_NAMES or harness == "copilot"


def make_answer(harness: str, event: "EventKind", shown: str, told: str) -> "Answer":
    """Return what the hook of a prompt or of a session's start prints; ``None`` where nothing of it would arrive.

    Args:
        shown: to the person; ``""`` for nothing.
        told: to the model, not empty.
    """
    is_start = event == "session_start"
    if name := _PROMPT_NAMES.get(harness):
        output = {"hookEventName": "SessionStart" if is_start else name, "additionalContext": told}
        return {"systemMessage": shown, "hookSpecificOutput": output} if shown else {"hookSpecificOutput": output}
    if harness == "copilot":
        return {"additionalContext": told}
    return {"additional_context": told} if is_start else None
