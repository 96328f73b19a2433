"""The real hook in a home of its own: written once by the bundle's writer, called as a harness calls it."""

import json
import marshal
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tellback.core.news import News, news_path, parse_news
from tellback.core.shapes import Places
from tellback.hooks.boot import BOOT_BYTES, Bundle
from tellback.hooks.installed import Installed
from tellback.hooks.notes import log_path
from tellback.install.bundle import entry_path, write_hook
from tellback.install.command import hook_command
from tellback.install.record import bundle_path

# A correction by any standard, and a plain task.
CORRECTION = "No, that is wrong. The total must use order_date, not ship_date."
TASK = "Please list the files in the folder src"


class Answer(NamedTuple):
    """How one hook call ended."""

    status: int
    stdout: bytes
    stderr: bytes


class Hook:
    """An installed hook: its places, a project, and ways to call it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        (self.project / ".git").mkdir(parents=True)
        below = {name: str(self.home / name / "tellback") for name in ("data", "cache", "config")}
        self.places = Places(str(self.home), **below)

    def write(self) -> None:
        write_hook(self.places, sys.executable)

    @property
    def entry(self) -> Path:
        return entry_path(self.places)

    def fire(
        self, payload: Mapping[str, Any] | bytes, harness: str = "claude-code", env: dict[str, str] | None = None
    ) -> Answer:
        """Call the command line that install writes, as a harness does."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        command = hook_command(self.places, sys.executable, harness)
        done = subprocess.run(
            ["sh", "-c", command],
            input=data,
            capture_output=True,
            timeout=30,
            check=False,
            cwd=self.home,
            env={"PATH": os.defpath, **(env or {})},
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def load_installed(self) -> Installed:
        """Return the installation as the hook has it, for calls inside this process."""
        with bundle_path(self.places).open("rb") as file:
            file.seek(BOOT_BYTES)
            parts: dict[str, Any] = marshal.load(file)
            bundle = Bundle(parts, os.dup(file.fileno()), file.tell())
        return Installed(**{**parts["record"], "places": self.places}, tables=bundle)

    def read_news(self) -> list[News]:
        path = Path(news_path(self.places))
        found = [parse_news(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        assert None not in found
        return [news for news in found if news]

    def last_news(self) -> News:
        return self.read_news()[-1]

    def read_log(self) -> str:
        path = Path(log_path(self.places))
        return path.read_text() if path.exists() else ""

    def read_corrections(self) -> str:
        path = self.project / ".knowledge/corrections/log.yaml"
        return path.read_text("utf-8") if path.exists() else ""

    def correction(self, **more: Any) -> dict[str, Any]:
        """Return Claude Code's payload for a correction by any standard."""
        return self.prompt(CORRECTION, **more)

    def task(self, **more: Any) -> dict[str, Any]:
        """Return Claude Code's payload for a plain task."""
        return self.prompt(TASK, **more)

    def prompt(self, text: str, **more: Any) -> dict[str, Any]:
        """Return Claude Code's payload for a prompt."""
        return {**self.payload("UserPromptSubmit"), "prompt": text, **more}

    def payload(self, event: str, **more: Any) -> dict[str, Any]:
        return {
            "session_id": "573ad00f-a8ce-4e56-a5a1-7d846c102f46",
            "transcript_path": str(self.home / ".claude/projects/x/573ad00f.jsonl"),
            "cwd": str(self.project),
            "prompt_id": os.urandom(8).hex(),
            "permission_mode": "default",
            "hook_event_name": event,
            **more,
        }


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """Return a hook that is installed in a fresh home."""
    hook = Hook(tmp_path)
    monkeypatch.setenv("HOME", str(hook.home))
    hook.write()
    return hook
