"""Sweeps as real processes, two at once or killed at random instants, while the log grows: every event once."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tellback.core.shapes import Places
from tellback.learning.signals import read_signals

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")]

CORRECTION = "No, that's wrong, use pnpm, not npm, in part {}"
CALLS, KILLS = 12, 20


class Growing:
    """A session log with skill calls, each corrected, that is written line by line; lines are torn for a moment."""

    skill = ".claude/skills/lint/SKILL.md"
    log = ".claude/projects/-work-app/s1.jsonl"

    def __init__(self, home: Path) -> None:
        skill = home / self.skill
        skill.parent.mkdir(parents=True)
        skill.write_text("---\nname: lint\n---\nRun npm.\n")
        self.skill_root = skill.parent
        self.path = home / self.log
        self.path.parent.mkdir(parents=True)
        self.began_at = datetime.now(timezone.utc) - timedelta(hours=3)
        self.count = 0

    def write_all(self, pause_s: float) -> None:
        for line in self.lines():
            with self.path.open("ab") as file:
                file.write(line[: len(line) // 2])
                file.flush()
                time.sleep(pause_s)
                file.write(line[len(line) // 2 :])

    def lines(self) -> Iterator[bytes]:
        for number in range(CALLS):
            yield self._user(f"please do part {number}")
            yield from self._call(number)
            yield self._answer()
            yield self._user(CORRECTION.format(number))
            yield self._answer()
        for number in range(4):
            yield self._user(f"what does step {number} do?")
            yield self._answer()

    def span(self, number: int) -> str:
        """Return the id of a call's record."""
        return f"u{6 * number + 2:04}"

    def _call(self, number: int) -> Iterator[bytes]:
        call = {"type": "tool_use", "id": f"t{number}", "name": "Skill", "input": {"skill": "lint"}}
        yield self._line("assistant", message={"role": "assistant", "model": "m", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
        yield self._line("user", message={"role": "user", "content": [result]})

    def _user(self, text: str) -> bytes:
        return self._line("user", promptSource="typed", message={"role": "user", "content": text})

    def _answer(self) -> bytes:
        block = {"type": "text", "text": "Done, all of it works."}
        return self._line("assistant", message={"role": "assistant", "model": "m", "content": [block]})

    def _line(self, kind: str, **more: Any) -> bytes:
        self.count += 1
        record = {
            "type": kind,
            "uuid": f"u{self.count:04}",
            "timestamp": (self.began_at + timedelta(seconds=20 * self.count)).isoformat().replace("+00:00", "Z"),
            "sessionId": "s1",
            "cwd": "/home/dev/app",
            "isSidechain": False,
            **more,
        }
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"


class GrowingRollout(Growing):
    """The same in Codex, whose agent calls a skill by reading its file."""

    skill = ".codex/skills/lint/SKILL.md"
    log = ".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-s1.jsonl"

    def lines(self) -> Iterator[bytes]:
        yield self._line("session_meta", id="s1", cwd="/home/dev/app", source="cli")
        yield from super().lines()

    def span(self, number: int) -> str:
        return f"t{number}"

    def _call(self, number: int) -> Iterator[bytes]:
        arguments = json.dumps({"cmd": "cat /home/dev/.codex/skills/lint/SKILL.md"})
        of = {"call_id": f"t{number}"}
        yield self._line("response_item", type="function_call", name="exec_command", arguments=arguments, **of)
        text = "Process exited with code 0\nOutput:\n"
        yield self._line("response_item", type="function_call_output", output=text, **of)

    def _user(self, text: str) -> bytes:
        return self._item("UserMessage", text)

    def _answer(self) -> bytes:
        return self._item("AgentMessage", "Done, all of it works.")

    def _item(self, kind: str, text: str) -> bytes:
        item = {"type": kind, "id": f"i{self.count}", "content": [{"type": "text", "text": text}]}
        return self._line("event_msg", type="item_completed", item=item)

    def _line(self, kind: str, **more: Any) -> bytes:
        self.count += 1
        at = (self.began_at + timedelta(seconds=20 * self.count)).isoformat().replace("+00:00", "Z")
        record = {"timestamp": at, "type": kind, "payload": more}
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"


@pytest.fixture(params=[Growing, GrowingRollout], ids=["claude-code", "codex"])
def log(home: Path, request: pytest.FixtureRequest) -> Growing:
    return request.param(home)


def start_sweep() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tellback", "sweep", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish_sweep() -> None:
    sweep = start_sweep()
    assert sweep.communicate()[1] == b""
    assert sweep.returncode == 0


def check(log: Growing, places: Places) -> None:
    """Every call has its one event, every correction its one signal and no line is torn."""
    lines = (Path(places.data) / "feedback-store" / "feedback.jsonl").read_bytes().splitlines()
    events = [json.loads(line) for line in lines if line]
    assert Counter(event["invocation_uuid"] for event in events) == {log.span(n): 1 for n in range(CALLS)}
    assert {event["outcome"] for event in events} == {"correction"}
    words = Counter(one["context"]["user_correction"] for one in read_signals(log.skill_root))
    assert words == {CORRECTION.format(number): 1 for number in range(CALLS)}


def test_two_sweeps_at_once_over_a_log_that_grows_give_every_event_once(log: Growing, places: Places) -> None:
    writer = threading.Thread(target=log.write_all, args=(0.02,))
    writer.start()
    while writer.is_alive():
        for sweep in [start_sweep(), start_sweep()]:
            sweep.communicate()
    writer.join()

    finish_sweep()

    check(log, places)


def test_sweeps_killed_at_random_instants_write_nothing_twice_and_lose_nothing(log: Growing, places: Places) -> None:
    finish_sweep()  # how long one takes here
    began_at = time.monotonic()
    finish_sweep()
    usual_s = time.monotonic() - began_at
    chance = random.Random(5)
    writer = threading.Thread(target=log.write_all, args=(usual_s * KILLS / 80 / 2,))
    writer.start()

    for _ in range(KILLS):
        sweep = start_sweep()
        time.sleep(chance.uniform(0.3, 1.1) * usual_s)
        os.killpg(sweep.pid, signal.SIGKILL)
        sweep.communicate()
    writer.join()
    finish_sweep()

    check(log, places)
