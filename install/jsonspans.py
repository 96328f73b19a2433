"""JSON with positions: where each member and item stands, so that an edit touches nothing else.

Strict JSON only, as Claude Code reads its settings: seen with the real program, one comment or trailing comma makes
it ignore the whole file, while a byte order mark does no harm. Of two equal keys it takes the last; here they are an
error, for an edit could change the one that does not count.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple

BOM = "\ufeff"
MAX_DEPTH = 200  # Python's own stack ends near 1,000; no settings file is a tenth as deep as this

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_CLOSER = {"{": "}", "[": "]"}

Kind = Literal["object", "array", "scalar"]


class JsonError(ValueError):
    """The text is not strict JSON, or has a key twice; *line* and *column* count from 1."""

    def __init__(self, reason: str, text: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line, self.column = find_line_and_column(text, at)


class Item(NamedTuple):
    """A member of an object or an item of an array; ``start`` is that of the key, where there is one."""

    start: int
    key: str | None
    value: "Node"

    @property
    def end(self) -> int:
        return self.value.end


class Node(NamedTuple):
    """One value: ``text[start:end]`` is all of it, brackets included."""

    kind: Kind
    start: int
    end: int
    items: tuple[Item, ...] = ()

    def get(self, key: str) -> "Node | None":
        """Return the value of a member; ``None`` where this is no object or has no such key."""
        return next((item.value for item in self.items if item.key == key), None)


def find_line_and_column(text: str, at: int) -> tuple[int, int]:
    """Return the place of an offset as people count it; a byte order mark is no column."""
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return line, column - 1 if line == 1 and text.startswith(BOM) else column


@lru_cache(maxsize=4)  # each step of an edit asks anew
def parse_spans(text: str) -> Node:
    """Return the positions of everything in a JSON text, which may begin with a byte order mark.

    Raises:
        JsonError: it is not strict JSON, has a key twice in one object or is nested deeper than ``MAX_DEPTH``.
    """
    node = _parse_value(text, _skip_space(text, 1 if text.startswith(BOM) else 0), 0)
    rest = _skip_space(text, node.end)
    if rest < len(text):
        raise JsonError(_name_fault(text, rest, "nothing more"), text, rest)
    return node


def load_value(text: str, node: Node) -> Any:
    """Return the Python value of a parsed node; lone surrogates stay as they are."""
    return json.loads(text[node.start : node.end])


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _parse_value(text: str, at: int, depth: int) -> Node:
    opener = text[at : at + 1]
    if opener in _CLOSER:
        if depth >= MAX_DEPTH:
            raise JsonError(f"nested more than {MAX_DEPTH} deep", text, at)
        items = tuple(_parse_items(text, at, depth))
        end = _skip_space(text, items[-1].end if items else at + 1) + 1
        return Node("object" if opener == "{" else "array", at, end, items)
    match = _STRING.match(text, at) or _SCALAR.match(text, at)
    if match is None:
        raise JsonError(_name_fault(text, at, "a value"), text, at)
    return Node("scalar", at, match.end())


def _parse_items(text: str, opened_at: int, depth: int) -> Iterator[Item]:
    """Yield what stands in an object or array, up to but without its closing bracket."""
    opener = text[opened_at]
    closer = _CLOSER[opener]
    seen: set[str] = set()
    at = _skip_space(text, opened_at + 1)
    if text[at : at + 1] == closer:
        return
    while True:
        item = _parse_member(text, at, depth, seen) if opener == "{" else _parse_item(text, at, depth)
        yield item
        at = _skip_space(text, item.end)
        if text[at : at + 1] == closer:
            return
        if text[at : at + 1] != ",":
            raise JsonError(_name_fault(text, at, f'"," or "{closer}"'), text, at)
        comma_at, at = at, _skip_space(text, at + 1)
        if text[at : at + 1] == closer:
            raise JsonError("a comma with nothing after it", text, comma_at)


def _parse_item(text: str, at: int, depth: int) -> Item:
    return Item(at, None, _parse_value(text, at, depth + 1))


def _parse_member(text: str, at: int, depth: int, seen: set[str]) -> Item:
    match = _STRING.match(text, at)
    if match is None:
        raise JsonError(_name_fault(text, at, "a key in double quotes"), text, at)
    key: str = json.loads(match[0])
    if key in seen:
        raise JsonError(f"the key {match[0]} is there twice", text, at)
    seen.add(key)
    colon_at = _skip_space(text, match.end())
    if text[colon_at : colon_at + 1] != ":":
        raise JsonError(_name_fault(text, colon_at, '":"'), text, colon_at)
    return Item(at, key, _parse_value(text, _skip_space(text, colon_at + 1), depth + 1))


def _name_fault(text: str, at: int, wanted: str) -> str:
    if at >= len(text):
        return f"it ends where {wanted} should stand"
    if text.startswith(("//", "/*"), at):
        return "a comment, which JSON does not know"
    return f"expected {wanted}, found {json.dumps(text[at])}"
