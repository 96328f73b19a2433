"""A log of an odd shape: read through ruamel.yaml, and added to in the least intrusive way that can be proved right.

Cold. Each candidate for the new text is read back; the first that holds all old entries unchanged, then the new ones,
is taken: text behind the end, text before the next key, and only then ruamel's own rewriting, which keeps comments and
order.
"""

import io
from collections.abc import Callable, Iterator
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from .log import KEY_MARK, NEW_INDENT, Entry, Scan

_LIST = "corrections"


class UnreadableError(OSError):
    """The file is no YAML, or holds no list ``corrections``: it is left alone, the words wait, doctor tells."""


def read_yaml(text: str) -> dict[str, Any]:
    """Return the mapping that *text* holds, an empty one for an empty file.

    Raises:
        UnreadableError: it is not one mapping with a list (or nothing) under ``corrections``.
    """
    try:
        data = _loader("safe").load(text.removeprefix("\ufeff"))
    except (YAMLError, ValueError, RecursionError) as error:
        raise UnreadableError(f"the log is not valid YAML: {str(error).splitlines()[0]}") from None
    if data is None:
        return {}
    if not isinstance(data, dict) or not isinstance(cast("dict[Any, Any]", data).get(_LIST, []), list | None):
        raise UnreadableError("the log holds no list named corrections")
    return cast("dict[str, Any]", data)


def entries_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entries; what stands in the list and is none is left out."""
    entries: list[Any] = data.get(_LIST) or []
    return [entry for entry in entries if isinstance(entry, dict)]


def scan_odd(text: str) -> Scan:
    """Return what the index needs of a log of any shape.

    Raises:
        UnreadableError: see :func:`read_yaml`.
    """
    found = Scan()
    data = read_yaml(text)
    found.has_list = _LIST in data
    keys = _keys_by_id(text)
    for fields in entries_of(data):
        ident = str(fields.get("id", ""))
        entry = Entry(ident, keys.get(ident, ""))
        entry.severity, entry.category = str(fields.get("severity")), str(fields.get("category"))
        found.entries.append(entry)
    return found


def add_entries(text: str, render: Callable[[str], str], idents: list[str]) -> tuple[str, bool]:
    """Return *text* with new entries at the end of its list, and whether they are also at the end of the text.

    Args:
        render: the new entries' text for a given indentation of their dashes.
        idents: their ids, by which they are recognised when the result is read back.

    Raises:
        UnreadableError: no way was found that keeps what is there.
    """
    before = read_yaml(text)
    for candidate, is_at_end in _candidates(text, render, before):
        if _holds(candidate, before, idents):
            return candidate, is_at_end
    raise UnreadableError("no entry can be added to the log without changing what is there")


def can_append(text: str, indent: str) -> bool:
    """Whether an entry put behind the end of *text* is the last of its list."""
    probe = f'{indent}- id: "probe"\n'
    return text.endswith("\n") and _holds(text + probe, read_yaml(text), ["probe"])


def _holds(candidate: str, before: dict[str, Any], idents: list[str]) -> bool:
    try:
        after = read_yaml(candidate)
    except UnreadableError:
        return False
    old: list[Any] = before.get(_LIST) or []
    new: list[Any] = after.get(_LIST) or []
    added = [cast("dict[str, Any]", entry).get("id") for entry in new[len(old) :] if isinstance(entry, dict)]
    return new[: len(old)] == old and added == idents and {**after, _LIST: None} == {**before, _LIST: None}


def _candidates(text: str, render: Callable[[str], str], before: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    end = "\r\n" if "\r\n" in text else "\n"
    for start in _starts(text, before, end):
        whole = start if not start or start.endswith("\n") else start + end
        tree = load_tree(whole)
        node = tree.get(_LIST) if tree else None
        entries = render(" " * node.lc.col if node else NEW_INDENT).replace("\n", end)
        yield whole + ("" if _LIST in before else f"{_LIST}:{end}") + entries, True
        if tree and _LIST in tree:
            lines = whole.splitlines(keepends=True)
            at = _line_behind(tree, lines)
            yield "".join([*lines[:at], entries, *lines[at:]]), False


def _starts(text: str, before: dict[str, Any], end: str) -> Iterator[str]:
    """Yield the text as it is, then with a list that entries can follow: opened when empty, else in block style."""
    yield text
    if not before.get(_LIST):
        lines = text.splitlines(keepends=True)
        yield "".join([_opened(line, end) if line.lstrip("\ufeff").startswith(f"{_LIST}:") else line for line in lines])
        return
    tree = load_tree(text)
    tree[_LIST].fa.set_block_style()
    yield write_tree(tree, text)


def _opened(line: str, end: str) -> str:
    """Return ``corrections: []`` without its value, with its comment."""
    comment = line.find(" #")
    return f"{_LIST}:" + (line[comment:] if comment >= 0 else end)


def load_tree(text: str) -> Any:
    """Return the text as ruamel's tree, which keeps comments, order and quotes."""
    return _round_trip().load(text.removeprefix("\ufeff"))


def write_tree(tree: Any, text: str) -> str:
    """Return the text of a changed tree of *text*."""
    stream = io.StringIO()
    _round_trip().dump(tree, stream)
    return ("\ufeff" if text.startswith("\ufeff") else "") + stream.getvalue()


def _loader(kind: str) -> Any:  # ruamel.yaml tells type checkers little
    return YAML(typ=kind, pure=True)


def _round_trip() -> Any:
    yaml = _loader("rt")
    yaml.preserve_quotes = True
    yaml.width = 1 << 30
    return yaml


def _line_behind(tree: Any, lines: list[str]) -> int:
    """Return the line before which the list ends: the next key, or the comments and blank lines above it."""
    start = tree.lc.data[_LIST][0]
    at = min([place[0] for place in tree.lc.data.values() if place[0] > start], default=len(lines))
    while at > start + 1 and (not lines[at - 1].strip() or lines[at - 1].startswith("#")):
        at -= 1
    return at


def _keys_by_id(text: str) -> dict[str, str]:
    """Return the key of the comment line above each entry that has one."""
    keys: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith(KEY_MARK):
            key = bare[len(KEY_MARK) :]
        elif key and bare.startswith("- id:"):
            keys[bare[5:].strip(" \"'")] = key
            key = ""
    return keys
