"""A name that is not UTF-8 hides its own log and no other one."""

import os
import sys
from pathlib import Path

import pytest

from tellback.sessions.table import READERS

ODD = os.fsdecode(b"\xff")
ROLLOUT = "rollout-2026-11-30T12-00-00-0199a213-81a0-7800-8aa1-bbab2a035a53.jsonl"
LOGS = {
    "claude-code": ("-p/{}.jsonl", "-p/good.jsonl"),
    "codex": ("sessions/2026/11/{}/" + ROLLOUT, "sessions/2026/11/30/" + ROLLOUT),
    "copilot": ("{}/events.jsonl", "good/events.jsonl"),
    "gemini-cli": ("{}/chats/session-2026-11-30T12-00-abcd1234.json", "p/chats/session-2026-11-30T12-00-abcd1234.json"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name themselves")
@pytest.mark.parametrize("harness", LOGS)
def test_a_log_with_a_name_that_is_not_utf8_is_a_problem_and_the_others_are_listed(
    harness: str, tmp_path: Path
) -> None:
    odd, good = LOGS[harness]
    for name in (odd.format(ODD), good):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")

    listing = READERS[harness].list_sessions(tmp_path)

    assert [listed.path for listed in listing.sessions] == [str(tmp_path / good)]
    assert [(problem.path, "not UTF-8" in problem.what) for problem in listing.problems] == [
        (str(tmp_path / odd.format("\\udcff")), True)
    ]
