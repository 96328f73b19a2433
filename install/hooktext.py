"""Our hooks in the text of a harness's file: find them, add them, take exactly them out again.

Pure: text in, text out. A file that cannot be parsed, or whose ``hooks`` are not what the harness documents, is an
error and never a guess.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .harness import Harness
from .jsonedit import insert_last, remove_item, remove_key, render_file, replace_value
from .jsonspans import JsonError, Node, load_value, parse_spans

IsOurs = Callable[[str], bool]


class Found(NamedTuple):
    """One hook of ours: ``hooks.<event>`` item *at*, and for grouped harnesses hook *inner* of that group."""

    event: str
    at: int
    inner: int | None
    command: str
    timeout: float | None


class Edited(NamedTuple):
    """A changed text and the containers that the change had to make (``hooks``, ``hooks.Stop``, ``version``)."""

    text: str
    made: tuple[str, ...]


def is_blank(text: str) -> bool:
    """Whether a file holds nothing but white space and a byte order mark."""
    return not text.strip("\ufeff \t\r\n")


def find_hooks(text: str, harness: Harness, is_ours: IsOurs) -> list[Found]:
    """Return every hook of ours, of whatever event, in the order of the file.

    Raises:
        JsonError: the text is not strict JSON, or not an object.
    """
    if is_blank(text):
        return []
    root = _parse_root(text)
    hooks = root.get("hooks")
    found: list[Found] = []
    for event in hooks.items if hooks and hooks.kind == "object" else ():
        for at, item in enumerate(event.value.items if event.value.kind == "array" else ()):
            for inner, node in _list_hooks(item.value, harness):
                command = _load_member(text, node, "command")
                if isinstance(command, str) and is_ours(command):
                    timeout = _load_member(text, node, "timeout")
                    seconds = timeout if isinstance(timeout, (int, float)) else None
                    found.append(Found(event.key or "", at, inner, command, seconds))
    return found


def add_hooks(text: str, harness: Harness, command: str, is_ours: IsOurs) -> Edited:
    """Return *text* with *command* registered exactly once for each event of *harness*, and nowhere else.

    Hooks of ours with another command (an interpreter that moved, a former version) are re-pointed in place.

    Raises:
        JsonError: the text is not strict JSON, or ``hooks`` or one of our events has the wrong type.
    """
    made: list[str] = []
    if is_blank(text):
        text = render_file({**harness.preset, "hooks": {}}, text)
        made += [*harness.preset, "hooks"]
    _check_shape(text, harness)
    text = _drop_surplus(text, harness, is_ours)
    for found in find_hooks(text, harness, is_ours):
        if found.command != command:
            node = _find_hook_node(parse_spans(text), found).get("command")
            text = replace_value(text, node, command) if node else text
    for event in harness.events:
        if all(found.event != event for found in find_hooks(text, harness, is_ours)):
            text = _add_hook(text, harness, event, command, made)
    return Edited(text, tuple(made))


def remove_hooks(text: str, harness: Harness, is_ours: IsOurs, made: tuple[str, ...] | None) -> str:
    """Return *text* without our hooks and the groups that held nothing else.

    Args:
        made: the containers that install made, removed when nothing else is in them; ``None``: not known, and every
            container of our hooks that is empty afterwards goes.
    """
    touched: list[str] = []
    while found := find_hooks(text, harness, is_ours):
        text = _remove_hook(text, found[0])
        touched.append(f"hooks.{found[0].event}")
    goes = {*touched, "hooks", *harness.preset} if made is None else set(made)
    if not touched and not made:
        return text
    text = _drop_empty(text, goes)
    # Where hooks stand that somebody wrote into our file, they need what the file got with it.
    is_needed = parse_spans(text).get("hooks") is not None and (made is None or "hooks" in made)
    return text if is_needed else _drop_preset(text, goes, harness)


def is_switched_off(text: str, harness: Harness) -> bool:
    """Whether a file of the harness turns every hook off."""
    if not harness.off_switch or is_blank(text):
        return False
    return _load_member(text, parse_spans(text), harness.off_switch) is True


def _parse_root(text: str) -> Node:
    root = parse_spans(text)
    if root.kind != "object":
        raise JsonError("it holds no object", text, root.start)
    return root


def _check_shape(text: str, harness: Harness) -> None:
    """Refuse what the harness does not document where our hooks must go."""
    hooks = _parse_root(text).get("hooks")
    if hooks is None:
        return
    if hooks.kind != "object":
        raise JsonError('"hooks" is no object', text, hooks.start)
    for event in harness.events:
        node = hooks.get(event)
        if node is not None and node.kind != "array":
            raise JsonError(f'"hooks.{event}" is no array', text, node.start)


def _list_hooks(item: Node, harness: Harness) -> Iterator[tuple[int | None, Node]]:
    """Yield the hooks in one item of an event, each with its index in the item's group."""
    if not harness.is_grouped:
        yield None, item
        return
    group = item.get("hooks")
    for inner, hook in enumerate(group.items if group and group.kind == "array" else ()):
        yield inner, hook.value


def _load_member(text: str, node: Node, key: str) -> Any:
    member = node.get(key)
    return load_value(text, member) if member is not None and member.kind == "scalar" else None


def _drop_surplus(text: str, harness: Harness, is_ours: IsOurs) -> str:
    """Take out our hooks on events that are not ours (any more) and the second and later ones on one event."""
    while True:
        seen: set[str] = set()
        for found in find_hooks(text, harness, is_ours):
            if found.event not in harness.events or found.event in seen:
                text = _remove_hook(text, found)
                break
            seen.add(found.event)
        else:
            return text


def _find_array(root: Node, event: str) -> Node:
    hooks = root.get("hooks")
    array = hooks.get(event) if hooks else None
    if array is None:
        raise LookupError(event)
    return array


def _find_hook_node(root: Node, found: Found) -> Node:
    item = _find_array(root, found.event).items[found.at].value
    group = item.get("hooks")
    return item if found.inner is None or group is None else group.items[found.inner].value


def _add_hook(text: str, harness: Harness, event: str, command: str, made: list[str]) -> str:
    for key, value in harness.preset.items():
        root = parse_spans(text)
        if root.get(key) is None:
            text = insert_last(text, root, value, key)
            made.append(key)
    hook = {**harness.members, "command": command, "timeout": harness.events[event]}
    item = {"hooks": [hook]} if harness.is_grouped else hook
    root = parse_spans(text)
    hooks = root.get("hooks")
    if hooks is None:
        made += ["hooks", f"hooks.{event}"]
        return insert_last(text, root, {event: [item]}, "hooks")
    array = hooks.get(event)
    if array is None:
        made.append(f"hooks.{event}")
        return insert_last(text, hooks, [item], event)
    return insert_last(text, array, item)


def _remove_hook(text: str, found: Found) -> str:
    """Take one hook out, with its group when that held nothing else."""
    array = _find_array(parse_spans(text), found.event)
    group = array.items[found.at].value.get("hooks")
    if found.inner is not None and group is not None and len(group.items) > 1:
        return remove_item(text, group, found.inner)
    return remove_item(text, array, found.at)


def _drop_empty(text: str, goes: set[str]) -> str:
    """Take out those of the named containers that are empty."""
    hooks = parse_spans(text).get("hooks")
    for event in [item.key or "" for item in hooks.items] if hooks else []:
        hooks = parse_spans(text).get("hooks")
        array = hooks.get(event) if hooks else None
        if hooks and array and array.kind == "array" and not array.items and f"hooks.{event}" in goes:
            text = remove_key(text, hooks, event)
    root = parse_spans(text)
    hooks = root.get("hooks")
    is_empty = hooks is not None and hooks.kind == "object" and not hooks.items
    return remove_key(text, root, "hooks") if is_empty and "hooks" in goes else text


def _drop_preset(text: str, goes: set[str], harness: Harness) -> str:
    """Take out what a new file got besides the hooks."""
    for key, value in harness.preset.items():
        root = parse_spans(text)
        node = root.get(key)
        if key in goes and node is not None and load_value(text, node) == value:
            text = remove_key(text, root, key)
    return text
