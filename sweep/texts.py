"""The words behind ids: read from a project's ``.knowledge``, where they are kept and can be forgotten."""

import os
from collections.abc import Collection, Iterator
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..core.append import open_regular

CORRECTIONS = os.path.join(".knowledge", "corrections")
NOTEBOOK = os.path.join(".knowledge", "learnings", "index.md")

_NOTEBOOK_CHARACTERS = 16 << 20


def read_corrections(folder: str, wanted: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the entries of *wanted* ids in the log below *folder*; missing and unreadable ones are left out.

    Only the wanted entries are parsed: the log may hold a hundred thousand, a page shows a few.
    """
    found: dict[str, dict[str, Any]] = {}
    try:
        fd = open_regular(os.path.join(folder, CORRECTIONS, "log.yaml"), os.O_RDONLY)
    except (OSError, ValueError):
        return found
    with os.fdopen(fd, encoding="utf-8", errors="replace") as file:
        for block in _cut_blocks(file):
            if any(name in block for name in wanted):
                for entry in _parse_block(block):
                    if (ident := entry.get("id")) in wanted:
                        found[str(ident)] = entry
    return found


def read_notebook(folder: str) -> str:
    """Return the learnings of ``.knowledge`` below *folder*; ``""`` when they are missing, a link or no file."""
    try:
        fd = open_regular(os.path.join(folder, NOTEBOOK), os.O_RDONLY)
    except (OSError, ValueError):
        return ""
    with os.fdopen(fd, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read(_NOTEBOOK_CHARACTERS)


def _cut_blocks(lines: Iterator[str]) -> Iterator[str]:
    """Yield the list's items as text, each from its dash to the next."""
    block: list[str] = []
    for line in lines:
        if line.lstrip(" ").startswith("- ") and len(line) - len(line.lstrip(" ")) <= 2:
            if block:
                yield "".join(block)
            block = [line]
        elif block:
            block.append(line)
    if block:
        yield "".join(block)


def _parse_block(block: str) -> list[dict[str, Any]]:
    try:
        loaded: object = YAML(typ="safe", pure=True).load(block)  # pyright: ignore[reportUnknownMemberType]
    except (YAMLError, ValueError):
        return []
    items = cast("list[object]", loaded) if isinstance(loaded, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]
