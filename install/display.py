"""Text from outside on a terminal: nothing in it moves the cursor, colours or turns the writing around."""

import difflib
import re
from pathlib import Path

# C0 and C1 controls but line end and tab, and the characters that change the direction of writing or hide
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def escape(text: str) -> str:
    """Return *text* with every control, direction and invisible character spelled out, as ``\\x1b`` or ``\\u202e``."""
    return _UNSAFE.sub(_spell, text)


def escape_line(text: str) -> str:
    """Return *text* as one safe line."""
    return escape(text.replace("\n", "\\n").replace("\t", " "))


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
    return "\n".join(escape(line.removesuffix("\r")) for line in lines)


def _split_lines(data: bytes | None) -> list[str]:
    """Return the lines; a last one without its line end is marked, as ``diff`` does."""
    lines = (data or b"").decode(errors="replace").split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
