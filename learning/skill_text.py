"""SKILL.md as text: frontmatter and body, and Tellback's own few keys in the frontmatter (L-107).

Nothing is loaded and dumped: a change touches the lines that it is about, so that comments, order, quotes and line
endings of all else stay byte for byte. What came out is parsed and compared before anybody writes it; a file whose
shape does not allow that is refused.
"""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..core.errors import TellbackError
from ..sessions.values import as_object

_FRONTMATTER = re.compile(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)


class Extension(NamedTuple):
    """What Tellback notes in a skill: its version from 1, and when and how often it was refined (ISO 8601, UTC)."""

    version: int = 1
    updated_at: str | None = None
    application_count: int = 0
    last_refined: str | None = None


@dataclass(frozen=True)
class SkillText:
    """A SKILL.md in its parts; the parts joined are the file.

    Attributes:
        opening: the first ``---`` line with a byte order mark if there is one; ``""`` without frontmatter.
        front: the frontmatter's lines.
        closing: the second ``---`` line.
        body: all that follows; what is refined and what drift is measured on.
    """

    opening: str
    front: str
    closing: str
    body: str

    def join(self) -> str:
        """Return the whole file."""
        return self.opening + self.front + self.closing + self.body


def split_skill(text: str) -> SkillText:
    """Split the text of a SKILL.md; one without frontmatter is all body."""
    found = _FRONTMATTER.match(text)
    if found is None:
        return SkillText("", "", "", text)
    return SkillText(found[1], found[2], found[3], text[found.end() :])


def read_extension(skill: SkillText) -> Extension:
    """Return Tellback's keys, from ``metadata.tellback`` or, as written by others, from the top level.

    Raises:
        TellbackError: the frontmatter is no YAML mapping.
    """
    front = load_front(skill.front)
    of = as_object(as_object(front.get("metadata")).get("tellback")) or front
    last_refined = as_object(of.get("learning")).get("lastRefined", of.get("learning.lastRefined"))
    return Extension(
        version=_as_count(of.get("version"), 1),
        updated_at=_as_text(of.get("updatedAt")),
        application_count=_as_count(of.get("applicationCount"), 0),
        last_refined=_as_text(last_refined),
    )


def load_front(front: str) -> dict[str, Any]:
    """Return the frontmatter as plain data; empty when there is none.

    Raises:
        TellbackError: it is no YAML, or no mapping.
    """
    yaml: Any = YAML(typ="safe", pure=True)
    try:
        loaded = yaml.load(front)
    except (YAMLError, ValueError, RecursionError):
        raise TellbackError("the frontmatter of SKILL.md is not valid YAML", hint="fix it there") from None
    if loaded is not None and not isinstance(loaded, dict):
        raise TellbackError("the frontmatter of SKILL.md is no mapping", hint="fix it there")
    return as_object(loaded)


def with_extension(skill: SkillText, extension: Extension) -> SkillText:
    """Return *skill* with Tellback's keys set under ``metadata.tellback`` and all else as it was.

    Raises:
        TellbackError: the frontmatter has a shape in which that cannot be done without touching anything else.
    """
    before = load_front(skill.front)
    newline = "\r\n" if "\r\n" in (skill.front or skill.body) else "\n"
    opening, closing = skill.opening, skill.closing
    if not opening:
        opening = closing = f"---{newline}"
    front = _set_block(skill.front, _format_block(extension, newline), newline)
    changed = SkillText(opening, front, closing, skill.body)
    if not _is_same_but_ours(before, load_front(front)) or read_extension(changed) != extension:
        raise TellbackError(
            "SKILL.md has `metadata` in a form that cannot be edited safely",
            hint="write `metadata:` as an indented block, one key a line",
        )
    return changed


def _format_block(extension: Extension, newline: str) -> list[str]:
    lines = ["tellback:", f"  version: {extension.version}"]
    if extension.updated_at is not None:
        lines.append(f'  updatedAt: "{extension.updated_at}"')
    lines.append(f"  applicationCount: {extension.application_count}")
    if extension.last_refined is not None:
        lines += ["  learning:", f'    lastRefined: "{extension.last_refined}"']
    return [line + newline for line in lines]


def _set_block(front: str, block: list[str], newline: str) -> str:
    """Put *block* below ``metadata:``, in the place of the block of that name; a missing ``metadata`` comes last."""
    lines = front.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline
    at = next((i for i, line in enumerate(lines) if re.match(r"metadata:\s*(?:#.*)?$", line)), None)
    if at is None:
        return "".join([*lines, f"metadata:{newline}", *("  " + line for line in block)])
    end = _find_block_end(lines, at, 0)
    children = [line for line in lines[at + 1 : end] if line.strip() and not line.lstrip().startswith("#")]
    indent = len(children[0]) - len(children[0].lstrip(" ")) if children else 2
    placed = [" " * indent + line for line in block]
    own = next((i for i in range(at + 1, end) if re.match(rf" {{{indent}}}tellback:", lines[i])), None)
    if own is None:
        return "".join(lines[:end] + placed + lines[end:])
    return "".join(lines[:own] + placed + lines[_find_block_end(lines, own, indent) :])


def _find_block_end(lines: list[str], start: int, indent: int) -> int:
    """Return the index after the last line deeper than *indent*; blank lines and comments behind it stay out."""
    end = start + 1
    for i in range(start + 1, len(lines)):
        line = lines[i]
        if not line.strip():
            continue
        if len(line) - len(line.lstrip(" ")) <= indent:
            break
        end = i + 1
    return end


def _is_same_but_ours(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return _without_ours(before) == _without_ours(after) and [key for key in after if key != "metadata"] == [
        key for key in before if key != "metadata"
    ]


def _without_ours(front: dict[str, Any]) -> dict[str, Any]:
    metadata = front.get("metadata")
    rest = {key: value for key, value in front.items() if key != "metadata"}
    if metadata is None or isinstance(metadata, dict):
        metadata = {key: value for key, value in as_object(metadata).items() if key != "tellback"}
    return rest | ({"metadata": metadata} if metadata else {})


def _as_count(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default


def _as_text(value: Any) -> str | None:
    """Return a time as text; unquoted, YAML reads it as a date."""
    if value is None or isinstance(value, (bool, dict, list)):
        return None
    return value if isinstance(value, str) else str(value.isoformat() if hasattr(value, "isoformat") else value)
