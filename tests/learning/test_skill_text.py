"""SKILL.md as text: only Tellback's own keys change, all else stays byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.errors import TellbackError
from tellback.learning.skill_text import Extension, read_extension, split_skill, with_extension

REFINED = Extension(3, "2026-04-05T10:00:00.000Z", 2, "2026-04-05T10:00:00.000Z")
BODY = "# Lint\n\nRun `eslint --fix`.\n---\nnot frontmatter\n"

FRONTS = {
    "no metadata": "name: lint # the name\ndescription: >-\n  runs\n  eslint\n",
    "metadata of others": "name: lint\nmetadata:\n  owner: ada # keep\n\n# a remark\nlicense: MIT\n",
    "wide indentation": "metadata:\n    owner: ada\n    tags: [a, b]\nname: lint\n",
    "ours already": "metadata:\n  tellback:\n    learning:\n      lastRefined: 2025-06-15\n  z: 1\nname: x\n",
    "empty metadata": "name: lint\nmetadata:\n",
    "carriage returns": "name: lint\r\nmetadata:\r\n  owner: ada\r\n",
    "a quoted colon": 'description: "a: b"\nmetadata: # ours\n  a: "x # y"\n',
}


@pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)
def test_setting_our_keys_keeps_every_other_line(front: str) -> None:
    skill = split_skill(f"---\n{front}---\n{BODY}")

    changed = with_extension(skill, REFINED)

    assert read_extension(split_skill(changed.join())) == REFINED
    assert changed.body == BODY
    ours = ("tellback:", "version:", "updatedAt:", "applicationCount:", "learning:", "lastRefined:")
    assert [line for line in changed.front.splitlines(True) if not line.strip().startswith(ours)] in (
        [line for line in front.splitlines(True) if not line.strip().startswith(ours)],
        [*front.splitlines(True), "metadata:\n"],
    )


@pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)
def test_setting_them_twice_changes_nothing_more(front: str) -> None:
    once = with_extension(split_skill(f"---\n{front}---\n{BODY}"), REFINED)

    assert with_extension(once, REFINED) == once


def test_line_endings_are_those_of_the_file() -> None:
    changed = with_extension(split_skill("---\r\nname: x\r\n---\r\nbody\r\n"), REFINED)

    assert changed.join().count("\n") == changed.join().count("\r\n")


def test_a_skill_without_frontmatter_gets_one() -> None:
    changed = with_extension(split_skill("# Only a body\n"), REFINED)

    assert changed.join().startswith("---\nmetadata:\n  tellback:\n    version: 3\n")
    assert split_skill(changed.join()).body == "# Only a body\n"


def test_a_byte_order_mark_stays_first() -> None:
    text = "\ufeff---\nname: x\n---\nbody"

    assert with_extension(split_skill(text), REFINED).join().startswith("\ufeff---\nname: x\n")


@pytest.mark.parametrize(
    "front",
    [
        pytest.param("metadata: {owner: ada}\n", id="metadata on one line"),
        pytest.param("metadata: text\n", id="metadata is no mapping"),
        pytest.param("metadata:\n  - a\n", id="metadata is a list"),
        pytest.param("metadata: &a\n  owner: ada\nother: *a\n", id="metadata is an anchor"),
        pytest.param("name: [\n", id="no YAML"),
        pytest.param("- a\n", id="no mapping"),
        pytest.param("name: a\nname: b\n", id="a key twice"),
    ],
)
def test_a_shape_that_cannot_be_edited_is_refused(front: str) -> None:
    with pytest.raises(TellbackError):
        with_extension(split_skill(f"---\n{front}---\nbody"), REFINED)


@pytest.mark.parametrize(
    ("front", "extension"),
    [
        pytest.param("name: x\n", Extension(), id="a skill never refined is version 1"),
        pytest.param(
            "version: 4\nlearning:\n  lastRefined: 2025-06-15T00:00:00Z\n",
            Extension(4, None, 0, "2025-06-15T00:00:00+00:00"),
            id="the same keys at the top level",
        ),
        pytest.param("metadata:\n  tellback:\n    version: -1\n", Extension(), id="a senseless version"),
    ],
)
def test_our_keys_are_read_where_they_stand(front: str, extension: Extension) -> None:
    assert read_extension(split_skill(f"---\n{front}---\nbody")) == extension


@given(st.text(max_size=200))
def test_any_text_splits_and_joins(text: str) -> None:
    assert split_skill(text).join() == text
