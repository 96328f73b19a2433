"""Nothing but a person's yes to that very change writes to a skill: not a flag, a setting, a file, a link or a race."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from tellback.cli import VERBS, main
from tellback.core.errors import TellbackError
from tellback.core.files import replace_file, rewrite_file
from tellback.learning.audit import AuditLog
from tellback.learning.event_file import append_events, rebuild_events
from tellback.learning.feedback_store import FeedbackStore
from tellback.learning.history import find_undo, list_refinements, undo_refinement
from tellback.learning.refinement import Change, RefinementEngine, Suggestion
from tellback.learning.skills import SkillStore

OLD, NEW = "npx eslint --fix .", "npx eslint --fix --ext .ts,.tsx ."
FILLER = "".join(f"Line {n} says something that stays as it is.\n" for n in range(20))
TEXT = f"---\nname: lint\n---\nRun `{OLD}` when a file is saved.\n{FILLER}"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and signals are others there")


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The skill of a project in which a change of it is proposed; the project is the working folder."""
    path = tmp_path / ".claude" / "skills" / "lint" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    (tmp_path / ".planning").mkdir()
    store = FeedbackStore(tmp_path / ".planning" / "patterns")
    for session in ("s1", "s2", "s3"):
        event = {"type": "correction", "skillName": "lint", "original": OLD, "corrected": NEW}
        store.record({**event, "sessionId": session})
    monkeypatch.chdir(tmp_path)
    return path


def call(*arguments: str, **environment: str) -> int:
    return CliRunner(env=environment).invoke(main, list(arguments), input="y\ny\n").exit_code


def propose() -> str:
    result = CliRunner().invoke(main, ["refine", "lint", "--json"])
    return str(json.loads(result.stdout)["suggestion"]["id"])


NEVER = [
    pytest.param(["refine", "lint"], id="a yes by a pipe"),
    pytest.param(["refine", "lint", "--json"], id="as JSON"),
    pytest.param(["refine", "lint", "--yes", ""], id="a yes to nothing"),
    pytest.param(["refine", "lint", "--yes", "yes"], id="a yes to anything"),
    pytest.param(["refine", "lint", "--yes", "000000000000"], id="a yes to something else"),
    pytest.param(["refine", "lint", "--min-confidence", "0"], id="no confidence asked for"),
    pytest.param(["refine", "lint", "--undo"], id="undo without a yes"),
    pytest.param(["review", "--accept", "lint"], id="accept by the name"),
    pytest.param(["review"], id="a screen without a terminal"),
    pytest.param(["review", "--list", "--json"], id="a look"),
    pytest.param(["analyze", "--output", ".claude/skills/lint/SKILL.md"], id="analyze into it"),
    pytest.param(["analyze", "--overwrite", "--output", ".claude/skills/lint/SKILL.md"], id="analyze over it"),
    pytest.param(["archive", "--input", ".claude/skills/lint/SKILL.md", "--days", "1"], id="archive it"),
    pytest.param(["feedback-log", "clean", "--dir", ".claude/skills/lint"], id="clean beside it"),
    pytest.param(["feedback-log", "rotate", "--dir", ".claude/skills/lint"], id="rotate beside it"),
    pytest.param(["sweep"], id="a sweep"),
    pytest.param(["forget", "CORR-001", "--yes"], id="forget"),
    pytest.param(["drift", "lint", "--reset", "--yes"], id="reset the drift"),
]


@pytest.mark.parametrize("arguments", NEVER)
def test_no_command_line_writes_to_a_skill_without_its_id(skill: Path, arguments: list[str]) -> None:
    call(*arguments)

    assert skill.read_text() == TEXT


def test_no_command_line_replaces_a_skill_by_what_it_writes(skill: Path) -> None:
    event = {"event_id": "0" * 16, "skill_id": "lint", "outcome": "correction", "timestamp": "2026-01-01T00:00:00Z"}
    events = skill.parents[3] / "events.jsonl"
    events.write_bytes(orjson.dumps(event) + b"\n")

    codes = [
        call("export-bridge", "--input", str(events), "--output", str(skill)),
        call("report", "--input", str(events), "--html", str(skill)),
    ]

    assert skill.read_text() == TEXT
    assert codes == [1, 1]


@pytest.mark.parametrize(
    "name", ["TELLBACK_YES", "TELLBACK_REFINE_YES_ID", "YES", "CI", "ASSUME_YES", "DEBIAN_FRONTEND"]
)
def test_no_variable_is_a_yes(skill: Path, name: str) -> None:
    for value in ("1", "true", propose()):
        call("refine", "lint", **{name: value})

    assert skill.read_text() == TEXT


@pytest.mark.parametrize(
    "line",
    [
        "learning.require_user_confirmation = false",
        "learning.requireUserConfirmation = false",
        "learning.auto_apply = true",
        'analyze.output = ".claude/skills/lint/SKILL.md"',
        'learning.dir = ".claude/skills/lint"',
        "learning.min_confidence = 0",
    ],
)
def test_no_setting_is_a_yes(skill: Path, home: Path, line: str) -> None:
    config = home / ".config" / "tellback" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(line + "\n")
    (skill.parents[3] / ".tellback.toml").write_text(line + "\n")

    for arguments in (["refine", "lint"], ["sweep"], ["analyze", "--overwrite"], ["review", "--list"]):
        call(*arguments)

    assert skill.read_text() == TEXT


LINKS = [
    ".claude/skills/lint/SKILL.md.lock",
    ".claude/.audit-log.jsonl",
    ".claude/.audit-log.jsonl.lock",
    ".planning/patterns/feedback.jsonl.lock",
    ".claude/skills/lint/.skillopt/pending/signal.json",
    ".knowledge/learnings/index.md",
    ".knowledge/corrections/log.yaml",
    ".tellback.toml",
    "feedback-store/feedback.jsonl",
    "feedback-store/feedback.jsonl.lock",
]


@pytest.mark.parametrize("link", LINKS)
def test_no_link_in_a_repository_leads_a_write_to_a_skill(skill: Path, link: str) -> None:
    """What a repository brings may point at its skill: locks that truncate, logs that grow, files that are replaced."""
    path = skill.parents[3] / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(skill)

    call("sweep")
    call("feedback-log", "record", "--type", "rating", "--skill", "lint", "--session", "s", "--score", "4")
    call("feedback-log", "clean")
    call("feedback-log", "rotate")
    call("record", "--corrected", "--skill", "lint", "--input", "no, that is wrong")
    call("capture", "No, that's wrong, use pnpm, not npm")
    call("capture", "From now on always use pnpm, not npm, remember that")
    call("analyze", "--overwrite")
    call("contradictions")
    call("review", "--list")

    assert skill.read_text() == TEXT


def test_a_lock_that_is_a_link_empties_nothing_on_a_yes(skill: Path) -> None:
    ident = propose()
    (skill.parent / "SKILL.md.lock").symlink_to(skill)

    assert call("refine", "lint", "--yes", ident) == 1
    assert skill.read_text() == TEXT


def test_an_audit_log_that_cannot_be_written_leaves_the_skill_as_it_was(skill: Path) -> None:
    ident = propose()
    AuditLog(skill.parents[1]).path.symlink_to(skill)

    assert call("refine", "lint", "--yes", ident) == 1
    assert skill.read_text() == TEXT


@pytest.mark.parametrize("name", ["SKILL.md", "skill.MD", "link.jsonl"])
def test_files_are_replaced_and_rewritten_but_skills_are_not(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "link.jsonl":
        path.symlink_to(tmp_path / "SKILL.md")
    (tmp_path / "SKILL.md" if path.is_symlink() else path).write_text(TEXT)

    for write in (
        lambda: replace_file(path, b"x"),
        lambda: rewrite_file(path, lambda _: b"x"),
        lambda: append_events(path, []),
        lambda: rebuild_events(path, [], None),  # type: ignore[arg-type]
    ):
        with pytest.raises(TellbackError, match="nothing but `tellback refine`"):
            write()

    assert path.read_text() == TEXT


APPLY = """
import sys
from tellback.cli import main
sys.stdin.readline()
main(["refine", "lint", "--yes", sys.argv[1], "--no-commit"])
"""


@pytest.mark.slow
def test_of_two_yes_at_once_one_applies(skill: Path, home: Path) -> None:
    ident = propose()
    command = [sys.executable, "-c", APPLY, ident]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]

    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = sorted(process.communicate(timeout=60)[0].split(" (")[0].strip() for process in both)

    assert said[-1].startswith("Applied: version 2") or said[0].startswith("Applied: version 2")
    assert sum(process.returncode == 0 for process in both) == 1
    text = skill.read_text()
    assert text.count(NEW) == 1
    assert "version: 2" in text
    assert len(AuditLog(skill.parents[1]).find_entries(skill, "refine")) == 1


KILLED = """
import os, signal, sys
import tellback.core.files as files
from tellback.learning.audit import AuditLog
at = int(sys.argv[2])
count = 0
def step(name, real):
    def act(*a, **k):
        global count
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1
        return real(*a, **k)
    return act
for name in ("mkstemp",):
    setattr(files.tempfile, name, step(name, getattr(files.tempfile, name)))
for name in ("fsync", "replace"):
    setattr(files.os, name, step(name, getattr(files.os, name)))
AuditLog.append = step("append", AuditLog.append)
from tellback.cli import main
main(["refine", "lint", "--yes", sys.argv[1], "--no-commit"])
"""


@pytest.mark.slow
def test_killed_at_any_step_the_skill_is_whole_and_what_was_done_can_be_undone(skill: Path) -> None:
    ident = propose()
    store = SkillStore(skill.parents[1])
    at, seen = 0, set[str]()
    while True:
        done = subprocess.run([sys.executable, "-c", KILLED, ident, str(at)], capture_output=True, check=False)
        text = skill.read_text()
        standing = list_refinements(AuditLog(store.folder), skill)
        if NEW in text:
            assert find_undo(store, "lint").data == TEXT.encode()
            undo_refinement(store, "lint", True)
            seen.add("changed")
        else:
            assert standing == []
            seen.add("as it was")
        assert skill.read_text() == TEXT
        if done.returncode != -signal.SIGKILL:
            break
        at += 1

    assert at > 5
    assert seen == {"changed", "as it was"}


def test_an_undo_brings_back_only_what_was_shown(skill: Path) -> None:
    store = SkillStore(skill.parents[1])
    engine = RefinementEngine(FeedbackStore(skill.parents[3] / ".planning" / "patterns"), store, {"cooldownDays": 0})
    versions = [skill.read_text()]
    for old, new in ((OLD, NEW), ("Line 1 ", "Line one ")):
        assert engine.apply_refinement("lint", Suggestion("lint", 1, (Change(old, new, ""),), 1.0, 3, ""), True).success
        versions.append(skill.read_text())
    shown = find_undo(store, "lint")
    undo_refinement(store, "lint", True)

    with pytest.raises(TellbackError, match="meanwhile"):
        undo_refinement(store, "lint", True, shown)

    assert skill.read_text() == versions[1]


def test_every_verb_was_thought_of() -> None:
    """A new verb belongs into the list above when it writes to a path that somebody names."""
    thought_of = {
        *("install", "uninstall", "doctor", "log", "brief", "watch", "sweep", "backfill", "capture", "eval", "forget"),
        *("demo", "analyze", "metrics", "report", "export-bridge", "archive", "scan-signals", "record", "review"),
        *("refine", "drift", "contradictions", "feedback", "feedback-log", "config", "sessions", "pause"),
    }

    assert set(VERBS) <= thought_of
