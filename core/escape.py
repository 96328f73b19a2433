"""Make text from outside harmless on a terminal: whatever steers it or reorders the line is shown as an escape."""

import unicodedata

# What turns the reading direction or hides: bidirectional marks, line and paragraph separators, the byte order mark,
# invisible fillers and tag characters. The joiners stay: scripts and emoji need them.
_HIDDEN = frozenset(
    (
        *(0x061C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x3164, 0xFEFF, 0xFFA0),
        *range(0x2028, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0080),
    )
)


def show_line(text: str) -> str:
    r"""Return *text* as one line: a newline as ``\n``, what steers or hides as ``\x1b``, ``\u202e``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_show, text))


def show_text(text: str) -> str:
    """Return *text* with its newlines and tabs, and all else as ``show_line`` shows it."""
    return "".join(map(_show_or_keep, text))


def _show_or_keep(character: str) -> str:
    return character if character in "\n\t" else _show(character)


def _show(character: str) -> str:
    code = ord(character)
    if character in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[character]
    if code not in _HIDDEN and unicodedata.category(character) not in ("Cc", "Cs"):
        return character
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
