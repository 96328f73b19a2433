"""What the tests of the learning group share: small Claude Code session logs, in the form of 2.1.332."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest


class ClaudeLog:
    """One session: each step is a record or two with uuids in order."""

    def __init__(self, session: str = "s1", cwd: str = "/home/dev/project", source: str = "typed") -> None:
        self.session = session
        self.records: list[dict[str, Any]] = []
        self._cwd = cwd
        self._source = source
        self._minute = 0
        # yesterday: old events are archived
        self._began_at = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(days=1)
        self._calls = 0

    def _add(self, kind: str, **more: Any) -> "ClaudeLog":
        self._minute += 1
        at = self._began_at + timedelta(minutes=self._minute)
        record = {
            "type": kind,
            "uuid": f"{self.session}-{len(self.records):04}",
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "sessionId": self.session,
            "cwd": self._cwd,
            "isSidechain": False,
            **more,
        }
        self.records.append(record)
        return self

    def user(self, text: str) -> "ClaudeLog":
        return self._add("user", promptSource=self._source, message={"role": "user", "content": text})

    def typed_skill(self, name: str, arguments: str = "") -> "ClaudeLog":
        text = f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n"
        return self._add("user", message={"role": "user", "content": f"{text}<command-args>{arguments}</command-args>"})

    def older_skill(self, name: str) -> "ClaudeLog":
        return self._add("system", subtype="local_command", content=f"<command-name>{name}</command-name>")

    def answer(self, text: str = "Done.") -> "ClaudeLog":
        return self._assistant({"type": "text", "text": text})

    def skill(self, name: str) -> "ClaudeLog":
        return self.tool("Skill", skill=name)

    def tool(self, name: str, **arguments: Any) -> "ClaudeLog":
        self._calls += 1
        call_id = f"toolu_{self.session}_{self._calls}"
        self._assistant({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
        result = {"type": "tool_result", "tool_use_id": call_id, "content": "ok"}
        return self._add("user", toolUseResult={}, message={"role": "user", "content": [result]})

    def _assistant(self, block: dict[str, Any]) -> "ClaudeLog":
        return self._add("assistant", message={"role": "assistant", "model": "claude-x", "content": [block]})

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in self.records)
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path


@pytest.fixture
def claude_log() -> type[ClaudeLog]:
    """Return what writes a session log."""
    return ClaudeLog
