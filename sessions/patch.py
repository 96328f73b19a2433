"""Codex's patches as edits: the text that ``apply_patch`` takes, and the changes that a ``FileChange`` item lists."""

import os
from typing import Any

from .entry import Edit
from .values import as_object, as_text

_FILE_LINES = {"*** Add File: ": "add", "*** Update File: ": "update", "*** Delete File: ": "delete"}


def edits_of_patch(patch: str, cwd: str) -> tuple[Edit, ...]:
    """Return what *patch* changes, one edit a file; relative paths lie in *cwd*.

    ``before`` and ``after`` hold the lines of all hunks, context included; for a deleted file ``after`` is empty.
    """
    edits: list[Edit] = []
    verb, path, lines = "", "", list[str]()
    for line in [*patch.split("\n"), "*** End Patch"]:
        opening = next((start for start in _FILE_LINES if line.startswith(start)), "")
        if not opening and not line.startswith("*** End Patch"):
            lines.append(line)
            continue
        if verb:
            edits.append(_edit(verb, os.path.join(cwd, path), lines))
        verb, path, lines = _FILE_LINES.get(opening, ""), line[len(opening) :].strip(), []
    return tuple(edits)


def edits_of_changes(changes: Any) -> tuple[Edit, ...]:
    """Return the edits of a ``FileChange`` item's ``changes``: path → ``type`` and ``content`` or ``unified_diff``."""
    edits: list[Edit] = []
    for path, value in as_object(changes).items():
        change = as_object(value)
        if change.get("type") == "add":
            edits.append(Edit(path, None, as_text(change.get("content"))))
        else:
            lines = as_text(change.get("unified_diff")).split("\n")
            edits.append(_edit(as_text(change.get("type")), path, lines))
    return tuple(edits)


def _edit(verb: str, path: str, lines: list[str]) -> Edit:
    body = [line for line in lines if line[:1] in ("+", "-", " ") and not line.startswith(("+++ ", "--- "))]
    after = "\n".join(line[1:] for line in body if line[0] in "+ ")
    before = "\n".join(line[1:] for line in body if line[0] in "- ")
    return Edit(path, None if verb == "add" else before, "" if verb == "delete" else after)
