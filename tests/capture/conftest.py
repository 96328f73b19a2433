"""A project with a Git root, and a way to say things in it."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tellback.capture.detector import Verdict
from tellback.capture.heard import Outcome
from tellback.capture.knowledge import capture_turn
from tellback.capture.points import Point
from tellback.core.digest import hash_text
from tellback.core.place import Where, find_knowledge
from tellback.core.shapes import Places, Turn


class Project:
    """A project folder; ``say`` captures words said in it, as a hook does."""

    def __init__(self, folder: Path, places: Places) -> None:
        self.folder = folder
        self.places = places
        self.knowledge = folder / ".knowledge"
        self.log = self.knowledge / "corrections" / "log.yaml"
        self.index = self.knowledge / "corrections" / "index.yaml"
        self.learnings = self.knowledge / "learnings" / "index.md"
        self.queue = Path(places.data) / "queue.jsonl"

    @property
    def where(self) -> Where:
        return find_knowledge(str(self.folder), self.places)

    def say(
        self,
        *words: str,
        prompt_id: str = "",
        session: str = "s1",
        at: float | None = None,
        label: str = "correction",
        prompt: str | None = None,
        change: Callable[[Point], None] | None = None,
        **settings: Any,
    ) -> Outcome:
        """Capture a message of one or more points, *prompt* when it is more than they."""
        turn = Turn("claude-code", "prompt", time.time() if at is None else at)
        turn.session_id, turn.prompt_id, turn.project = session, prompt_id, str(self.folder)
        verdict = Verdict()
        verdict.label = label  # type: ignore[assignment]
        verdict.learning_category = "Methodology Notes"
        verdict.points = [Point(text) for text in words]
        for point in verdict.points:
            if change:
                change(point)
        prompt_hash = hash_text("\n".join(words) if prompt is None else prompt)
        return capture_turn(turn, verdict, self.where, self.places, prompt_hash=prompt_hash, **settings)

    def write(self, path: Path, text: str | bytes) -> None:
        """Write a file as a person would, its folders too."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    @staticmethod
    def load(path: Path) -> Any:
        """Return what another YAML reader than ours makes of a file."""
        return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))

    def entries(self) -> list[dict[str, Any]]:
        return self.load(self.log)["corrections"]

    def counts(self) -> dict[str, Any]:
        return self.load(self.index)


@pytest.fixture
def project(tmp_path: Path, places: Places) -> Project:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    os.chmod(folder, 0o755)
    return Project(folder, places)
