"""What a part of an OpenCode message means. Pure: stored values in, our words for it out."""

import re
from typing import Any

from .entry import Call, Edit
from .ledger import Outcome
from .patch import edits_of_patch
from .values import as_list, as_object, as_text

_SHELLS = frozenset({"bash", "shell"})
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ABORT_NOTE = "User aborted the command"
_TIMEOUT_NOTE = "terminated command after exceeding timeout"
_ABORTED = ("Tool execution aborted", "Tool execution interrupted", "The operation was aborted")
_REFUSED = "The user rejected permission to use this specific tool call"
_WITH_WORDS = " with the following feedback: "
_DENIED_BY_RULE = "The user has specified a rule which prevents you from using this specific tool call"
_DISMISSED = "The user dismissed this question"

# A skill typed after a slash: its text, this, and what was typed behind it are stored as one message (1.18.33).
_TYPED_SKILL = re.compile(
    r"\n\nBase directory for this skill: ([^\n]+)\nRelative paths in this skill [^\n]*\n*([^\0]*)\Z"
)

UNFINISHED = frozenset({"pending", "running", "streaming"})


def strip_quotes(text: str) -> tuple[str, bool]:
    """Return a prompt without the pair of quotes that ``opencode run`` puts around it, and whether it had one."""
    quoted = _QUOTED.fullmatch(text)
    return (quoted[1].replace('\\"', '"'), True) if quoted else (text, False)


def find_typed_skill(text: str) -> tuple[str, str] | None:
    """Return the skill whose text a message holds, and what was typed behind it; ``None`` for a person's words."""
    found = _TYPED_SKILL.search(text) if "Base directory for this skill: " in text else None
    return (found[1].rstrip("/\\").replace("\\", "/").rpartition("/")[2], found[2]) if found else None


def parse_call(call_id: str, tool: str, state: dict[str, Any]) -> Call:
    """Return the call of a tool part, open."""
    arguments = as_object(state.get("input"))
    command = as_text(arguments.get("command")) if tool in _SHELLS else ""
    return Call(call_id, tool, arguments, command)


def judge_state(tool: str, state: dict[str, Any], is_unattended: bool) -> Outcome | None:
    """Return what became of a call of version 1; ``None`` while it runs (S-110, S-111).

    *is_unattended*: ``opencode run`` asked for it, which refuses by itself what somebody would have to allow (D-oc5).
    """
    output = as_text(state.get("output"))
    match state.get("status"):
        case "completed" if tool == "invalid":  # a tool that does not exist (D-oc4)
            return Outcome("error", None, output)
        case "completed":
            return _judge_completed(as_object(state.get("metadata")), output)
        case "error":
            return _judge_error(as_text(state.get("error")), is_unattended)
        case _:
            return None


def _judge_completed(metadata: dict[str, Any], output: str) -> Outcome:
    exit_code = exit_code_of(metadata)
    if exit_code:
        return Outcome("error", exit_code, output)
    if "exit" in metadata and metadata["exit"] is None:
        ending = output[-1_000:]
        if _ABORT_NOTE in ending:
            return Outcome("interrupted", None, output)
        if _TIMEOUT_NOTE in ending:
            return Outcome("error", None, output)
    return Outcome("ok", exit_code, output)


def _judge_error(error: str, is_unattended: bool) -> Outcome:
    if error.startswith(_ABORTED):
        return Outcome("interrupted", None, error)
    if error.startswith(_REFUSED):
        return Outcome("denied", None, error, "nobody" if is_unattended else "person")
    if error.startswith(_DENIED_BY_RULE):
        return Outcome("denied", None, error, "rule")
    if error.startswith(_DISMISSED):
        return Outcome("denied", None, error, "person")
    return Outcome("error", None, error)


def find_feedback(error: str) -> str:
    """Return what a person typed when refusing a call; ``""`` when nothing."""
    return error.partition(_WITH_WORDS)[2].strip() if error.startswith(_REFUSED) else ""


def judge_content(state: dict[str, Any]) -> Outcome | None:
    """Return what became of a call of version 2; ``None`` while it runs (S-120)."""
    texts = [as_text(as_object(part).get("text")) for part in as_list(state.get("content"))]
    result = "\n".join(text.removesuffix("\n") for text in texts if text) or as_text(state.get("output"))
    match state.get("status"):
        case "completed":
            exit_code = exit_code_of(as_object(state.get("metadata")) or as_object(state.get("structured")))
            return Outcome("error" if exit_code else "ok", exit_code, result)
        case "error":
            error = as_text(state.get("error")) or as_text(as_object(state.get("error")).get("message"))
            is_interrupt = error.startswith(_ABORTED)
            return Outcome("interrupted" if is_interrupt else "error", None, error or result)
        case _:
            return None


def exit_code_of(metadata: dict[str, Any]) -> int | None:
    """Return a recorded exit code; 1.0 counts as 1."""
    value = metadata.get("exit")
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if type(value) is int else None


def find_edits(call: Call) -> tuple[Edit, ...]:
    """Return the changes to files that a call asks for; empty for tools that edit nothing."""
    arguments = call.input
    path = as_text(arguments.get("filePath"))
    match call.tool:
        case "write":
            return (Edit(path, None, as_text(arguments.get("content"))),)
        case "edit":
            return (Edit(path, as_text(arguments.get("oldString")), as_text(arguments.get("newString"))),)
        case "apply_patch" | "patch":
            return edits_of_patch(as_text(arguments.get("patchText")), "")
        case _:
            return ()
