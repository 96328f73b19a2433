"""The real Claude Code with skills: one called by the agent, one typed by the person, each corrected once."""

import json
import os
import sys
from typing import Any

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from sandbox import Played, find_reason_to_skip, play

REASON = find_reason_to_skip()
pytestmark = [pytest.mark.rig, pytest.mark.slow, pytest.mark.skipif(bool(REASON), reason=REASON)]

SIGNAL_FILE = ".skillopt/pending/signal.json"
WORDS = {
    "greet": "No, that's wrong, the name format should be Grace, not Ada",
    "farewell": "No, that's wrong, you forgot the German, use Tschüss instead of Goodbye",
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    played = play("skills-corrected", tmp_path_factory.mktemp("rig"), "play_skills.py")
    assert played.status == 0
    return played


def test_each_call_has_one_event_with_what_was_said_of_it(played: Played) -> None:
    events: list[dict[str, Any]] = played.read_json("events.json")

    told = {
        event["skill_id"]: (
            *(event["outcome"], event["correction_type"], event["dimension_hint"], event["turns_to_feedback"]),
            *(event["ai_tools_used"], event["user_message_snippet"]),
        )
        for event in events
    }
    assert len(events) == 2
    assert told == {
        "greet": ("correction", "rejection", "accuracy", 1, ["Bash"], WORDS["greet"]),
        "farewell": ("correction", "rejection", "coverage", 1, ["Bash"], WORDS["farewell"]),
    }


def test_the_signals_lie_beside_their_skill_and_nothing_else_changed(played: Played) -> None:
    before: dict[str, str] = played.read_json("skills-before.json")
    after: dict[str, str] = played.read_json("skills-after.json")

    assert after.keys() - before.keys() == {f"{skill}/{SIGNAL_FILE}" for skill in WORDS}
    assert {name: after[name] for name in before} == before
    for skill, words in WORDS.items():
        signals = [json.loads(line) for line in after[f"{skill}/{SIGNAL_FILE}"].splitlines()]
        assert [(one["skill"], one["type"], one["context"]["user_correction"]) for one in signals] == [
            (skill, "corrected", words)
        ]


def test_hooks_and_sweeps_left_no_trace_in_the_session(played: Played) -> None:
    assert played.find_hook_errors() == []
    assert played.read_json("left.json") == []
    assert played.read_json("sweep-2.json")["stages"]["learn"].get("events", 0) == 0
