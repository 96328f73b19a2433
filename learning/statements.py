"""Contradictions beyond one skill: between skills, learnings and the rules files of a project (L-79 to L-90, wider).

Each line that says what to use, or what always or never to do, is a statement. Two of them contradict when they name
the same pair the other way round, when one takes what the other turns away from, or when one demands what the other
forbids. Precision before recall: what is worded quite differently is not found, as within one skill.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ..capture.notebook import keep_standing
from .pairs import Pair, cut_pair
from .repeats import list_subject
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

# What may stand before a rule and says nothing of where it holds.
_ASIDE = frozenset(
    """
    from now on onwards forward going future remember note actually 以 后 从 现 在 起 开 始 今 请 记 住
    """.split()  # noqa: SIM905 - twenty quoted words read worse
)

Kind = Literal["reversal", "turned", "opposite"]


class Statement(NamedTuple):
    """One line that says what to do.

    Attributes:
        source: where it stands, as a person is shown it: ``skill lint``, ``CLAUDE.md``, ``learnings``.
        text: the line, without its list mark.
        pair: what to use and what not, when the line names both.
        rest: the words that say of what, without the pair and without demand, in their order.
        demand: whether it demands or forbids; ``None`` when it does neither.
    """

    source: str
    text: str
    pair: Pair | None
    demand: Literal["demands", "forbids"] | None
    rest: tuple[str, ...]


class Clash(NamedTuple):
    """Two statements that cannot both hold.

    Attributes:
        kind: ``reversal``: the same pair the other way round; ``turned``: one takes what the other turns away from;
            ``opposite``: one demands what the other forbids.
    """

    one: Statement
    other: Statement
    kind: Kind


def parse_statements(source: str, text: str) -> list[Statement]:
    """Return the statements in *text*, one a line; code blocks say nothing."""
    found: list[Statement] = []
    in_code = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code and (statement := parse_statement(source, line)):
            found.append(statement)
    return found


def parse_statement(source: str, line: str) -> Statement | None:
    """Return what one line demands; ``None`` when it demands nothing, or is too long to be a rule."""
    if len(line) > _LONGEST_LINE:
        return None
    text = _MARKS.sub("", _MARKS.sub("", line)).strip()
    pair, besides = cut_pair(text) or (None, text)
    demand: Literal["demands", "forbids"] | None = None
    if _FORBIDS.search(text):
        demand = "forbids"
    elif _DEMANDS.search(text):
        demand = "demands"
    rest = tuple(word for word in list_subject(besides) if word not in _MODAL | _ASIDE)
    return Statement(source, text, pair, demand, rest) if pair or demand else None


def find_matter(words: str) -> frozenset[str]:
    """Return the words that say what a rule is about, without those of demanding and of beginning one."""
    return frozenset(list_subject(words)) - _MODAL - _ASIDE


def find_clashes(statements: Sequence[Statement]) -> list[Clash]:
    """Compare *statements*; of each two the one that stands earlier comes first."""
    by_key: dict[Hashable, list[int]] = {}  # only those that share a key are compared: a file may hold thousands
    for number, statement in enumerate(statements):
        for key in _keys_of(statement):
            by_key.setdefault(key, []).append(number)
    found: list[Clash] = []
    for number, one in enumerate(statements):
        near = {later for key in _keys_of(one) for later in by_key[key] if later > number}
        found += [Clash(one, statements[n], kind) for n in sorted(near) if (kind := _compare(one, statements[n]))]
    return found


def _keys_of(statement: Statement) -> Iterator[Hashable]:
    if statement.pair:
        yield _fold(statement.pair.original)
        yield _fold(statement.pair.corrected)
    elif statement.demand:
        yield frozenset(statement.rest)


def _compare(one: Statement, other: Statement) -> Kind | None:
    if one.pair and other.pair:
        return _compare_pairs(one, other, one.pair, other.pair)
    if one.pair or other.pair or {one.demand, other.demand} != {"demands", "forbids"}:
        return None
    mine, theirs = frozenset(one.rest), frozenset(other.rest)
    return "opposite" if len(mine) > 1 and mine == theirs else None


def _compare_pairs(one: Statement, other: Statement, mine: Pair, theirs: Pair) -> Kind | None:
    is_taken_back = _fold(mine.corrected) == _fold(theirs.original)
    is_taken_up = _fold(mine.original) == _fold(theirs.corrected)
    if is_taken_back and is_taken_up:
        return "reversal"
    is_about_the_same = frozenset(one.rest) == frozenset(other.rest)
    return "turned" if (is_taken_back or is_taken_up) and is_about_the_same else None


def is_turned_by(older: Statement, newer: Statement) -> bool:
    """Whether *newer* turns away from what *older* takes."""
    return (
        older.pair is not None and newer.pair is not None and _fold(older.pair.corrected) == _fold(newer.pair.original)
    )


def _fold(text: str) -> str:
    return text.strip().lower()


def collect_statements(project: Path, stores: Iterable[SkillStore], learnings: str) -> list[Statement]:
    """Return the statements of a project: its rules files, the learnings that stand (of ``index.md``), the skills."""
    statements = [statement for path in _list_rules(project) for statement in _read(project, path)]
    statements += parse_statements("learnings", keep_standing(learnings))
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
