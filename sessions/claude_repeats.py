"""Which calls failed, and whether a later one may repeat one of them: told by its first bytes where these suffice."""

import re
from collections.abc import Iterator
from typing import Any

from .values import arguments_key

_PIECE = 160  # bytes of a later call, from its tool's name on

# A call's first one or two arguments that are texts, each up to its first character that JSON may escape.
_PLAIN = rb'"[ !#-\[\]-~]*"?'
_OPENING = re.compile(rb'(([^"\\]+)","input":\{"([^"\\]+)":%b)(?:,"[^"\\]+":%b)?' % (_PLAIN, _PLAIN))
_PLAIN_TEXT = re.compile(r"[ !#-\[\]-~]*")


class FailedCalls:
    """The calls of a session that failed, by what makes two calls the same."""

    def __init__(self) -> None:
        self._keys: set[tuple[str, bytes]] = set()
        self._tools: set[bytes] = set()
        self._with_command: set[bytes] = set()
        self._openings: set[bytes] = set()

    def __bool__(self) -> bool:
        return bool(self._keys)

    def add(self, tool: str, arguments: dict[str, Any]) -> None:
        """Take a call that failed."""
        key = (tool, arguments_key(arguments))
        if key in self._keys:
            return
        self._keys.add(key)
        name = _encode(tool)
        self._tools.add(name)
        if isinstance(command := arguments.get("command"), str) and command:
            self._with_command.add(name)
            arguments = {"command": command}
        self._openings.update(opening[:_PIECE] for opening in _iter_openings(name, arguments))

    def has(self, tool: str, arguments: dict[str, Any]) -> bool:
        """Whether a call repeats one that failed."""
        return (tool, arguments_key(arguments)) in self._keys

    def may_have(self, block: bytes, place: int) -> bool:
        """Whether a call may repeat one that failed; its tool's name begins at *place* in *block*."""
        found = _OPENING.match(block, place, place + _PIECE)
        if found is None:
            name, quote, _ = block[place : place + _PIECE].partition(b'"')
            return not quote or b"\\" in name or name in self._tools
        first, name, argument = found.groups()
        if argument == b"command":
            return first in self._openings  # the other arguments do not count then
        return found[0] in self._openings or name in self._with_command


def _iter_openings(name: bytes, arguments: dict[str, Any]) -> Iterator[bytes]:
    """Yield how a call with these arguments, in any order, may open."""
    texts = {_encode(first): _quote(value) for first, value in arguments.items() if isinstance(value, str)}
    for first, value in texts.items():
        opening = name + b'","input":{"' + first + b'":' + value
        if first == b"command" or len(texts) < len(arguments) or len(arguments) == 1 or not _is_whole(value):
            yield opening
        for second, other in texts.items():
            if second != first and _is_whole(value):
                more = opening + b',"' + second + b'":'
                yield more + other if len(more) < _PIECE else opening


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # a lone surrogate becomes ``?``


def _quote(value: str) -> bytes:
    """Return *value* as JSON up to the first character that may be escaped."""
    found = _PLAIN_TEXT.match(value, 0, _PIECE)
    plain = found[0] if found else ""
    return b'"' + plain.encode() + (b'"' if len(plain) == len(value) else b"")


def _is_whole(quoted: bytes) -> bool:
    return len(quoted) > 1 and quoted.endswith(b'"')
