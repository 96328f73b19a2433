"""What a message of a Gemini CLI session means. Pure: a parsed message in, our words for it out."""

import re
from typing import Any, Literal, NamedTuple

from .entry import Call, Edit, Origin
from .ledger import Outcome
from .values import as_list, as_object, as_text

CONTEXT = "<session_context>"
CANCELLED = "Request cancelled."
_SHELL = "run_shell_command"
_REFUSED = "[Operation Cancelled] Reason: User denied execution."
_DENIED_BY_POLICY = "Tool execution denied by policy."
_GO_ON = "System: Please continue."
_RAN_BY_PERSON = re.compile(r"I ran the following shell command:\n```sh\n(.*?)\n```\n", re.DOTALL)
_SLASH = re.compile(r"/([A-Za-z][A-Za-z0-9_:-]*)(?:\s+(.*))?", re.DOTALL)
# A skill typed as `/greet` is started by the program, under an id of its own; the person's message tells it already.
_STARTED_BY_PROGRAM = re.compile(r"activate_skill-\d+-")

# Answered by the program itself. Any other first word with a slash is sent to the model as it was typed (0.61.0).
BUILT_INS = frozenset(
    {
        "about", "agents", "auth", "bug", "chat", "clear", "commands", "compress", "copy", "corgi", "dir", "directory",
        "docs", "editor", "exit", "extensions", "footer", "help", "hooks", "ide", "init", "mcp", "memory", "model",
        "permissions", "plan", "policies", "privacy", "profile", "quit", "restore", "resume", "rewind", "settings",
        "setup-github", "shells", "shortcuts", "skills", "stats", "terminal-setup", "theme", "tools", "upgrade", "vim",
        "voice",
    }
)  # fmt: skip


class Said(NamedTuple):
    """What a user message says: a prompt, a custom command or skill after a slash, or a command run with ``!``."""

    kind: Literal["prompt", "skill_call", "other"]
    text: str
    origin: Origin
    skill: str = ""


def text_of(content: Any) -> str:
    """Return a message's text: the string itself, or its text parts, one a line."""
    if isinstance(content, str):
        return content
    parts = [as_object(part) for part in as_list(content)]
    return "\n".join(as_text(part["text"]) for part in parts if "text" in part)


def find_said(message: dict[str, Any]) -> Said | None:
    """Return what a person said with a ``user`` message; ``None`` for context, results and built-in commands."""
    text = text_of(message.get("content"))
    if not text.strip() or text.startswith(CONTEXT) or text == _GO_ON:
        return None
    if ran := _RAN_BY_PERSON.match(text):
        return Said("other", ran[1], "typed")
    typed = text_of(message.get("displayContent"))
    command = _SLASH.fullmatch((typed or text).strip())
    if command is None:
        return Said("prompt", typed or text, "unknown")
    if command[1] in BUILT_INS:
        return None
    if typed:
        return Said("skill_call", command[2] or "", "typed", command[1])
    return Said("prompt", text, "unknown")


def parse_calls(message: dict[str, Any]) -> list[tuple[Call, dict[str, Any]]]:
    """Return the calls of a ``gemini`` message, open, each with its record."""
    calls: list[tuple[Call, dict[str, Any]]] = []
    for number, record in enumerate(map(as_object, as_list(message.get("toolCalls")))):
        tool, arguments = as_text(record.get("name")), as_object(record.get("args"))
        call_id = as_text(record.get("id")) or f"{as_text(message.get('id'))}/{number}"
        command = as_text(arguments.get("command")) if tool == _SHELL else ""
        calls.append((Call(call_id, tool, arguments, command), record))
    return calls


def judge_call(record: dict[str, Any]) -> Outcome | None:
    """Return what became of a call; ``None`` while its status is none of the final ones (S-103, S-105)."""
    text = _result_text(record.get("result"))
    match record.get("status"):
        case "success" if record.get("name") == _SHELL:
            return _judge_shell(text, as_text(record.get("resultDisplay")))
        case "success":
            return Outcome("ok", None, text)
        case "error" if _DENIED_BY_POLICY in text:
            return Outcome("denied", None, text, "rule")
        case "error":
            return Outcome("error", None, text or as_text(record.get("resultDisplay")))
        case "cancelled" if _REFUSED in text:
            return Outcome("denied", None, text, "person")
        case "cancelled" if _DENIED_BY_POLICY in text:
            return Outcome("denied", None, text, "rule")
        case "cancelled":
            return Outcome("interrupted", None, text)
        case _:
            return None


def _result_text(result: Any) -> str:
    texts: list[str] = []
    for part in map(as_object, as_list(result)):
        response = as_object(as_object(part.get("functionResponse")).get("response"))
        texts.append(as_text(response.get("output")) or as_text(response.get("error")) or as_text(part.get("text")))
    return "\n".join(filter(None, texts))


# The lines that Gemini CLI puts after a shell command's output, in their order.
_TRAILER = ("Error:", "Exit Code:", "Signal:", "Background PIDs:", "Process Group PGID:")
_NUMBER = re.compile(r"-?\d{1,10}")
_WRAPPER_END = "</untrusted_context>"


def _judge_shell(text: str, shown: str) -> Outcome:
    """Judge a command by the trailer alone: no exit code is recorded, and the status is ``success`` whatever it was."""
    trailer = _find_trailer(text)
    text = text.removeprefix("<untrusted_context>\n").removesuffix("\n" + _WRAPPER_END)
    recorded = trailer.get("Exit Code:", "")
    exit_code = int(recorded) if _NUMBER.fullmatch(recorded) else 0
    if exit_code and not _was_printed(shown, recorded):
        return Outcome("error", exit_code, text)
    if trailer.get("Signal:", "(none)") != "(none)":
        return Outcome("error", None, text)
    return Outcome("ok", None, text)


def _find_trailer(text: str) -> dict[str, str]:
    """Return the trailer's lines by their names: from the end up, as long as they keep to its order."""
    lines = text[-2_000:].rstrip().removesuffix(_WRAPPER_END).rstrip().split("\n")
    found: dict[str, str] = {}
    rank = len(_TRAILER)
    for line in reversed(lines):
        names = [n for n, name in enumerate(_TRAILER[:rank]) if line.startswith(name)]
        if not names:
            break
        rank = names[0]
        found[_TRAILER[rank]] = line[len(_TRAILER[rank]) :].strip()
    return found


def _was_printed(shown: str, exit_code: str) -> bool:
    """Whether the command itself printed the line, as its last: what is shown to the person ends with it."""
    return shown.rstrip().rpartition("\n")[2].strip() == f"Exit Code: {exit_code}"


def find_edits(call: Call) -> tuple[Edit, ...]:
    """Return the changes to files that a call asks for; empty for tools that edit nothing."""
    arguments = call.input
    path = as_text(arguments.get("file_path"))
    match call.tool:
        case "write_file":
            return (Edit(path, None, as_text(arguments.get("content"))),)
        case "replace":
            return (Edit(path, as_text(arguments.get("old_string")), as_text(arguments.get("new_string"))),)
        case _:
            return ()


def find_skill(call: Call) -> str:
    """Return the skill that the agent starts with a call; ``""`` for every other call."""
    if call.tool != "activate_skill" or _STARTED_BY_PROGRAM.match(call.id):
        return ""
    return as_text(call.input.get("name"))
