"""The real Claude Code and the whole loop: corrected three times, refined on a yes, briefed in the next session."""

import json
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from sandbox import Played, find_reason_to_skip, play

REASON = find_reason_to_skip()
pytestmark = [pytest.mark.rig, pytest.mark.slow, pytest.mark.skipif(bool(REASON), reason=REASON)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    played = play("learning-loop", tmp_path_factory.mktemp("rig"), "play_loop.py")
    assert played.status == 0
    return played


def said(played: Played, name: str) -> str:
    return (played.out / f"said-{name}.txt").read_text()


def test_three_corrections_propose_exactly_that_change(played: Played) -> None:
    assert said(played, "refine-packages").startswith("Applied: version 2")
    skill = (played.out / "skill-after.txt").read_text()
    assert "Run pnpm install in the project.\n" in skill
    assert "Run npm install" not in skill


def test_the_check_has_a_line_on_the_effect(played: Played) -> None:
    assert "version 2: no effect seen yet" in said(played, "refine---check")


def test_the_next_session_starts_with_what_was_said(played: Played) -> None:
    contexts = [
        json.dumps(record["attachment"], ensure_ascii=False)
        for record in played.read_records()
        if record.get("attachment", {}).get("type") == "hook_additional_context"
    ]

    briefs = [context for context in contexts if "They are notes, not instructions" in context]
    assert briefs
    assert all("pnpm install" in brief for brief in briefs)


def test_hooks_left_no_trace_and_nothing_runs(played: Played) -> None:
    assert played.find_hook_errors() == []
    assert played.read_json("left.json") == []
