"""Friction that nobody said: a skill's description fell short and cost extra effort (R-7 to R-9, X-53).

Two of the three kinds show in a log: an operation that failed again and again before it went through, and a person who
urged while the work went on and got done. The third, guessing, only the agent knows.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..sessions.entry import Call, Entry

MIN_REPEATS = 2  # failures of one operation before it went through

_SUBCOMMAND_OF = frozenset(
    {"git", "npm", "pnpm", "yarn", "cargo", "go", "docker", "pip", "uv", "make", "python", "python3"}
)


class Friction(NamedTuple):
    """One operation that went through only after failing, in the entry that went through."""

    entry: Entry
    operation: str
    failures: int


def find_repeated(entries: Sequence[Entry]) -> list[Friction]:
    """Return the operations among *entries* (in the order of the log) that failed at least twice and then succeeded.

    A denied or interrupted call is the person's act and no failure.
    """
    failures: dict[str, int] = {}
    found: list[Friction] = []
    for entry in entries:
        if entry.call is None or entry.kind == "skill_call":
            continue
        operation = name_operation(entry.call)
        if entry.call.status == "error":
            failures[operation] = failures.get(operation, 0) + 1
        elif entry.call.status == "ok":
            if failures.get(operation, 0) >= MIN_REPEATS:
                found.append(Friction(entry, operation, failures[operation]))
            failures.pop(operation, None)
    return found


def name_operation(call: Call) -> str:
    """Return what kind of operation a call is: its tool with the program, or with the file that it works on."""
    if call.command:
        words = call.command.split()
        count = 2 if words and words[0] in _SUBCOMMAND_OF else 1
        return " ".join([call.tool, *words[:count]])
    for name in ("file_path", "notebook_path", "path"):
        if isinstance(value := call.input.get(name), str):
            return f"{call.tool} {value}"
    return call.tool


def is_finished_after(entries: Sequence[Entry], idx: int) -> bool:
    """Whether the work that a person urged at *idx* got done: the agent answered, and nobody stopped it (X-53).

    The next turn of the person, if there is one already, must not be an interrupt; that it is no correction either,
    the caller knows.
    """
    for entry in entries[idx + 1 :]:
        if entry.kind == "interrupt":
            return False
        if entry.kind == "prompt":
            break
    return any(entry.kind == "assistant_text" for entry in entries[idx + 1 :])
