"""Edits of a JSON text that leave every other byte alone, in the file's own layout."""

import json
import re
from typing import Any, NamedTuple

from .jsonspans import BOM, Item, Node, parse_spans

_FIRST_INDENT = re.compile(r"\n([ \t]+)\S")


class Style(NamedTuple):
    """How a file is laid out.

    Attributes:
        newline: ``"\\r\\n"`` or ``"\\n"``.
        unit: one step of indentation; ``None``: all on one line.
        colon, comma: with the space after them that the file has.
    """

    newline: str
    unit: str | None
    colon: str
    comma: str


def find_style(text: str, root: Node) -> Style:
    """Return the layout of a file; a file with nothing in it gets two spaces and a space after each colon."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not root.items:
        return Style(newline, "  ", ": ", ", ")
    body = text[root.start : root.end]
    indent = _FIRST_INDENT.search(body)
    first = root.items[0]
    airy = first.key is None or text[first.value.start - 1] != ":"
    unit = (indent[1] if indent else "  ") if "\n" in body else None
    return Style(newline, unit, ": " if airy else ":", ", " if airy else ",")


def render(value: Any, style: Style, indent: str | None) -> str:
    """Return *value* as JSON: on one line, or over several whose later ones begin with *indent*."""
    if indent is None or style.unit is None:
        return json.dumps(value, ensure_ascii=False, separators=(style.comma, style.colon))
    lines = json.dumps(value, ensure_ascii=False, indent=style.unit, separators=(",", style.colon)).split("\n")
    return (style.newline + indent).join(lines)


def render_file(value: Any, text: str = "") -> str:
    """Return a new file; of *text*, which has no value in it, only the byte order mark stays."""
    return (BOM if text.startswith(BOM) else "") + json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def insert_last(text: str, box: Node, value: Any, key: str | None = None) -> str:
    """Return *text* with *value* as the last member (when *key* is given) or item of *box*."""
    style = find_style(text, parse_spans(text))
    indent = _find_item_indent(text, box, style)
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
    body = label + render(value, style, indent)
    if box.items:
        lead = style.comma if indent is None else "," + style.newline + indent
        at = box.items[-1].end
        return text[:at] + lead + body + text[at:]
    if indent is None:
        return text[: box.start + 1] + body + text[box.end - 1 :]
    outer = _find_line_indent(text, box.start)
    return text[: box.start + 1] + style.newline + indent + body + style.newline + outer + text[box.end - 1 :]


def remove_item(text: str, box: Node, index: int) -> str:
    """Return *text* without one member or item of *box*; of the last one nothing stays between the brackets."""
    items = box.items
    if len(items) == 1:
        return text[: box.start + 1] + text[box.end - 1 :]
    if index == len(items) - 1:
        return text[: items[index - 1].end] + text[items[index].end :]
    return text[: items[index].start] + text[items[index + 1].start :]


def remove_key(text: str, box: Node, key: str) -> str:
    """Return *text* without the member *key*, which *box* has."""
    return remove_item(text, box, [item.key for item in box.items].index(key))


def replace_value(text: str, node: Node, value: Any) -> str:
    """Return *text* with another scalar in the place of *node*."""
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def _find_item_indent(text: str, box: Node, style: Style) -> str | None:
    """Return what stands before an item on its line; ``None`` where items follow each other on one line."""
    if box.items:
        return _find_own_line_indent(text, box, box.items[0])
    return None if style.unit is None else _find_line_indent(text, box.start) + style.unit


def _find_own_line_indent(text: str, box: Node, first: Item) -> str | None:
    gap = text[box.start + 1 : first.start]
    return gap.rpartition("\n")[2] if "\n" in gap else None


def _find_line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
