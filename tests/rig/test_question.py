"""The real Claude Code and a correction that may be of two skills: asked once, settled, recorded in the one."""

import json
import os
import sys
from typing import Any

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from sandbox import Played, find_reason_to_skip, play

REASON = find_reason_to_skip()
pytestmark = [pytest.mark.rig, pytest.mark.slow, pytest.mark.skipif(bool(REASON), reason=REASON)]

SIGNAL_FILE = "greet/.skillopt/pending/signal.json"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    played = play("question-whose", tmp_path_factory.mktemp("rig"), "play_question.py")
    assert played.status == 0
    return played


def test_until_somebody_said_so_nothing_is_written_beside_a_skill(played: Played) -> None:
    pending: dict[str, Any] = played.read_json("pending.json")

    assert pending["candidates"] == ["greet", "farewell"]
    assert pending["skills"] == played.read_json("skills-before.json")


def test_the_agent_is_told_to_ask_with_the_next_prompt_and_never_again(played: Played) -> None:
    pending: dict[str, Any] = played.read_json("pending.json")

    asked = [
        json.dumps(record["attachment"], ensure_ascii=False)
        for record in played.read_records()
        if record.get("attachment", {}).get("type") == "hook_additional_context"
        and "属于哪个 skill" in json.dumps(record["attachment"], ensure_ascii=False)
    ]
    assert len(asked) == 1
    assert f"record --resolve {pending['id']} --skill NAME" in asked[0]
    assert "use Grace, not Ada" in asked[0]


def test_the_answer_is_recorded_in_the_named_skill_and_nothing_else_changed(played: Played) -> None:
    before: dict[str, str] = played.read_json("skills-before.json")
    after: dict[str, str] = played.read_json("skills-after.json")

    assert after.keys() - before.keys() == {SIGNAL_FILE}
    assert {name: after[name] for name in before} == before
    (signal,) = [json.loads(line) for line in after[SIGNAL_FILE].splitlines()]
    assert (signal["skill"], signal["type"]) == ("greet", "corrected")
    assert signal["context"]["user_correction"] == "No, that's wrong, use Grace, not Ada"
    assert (played.out / "said-record---list-pending.txt").read_text() == "No correction waits for its skill.\n"


def test_hooks_left_no_trace_and_nothing_runs(played: Played) -> None:
    assert played.find_hook_errors() == []
    assert played.read_json("left.json") == []
