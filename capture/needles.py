"""What must stand in a text for a pattern to match, read from the pattern: so most patterns are never tried.

Cold: runs once, when the tables are prepared. A pattern's needles are needs, each of them words and pieces of text; a
text that has none of the words and none of the pieces of one need cannot match. Words cost next to nothing, pieces are
sought one by one, and those that are not ASCII in such texts only.
"""

import re
from collections.abc import Iterable
from typing import Any

_parser: Any
try:
    from re import _parser  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
except ImportError:  # before 3.11
    import sre_parse as _parser

_MOST = 400  # texts of one stretch, and literals in a need
_GROWN = 24  # texts of a stretch that is put together of several; more are sought apart
_KEPT = 2  # needs of a pattern; those of the fewest pieces are kept
_EDGE = "\0"  # in a string: here a word begins or ends
_FEW = 8  # characters of a set that are tried one by one

Need = tuple[bytes, tuple[str, ...], str]  # words, parted by blanks; pieces; pieces not of ASCII, a line each
Strings = set[str]


def find_needles(pattern: str) -> tuple[tuple[Need, ...], bool]:
    """Return the needs of *pattern*, and whether they are to be sought in the text's lower case."""
    tree = _parser.parse(pattern, 0)
    is_blind = bool(tree.state.flags & re.IGNORECASE)
    found = _needs_of(list(tree))
    if is_blind:
        found = [{each.lower() for each in need} for need in found]
    found.sort(key=lambda need: (_weigh(need), -min(map(len, need)), sorted(need)))
    return tuple(_pack(need) for need in found[:_KEPT]), is_blind


def _weigh(need: Strings) -> int:
    """Return what it costs to look for a need, by and large."""
    return sum(1 if each.startswith(_EDGE) else 4 for each in need)


def _pack(need: Strings) -> Need:
    """Part the whole words of a need, which stand between edges, from its pieces."""
    words = sorted(each.strip(_EDGE) for each in need if each.startswith(_EDGE))
    pieces = sorted(each for each in need if not each.startswith(_EDGE))
    wide = "\n".join(each for each in pieces if not each.isascii() and "\n" not in each)
    return " ".join(words).encode(), tuple(each for each in pieces if each not in wide.split("\n")), wide


def _needs_of(items: list[Any]) -> list[Strings]:
    """Return what a sequence of parsed items asks for: one need for each stretch of it that has few possible texts."""
    needs: list[Strings] = []
    run: Strings = {""}
    for item in items:
        strings = _strings_of(item)
        if strings is not None and len(run) * len(strings) <= max(_GROWN, len(run), len(strings)):
            run = {one + other for one in run for other in strings}
            continue
        if strings is not None:
            before = _EDGE if _all_no_word(each[:1] for each in strings) else ""
            after = _EDGE if _all_no_word(each[-1:] for each in run) else ""
            needs += _need_of_run({one + before for one in run})
            run = {after + one for one in strings}
            continue
        before, after = _edges_of(item, run)
        needs += _need_of_run({one + before for one in run})
        needs += _inner_needs(item)
        run = {after}
    return [need for need in needs + _need_of_run(run) if len(need) <= _MOST]


def _need_of_run(run: Strings) -> list[Strings]:
    """Return the need of a stretch: of each of its texts the most telling literal; none when some text has none."""
    literals = {_literal_of(text) for text in run}
    return [] if "" in literals else [literals]


def _literal_of(text: str) -> str:
    """Return a text itself, or when it is one whole word that word between edges, or ``""`` when it tells nothing."""
    bare = text.replace(_EDGE, "")
    words = re.findall(r"\w+", text)
    is_bare = text.isascii() and [bare.strip()] == words
    if is_bare and not text.startswith(words[0]) and not text.endswith(words[0]):
        return f"{_EDGE}{words[0]}{_EDGE}"
    return bare if len(bare.strip()) > 1 or (bare and not bare.isascii()) else ""


def _strings_of(item: Any) -> Strings | None:
    """Return all texts that an item can match, edges marked; ``None`` when they are many."""
    name, argument = str(item[0]), item[1]
    if name == "LITERAL":
        return {chr(argument)}
    if name == "AT":
        return {_EDGE if str(argument) != "AT_NON_BOUNDARY" else ""}
    if name in ("ASSERT", "ASSERT_NOT"):
        return {_EDGE if name == "ASSERT_NOT" and _holds_words(list(argument[1])) else ""}
    if name == "IN":
        return {chr(each[1]) for each in argument} if _is_few(argument) else None
    if name == "SUBPATTERN":
        return None if argument[1] & re.IGNORECASE else _strings_of_all(list(argument[3]))
    if name == "BRANCH":
        return _strings_of_any(argument[1])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[1] == 1:
        inner = _strings_of_all(list(argument[2]))
        return inner if inner is None or argument[0] else inner | {""}
    return None


def _is_few(members: list[Any]) -> bool:
    return len(members) <= _FEW and all(str(each[0]) == "LITERAL" for each in members)


def _holds_words(items: list[Any]) -> bool:
    """Whether *items*, looked for before or behind a place, are one set with all that words are made of."""
    if len(items) != 1 or str(items[0][0]) != "IN":
        return False
    members = [(str(each[0]), str(each[1])) for each in list[Any](items[0][1])]
    return ("CATEGORY", "CATEGORY_WORD") in members and ("NEGATE", "None") not in members


def _strings_of_all(items: list[Any]) -> Strings | None:
    whole: Strings = {""}
    for item in items:
        strings = _strings_of(item)
        if strings is None or len(whole) * len(strings) > _MOST:
            return None
        whole = {one + other for one in whole for other in strings}
    return whole


def _strings_of_any(branches: list[Any]) -> Strings | None:
    together: Strings = set()
    for branch in branches:
        strings = _strings_of_all(list(branch))
        if strings is None:
            return None
        together |= strings
    return together if len(together) <= _MOST else None


def _edges_of(item: Any, run: Strings) -> tuple[str, str]:
    """Return what is known before and behind an item of many texts: an edge when it is no part of a word.

    Where it may be missing, what stands behind it begins a word only if what stood before it ended one.
    """
    if not _is_no_word(item):
        return "", ""
    if str(item[0]) == "IN" or item[1][0] > 0:
        return _EDGE, _EDGE
    return "", _EDGE if _all_no_word(text[-1:] for text in run) else ""


def _all_no_word(characters: Iterable[str]) -> bool:
    """Whether *characters*, none of them missing, are no part of a word."""
    return all(each and not (each.isalnum() or each == "_") for each in characters)


def _is_no_word(item: Any) -> bool:
    """Whether an item matches only characters that are no part of a word."""
    name, argument = str(item[0]), item[1]
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        inner = list(argument[2])
        return len(inner) == 1 and _is_no_word(inner[0])
    if name == "LITERAL":
        return not (chr(argument).isalnum() or argument == ord("_"))
    return name == "IN" and all(_is_no_word_member(each) for each in argument)


def _is_no_word_member(member: Any) -> bool:
    name, argument = str(member[0]), str(member[1])
    if name == "LITERAL":
        return not (chr(member[1]).isalnum() or member[1] == ord("_"))
    return name == "CATEGORY" and argument in ("CATEGORY_SPACE", "CATEGORY_NOT_WORD")


def _inner_needs(item: Any) -> list[Strings]:
    name, argument = str(item[0]), item[1]
    if name == "SUBPATTERN":
        return [] if argument[1] & re.IGNORECASE else _needs_of(list(argument[3]))
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] > 0:
        return _needs_of(list(argument[2]))
    if name == "BRANCH":
        return _branch_need(argument[1])
    return []


def _branch_need(branches: list[Any]) -> list[Strings]:
    """Any of the branches will do: their most telling needs together, if each has one."""
    together: Strings = set()
    for branch in branches:
        needs = _needs_of(list(branch))
        if not needs:
            return []
        together |= max(needs, key=lambda need: (min(map(len, need)), -len(need)))
    return [together]
