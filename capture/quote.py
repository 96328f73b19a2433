"""Somebody's words as one line: a double-quoted YAML scalar that every reader gives back exactly, or one of Markdown.

Everything that is not printable (line ends, control and bidirectional characters, lone surrogates, unassigned ones)
is escaped, so that a file of words cannot steer a terminal, hide text or break a line.
"""

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN = "\u3000"  # the space of Chinese and Japanese text: not "printable", but nothing else is hidden by it


def quote(text: str | None) -> str:
    """Return *text* in double quotes, ``null`` for ``None``."""
    if text is None:
        return "null"
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join([_escape(c) for c in text]) + '"'


def one_line(text: str) -> str:
    """Return *text* as one Markdown line: runs of white space are one space, the rest unprintable is escaped."""
    text = " ".join(text.split())
    if not text.isprintable():
        text = "".join([c if c.isprintable() else _escape(c) for c in text])
    return text.replace("<!--", "&lt;!--")  # an opened comment would hide what follows it in the file


def _escape(c: str) -> str:
    if c in _SHORT:
        return _SHORT[c]
    if c.isprintable() or c in _PLAIN:
        return c
    code = ord(c)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
