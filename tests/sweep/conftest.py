"""A made home, made session logs and made news for the tests of the sweep."""

import json
import uuid
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tellback.core.db import open_db
from tellback.core.news import News, append_news
from tellback.core.shapes import Places
from tellback.sweep.captures import Capture, list_captures
from tellback.sweep.lastrun import LastRun
from tellback.sweep.run import Order, run_sweep

NOW = 1_796_000_000.0


class MadeLog:
    """A session log of Claude Code that a test writes record by record."""

    def __init__(self, home: Path, cwd: Path, session: str = "") -> None:
        self.session = session or str(uuid.uuid4())
        self.cwd = cwd
        self.at = NOW
        self.records: list[dict[str, Any]] = []
        folder = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(cwd))
        self.path = home / ".claude" / "projects" / folder / f"{self.session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def prompt(self, text: str, **more: Any) -> float:
        """Write a typed prompt; returns its time."""
        message = {"role": "user", "content": text}
        return self.write("user", message=message, promptSource="typed", turnOrigin="human", **more)

    def answer(self, text: str) -> float:
        block = {"type": "text", "text": text}
        return self._assistant(block)

    def queued(self, text: str) -> float:
        """Write words typed while a tool ran: an attachment and no user record."""
        attachment = {"type": "queued_command", "prompt": text, "commandMode": "prompt", "origin": {"kind": "human"}}
        return self.write("attachment", attachment=attachment)

    def refusal(self, words: str) -> float:
        """Write a call that the person refused with words."""
        self._assistant({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "touch x"}})
        said = f"The user doesn't want to proceed with this tool use. the user said:\n{words}"
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": said, "is_error": True}
        return self.write(
            "user",
            message={"role": "user", "content": [result]},
            toolDenialKind="user-rejected",
            toolDenialBeforeRun=True,
            userFeedback=words,
            holdsPersonsWords=True,
        )

    def write(self, kind: str, **members: Any) -> float:
        self.at += 10
        record = {
            "type": kind,
            "uuid": str(uuid.uuid4()),
            "timestamp": datetime.fromtimestamp(self.at, timezone.utc).isoformat().replace("+00:00", "Z"),
            "cwd": str(self.cwd),
            "sessionId": self.session,
            "isSidechain": False,
            **members,
        }
        self.records.append(record)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        return self.at

    def fork(self, home: Path) -> "MadeLog":
        """Return a fork: a new session that copies the records with their uuids and times under new ids."""
        fork = MadeLog(home, self.cwd)
        fork.at = self.at
        prompt_id = str(uuid.uuid4())
        fork.records = [{**one, "sessionId": fork.session, "promptId": prompt_id} for one in self.records]
        fork.path.write_text("".join(json.dumps(one) + "\n" for one in fork.records), encoding="utf-8")
        return fork

    def _assistant(self, block: dict[str, Any]) -> float:
        message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": "m", "content": [block]}
        return self.write("assistant", message=message)


class House:
    """A home with a project; what a sweep makes of it can be asked for."""

    def __init__(self, home: Path, project: Path, places: Places) -> None:
        self.path = home
        self.project = project
        self.places = places
        (project / ".git").mkdir(parents=True)

    def new_log(self, session: str = "") -> MadeLog:
        return MadeLog(self.path, self.project, session)

    def tell(self, log: MadeLog, text: str, at: float, **members: Any) -> None:
        """Append the news of a prompt hook, as if it had heard nothing unless *members* say so."""
        from tellback.core.digest import short_hash

        news = News(at, "claude-code")
        news.event, news.session, news.transcript = "prompt", log.session, str(log.path)
        news.project, news.hash = str(log.cwd), short_hash(text.encode())
        news.verdict, news.outcome = "none", "nothing"
        for name, value in members.items():
            setattr(news, name, value)
        append_news(self.places, news)

    def sweep(self, **order: Any) -> LastRun:
        done = run_sweep(self.places, Order(**{"look_around": True, **order}))
        assert done is not None
        assert done.failure == "", self.read_log()
        return done

    def captures(self) -> list[Capture]:
        with closing(open_db(self.places)) as db:
            return list(list_captures(db))

    def entries(self) -> list[dict[str, Any]]:
        """Return the entries of every correction log, in the project and in its store."""
        logs = [self.project / ".knowledge", *Path(self.places.data).glob("projects/*/.knowledge")]
        found: list[dict[str, Any]] = []
        for folder in logs:
            log = folder / "corrections" / "log.yaml"
            if log.exists():
                found += YAML(typ="safe").load(log)["corrections"] or []
        return found

    def read_log(self) -> str:
        log = Path(self.places.cache) / "tellback.log"
        return log.read_text() if log.exists() else ""


@pytest.fixture
def house(home: Path, places: Places, tmp_path: Path) -> House:
    """A made home with an empty Git project beside it."""
    return House(home, tmp_path / "project", places)


@pytest.fixture
def descriptions(house: House) -> Callable[[], list[str]]:
    """What is kept, in the order of the log."""
    return lambda: [entry["description"] for entry in house.entries()]
