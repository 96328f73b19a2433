"""What a record of a Codex rollout means. Pure: a parsed record in, our words for it out.

The program's own records (``item_completed``, ``turn_aborted``) come before its fixed texts. The texts are those of
0.171.0 and of the earlier releases that the documents describe; they are matched where Codex writes them, in the
header before the line ``Output:`` or at the very start, never in what a command printed.
"""

import re
import shlex
from typing import Any
from urllib.parse import unquote, urlsplit

from .entry import Call, Origin
from .ledger import DeniedBy, Outcome
from .values import as_folder, as_list, as_object, as_text, parse_line

# `item_completed` items that are a call, and the name that the same call has as a plain tool; "" takes the item's own.
CALL_ITEMS = {
    "CommandExecution": "exec_command",
    "FileChange": "apply_patch",
    "McpToolCall": "",
    "CollabAgentToolCall": "",
}
CALL_TYPES = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUT_TYPES = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})

# How a refusal reads in place of an output, and who spoke it. The last four stood in headers of earlier releases.
_DENIED_OPENINGS: tuple[tuple[str, DeniedBy], ...] = (
    ('exec_command failed: CreateProcess { message: "Rejected(', "rule"),
    ("Command blocked by PreToolUse hook:", "rule"),
    ("approval policy is Never; reject command", "nobody"),
    ("patch rejected: writing is blocked by", "rule"),
    ("exec command rejected by user", "person"),
    ("patch rejected by user", "person"),
    ("rejected by configuration", "rule"),
    ("automatic approval review denied the action", "rule"),
)
_DENIED_IN_HEADER = _DENIED_OPENINGS[4:]
_FAILED_OPENINGS = ("apply_patch verification failed:", "exec_command failed:", "write_stdin failed:")
_ABORTED = "aborted by user"

_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})\s*$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d{1,18})\s*$", re.MULTILINE)
_HEADER_LINE = re.compile(
    r"(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Process (?:exited|running) with|"
    + _ABORTED
    + r")"
)
# Codex has no tool for skills: it tells the model to read the skill's file whole before it acts, and puts the texts of
# the skills that a prompt names into a message of the user's role.
_NAMED_SKILL = re.compile(r"<skill>\n<name>([^<\n]{1,200})</name>\n")
_ROOTS = frozenset({".agents", ".codex", "codex"})
_PRINTERS = frozenset({"awk", "bat", "cat", "head", "less", "more", "nl", "sed", "tail"})
_NEXT_COMMAND = re.compile(r"\|\||&&|[;|\n]")

_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_ORIGINS: dict[str, Origin] = {"cli": "typed", "vscode": "typed", "exec": "sdk", "mcp": "sdk"}


def find_meta(record: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the payload of a ``session_meta`` record; ``None`` of any other."""
    return as_object(record.get("payload")) if record and record.get("type") == "session_meta" else None


def find_origin(meta: dict[str, Any]) -> Origin:
    """Return where the prompts of a session come from, by its ``session_meta`` payload."""
    if find_parent(meta):
        return "agent"
    source = meta.get("source")
    return _ORIGINS.get(source, "unknown") if isinstance(source, str) else "unknown"


def find_parent(meta: dict[str, Any]) -> str:
    """Return the session that started this one; ``""`` for a session of a person's own."""
    spawned = as_object(as_object(as_object(meta.get("source")).get("subagent")).get("thread_spawn"))
    if meta.get("thread_source") != "subagent" and not as_object(meta.get("source")).get("subagent"):
        return ""
    named = as_text(meta.get("parent_thread_id")) or as_text(spawned.get("parent_thread_id"))
    return named or as_text(meta.get("session_id")) or "unknown"


def find_words(item: dict[str, Any]) -> str:
    """Return the text of a ``UserMessage`` or ``AgentMessage`` item: its text parts, one a line."""
    parts = map(as_object, as_list(item.get("content")))
    return "\n".join(as_text(part["text"]) for part in parts if "text" in part)


def find_named_skills(payload: dict[str, Any]) -> list[str]:
    """Return the names of the skills whose texts Codex puts behind a prompt that named them (``$name``)."""
    if payload.get("role") != "user":
        return []
    texts = [as_text(as_object(part).get("text")) for part in as_list(payload.get("content"))]
    return [named[1] for text in texts if (named := _NAMED_SKILL.match(text))]


def find_read_skill(command: str) -> str:
    """Return the first skill whose file a shell command prints whole or in part; ``""`` when it prints none."""
    if "/SKILL.md" not in command or ">" in command:
        return ""
    for part in _NEXT_COMMAND.split(command):
        program, *words = part.split() or [""]
        if program.rpartition("/")[2] in _PRINTERS and "-i" not in words:
            for skill in filter(None, map(_skill_of_path, words)):
                return skill
    return ""


def _skill_of_path(word: str) -> str:
    """Return the skill that a path below one of Codex's roots is the file of; ``""`` for any other word."""
    *folders, name = word.strip("'\"").split("/")
    roots = [number for number, folder in enumerate(folders) if folder in _ROOTS]
    return folders[-1] if name == "SKILL.md" and roots and "skills" in folders[roots[0] : -1] else ""


def parse_call(payload: dict[str, Any]) -> Call:
    """Return the call that a ``response_item`` makes, open."""
    name, space = as_text(payload.get("name")), as_text(payload.get("namespace"))
    arguments, command = _parse_arguments(payload)
    return Call(
        id=as_text(payload.get("call_id")) or as_text(payload.get("id")),
        tool=f"{space}__{name}" if space else name or "local_shell",
        input=arguments,
        command=command,
    )


def _parse_arguments(payload: dict[str, Any]) -> tuple[dict[str, Any], str]:
    if payload.get("type") == "local_shell_call":
        arguments = as_object(payload.get("action"))
    elif payload.get("type") == "custom_tool_call":
        return {"input": as_text(payload.get("input"))}, ""
    else:
        arguments = parse_line(as_text(payload.get("arguments")).encode("utf-8", "replace")) or {}
    return arguments, command_of(arguments.get("cmd", arguments.get("command")))


def command_of(value: Any) -> str:
    """Return a command line from a text or an argument list; of ``["bash", "-lc", script]`` the script."""
    if isinstance(value, str):
        return value
    words = [word for word in as_list(value) if isinstance(word, str)]
    if len(words) == 3 and words[1] in ("-c", "-lc", "-cl") and words[0].rpartition("/")[2] in _SHELLS:
        return words[2]
    return shlex.join(words)


def call_of_item(item: dict[str, Any]) -> Call:
    """Return the call that an ``item_completed`` of its own stands for (a command inside a script, D-cx1)."""
    kind = as_text(item.get("type"))
    tool = CALL_ITEMS.get(kind) or "__".join(filter(None, (as_text(item.get("server")), as_text(item.get("tool")))))
    command = command_of(item.get("command")) if kind == "CommandExecution" else ""
    names = {"CommandExecution": (), "FileChange": ("changes",)}.get(kind, ("arguments", "prompt"))
    arguments = {name: item[name] for name in names if name in item}
    return Call(
        id=as_text(item.get("id")), tool=tool, input={"cmd": command} if command else arguments, command=command
    )


def judge_item(item: dict[str, Any]) -> Outcome | None:
    """Return what an item says of its call; ``None`` when it says nothing, like one that is still in progress."""
    exit_code = item.get("exit_code") if type(item.get("exit_code")) is int else None
    result = as_text(item.get("aggregated_output")) or as_text(item.get("stderr")) or as_text(item.get("stdout"))
    match item.get("status"):
        case "completed":
            return Outcome("error" if exit_code else "ok", exit_code, result)
        case "failed":
            return Outcome("error", exit_code, result or error_text(item.get("error")))
        case "declined":
            return Outcome("denied", exit_code, result)
        case _:
            return None


def error_text(value: Any) -> str:
    """Return an error's words, whether it is a text or an object with a message."""
    return as_text(value) or as_text(as_object(value).get("message"))


def judge_end_event(payload: dict[str, Any]) -> Outcome | None:
    """Return what a ``patch_apply_end``, ``exec_command_end`` or ``mcp_tool_call_end`` of earlier releases says."""
    result = (
        as_text(payload.get("aggregated_output")) or as_text(payload.get("stderr")) or as_text(payload.get("stdout"))
    )
    match payload.get("type"):
        case "patch_apply_end":
            return Outcome("ok" if payload.get("success") is True else "error", None, result)
        case "exec_command_end":
            exit_code = payload.get("exit_code") if type(payload.get("exit_code")) is int else None
            return Outcome("error" if exit_code else "ok", exit_code, result)
        case _:
            outcome = as_object(payload.get("result"))
            answer = as_object(outcome.get("Ok"))
            if "Err" in outcome or answer.get("isError") is True or answer.get("is_error") is True:
                return Outcome("error", None, error_text(outcome.get("Err")) or output_text(answer.get("content")))
            return Outcome("ok") if outcome else None


def output_text(output: Any) -> str:
    """Return an output's text: the text itself, or the texts of its parts, one after the other."""
    if isinstance(output, str):
        return output
    parts = [as_text(as_object(part).get("text")) for part in as_list(output)]
    return "".join(part if part.endswith("\n") else part + "\n" for part in parts if part)


def judge_output(output: Any) -> Outcome:
    """Return what the output of a plain tool says (S-86 to S-88)."""
    if isinstance(output, dict):
        record = as_object(output)
        text = as_text(record.get("content")) or output_text(record.get("content_items"))
        outcome = judge_text(text)
        return (
            outcome._replace(status="error") if record.get("success") is False and outcome.status == "ok" else outcome
        )
    text = output_text(output)
    if text.startswith('{"output"') and (oldest := _judge_oldest(text)):
        return oldest
    return judge_text(text)


def _judge_oldest(text: str) -> Outcome | None:
    record = parse_line(text.encode("utf-8", "replace")) or {}
    if not isinstance(record.get("metadata"), dict):
        return None
    exit_code = as_object(record["metadata"]).get("exit_code")
    code = exit_code if type(exit_code) is int else None
    return Outcome("error" if code else "ok", code, as_text(record.get("output")))


def judge_text(text: str) -> Outcome:
    """Return what a result's text says; its header alone counts, so that no command can play a refusal."""
    header, has_output_line = _split_header(text)
    code = _EXIT_CODE.search(header)
    exit_code = int(code[1]) if code else None
    printed = text[len(header) + len("Output:\n") :] if has_output_line else text
    if exit_code == 0:
        return Outcome("ok", 0, printed)
    for phrase, denied_by in _DENIED_IN_HEADER if has_output_line else _DENIED_OPENINGS:
        if phrase in header if has_output_line else text.startswith(phrase):
            return Outcome("denied", exit_code, text, denied_by)
    if any(line.startswith(_ABORTED) for line in header.split("\n")):
        return Outcome("interrupted", exit_code, text)
    if exit_code or text.startswith(_FAILED_OPENINGS):
        return Outcome("error", exit_code, printed)
    return Outcome("ok", exit_code, printed)


def find_running(output: Any) -> str:
    """Return Codex's number of the process that goes on after its call returned; ``""`` when none does."""
    header, _ = _split_header(output_text(output))
    running = _RUNNING.search(header)
    return running[1] if running else ""


def _split_header(text: str) -> tuple[str, bool]:
    """Return the header, and whether a line ``Output:`` ends it; without one only lines of Codex's own form count."""
    if text.startswith("Output:\n") or text == "Output:":
        return "", True
    cut = text.find("\nOutput:\n")
    if cut < 0 and text.endswith("\nOutput:"):
        cut = len(text) - len("\nOutput:")
    if cut >= 0:
        return text[: cut + 1], True
    position = 0
    while _HEADER_LINE.match(text, position):
        newline = text.find("\n", position)
        if newline < 0:
            return text, False
        position = newline + 1
    return text[:position], False


def judge_script(output: Any) -> Outcome:
    """Return what the output of ``exec``, the tool that runs a script, says of the script itself (D-cx1)."""
    if isinstance(output, str):
        return judge_text(output)
    texts = [as_text(as_object(part).get("text")) for part in as_list(output)]
    printed = texts[1:] if texts and texts[0].startswith(("Script completed", "Script failed")) else texts
    result = "\n".join(printed)
    if texts and texts[0].startswith("Script failed"):
        return _judge_script_error(result)
    for text in printed:
        record = parse_line(text.encode("utf-8", "replace")) if text.startswith("{") else None
        exit_code = record.get("exit_code") if record and "chunk_id" in record else None
        if type(exit_code) is int and exit_code:
            return Outcome("error", exit_code, as_text((record or {}).get("output")) or result)
    return Outcome("ok", None, result)


def _judge_script_error(result: str) -> Outcome:
    reason = result.removeprefix("Script error:\n")
    outcome = judge_text(reason)
    return outcome if outcome.status in ("denied", "interrupted") else Outcome("error", None, reason)


def folder_of_item(item: dict[str, Any]) -> str:
    """Return the folder that a command ran in, which the item gives as a path or a ``file:`` URL."""
    cwd = as_text(item.get("cwd"))
    return as_folder(unquote(urlsplit(cwd).path)) if cwd.startswith("file://") else as_folder(cwd)
