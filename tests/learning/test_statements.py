"""Contradictions between skills, learnings and rules files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.learning.skills import SkillStore
from tellback.learning.statements import collect_statements, find_clashes, parse_statements


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("- use pnpm, not npm", "Use npm instead of pnpm.", "reversal"),
        ("Always squash commits before merging", "never squash commits before merging", "opposite"),
        ("必须先写测试", "不要先写测试", "opposite"),
        ("- use tabs, not spaces (source: user feedback, 2026-01-01)", "use spaces, not tabs", "reversal"),
    ],
)
def test_statements_that_cannot_both_hold(one: str, other: str, kind: str) -> None:
    statements = [*parse_statements("a", one), *parse_statements("b", other)]

    (clash,) = find_clashes(statements)

    assert (clash.kind, clash.one.source, clash.other.source) == (kind, "a", "b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use pnpm, not npm", "use pnpm, not npm"),
        ("use pnpm, not npm", "use uv, not pip"),
        ("always run the tests", "never skip the linter"),
        ("never commit", "always push"),
        ("the build takes a minute", "the build takes an hour"),
    ],
)
def test_statements_that_agree_or_speak_of_other_things(one: str, other: str) -> None:
    assert find_clashes([*parse_statements("a", one), *parse_statements("b", other)]) == []


def test_code_and_prose_are_no_statements() -> None:
    assert parse_statements("a", "# Title\n\nSome prose.\n```sh\nnever run this --always\n```\n") == []


def test_all_sources_of_a_project_are_read(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("- use pnpm, not npm\n")
    (tmp_path / ".cursor" / "rules").mkdir(parents=True)
    (tmp_path / ".cursor" / "rules" / "a.mdc").write_text("Always write tests first\n")
    skill = tmp_path / ".claude" / "skills" / "lint"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: always x\n---\nUse npm, not pnpm.\n")

    statements = collect_statements(
        tmp_path, [SkillStore(tmp_path / ".claude" / "skills")], "- never write tests first"
    )
    clashes = find_clashes(statements)

    assert [(clash.one.source, clash.other.source) for clash in clashes] == [
        ("CLAUDE.md", "skill lint"),
        (".cursor/rules/a.mdc", "learnings"),
    ]


@given(st.lists(st.text(max_size=80), max_size=12))
def test_any_lines_are_compared(lines: list[str]) -> None:
    statements = parse_statements("a", "\n".join(lines))

    assert all(clash.one != clash.other for clash in find_clashes(statements))
