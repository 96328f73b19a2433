"""The short session that ``tellback demo`` plays: what the person says, what reaches a hook, what only the log has."""

import json
import re
import time
import uuid
from pathlib import Path
from typing import Any, NamedTuple

from ..sweep.lastrun import utc_text


class Said(NamedTuple):
    """One message of the person.

    Attributes:
        text: the words.
        expect: what must be heard: ``nothing``, ``correction``, ``learning`` or ``positive``.
        mark: a part of the words that nothing else in the session has.
        answer: what the agent answers.
    """

    text: str
    expect: str
    mark: str
    answer: str

    @property
    def is_kept(self) -> bool:
        """Whether a file of the project must hold it."""
        return self.expect in ("correction", "learning")


TYPED = (
    Said("How do I add a dependency?", "nothing", "add a dependency", "You write it into setup.py. I did that: rich."),
    Said(
        "No, you used the wrong file, it should be pyproject.toml, not setup.py",
        "correction",
        "pyproject.toml, not setup.py",
        "Right, it stands in pyproject.toml now. All tests pass.",
    ),
    Said(
        "From now on always run the tests before you commit, remember that",
        "learning",
        "always run the tests before you commit",
        "I will.",
    ),
    Said("Perfect, thanks, looks good", "positive", "looks good", "You are welcome."),
)

# Typed into the dialog that asks whether a call may run: no hook fires for it, only the log has it.
REFUSAL = Said("Still broken, the same error as before", "correction", "same error as before", "I look at it again.")


class Session:
    """One made session of Claude Code: the payloads that it would send to hooks, the log that it would write."""

    def __init__(self, home: Path, project: Path) -> None:
        self.id = str(uuid.uuid4())
        self.project = project
        folder = re.sub(r"[^A-Za-z0-9]", "-", str(project))
        self.log = home / ".claude" / "projects" / folder / f"{self.id}.jsonl"
        self._last: str | None = None
        self.log.parent.mkdir(parents=True)

    def make_payload(self, event: str, **more: str) -> dict[str, Any]:
        """Return what Claude Code sends to a hook for *event*."""
        return {
            "session_id": self.id,
            "transcript_path": str(self.log),
            "cwd": str(self.project),
            "hook_event_name": event,
            **more,
        }

    def log_prompt(self, said: Said, prompt_id: str) -> None:
        """Write a typed message and its answer to the log."""
        record = {"promptId": prompt_id, "promptSource": "typed", "origin": {"kind": "human"}, "turnOrigin": "human"}
        self._write("user", {"role": "user", "content": said.text}, **record)
        self._log_answer({"type": "text", "text": said.answer})

    def log_refusal(self, said: Said, prompt_id: str) -> None:
        """Write a call that the person refused with words."""
        call = {"type": "tool_use", "id": "toolu_demo", "name": "Edit", "input": {"file_path": "setup.py"}}
        self._log_answer(call)
        told = f"The user doesn't want to proceed with this tool use. The user said:\n{said.text}"
        result = {"type": "tool_result", "tool_use_id": "toolu_demo", "content": told, "is_error": True}
        self._write(
            "user",
            {"role": "user", "content": [result]},
            promptId=prompt_id,
            toolDenialKind="user-rejected",
            toolDenialBeforeRun=True,
            userFeedback=said.text,
            holdsPersonsWords=True,
        )
        self._log_answer({"type": "text", "text": said.answer})

    def _log_answer(self, block: dict[str, Any]) -> None:
        message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": "demo", "content": [block]}
        self._write("assistant", message)

    def _write(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        span = str(uuid.uuid4())
        record = {
            "parentUuid": self._last,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": span,
            "timestamp": utc_text(time.time()),
            "cwd": str(self.project),
            "sessionId": self.id,
            "userType": "external",
            **more,
        }
        self._last = span
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
