"""Learning from the logs of every harness that is read: no hook of Tellback's was there, the log alone tells."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

from tellback.cli import main
from tellback.core.db import open_db
from tellback.core.shapes import Places
from tellback.learning import analyze as analysis
from tellback.learning.event_store import find_event_file
from tellback.learning.events import load_feedback_events
from tellback.learning.ledger import list_attributions, list_calls
from tellback.learning.signals import read_signals
from tellback.sessions import sqlite_copy
from tellback.sessions.table import READERS
from tellback.sweep.captures import list_captures
from tellback.sweep.run import Order, run_sweep
from tellback.sweep.stages import learn as stage

CORRECTION = "No, that's wrong, use pnpm, not npm"
QUESTION = "what does the second step do?"


class Teller:
    """Writes one session as its harness does; a subclass a harness."""

    harness: str
    skills = ""  # where the harness looks for skills, below the home

    def __init__(self, home: Path, project: Path, session: str = "s1") -> None:
        self.home, self.project, self.session = home, project, session
        self.began_at = datetime.now(timezone.utc) - timedelta(hours=2)
        self.count = 0

    def stamp(self) -> str:
        return self._at().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def milliseconds(self) -> int:
        return int(self._at().timestamp() * 1000)

    def _at(self) -> datetime:
        self.count += 1
        return self.began_at + timedelta(seconds=self.count)

    def append(self, path: Path, record: dict[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as log:
            log.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")

    def begin(self) -> None: ...
    def say(self, text: str) -> None: ...
    def answer(self, text: str) -> None: ...
    def call_skill(self, skill: str) -> None: ...
    def type_skill(self, skill: str, words: str) -> None: ...


class ClaudeCode(Teller):
    harness = "claude-code"
    skills = ".claude/skills"

    def record(self, kind: str, content: Any, **more: Any) -> None:
        record = {"uuid": f"{self.session}-{self.count}", "timestamp": self.stamp(), "cwd": str(self.project), **more}
        message = {"role": kind, "model": "m", "content": content}
        path = self.home / ".claude" / "projects" / "-app" / f"{self.session}.jsonl"
        self.append(path, {"type": kind, "sessionId": self.session, **record, "message": message})

    def say(self, text: str) -> None:
        self.record("user", text, promptSource="typed")

    def answer(self, text: str) -> None:
        self.record("assistant", [{"type": "text", "text": text}])

    def call_skill(self, skill: str) -> None:
        ident = f"t{self.count}"
        self.record("assistant", [{"type": "tool_use", "id": ident, "name": "Skill", "input": {"skill": skill}}])
        self.record("user", [{"type": "tool_result", "tool_use_id": ident, "content": "loaded"}])

    def type_skill(self, skill: str, words: str) -> None:
        tags = {"message": skill, "name": f"/{skill}", "args": words}
        self.record("user", "\n".join(f"<command-{tag}>{text}</command-{tag}>" for tag, text in tags.items()))


class Codex(Teller):
    harness = "codex"
    skills = ".codex/skills"
    meta: ClassVar[dict[str, Any]] = {"source": "cli"}

    def path(self) -> Path:
        return (
            self.home
            / ".codex"
            / "sessions"
            / "2026"
            / "11"
            / "30"
            / f"rollout-2026-11-30T10-00-00-{self.session}.jsonl"
        )

    def line(self, kind: str, **payload: Any) -> None:
        self.append(self.path(), {"timestamp": self.stamp(), "type": kind, "payload": payload})

    def item(self, kind: str, text: str) -> None:
        item = {"type": kind, "id": f"{self.session}-{self.count}", "content": [{"type": "text", "text": text}]}
        self.line("event_msg", type="item_completed", item=item)

    def begin(self) -> None:
        self.line("session_meta", id=self.session, cwd=str(self.project), **self.meta)
        self.line("turn_context", cwd=str(self.project), model="m")

    def say(self, text: str) -> None:
        self.item("UserMessage", text)

    def answer(self, text: str) -> None:
        self.item("AgentMessage", text)

    def call_skill(self, skill: str) -> None:
        arguments = json.dumps({"cmd": f"cat {self.home}/{self.skills}/{skill}/SKILL.md"})
        call = {"type": "function_call", "name": "exec_command", "call_id": f"{self.session}-{self.count}"}
        self.line("response_item", **call, arguments=arguments)
        text = "Process exited with code 0\nOutput:\n"
        self.line("response_item", type="function_call_output", call_id=call["call_id"], output=text)

    def type_skill(self, skill: str, words: str) -> None:
        self.say(f"${skill} {words}")
        text = f"<skill>\n<name>{skill}</name>\n<path>/s</path>\nRun it.\n</skill>"
        content = [{"type": "input_text", "text": text}]
        self.line("response_item", type="message", role="user", content=content)


class Copilot(Teller):
    harness = "copilot"
    skills = ".copilot/skills"

    def event(self, kind: str, **data: Any) -> None:
        record = {"type": kind, "data": data, "id": f"{self.session}-{self.count}", "timestamp": self.stamp()}
        self.append(self.home / ".copilot" / "session-state" / self.session / "events.jsonl", record)

    def begin(self) -> None:
        self.event("session.start", context={"cwd": str(self.project)}, selectedModel="m")

    def say(self, text: str) -> None:
        self.event("user.message", content=text)

    def answer(self, text: str) -> None:
        self.event("assistant.message", content=text, model="m")

    def call_skill(self, skill: str) -> None:
        ident = f"c{self.count}"
        self.event("tool.execution_start", toolCallId=ident, toolName="skill", arguments={"skill": skill})
        self.event("tool.execution_complete", toolCallId=ident, success=True, result={"content": "loaded"})

    def type_skill(self, skill: str, words: str) -> None:
        self.event("skill.invoked", name=skill, trigger="user-invoked")
        sent = f'The user explicitly invoked the "/{skill}" skill. Follow its instructions now.'
        self.event("user.message", content=f"/{skill} {words}", transformedContent=sent)


class Gemini(Teller):
    harness = "gemini-cli"
    skills = ".gemini/skills"

    def line(self, **record: Any) -> None:
        path = (
            self.home
            / ".gemini"
            / "tmp"
            / "app"
            / "chats"
            / f"session-2026-11-30T10-00-0000000{self.session[1:]}.jsonl"
        )
        ident = f"{self.session}-{self.count}"
        self.append(path, {"id": ident, "timestamp": self.stamp(), **record})

    def begin(self) -> None:
        root = self.home / ".gemini" / "tmp" / "app" / ".project_root"
        root.parent.mkdir(parents=True, exist_ok=True)
        root.write_text(str(self.project))
        self.line(sessionId=self.session, kind="main")

    def say(self, text: str) -> None:
        self.line(type="user", content=[{"text": text}])

    def answer(self, text: str) -> None:
        self.line(type="gemini", content=text, model="m")

    def call_skill(self, skill: str) -> None:
        call = {"id": f"activate_skill__{self.count}", "name": "activate_skill", "args": {"name": skill}}
        self.line(type="gemini", content="", model="m", toolCalls=[{**call, "status": "success", "result": []}])

    def type_skill(self, skill: str, words: str) -> None:
        self.line(type="user", content=[{"text": words}], displayContent=[{"text": f"/{skill} {words}"}])


OPENCODE = """
CREATE TABLE IF NOT EXISTS session (id text, parent_id text, directory text, time_updated integer);
CREATE TABLE IF NOT EXISTS message (id text, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE IF NOT EXISTS part (id text, message_id text, session_id text, data text);
"""


class OpenCode(Teller):
    harness = "opencode-v1"
    skills = ".config/opencode/skill"

    def run(self, statement: str, *values: Any) -> None:
        path = self.home / ".local" / "share" / "opencode" / "opencode.db"
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(statement, values)

    def begin(self) -> None:
        for statement in filter(str.strip, OPENCODE.split(";")):
            self.run(statement)
        self.run("INSERT INTO session VALUES (?, NULL, ?, ?)", self.session, str(self.project), self.milliseconds())

    def message(self, role: str, **part: Any) -> None:
        at = self.milliseconds()
        ident = f"{self.session}-{self.count:04}"
        data = {"role": role, "time": {"created": at, "completed": at}, "modelID": "m"}
        self.run("INSERT INTO message VALUES (?, ?, ?, ?, ?)", ident, self.session, at, at, json.dumps(data))
        self.run("INSERT INTO part VALUES (?, ?, ?, ?)", f"p{ident}", ident, self.session, json.dumps(part))
        self.run("UPDATE session SET time_updated = ? WHERE id = ?", at, self.session)

    def say(self, text: str) -> None:
        self.message("user", type="text", text=text)

    def answer(self, text: str) -> None:
        self.message("assistant", type="text", text=text)

    def call_skill(self, skill: str) -> None:
        state = {"status": "completed", "input": {"name": skill}, "output": "loaded"}
        self.message("assistant", type="tool", tool="skill", callID=f"c{self.count}", state=state)

    def type_skill(self, skill: str, words: str) -> None:
        folder = f"\n\nBase directory for this skill: {self.home}/{self.skills}/{skill}\n"
        self.say(f"Run it.\n{folder}Relative paths in this skill (e.g., scripts/) are relative to it.\n\n{words}")


TELLERS: tuple[type[Teller], ...] = (ClaudeCode, Codex, Copilot, Gemini, OpenCode)
each_harness = pytest.mark.parametrize("kind", TELLERS, ids=lambda kind: kind.harness)


class Played:
    """A home with a skill for each harness, and what sweeps make of the sessions in it."""

    def __init__(self, home: Path, places: Places) -> None:
        self.home, self.places = home, places
        self.project = home / "work" / "app"
        (self.project / ".git").mkdir(parents=True)
        for kind in TELLERS:
            for skill in ("lint", "deploy"):
                folder = home / kind.skills / skill
                folder.mkdir(parents=True)
                (folder / "SKILL.md").write_text(f"---\nname: {skill}\n---\nRun npm install.\n")
                os.utime(folder / "SKILL.md", (1_700_000_000, 1_700_000_000))

    def begin(self, kind: type[Teller], session: str = "s1") -> Teller:
        teller = kind(self.home, self.project, session)
        teller.begin()
        return teller

    def sweep(self) -> dict[str, dict[str, Any]]:
        sqlite_copy.close_copies()
        done = run_sweep(self.places, Order(look_around=True))
        assert done is not None
        log = Path(self.places.cache) / "tellback.log"
        assert done.failure == "", log.read_text()
        return done.stages

    def events(self, is_headless: bool = False) -> list[dict[str, Any]]:
        path = find_event_file(self.places, is_headless)
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    def captures(self) -> list[str]:
        with closing(open_db(self.places)) as db:
            return [capture.label for capture in list_captures(db)]


@pytest.fixture
def played(home: Path, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    monkeypatch.setattr(stage, "is_skipped_folder", lambda _: False)  # a test's home is a temporary folder
    sqlite_copy.set_scratch(str(tmp_path / "data"))
    yield Played(home, places)
    sqlite_copy.close_copies()


def ask(teller: Teller, *prompts: str) -> None:
    for prompt in prompts:
        teller.say(prompt)
        teller.answer("Done, all of it.")


@each_harness
def test_a_corrected_skill_has_one_event_and_a_signal_in_its_own_folder(kind: type[Teller], played: Played) -> None:
    teller = played.begin(kind)
    teller.say("install the packages")
    teller.call_skill("lint")
    teller.answer("Done, all fixed.")
    ask(teller, CORRECTION, QUESTION, QUESTION, QUESTION)

    played.sweep()
    again = played.sweep()

    (event,) = played.events()
    told = (event["skill_id"], event["outcome"], event["turns_to_feedback"], event["user_message_snippet"])
    assert told == ("lint", "correction", 1, CORRECTION)
    (signal,) = read_signals(played.home / kind.skills / "lint")
    assert (signal["type"], signal["context"]["user_intent"]) == ("corrected", "install the packages")
    with closing(open_db(played.places)) as db:
        (call,) = list_calls(db)
    assert (call.harness, call.skill, call.model, call.event_id) == (kind.harness, "lint", "m", event["event_id"])
    assert "events" not in again["learn"]
    assert played.captures() == ["correction"]


@each_harness
def test_a_typed_skill_is_one_call_and_its_words_are_nobodys_reaction(kind: type[Teller], played: Played) -> None:
    teller = played.begin(kind)
    teller.type_skill("deploy", "the web shop to the new machines, please")
    teller.answer("Deployed.")
    teller.type_skill("lint", "all of the files in this whole folder")
    teller.answer("Done, all fixed.")
    ask(teller, CORRECTION, QUESTION, QUESTION, QUESTION)

    played.sweep()

    assert [(event["skill_id"], event["outcome"]) for event in played.events()] == [("lint", "correction")]
    with closing(open_db(played.places)) as db:
        (waiting,) = list_attributions(db)
    assert waiting.candidates == ("deploy", "lint")
    assert "all of the files" in waiting.said[0].user_intent


@each_harness
def test_a_window_that_is_open_is_settled_by_a_later_sweep_once(kind: type[Teller], played: Played) -> None:
    teller = played.begin(kind)
    teller.say("install the packages")
    teller.call_skill("lint")
    teller.answer("Done.")
    found: list[int] = []
    for prompt in ("which version is that?", CORRECTION, QUESTION, QUESTION, QUESTION):
        ask(teller, prompt)
        played.sweep()
        found.append(len(played.events()))

    assert found == [0, 0, 0, 1, 1]
    assert played.events()[0]["turns_to_feedback"] == 2
    assert len(read_signals(played.home / kind.skills / "lint")) == 1


@each_harness
def test_a_harness_that_is_not_named_is_not_read(kind: type[Teller], played: Played) -> None:
    settings = Path(played.places.config) / "config.toml"
    settings.parent.mkdir(parents=True)
    others = [each.harness.partition("-v")[0] for each in TELLERS if each is not kind]
    settings.write_text(f"[sessions]\nharnesses = {json.dumps(others)}\n")
    for number, each in enumerate(TELLERS, 1):
        teller = played.begin(each, f"s{number}")
        teller.call_skill("lint")
        ask(teller, CORRECTION, QUESTION, QUESTION, QUESTION, QUESTION)

    played.sweep()

    with closing(open_db(played.places)) as db:
        harnesses = {call.harness for call in list_calls(db)}
    assert harnesses == {each.harness for each in TELLERS if each is not kind}


@pytest.mark.parametrize("kind", [Codex, Copilot], ids=lambda kind: kind.harness)
def test_a_skill_is_not_lost_when_a_sweep_comes_before_its_result(kind: type[Teller], played: Played) -> None:
    teller = played.begin(kind)
    teller.say("install the packages")
    teller.call_skill("lint")
    log = next(path for path in played.home.rglob("*.jsonl") if path.stem.endswith(("s1", "events")))
    whole = log.read_bytes()
    *before, result = whole.splitlines(keepends=True)
    log.write_bytes(b"".join(before))
    played.sweep()
    log.write_bytes(b"".join([*before, result]))
    teller.answer("Done, all fixed.")
    ask(teller, CORRECTION, QUESTION, QUESTION, QUESTION)

    played.sweep()

    assert [(event["skill_id"], event["outcome"]) for event in played.events()] == [("lint", "correction")]


@each_harness
def test_the_same_skill_in_two_sessions_has_two_events(kind: type[Teller], played: Played) -> None:
    for session in ("s1", "s2"):
        teller = played.begin(kind, session)
        teller.type_skill("lint", "all")
        teller.answer("Done.")
        ask(teller, CORRECTION, QUESTION, QUESTION, QUESTION)

    played.sweep()

    assert len({event["event_id"] for event in played.events()}) == 2


@each_harness
def test_analyze_takes_the_same_from_the_logs_of_a_named_harness(
    kind: type[Teller], played: Played, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(analysis, "is_skipped_folder", lambda _: False)  # a test's home is a temporary folder
    monkeypatch.chdir(tmp_path)
    for session in ("s1", "s2"):
        teller = played.begin(kind, session)
        teller.say("install the packages")
        teller.call_skill("lint")
        teller.answer("Done, all fixed.")
        ask(teller, CORRECTION, QUESTION, QUESTION)
        teller.type_skill("deploy", "everything")
        ask(teller, "perfect, looks good")

    result = CliRunner().invoke(main, ["analyze", "--harness", kind.harness, "--json"], catch_exceptions=False)

    data = json.loads(result.stdout)
    assert (data["calls"], data["outcomes"]) == ({"lint": 2, "deploy": 2}, {"correction": 2, "acceptance": 2})
    reader = READERS[kind.harness]
    sessions = {listed.session_id for listed in reader.list_sessions(reader.find_store()).sessions}
    assert {event["session_id"] for event in load_feedback_events(Path(data["output"]))} == sessions


@pytest.mark.parametrize(
    ("meta", "events", "headless_events"),
    [
        pytest.param({"source": "exec"}, 0, 1, id="codex exec"),
        pytest.param({"source": {"subagent": {}}, "thread_source": "subagent"}, 0, 0, id="a sub-agent"),
        pytest.param({"source": "vscode"}, 1, 0, id="a person"),
    ],
)
def test_only_a_persons_codex_session_counts_by_default(
    meta: dict[str, Any], events: int, headless_events: int, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Codex, "meta", meta)
    teller = played.begin(Codex)
    teller.say("install the packages")
    teller.call_skill("lint")
    teller.answer("Done.")
    ask(teller, CORRECTION, QUESTION, QUESTION, QUESTION)

    played.sweep()

    assert (len(played.events()), len(played.events(is_headless=True))) == (events, headless_events)
