"""A session's prompts with what stood before them, in one reading and in many."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.sessions import claude_code
from tellback.sessions.prompts import Prompt, PromptReading, PromptState, is_undo
from tellback.sessions.reader import Listed

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "claude-code"
RECORDED = sorted(FIXTURES.glob("*/home/.claude/projects/*/*.jsonl"))
recorded = pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not here")


def read(path: Path, state: PromptState) -> tuple[list[Prompt], PromptReading]:
    with claude_code.open_log(Listed("claude-code", path.stem, str(path), 0, 0)) as log:
        reading = PromptReading(claude_code, log, state)
        return list(reading), reading


def find_recorded(scenario: str) -> Path:
    return next(path for path in RECORDED if path.parts[-6] == scenario)


@recorded
def test_a_refusal_stands_before_the_prompt_that_follows_it() -> None:
    prompts, _ = read(find_recorded("tui-deny"), PromptState())

    assert [(prompt.origin, prompt.before, prompt.answer) for prompt in prompts] == [
        ("typed", None, ""),
        ("typed", "refusal", "I try one."),
        ("typed", "refusal", "I try two."),
        ("refusal", "refusal", "I try three."),
        ("typed", None, "Stub: nothing more is scripted."),
    ]


@recorded
def test_an_interrupt_stands_before_the_prompt_that_follows_it() -> None:
    prompts, _ = read(find_recorded("tui-interrupt"), PromptState())

    assert [prompt.before for prompt in prompts] == [None, "interrupt", "interrupt"]
    assert [prompt.is_first for prompt in prompts] == [True, False, False]


@recorded
def test_words_typed_while_a_tool_runs_have_no_answer_before_them() -> None:
    prompts, _ = read(find_recorded("tui-queue"), PromptState())

    assert [(prompt.origin, prompt.answer) for prompt in prompts] == [
        ("typed", ""),
        ("queued", None),
        ("typed", "Slept."),
    ]
    assert prompts[2].earlier == ("Sleep a little", "Actually, use another way")


@recorded
@given(data=st.data())
@settings(max_examples=40)
def test_a_log_that_grows_gives_each_prompt_once_with_the_same_context(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = data.draw(st.sampled_from(RECORDED)).read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), max_size=6)))
    path = tmp_path_factory.getbasetemp() / "prompts.jsonl"
    state, told = PromptState(), list[Prompt]()

    for cut in [*cuts, len(source)]:
        path.write_bytes(source[:cut])
        prompts, reading = read(path, state)
        told += prompts
        assert not reading.restarted
        kept: dict[str, Any] = json.loads(json.dumps(reading.state._asdict()))
        state = PromptState(**kept | {"earlier_at": tuple(kept["earlier_at"])})
    whole, _ = read(path, PromptState())

    assert told == whole


@recorded
def test_a_log_that_was_rewritten_is_read_from_its_start(tmp_path: Path) -> None:
    source = find_recorded("correction").read_bytes()
    path = tmp_path / "s1.jsonl"
    path.write_bytes(source)
    _, first = read(path, PromptState())
    path.write_bytes(b'{"type":"mode"}\n' + source)

    prompts, reading = read(path, first.state)

    assert reading.restarted
    assert len(prompts) == 3


@recorded
def test_the_state_between_two_readings_holds_no_text_of_the_log() -> None:
    for path in RECORDED:
        prompts, reading = read(path, PromptState())
        state = json.dumps(reading.state._asdict())

        assert not [prompt.text for prompt in prompts if prompt.text in state]
        assert len(state) < 1000


@pytest.mark.parametrize(
    ("command", "undoes"),
    [
        ("git checkout -- app.py", True),
        ("git checkout HEAD~1 -- app.py", True),
        ("git checkout .", True),
        ("cd x && git -C . restore app.py", True),
        ("git reset --hard", True),
        ("git revert HEAD", True),
        ("git stash drop", True),
        ("git clean -fd", True),
        ("git checkout main", False),
        ("git checkout -b fix", False),
        ("git stash", False),
        ("git status", False),
        ("echo digit reset", False),
    ],
)
def test_which_commands_throw_work_away(command: str, undoes: bool) -> None:
    assert is_undo(command) is undoes
