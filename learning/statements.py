"""Contradictions beyond one skill: between skills, learnings and the rules files of a project (L-79 to L-90, wider).

Each line that says what to use, or what always or never to do, is a statement. Two of them contradict when they name
the same pair the other way round, or when one demands what the other forbids. Precision before recall: what is worded
quite differently is not found, as within one skill.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from .pairs import Pair, find_pair
from .repeats import find_subject
from .skill_text import split_skill
from .skills import SkillStore

RULES_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".cursorrules", ".github/copilot-instructions.md")
RULES_FOLDERS = (".cursor/rules", ".claude/rules")

_LONGEST_FILE = 256 * 1024
_LONGEST_LINE = 500
_FORBIDS = re.compile(
    r"\b(?:never|don'?t|do not|must not|mustn'?t|should not|shouldn'?t|avoid)\b|不要|别|禁止|不得|严禁", re.I
)
_DEMANDS = re.compile(r"\b(?:always|must|should|prefer|make sure)\b|总是|必须|一定要|始终|应该", re.I)
_MARKS = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+|\(source: [^)]*\)\s*$|^#+\s+")
# Besides what every sentence has, the words of demanding and forbidding say nothing of what is demanded.
_MODAL = frozenset(
    """
    always never must should shouldn mustn not don prefer avoid make sure 不 要 别 总 是 必 须 一 定
    """.split()  # noqa: SIM905 - twenty quoted words read worse
)


class Statement(NamedTuple):
    """One line that says what to do.

    Attributes:
        source: where it stands, as a person is shown it: ``skill lint``, ``CLAUDE.md``, ``learnings``.
        text: the line, without its list mark.
        pair: what to use and what not, when the line names both.
        demand: whether it demands or forbids; ``None`` when it does neither.
    """

    source: str
    text: str
    pair: Pair | None
    demand: Literal["demands", "forbids"] | None


class Clash(NamedTuple):
    """Two statements that cannot both hold."""

    one: Statement
    other: Statement
    kind: Literal["reversal", "opposite"]


def parse_statements(source: str, text: str) -> list[Statement]:
    """Return the statements in *text*, one a line; code blocks say nothing."""
    found: list[Statement] = []
    in_code = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code and len(line) <= _LONGEST_LINE and (statement := _parse_line(source, line)):
            found.append(statement)
    return found


def _parse_line(source: str, line: str) -> Statement | None:
    text = _MARKS.sub("", _MARKS.sub("", line)).strip()
    pair = find_pair(text)
    demand: Literal["demands", "forbids"] | None = None
    if _FORBIDS.search(text):
        demand = "forbids"
    elif _DEMANDS.search(text):
        demand = "demands"
    return Statement(source, text, pair, demand) if pair or demand else None


def find_clashes(statements: Sequence[Statement]) -> list[Clash]:
    """Compare *statements* in pairs; the earlier one of each comes first."""
    return [
        Clash(one, other, kind)
        for number, one in enumerate(statements)
        for other in statements[number + 1 :]
        if (kind := _compare(one, other))
    ]


def _compare(one: Statement, other: Statement) -> Literal["reversal", "opposite"] | None:
    if one.pair and other.pair:
        is_reversed = _same(one.pair.original, other.pair.corrected) and _same(one.pair.corrected, other.pair.original)
        return "reversal" if is_reversed else None
    if {one.demand, other.demand} != {"demands", "forbids"}:
        return None
    mine, theirs = _subject(one.text), _subject(other.text)
    return "opposite" if len(mine) > 1 and mine == theirs else None


def _same(one: str, other: str) -> bool:
    return one.strip().lower() == other.strip().lower()


def _subject(text: str) -> frozenset[str]:
    return find_subject(text) - _MODAL


def collect_statements(project: Path, stores: Iterable[SkillStore], learnings: str) -> list[Statement]:
    """Return the statements of a project: its rules files, its learnings (text of ``index.md``), the skills in play."""
    statements = [statement for path in _list_rules(project) for statement in _read(project, path)]
    statements += parse_statements("learnings", learnings)
    for store in stores:
        for name in store.list_names():
            text = read_small(store.path_of(name))
            statements += parse_statements(f"skill {name}", split_skill(text).body)
    return statements


def _list_rules(project: Path) -> list[Path]:
    files = [project / name for name in RULES_FILES]
    for folder in RULES_FOLDERS:
        files += sorted((project / folder).glob("*.md*"))
    return [path for path in files if path.is_file()]


def _read(project: Path, path: Path) -> list[Statement]:
    return parse_statements(path.relative_to(project).as_posix(), read_small(path))


def read_small(path: Path) -> str:
    """Return the text of a file; ``""`` when it is missing, unreadable or too large to be rules."""
    try:
        if not path.is_file() or path.stat().st_size > _LONGEST_FILE:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
