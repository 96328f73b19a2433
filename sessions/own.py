"""Is a call one of Tellback's own? Such a failure is rarely friction about the project (S-177). Pure."""

import re

_NAME = "tellback"
_SEPARATORS = re.compile(r"\|\||&&|[;|&\n(){}]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|\S*)\s*")
_WRAPPERS = frozenset({"env", "exec", "sudo", "command", "time"})
_LONGEST = 16_384  # characters of a command that are looked at


def is_own_call(tool: str, command: str) -> bool:
    """Whether the tool's name contains Tellback's, or a segment of the shell *command* runs it."""
    if _NAME in tool.lower():
        return True
    if _NAME not in command:
        return False
    return any(_first_word(segment) == _NAME for segment in _SEPARATORS.split(command[:_LONGEST]))


def _first_word(segment: str) -> str:
    """Return the program's name of one segment, after assignments and wrapping commands."""
    rest = segment.strip()
    while rest:
        if assignment := _ASSIGNMENT.match(rest):
            rest = rest[assignment.end() :]
            continue
        word, _, rest = rest.partition(" ")
        if word in _WRAPPERS:
            rest = rest.lstrip()
            continue
        return re.split(r"[/\\]", word.strip("'\""))[-1].removesuffix(".exe")
    return ""
