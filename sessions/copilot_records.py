"""What an event of a Copilot CLI session means. Pure: a parsed event's ``data`` in, our words for it out.

The schema of 1.0.102 names 163 event types; those that no reading needs are told from unknown ones by ``KNOWN_TYPES``.
"""

import re
from typing import Any

from .entry import Call, Edit, Origin
from .ledger import DeniedBy, Outcome
from .patch import edits_of_patch
from .values import as_folder, as_object, as_text

# The families whose events hold no word, call or result of the session itself.
_KNOWN_FAMILIES = (
    "assistant.", "hook.", "model.", "permission.", "session.", "skill.", "subagent.", "system.", "tool.", "user.",
)  # fmt: skip
_SHELL_TOOLS = frozenset({"bash", "powershell"})
_CLOSING_LINE = re.compile(r"<[^<>\n]*completed with exit code (-?\d{1,10})>\s*\Z")
_DENIED_BY_RULE = ("Permission to run this tool was denied due to the following rules", "Denied by preToolUse hook")
_INVOKED = re.compile(r'The user explicitly invoked the "/([^"\n]+)" skill\.')
_NOBODY_TO_ASK = "Permission denied because no interactive user response was available"


def is_known(kind: Any) -> bool:
    """Whether an event type belongs to a family that the reader knows."""
    return kind == "abort" or (isinstance(kind, str) and kind.startswith(_KNOWN_FAMILIES))


def find_folder(data: dict[str, Any]) -> str:
    """Return the folder of a ``session.start``, ``.resume`` or ``.context_changed`` event."""
    return as_folder(as_object(data.get("context")).get("cwd")) or as_folder(data.get("cwd"))


def find_origin(data: dict[str, Any]) -> Origin | None:
    """Return where the words of a ``user.message`` come from; ``None`` when no person said them (S-97)."""
    if data.get("source") not in (None, "user") or data.get("isAutopilotContinuation") is True:
        return None
    return "queued" if data.get("delivery") in ("queued", "steering") else "unknown"


def find_invoked_skill(data: dict[str, Any]) -> str:
    """Return the skill or command that a person's ``/name`` started, by its event; ``""`` for an agent's."""
    return as_text(data.get("name")) if data.get("trigger") == "user-invoked" else ""


def find_typed_skill(data: dict[str, Any], invoked: str) -> tuple[str, str] | None:
    """Return the skill that a ``user.message`` calls, and what was typed behind its name.

    Args:
        invoked: of the event before; where reading begins behind that, what the model was sent tells it too.
    """
    name, _, words = as_text(data.get("content")).partition(" ")
    told = _INVOKED.search(as_text(data.get("transformedContent")))
    return (name[1:], words.strip()) if name[:1] == "/" and name[1:] in (invoked, told and told[1]) else None


def parse_call(data: dict[str, Any]) -> Call:
    """Return the call that a ``tool.execution_start`` event makes, open."""
    arguments = as_object(data.get("arguments"))
    tool = as_text(data.get("toolName"))
    is_shell = tool in _SHELL_TOOLS or "shellToolInfo" in data
    command = as_text(arguments.get("command")) if is_shell else ""
    if isinstance(data.get("arguments"), str):
        arguments = {"input": data["arguments"]}
    return Call(id=as_text(data.get("toolCallId")), tool=tool, input=arguments, command=command)


def judge_complete(data: dict[str, Any], call: Call) -> Outcome:
    """Return what a ``tool.execution_complete`` event says of its call (S-98, S-99)."""
    error = as_object(data.get("error"))
    text = as_text(as_object(data.get("result")).get("content")) or as_text(error.get("message"))
    if error.get("code") in ("rejected", "denied"):
        return Outcome("denied", None, text, _who_denied(text))
    exit_code = _find_exit_code(data, call, text)
    is_ok = data.get("success") is True and not exit_code
    return Outcome("ok" if is_ok else "error", exit_code, text)


def _who_denied(text: str) -> DeniedBy:
    if text.startswith(_NOBODY_TO_ASK):
        return "nobody"
    return "rule" if text.startswith(_DENIED_BY_RULE) else ""


def _find_exit_code(data: dict[str, Any], call: Call, text: str) -> int | None:
    shell = data.get("shellExecution")
    recorded = as_object(shell).get("exitCode")
    if type(recorded) is int:
        return recorded
    is_shell = bool(call.command) or call.tool in _SHELL_TOOLS or isinstance(shell, dict)
    closing = _CLOSING_LINE.search(text, max(0, len(text) - 200)) if is_shell else None
    return int(closing[1]) if closing else None


def judge_permission(data: dict[str, Any]) -> Outcome | None:
    """Return what a ``permission.completed`` event says of its call; ``None`` when it may run (S-100)."""
    result = as_object(data.get("result"))
    kind = as_text(result.get("kind"))
    if kind == "cancelled":
        return Outcome("interrupted")
    if not kind.startswith("denied-"):
        return None
    denied_by: DeniedBy = "rule"
    if "could-not-request" in kind:
        denied_by = "nobody"
    elif "by-user" in kind:
        denied_by = "person"
    return Outcome("denied", None, find_feedback(data) or kind, denied_by)


def find_feedback(data: dict[str, Any]) -> str:
    """Return what a person typed when refusing a call; ``""`` when nothing. No ``user.message`` repeats it (D-cp2)."""
    return as_text(as_object(data.get("result")).get("feedback"))


def find_edits(call: Call) -> tuple[Edit, ...]:
    """Return the changes to files that a call asks for; empty for tools that edit nothing."""
    arguments = call.input
    path = as_text(arguments.get("path"))
    match call.tool:
        case "create":
            return (Edit(path, None, as_text(arguments.get("file_text"))),)
        case "edit":
            return (Edit(path, as_text(arguments.get("old_str")), as_text(arguments.get("new_str"))),)
        case "apply_patch":
            return edits_of_patch(as_text(arguments.get("input")), "")
        case _:
            return ()


_CWD_LINE = re.compile(r"cwd:[ \t]+(.+)")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'\s*(?:#.*)?")
_SIMPLE_ESCAPE = re.compile(r'\\(["\\/])')


def parse_workspace(text: str) -> str:
    """Return the ``cwd`` of a ``workspace.yaml``: a scalar at the top level, and nothing else of the file (S-102)."""
    for line in text.split("\n"):
        if found := _CWD_LINE.fullmatch(line.rstrip()):
            return as_folder(_parse_scalar(found[1].strip()))
    return ""


def _parse_scalar(value: str) -> str:
    if quoted := _DOUBLE_QUOTED.fullmatch(value):
        return _SIMPLE_ESCAPE.sub(r"\1", quoted[1])
    if quoted := _SINGLE_QUOTED.fullmatch(value):
        return quoted[1].replace("''", "'")
    return value.partition(" #")[0].rstrip()
