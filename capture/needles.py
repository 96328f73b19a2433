"""What must stand in a text for a pattern to match, read from the pattern: so most patterns are never tried.

Cold: runs once, when the tables are prepared. A pattern's needles are sets of literals; a text that lacks every
literal of one set cannot match.
"""

import re
from typing import Any

_parser: Any
try:
    from re import _parser  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
except ImportError:  # before 3.11
    import sre_parse as _parser

_MOST = 40  # literals in a set; more would cost what the pattern costs
_KEPT = 2  # sets of a pattern; the fewest and longest literals tell most
Needles = tuple[tuple[str, ...], ...]


def find_needles(pattern: str) -> tuple[Needles, bool]:
    """Return the needles of *pattern*, and whether they are to be sought in the text's lower case."""
    tree = _parser.parse(pattern, 0)
    is_blind = bool(tree.state.flags & re.IGNORECASE)
    found = [tuple(sorted(need)) for need in _needs_of(list(tree), is_blind)]
    found.sort(key=lambda need: (len(need), -min(map(len, need))))
    return tuple(found[:_KEPT]), is_blind


def _needs_of(items: list[Any], is_blind: bool) -> list[set[str]]:
    """Return the sets that a sequence of parsed items asks for, one for each stretch that cannot be skipped."""
    needs: list[set[str]] = []
    run = ""
    for operator, argument in items:
        name = str(operator)
        if name == "LITERAL":
            run += chr(argument)
            continue
        needs += _literal(run, is_blind)
        run = ""
        need = _inner_need(name, argument, is_blind)
        needs += need
    needs += _literal(run, is_blind)
    return [need for need in needs if len(need) <= _MOST]


def _literal(run: str, is_blind: bool) -> list[set[str]]:
    """Return a run of characters as a need; in lower case only where that keeps its length and meaning."""
    run = run.lower() if is_blind else run
    return [{run}] if len(run.strip()) > 1 or (run and not run.isascii()) else []


def _inner_need(name: str, argument: Any, is_blind: bool) -> list[set[str]]:
    if name == "SUBPATTERN":
        return _needs_of(list(argument[3]), is_blind)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] > 0:
        return _needs_of(list(argument[2]), is_blind)
    if name == "BRANCH":
        return _branch_need(argument[1], is_blind)
    return []


def _branch_need(branches: list[Any], is_blind: bool) -> list[set[str]]:
    """Any of the branches will do: their most telling needs together, if each has one."""
    together: set[str] = set()
    for branch in branches:
        needs = _needs_of(list(branch), is_blind)
        if not needs:
            return []
        together |= max(needs, key=lambda need: (min(map(len, need)), -len(need)))
    return [together]
