"""Regular expressions compiled ahead of time: ``freeze`` at install, ``thaw`` in the hook.

Importing ``re`` and compiling the rules costs more than a whole idle start of Python; handing the finished machine
code to ``_sre.compile`` costs microseconds a pattern. This module is the only place that knows of the trick: whoever
thaws gets an ordinary ``re.Pattern``. Code made by another version of the engine is never run: then the pattern's
own source is compiled by ``re``, slower and with the same answer.

A thawed pattern's ``sub`` must be given a function or a text without a backslash; a template makes it import ``re``.
"""

import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable
    from typing import Any

    _sre: Any = None  # has no type stub
else:
    import _sre

# the engine whose code this interpreter can run
ENGINE = f"{sys.implementation.cache_tag} {_sre.MAGIC} {_sre.CODESIZE} {sys.byteorder}"


def freeze(sources: "Iterable[tuple[str, int]]") -> "dict[str, Any]":
    """Compile *sources*, pairs of a pattern and ``re`` flags; the cold half, for install and tests.

    Returns:
        ``engine`` and ``rows``, one a source: pattern, flags as given, flags as compiled, code (an array of machine
        words as bytes), number of groups, names of the groups, the groups' names by number. All of it can be
        marshalled.
    """
    return {"engine": ENGINE, "rows": [_freeze_row(pattern, int(flags)) for pattern, flags in sources]}


def _freeze_row(pattern: str, flags: int) -> "tuple[Any, ...]":
    from array import array
    from importlib import import_module

    before_311 = sys.version_info < (3, 11)
    parser: Any = import_module("sre_parse" if before_311 else "re._parser")
    compiler: Any = import_module("sre_compile" if before_311 else "re._compiler")

    tree: Any = parser.parse(pattern, flags)
    code: list[int] = compiler._code(tree, flags)
    by_number: list[str | None] = [None] * tree.state.groups
    for name, number in tree.state.groupdict.items():
        by_number[number] = name
    words = array("I", code).tobytes()
    groups, names = tree.state.groups - 1, dict(tree.state.groupdict)
    return pattern, flags, flags | tree.state.flags, words, groups, names, tuple(by_number)


def pack(frozen: "dict[str, Any]") -> "dict[str, Any]":
    """Return the same with each row marshalled: for tables of which a call thaws few."""
    return {**frozen, "rows": [marshal.dumps(row) for row in frozen["rows"]]}


def thaw(frozen: "dict[str, Any]", number: int) -> "re.Pattern[str]":
    """Return row *number* of what ``freeze`` or ``pack`` returned as a compiled pattern; ``rows`` may read them too."""
    rows: Any = frozen["rows"]
    row: Any = rows(number) if callable(rows) else rows[number]
    return thaw_row(marshal.loads(row) if isinstance(row, bytes) else row, frozen["engine"])


def thaw_row(row: "tuple[Any, ...]", engine: str) -> "re.Pattern[str]":
    """Return one unpacked row, which *engine* made, as a compiled pattern."""
    pattern, flags, full_flags, words, groups, names, by_number = row
    if engine == ENGINE:
        try:
            code: list[int] = memoryview(words).cast("I").tolist()
            return _sre.compile(pattern, full_flags, code, groups, names, by_number)
        except (RuntimeError, TypeError, ValueError, OverflowError):
            pass  # an engine that calls itself the same and is not
    import re

    return re.compile(pattern, flags)
