"""Learning by the sweep: events, signals and feedback, each exactly once, whatever grows, dies or waits."""

import json
import os
import time
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from tellback.capture.learnings import make_ident
from tellback.cli import main
from tellback.core.db import open_db
from tellback.core.shapes import Places
from tellback.learning.event_store import find_event_file
from tellback.learning.feedback_store import FeedbackStore
from tellback.learning.ledger import list_attributions, list_calls
from tellback.learning.signals import read_signals
from tellback.learning.where import find_root
from tellback.sessions import claude_reading
from tellback.sweep.stages import learn as stage


class Stage:
    """A home with skills and one session log that is written step by step."""

    def __init__(self, home: Path, places: Places) -> None:
        self.home = home
        self.places = places
        self.project = home / "work" / "app"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        for skill in ("lint", "deploy"):
            self.add_skill(skill)
        self.log = home / ".claude" / "projects" / "-work-app" / "s1.jsonl"
        self.log.parent.mkdir(parents=True)
        self.count = 0
        self.began_at = datetime.now(timezone.utc) - timedelta(hours=2)

    def add_skill(self, name: str) -> None:
        folder = self.home / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\n---\nRun npm install.\n")
        old = (datetime.now() - timedelta(days=3)).timestamp()
        os.utime(folder / "SKILL.md", (old, old))

    def root(self, skill: str = "lint") -> Path:
        return self.home / ".claude" / "skills" / skill

    def add(self, kind: str, **more: Any) -> "Stage":
        self.count += 1
        at = self.began_at + timedelta(minutes=self.count)
        record = {
            "type": kind,
            "uuid": f"u{self.count:04}",
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "sessionId": "s1",
            "cwd": str(self.project),
            "isSidechain": False,
            **more,
        }
        with self.log.open("ab") as log:
            log.write(orjson.dumps(record) + b"\n")
        return self

    def user(self, text: str) -> "Stage":
        return self.add("user", promptSource="typed", message={"role": "user", "content": text})

    def answer(self, text: str = "Done, all fixed.") -> "Stage":
        block = {"type": "text", "text": text}
        return self.add("assistant", message={"role": "assistant", "model": "m", "content": [block]})

    def tool(self, name: str, error: bool = False, **arguments: Any) -> "Stage":
        call_id = f"t{self.count}"
        block = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        self.add("assistant", message={"role": "assistant", "model": "m", "content": [block]})
        result = {"type": "tool_result", "tool_use_id": call_id, "content": "Exit code 1" if error else "ok"}
        if error:
            result["is_error"] = True  # type: ignore[assignment]
        return self.add("user", toolUseResult={}, message={"role": "user", "content": [result]})

    def skill(self, name: str = "lint") -> "Stage":
        return self.tool("Skill", skill=name)

    def sweep(self) -> dict[str, Any]:
        result = CliRunner().invoke(main, ["sweep", "--json"], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        data: dict[str, Any] = json.loads(result.stdout)
        return data

    def events(self) -> list[dict[str, Any]]:
        path = Path(self.places.data) / "feedback-store" / "feedback.jsonl"
        return [orjson.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    def feedback(self) -> list[dict[str, Any]]:
        found = list(Path(self.places.data).glob("projects/*/patterns/feedback.jsonl"))
        return FeedbackStore(found[0].parent).get_all() if found else []


@pytest.fixture
def played(home: Path, places: Places, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(stage, "is_skipped_folder", lambda _: False)  # a test's home is a temporary folder
    return Stage(home, places)


CORRECTION = "No, that's wrong, use pnpm, not npm"
NEUTRAL = "what does the second step do?"


def test_a_window_that_grows_by_a_turn_a_sweep_is_settled_once_when_it_closes(played: Stage) -> None:
    played.user("install the packages").skill().answer()
    found: list[int] = []
    for prompt in (NEUTRAL, CORRECTION, NEUTRAL, NEUTRAL, NEUTRAL):
        played.user(prompt).answer().sweep()
        found.append(len(played.events()))

    assert found == [0, 0, 0, 1, 1]
    assert played.events()[0]["turns_to_feedback"] == 2


def test_a_corrected_skill_gets_an_event_a_signal_and_a_feedback_event(played: Stage) -> None:
    played.user("install the packages").skill().tool("Bash", command="npm install").answer()
    played.user(CORRECTION).answer().user(NEUTRAL).answer().user(NEUTRAL).answer().user(NEUTRAL).answer()

    played.sweep()

    (event,) = played.events()
    assert (event["skill_id"], event["outcome"], event["turns_to_feedback"]) == ("lint", "correction", 1)
    assert event["ai_tools_used"] == ["Bash"]
    (signal,) = read_signals(played.root())
    assert (signal["skill"], signal["type"]) == ("lint", "corrected")
    assert signal["context"] == {
        "user_intent": "install the packages",
        "problem_turn": "Done, all fixed.",
        "user_correction": CORRECTION,
    }
    (feedback,) = played.feedback()
    assert (feedback["skillName"], feedback["original"], feedback["corrected"]) == ("lint", "npm", "pnpm")
    with closing(open_db(played.places)) as db:
        (call,) = list_calls(db)
    assert (call.skill, call.model, len(call.skill_hash)) == ("lint", "m", 64)


def test_nothing_else_of_the_skill_is_touched(played: Stage) -> None:
    before = {path: path.read_bytes() for path in (played.home / ".claude" / "skills").rglob("*") if path.is_file()}
    played.user("go").skill().answer().user(CORRECTION).answer()

    played.sweep()

    after = {path: path.read_bytes() for path in (played.home / ".claude" / "skills").rglob("*") if path.is_file()}
    assert after.keys() - before.keys() == {played.root() / ".skillopt" / "pending" / "signal.json"}
    assert all(after[path] == data for path, data in before.items())


def test_a_sweep_after_every_step_gives_the_same_as_one_at_the_end(played: Stage) -> None:
    steps = [
        lambda: played.user("install the packages"),
        lambda: played.skill(),
        lambda: played.answer(),
        lambda: played.user(CORRECTION),
        lambda: played.answer(),
        lambda: played.user(NEUTRAL),
        lambda: played.answer(),
        lambda: played.skill("deploy"),
        lambda: played.answer(),
        lambda: played.user(NEUTRAL),
    ]
    for step in steps:
        step()
        played.sweep()

    assert [(event["skill_id"], event["outcome"]) for event in played.events()] == [("lint", "correction")]
    assert len(read_signals(played.root())) == 1
    assert len(played.feedback()) == 1


def test_a_window_that_is_open_is_settled_after_a_day(played: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played.user("go").skill().answer().user(CORRECTION).answer()
    played.sweep()
    assert played.events() == []

    later = time.time() + 25 * 3600
    monkeypatch.setattr("time.time", lambda: later)
    played.sweep()
    played.sweep()

    assert [event["outcome"] for event in played.events()] == ["correction"]
    assert len(read_signals(played.root())) == 1


def test_a_call_of_now_is_not_settled_because_an_older_one_waited_for_a_day(
    played: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.user("go").skill("lint").answer().user("looks good").answer()
    played.sweep()
    later = time.time() + 25 * 3600
    monkeypatch.setattr("time.time", lambda: later)
    played.began_at += timedelta(hours=25)
    played.user("go on").skill("deploy").answer().user("looks good").answer()
    played.sweep()
    early = [event["skill_id"] for event in played.events()]
    played.user("no, that is wrong after all").answer()
    played.sweep()
    for _ in range(2):
        played.user(NEUTRAL).answer()
    played.sweep()

    assert early == ["lint"]
    assert [(event["skill_id"], event["outcome"]) for event in played.events()] == [
        ("lint", "acceptance"),
        ("deploy", "correction"),
    ]


def test_an_old_session_is_settled_by_the_first_sweep_that_reads_it(played: Stage) -> None:
    played.began_at -= timedelta(days=3)
    played.user("go").skill().answer().user("looks good").answer()

    played.sweep()

    assert [event["outcome"] for event in played.events()] == ["acceptance"]


def test_a_correction_after_several_skills_waits_for_an_answer(played: Stage) -> None:
    played.user("go").skill("lint").answer().user(NEUTRAL).skill("deploy").answer().user(CORRECTION).answer()

    played.sweep()

    assert read_signals(played.root("lint")) == read_signals(played.root("deploy")) == []
    with closing(open_db(played.places)) as db:
        (waiting,) = list_attributions(db)
    assert (waiting.candidates, waiting.said[0].words) == (("lint", "deploy"), CORRECTION)


def test_a_correction_without_a_skill_leaves_no_signal(played: Stage) -> None:
    played.user("go").answer().user(CORRECTION).answer()

    played.sweep()

    assert not list(played.home.rglob("signal.json"))


def test_a_skill_more_than_three_turns_ago_is_not_meant(played: Stage) -> None:
    played.user("go").skill().answer()
    for _ in range(3):
        played.user(NEUTRAL).answer()
    played.user(CORRECTION).answer()

    played.sweep()

    assert read_signals(played.root()) == []


def test_an_operation_that_failed_again_and_again_is_friction(played: Stage) -> None:
    played.user("go").skill()
    played.tool("Bash", error=True, command="pytest a").tool("Bash", error=True, command="pytest b")
    played.tool("Bash", command="pytest c").answer().user("thanks, now the second part please").answer()

    played.sweep()
    played.sweep()

    (signal,) = read_signals(played.root())
    assert (signal["type"], signal["friction_type"], signal["correction"]) == ("friction", "repeated_operation", None)
    assert signal["friction_detail"] == "Bash pytest: failed 2 times before it went through"


def test_the_edit_that_answers_a_correction_is_the_pair(played: Stage) -> None:
    played.user("go").skill().tool("Write", file_path="/a.py", content="limit = 10\nprint(limit)").answer()
    played.user("that is wrong, far too low").tool(
        "Edit", file_path="/a.py", old_string="limit = 10", new_string="limit = 100"
    ).answer()

    played.sweep()

    (feedback,) = played.feedback()
    assert (feedback["original"], feedback["corrected"]) == ("limit = 10", "limit = 100")


def test_a_wrong_skill_is_an_override(played: Stage) -> None:
    played.user("go").skill().answer().user("no, that's the wrong skill, this shouldn't trigger for docs").answer()

    played.sweep()

    (feedback,) = played.feedback()
    assert (feedback["type"], feedback["rejected"], feedback["skillName"]) == ("override", True, "lint")


def test_a_score_is_a_rating_of_the_skill(played: Stage) -> None:
    played.user("go").skill().answer().user("4/5, thanks").answer()

    played.sweep()
    played.sweep()

    assert [(event["type"], event["score"]) for event in played.feedback()] == [("rating", 4)]


def test_a_sweep_that_dies_in_between_writes_nothing_twice(played: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played.user("go").skill().answer().user(CORRECTION).answer().skill("deploy").answer()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(stage, "write_progress", die)
        with pytest.raises(BaseException):  # noqa: B017, PT011 - however the door ends it
            CliRunner().invoke(main, ["sweep"], catch_exceptions=False, standalone_mode=False)
    played.sweep()

    assert len(played.events()) == len(read_signals(played.root())) == len(played.feedback()) == 1


def test_what_a_log_grew_by_after_late_capture_read_it_is_left_to_the_next_sweep(
    played: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.user("go").skill().answer()
    list_due = stage.list_due

    def grow_first(*arguments: Any) -> Any:
        played.user(CORRECTION).answer()
        return list_due(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(stage, "list_due", grow_first)
        played.sweep()
    assert read_signals(played.root()) == []
    played.skill("deploy").answer()
    played.sweep()

    assert [event["outcome"] for event in played.events()] == ["correction"]
    assert len(read_signals(played.root())) == 1


def test_one_more_turn_costs_that_turn(played: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played.user("go").skill().answer().user(CORRECTION).answer()
    for number in range(300):
        played.user(f"please look at part {number}").tool("Bash", command="ls").answer()
    played.sweep()
    lines: list[int] = []
    parse = claude_reading.parse_line

    def spy(line: Any) -> Any:
        lines.append(len(line))
        return parse(line)

    monkeypatch.setattr(claude_reading, "parse_line", spy)
    played.user("and now part 300").skill("deploy").answer()
    played.sweep()

    assert len(lines) < 40


def test_what_a_program_drove_counts_apart_and_leaves_no_signal(played: Stage) -> None:
    for text in ("go", CORRECTION):
        played.add("user", promptSource="sdk", message={"role": "user", "content": text})
        if text == "go":
            played.skill()
        played.answer()
    played.skill("deploy").answer()

    played.sweep()

    apart = find_event_file(played.places, is_headless=True)
    assert played.events() == []
    assert [json.loads(line)["outcome"] for line in apart.read_text().splitlines()] == ["correction"]
    with closing(open_db(played.places)) as db:
        assert [call.is_headless for call in list_calls(db)] == [True]
    assert read_signals(played.root()) == []


def test_history_gives_events_and_neither_signals_nor_questions(played: Stage) -> None:
    played.began_at -= timedelta(days=30)
    played.user("go").skill().answer().user(CORRECTION).answer()
    played.skill("lint").answer().user(NEUTRAL).answer().skill("deploy").answer().user(CORRECTION).answer()

    result = CliRunner().invoke(main, ["backfill", "--json"], catch_exceptions=False)

    assert json.loads(result.stdout)["stages"]["learn"]["events"] == 2
    assert [event["outcome"] for event in played.events()] == ["correction", "correction"]
    assert read_signals(played.root()) == []
    with closing(open_db(played.places)) as db:
        assert list_attributions(db) == []


def test_a_denied_project_is_not_learned_from(played: Stage) -> None:
    settings = Path(played.places.config) / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[collect]\ndeny_paths = ["{played.project}"]\n')
    played.user("go").skill().answer().user(CORRECTION).answer().skill("deploy").answer()

    played.sweep()

    assert played.events() == []
    assert read_signals(played.root()) == []
    assert find_root(played.project, played.places)


def test_the_log_shows_the_corrections_of_a_skill(played: Stage) -> None:
    played.user("install the packages").skill().tool("Bash", command="npm install").answer()
    played.user(CORRECTION).answer().user(NEUTRAL).answer().user(NEUTRAL).answer().user(NEUTRAL).answer()
    played.skill("deploy").skill("lint").answer()
    played.user("No, that's wrong, use yarn, not pnpm").answer().user(NEUTRAL).answer()
    played.sweep()

    def read(skill: str) -> list[str]:
        shown = CliRunner().invoke(main, ["log", "--skill", skill, "--json"], catch_exceptions=False).stdout
        return [row["text"] for row in json.loads(shown)["captures"]]

    before = (read("lint"), read("deploy"))
    with closing(open_db(played.places)) as db:
        (waiting,) = list_attributions(db)
    resolve = ["record", "--resolve", waiting.id, "--skill", "deploy"]
    CliRunner().invoke(main, resolve, catch_exceptions=False)

    assert before == ([CORRECTION], [])
    assert (read("lint"), read("deploy")) == ([CORRECTION], ["No, that's wrong, use yarn, not pnpm"])


def test_history_too_is_attributed_to_its_skill(played: Stage) -> None:
    played.began_at = datetime.now(timezone.utc) - timedelta(days=60)
    played.user("install the packages").skill().tool("Bash", command="npm install").answer()
    played.user(CORRECTION).answer().user(NEUTRAL).answer()
    CliRunner().invoke(main, ["backfill", "--json"], catch_exceptions=False)
    played.sweep()

    shown = CliRunner().invoke(main, ["log", "--skill", "lint", "--json"], catch_exceptions=False).stdout

    assert [row["skill"] for row in json.loads(shown)["captures"]] == ["lint"]


def test_a_learning_in_a_log_replaces_the_one_before_and_a_prompt_about_it_is_a_use(played: Stage) -> None:
    old, new = (
        "From now on always use npm, not pnpm, remember that",
        "From now on always use pnpm, not npm, remember that",
    )
    played.user("hello").answer().user(old).answer().user(new).answer()
    (played.project / ".knowledge").mkdir()

    played.sweep()
    played.user("is pnpm faster than npm here?").answer().sweep()

    notes = (played.project / ".knowledge" / "learnings" / "index.md").read_text().splitlines()
    first, second = [line for line in notes if line.startswith("- ")]
    assert "→ superseded" in first
    assert "→ replaces" in second
    with closing(open_db(played.places)) as db:
        (used,) = db.execute("SELECT ident FROM learning_uses").fetchall()
    assert used["ident"] == make_ident(new)
