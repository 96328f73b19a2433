"""``learnings/index.md`` read as a list of learnings, and the marks that say which of them still stand. Cold.

A mark stands behind its learning, on the same line; nothing of the line is changed by it, and taking it away by hand
is a way to undo it::

    - use npm, not pnpm (source: user feedback, 2026-01-07) → superseded 2026-11-30 by [use pnpm, not npm](#6-methodology-notes)
    - use pnpm, not npm (source: user feedback, 2026-11-30) → replaces “use npm, not pnpm”
    - always ask before a push (source: user feedback, 2026-01-07) → retired 2026-11-30
"""  # noqa: E501 - as it stands in the file

import re
from collections.abc import Callable
from typing import NamedTuple

from .learnings import make_ident
from .quote import one_line

FORGOTTEN = "[forgotten]"
_QUOTED = 120  # characters of a learning that another one's mark quotes

# The last source decides, so that words which quote one change nothing; a mark escapes the brackets that it quotes.
_BULLET = re.compile(
    r"- (?P<words>.*) \(source: user feedback, (?P<day>\d{4}-\d\d-\d\d)\)(?P<tail>[^\r]*)\r?", re.DOTALL
)
_MARK = re.compile(
    r" → (?:superseded (?P<superseded>\d{4}-\d\d-\d\d) by \[(?P<by>(?:\\.|[^\]\\])*)\]\([^)]*\)"
    r"|retired (?P<retired>\d{4}-\d\d-\d\d)"
    r"|replaces “(?P<replaces>(?:\\.|[^”\\])*)”)"
)
_HEADING = re.compile(r"#+\s+(.*?)\s*")
_ESCAPED = re.compile(r"[\\\[\]()<>`*_“”]")


class Learned(NamedTuple):
    """One learning of the file.

    Attributes:
        line: its number, from 0.
        section: the heading that it stands under; ``""`` above the first.
        words: as they stand there, one line.
        day: on which it was said, ISO.
        superseded, retired: the day of the mark; ``""`` without one.
        by: the start of the words of the one that replaced it; replaces: of those that it replaced.
    """

    line: int
    section: str
    words: str
    day: str
    superseded: str = ""
    by: str = ""
    retired: str = ""
    replaces: tuple[str, ...] = ()

    @property
    def ident(self) -> str:
        """The key of its words, 12 hexadecimal digits."""
        return make_ident(self.words)

    @property
    def stands(self) -> bool:
        """Whether it still holds."""
        return not self.superseded and not self.retired


def parse_notebook(text: str) -> list[Learned]:
    """Return the learnings in *text* that have the documented form; all other lines are the person's own."""
    found: list[Learned] = []
    section, in_fence = "", False
    for number, line in enumerate(text.split("\n")):
        if line.startswith(("```", "~~~")):
            in_fence = not in_fence
        elif in_fence:
            continue
        elif heading := _HEADING.fullmatch(line):
            section = heading[1]
        elif (bullet := _BULLET.fullmatch(line)) and bullet["words"] != FORGOTTEN:
            found.append(_read_marks(Learned(number, section, bullet["words"], bullet["day"]), bullet["tail"]))
    return found


def _read_marks(learned: Learned, tail: str) -> Learned:
    for mark in _MARK.finditer(tail):
        if mark["superseded"]:
            learned = learned._replace(superseded=mark["superseded"], by=_unescape(mark["by"]))
        elif mark["retired"]:
            learned = learned._replace(retired=mark["retired"])
        else:
            learned = learned._replace(replaces=(*learned.replaces, _unescape(mark["replaces"])))
    return learned


def keep_standing(text: str) -> str:
    """Return *text* without the learnings that no longer stand, and without marks."""
    fallen = {learned.line for learned in parse_notebook(text) if not learned.stands}
    lines = _drop_marks(text, lambda _mark, _ident: True).split("\n")
    return "\n".join(line for number, line in enumerate(lines) if number not in fallen)


def mark_superseded(text: str, older: str, newer: str, day: str) -> str:
    """Return *text* with the learning *older* (an ident) marked as replaced by *newer*, and that one as replacing it.

    A learning that stood against it as *newer*'s own successor loses that mark: it was said again.
    """
    known = {learned.ident: learned for learned in parse_notebook(text)}
    if older not in known or newer not in known or older == newer:
        return text
    text = unmark(text, newer)
    link = f"[{_quote(known[newer].words)}]({_find_anchor(known[newer].section)})"
    text = _add_mark(unmark(text, older), older, f" → superseded {day} by {link}")
    return _add_mark(text, newer, f" → replaces “{_quote(known[older].words)}”")


def mark_retired(text: str, ident: str, day: str) -> str:
    """Return *text* with a learning marked as no longer in use."""
    return _add_mark(unmark(text, ident), ident, f" → retired {day}")


def unmark(text: str, ident: str) -> str:
    """Return *text* without the marks that say a learning no longer stands, on its line and on its successor's."""
    learned = next((one for one in parse_notebook(text) if one.ident == ident), None)
    if learned is None or learned.stands:
        return text
    quoted = _cut(learned.words)

    def is_meant(mark: re.Match[str], line_ident: str) -> bool:
        if mark["replaces"] is not None:
            return line_ident != ident and _unescape(mark["replaces"]) == quoted
        return line_ident == ident

    return _drop_marks(text, is_meant)


def drop_quotes(text: str, words: str) -> str:
    """Return *text* without the marks that quote *words*, which are to be forgotten; what they said stays true."""
    quoted = _cut(one_line(words))

    def replace(line: str) -> str:
        bullet = _BULLET.fullmatch(line)
        if bullet is None:
            return line
        tail = _MARK.sub(lambda mark: _forget_quote(mark, quoted), bullet["tail"])
        return line[: bullet.start("tail")] + tail + line[bullet.end("tail") :]

    return "\n".join(map(replace, text.split("\n")))


def _forget_quote(mark: re.Match[str], quoted: str) -> str:
    for name in ("by", "replaces"):
        if mark[name] is not None and _unescape(mark[name]) == quoted:
            start, end = (place - mark.start() for place in mark.span(name))
            return mark[0][:start] + _ESCAPED.sub(r"\\\g<0>", FORGOTTEN) + mark[0][end:]
    return mark[0]


def _add_mark(text: str, ident: str, mark: str) -> str:
    """Put *mark* behind every learning of this ident that does not have it: a merge may have doubled one."""
    lines = text.split("\n")
    for learned in parse_notebook(text):
        line = lines[learned.line]
        if learned.ident == ident and mark not in line:
            end = "\r" if line.endswith("\r") else ""
            lines[learned.line] = line.removesuffix("\r").rstrip(" ") + mark + end
    return "\n".join(lines)


def _drop_marks(text: str, is_meant: Callable[[re.Match[str], str], bool]) -> str:
    lines = text.split("\n")
    for learned in parse_notebook(text):
        line = lines[learned.line]
        bullet = _BULLET.fullmatch(line)
        assert bullet is not None  # it was parsed from this line
        ident = learned.ident
        tail = _MARK.sub(lambda mark, ident=ident: "" if is_meant(mark, ident) else mark[0], bullet["tail"])
        lines[learned.line] = line[: bullet.start("tail")] + tail + line[bullet.end("tail") :]
    return "\n".join(lines)


def is_quoted_as(quoted: str, words: str) -> bool:
    """Whether a mark that quotes *quoted* means the learning *words*."""
    return quoted == _cut(words)


def _quote(words: str) -> str:
    return _ESCAPED.sub(r"\\\g<0>", _cut(words))


def _cut(words: str) -> str:
    return words if len(words) <= _QUOTED else words[: _QUOTED - 1].rstrip() + "…"


def _unescape(quoted: str) -> str:
    return re.sub(r"\\(.)", r"\1", quoted)


def _find_anchor(section: str) -> str:
    """Return the link to a heading as GitHub and most viewers name it."""
    kept = "".join(c for c in section.lower() if c.isalnum() or c in " -_")
    return "#" + kept.replace(" ", "-") if kept else "index.md"
