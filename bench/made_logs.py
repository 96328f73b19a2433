"""Session logs to measure on: Claude Code's records in the mix and the sizes that the real program writes.

Shapes, key order and the share of state lines are those of 2.1.332 as recorded; lengths follow the lengths that were
recorded before the texts were cut. A call weighs about 10 KB: its record, its result (told twice, as the program does)
and the note of the request that carried it; copies of requests and short lines of state come once a turn.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PROSE = """
the value of result is not what we expect here because function returns early when list empty and then test fails with
an error in module config path while server still runs so please check whether request handler parses header again
before it writes to file or database import class self return None True False print open read write close
"""
_WORDS = _PROSE.split()
_CWD = "/home/dev/project"


class Session:
    """Makes the lines of one session, the same for the same seed."""

    def __init__(self, seed: int = 1, session_id: str = "0a0a0a0a-1111-4222-8333-444444444444") -> None:
        self._random = random.Random(seed)
        self._session_id = session_id
        self._count = 0
        self._uuid = "00000000-0000-4000-8000-000000000000"
        self._texts = [self._make_text(int(self._random.lognormvariate(7.6, 1.1))) for _ in range(300)]

    def lines(self, size_bytes: int) -> Iterator[bytes]:
        """Yield lines (with newline) of at least *size_bytes* together, whole turns only."""
        written = 0
        for line in self._start():
            written += len(line)
            yield line
        while written < size_bytes:
            for line in self.turn():
                written += len(line)
                yield line

    def turn(self) -> Iterator[bytes]:
        """Yield one turn: a prompt, some calls, an answer, and the lines of state around them."""
        self._count += 1
        text = f"please look at number {self._count} again"
        yield self._common("user", {"promptSource": "typed"}, {"role": "user", "content": text})
        yield self._attachment(
            "prompt_snapshot", {"systemPrompt": [self._text(), self._text()], "tools": [self._text()]}
        )
        yield self._state(
            "api-request-blob", {"hash": self._new_id(), "message": {"role": "user", "content": self._text()}}
        )
        yield self._request()
        for _ in range(self._random.randint(2, 30)):
            yield from self._call()
        yield self._assistant({"type": "text", "text": self._text()[:1500]}, "end_turn")
        yield self._common("system", {"subtype": "stop_hook_summary", "hookCount": 1, "hookInfos": []}, None)
        yield self._common("system", {"subtype": "turn_duration", "durationMs": 8897, "isMeta": False}, None)
        yield from self._states()

    def _start(self) -> Iterator[bytes]:
        for kind in ("environment", "model", "skill_listing", "agent_listing_delta", "session_context", "date"):
            yield self._attachment(kind, {"content": self._text(), "names": ["a", "b"]})
        yield self._state("api-request-shape", {"shape": {"system": [self._text()], "tools": [self._text()] * 4}})

    def _call(self) -> Iterator[bytes]:
        self._count += 1
        call_id = f"toolu_{self._count:024d}"
        tool, arguments = self._tool()
        if self._random.random() < 0.4:
            yield self._assistant({"type": "text", "text": self._text()[:200]}, "tool_use")
        yield self._assistant({"type": "tool_use", "id": call_id, "name": tool, "input": arguments}, "tool_use")
        yield self._result(call_id, tool)
        yield self._request()

    def _result(self, call_id: str, tool: str) -> bytes:
        text = self._text()
        if self._random.random() < (0.08 if tool == "Bash" else 0.01):
            text = f"Exit code 1\n{text[:400]}"
            block = {"type": "tool_result", "content": text, "is_error": True, "tool_use_id": call_id}
            return self._common("user", {"toolUseResult": f"Error: {text}"}, {"role": "user", "content": [block]})
        block = {"tool_use_id": call_id, "type": "tool_result", "content": text}
        told: dict[str, Any] = {"type": "text", "file": {"content": text, "numLines": 7}}
        if tool == "Bash":
            block["is_error"] = False
            told = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        return self._common("user", {"toolUseResult": told}, {"role": "user", "content": [block]})

    def _request(self) -> bytes:
        return self._state("api-request", {"params": {"model": "m"}, "tail": [self._new_id() for _ in range(24)]})

    def _tool(self) -> tuple[str, dict[str, Any]]:
        match self._random.randrange(4):
            case 0:
                return "Read", {"file_path": f"{_CWD}/module_{self._random.randrange(9000)}.py"}
            case 1:
                text = self._text()
                return "Edit", {
                    "file_path": f"{_CWD}/app.py",
                    "old_string": f"{self._count} {text[:300]}",
                    "new_string": text[300:600],
                }
            case _:
                return "Bash", {
                    "command": f"pytest -x tests/test_{self._random.randrange(4000)}.py",
                    "description": "Run a command",
                }

    def _assistant(self, block: dict[str, Any], stop: str) -> bytes:
        usage = {"input_tokens": 10, "cache_read_input_tokens": 0, "output_tokens": 5, "service_tier": "standard"}
        message = {
            "id": f"msg_{self._count}", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
            "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage | {"iterations": [], "x": 0},
        }  # fmt: skip
        more = {"apiBlockIndex": 0, "requestId": "req_1", "requestedModel": "claude-opus-5-5"}
        record = {"parentUuid": self._uuid, "isSidechain": False, "message": message, **more, "type": "assistant"}
        return self._line(record | self._identity() | {"effort": "medium", "madeBy": "model"} | self._place())

    def _common(self, kind: str, extra: dict[str, Any], message: dict[str, Any] | None) -> bytes:
        record: dict[str, Any] = {"parentUuid": self._uuid, "isSidechain": False}
        if message is None:
            return self._line(record | {"type": kind} | extra | self._identity() | self._place())
        record |= {"promptId": self._session_id, "type": kind, "message": message}
        return self._line(record | self._identity() | extra | self._place())

    def _attachment(self, kind: str, extra: dict[str, Any]) -> bytes:
        record = {"parentUuid": self._uuid, "isSidechain": False, "attachment": {"type": kind, **extra}}
        return self._line(record | {"type": "attachment"} | self._identity() | self._place())

    def _states(self) -> Iterator[bytes]:
        yield self._state("file-history-snapshot", {"messageId": self._uuid, "snapshot": {}, "isSnapshotUpdate": False})
        yield self._state("last-prompt", {"lastPrompt": "please look", "leafUuid": self._uuid})
        yield self._state("mode", {"mode": "normal"})
        yield self._state("atis-latch", {"atis": ""})

    def _state(self, kind: str, extra: dict[str, Any]) -> bytes:
        return self._line({"type": kind, **extra, "sessionId": self._session_id})

    def _identity(self) -> dict[str, Any]:
        self._uuid = self._new_id()
        return {
            "uuid": self._uuid,
            "timestamp": f"2026-11-30T09:{self._count // 60 % 60:02d}:{self._count % 60:02d}.000Z",
        }

    def _place(self) -> dict[str, Any]:
        place = {"userType": "external", "entrypoint": "cli", "cwd": _CWD, "sessionId": self._session_id}
        return place | {"version": "2.1.332", "gitBranch": "main"}

    def _new_id(self) -> str:
        return f"{self._random.getrandbits(32):08x}-aaaa-4bbb-8ccc-{self._random.getrandbits(48):012x}"

    def _text(self) -> str:
        return self._random.choice(self._texts)

    def _make_text(self, length: int) -> str:
        parts: list[str] = []
        size = 0
        while size < length:
            words = self._random.choices(_WORDS, k=self._random.randint(3, 11))
            line = (
                "    " * self._random.randrange(3)
                + " ".join(words)
                + self._random.choice(("", ":", "()", ' = "x"', ";"))
            )
            parts.append(line)
            size += len(line) + 1
        return "\n".join(parts)[:length]

    @staticmethod
    def _line(record: dict[str, Any]) -> bytes:
        return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def write_log(path: Path, size_bytes: int, seed: int = 1) -> None:
    """Write a session of *size_bytes*; beyond 50 MB the same 50 MB again and again."""
    session = Session(seed)
    unit = min(size_bytes, 50_000_000)
    body = b"".join(session.lines(unit))
    with path.open("wb") as file:
        for _ in range(max(1, round(size_bytes / unit))):
            file.write(body)
