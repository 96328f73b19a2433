"""A change of a settings file as a person sees it before it is made; nothing in it can steer the terminal."""

import difflib
from pathlib import Path

from ..core.escape import show_text


def diff_settings(path: Path, before: bytes | None, after: bytes | None) -> str:
    """Return the unified diff of a settings file, safe to print; ``""`` when nothing changes."""
    old, new = (_split_lines(data) for data in (before, after))
    lines = difflib.unified_diff(
        old,
        new,
        str(path) if before is not None else "/dev/null",
        str(path) if after is not None else "/dev/null",
        lineterm="",
    )
    return "\n".join(show_text(line.removesuffix("\r")) for line in lines)


def _split_lines(data: bytes | None) -> list[str]:
    """Return the lines; a last one without its line end is marked, as ``diff`` does."""
    lines = (data or b"").decode(errors="replace").split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]
