"""refine, drift, contradictions, feedback and feedback-log, through the door."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tellback.cli import main

OLD, NEW = "npx eslint --fix .", "npx eslint --fix --ext .ts,.tsx ."
FILLER = "".join(f"Line {n} says something that stays as it is.\n" for n in range(20))
SKILL = f"---\nname: lint # mine\n---\n# Lint\n\nRun `{OLD}`.\n{FILLER}"


def call(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    skill = tmp_path / ".claude" / "skills" / "lint" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    (tmp_path / ".planning").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(session: str, original: str = OLD, corrected: str = NEW) -> None:
    result = call(
        *("feedback-log", "record", "--type", "correction", "--skill", "lint", "--session", session),
        *("--original", original, "--corrected", corrected),
    )
    assert result.exit_code == 0


@pytest.fixture
def corrected(project: Path) -> Path:
    for session in ("s1", "s2", "s3"):
        record(session)
    return project


def skill_of(project: Path) -> Path:
    return project / ".claude" / "skills" / "lint" / "SKILL.md"


def propose() -> str:
    return json.loads(call("refine", "lint", "--json").stdout)["suggestion"]["id"]


@pytest.mark.usefixtures("corrected")
def test_a_check_names_the_patterns() -> None:
    result = call("refine", "--check", "lint")

    assert result.exit_code == 0
    assert "Status: ELIGIBLE" in result.stdout
    assert f'Pattern 1 (freq: 3): "{OLD}" -> "{NEW}"' in result.stdout


def test_a_proposal_is_shown_and_nothing_is_written_without_a_yes(corrected: Path) -> None:
    result = call("refine", "lint")

    assert result.exit_code == 0
    assert "Confidence: 83%" in result.stdout
    assert f"--yes {propose()}" in result.stdout
    assert skill_of(corrected).read_text() == SKILL


def test_a_yes_to_exactly_this_proposal_applies_it(corrected: Path) -> None:
    result = call("refine", "lint", "--yes", propose())

    assert result.exit_code == 0
    assert result.stdout.startswith("Applied: version 2")
    assert NEW in skill_of(corrected).read_text()
    assert "name: lint # mine\n" in skill_of(corrected).read_text()


@pytest.mark.parametrize("spoil", ["another id", "the skill changed"])
def test_a_stale_yes_is_refused(corrected: Path, spoil: str) -> None:
    proposal = propose()
    if spoil == "another id":
        proposal = "0" * 12
    else:
        skill_of(corrected).write_text(SKILL + "more\n")
    before = skill_of(corrected).read_bytes()

    result = call("refine", "lint", "--yes", proposal)

    assert result.exit_code == 1
    assert skill_of(corrected).read_bytes() == before


@pytest.mark.parametrize("stdin", ["y\n", "yes\n", None])
def test_what_comes_by_a_pipe_is_no_yes(corrected: Path, stdin: str | None) -> None:
    call("refine", "lint", stdin=stdin)

    assert skill_of(corrected).read_text() == SKILL


def test_no_setting_makes_a_yes_unnecessary(corrected: Path, home: Path) -> None:
    settings = home / ".config" / "tellback" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[learning]\nrequire_user_confirmation = false\n")

    call("refine", "lint", "--json")

    assert skill_of(corrected).read_text() == SKILL


def test_undo_brings_the_file_back(corrected: Path) -> None:
    call("refine", "lint", "--yes", propose())
    version = json.loads(call("refine", "lint", "--undo", "--json").stdout)["id"]

    result = call("refine", "lint", "--undo", "--yes", version)

    assert (result.exit_code, result.stdout) == (0, "Undone: version 1\n")
    assert skill_of(corrected).read_text() == SKILL


@pytest.mark.usefixtures("corrected")
def test_conflicts_stop_a_refinement() -> None:
    record("s4", NEW, OLD)

    result = call("refine", "lint")

    assert result.exit_code == 1
    assert result.stdout.startswith(
        "Contradictory feedback detected — manual review needed\n"
        "Found 3 contradiction(s): 3 conflict(s), 0 warning(s)\n"
    )


def test_a_refinement_is_committed_alone(corrected: Path) -> None:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=corrected, check=True, capture_output=True, text=True)
        return done.stdout

    git("init", "-q")
    git("config", "user.name", "A")
    git("config", "user.email", "a@example.com")
    git("add", ".claude")
    git("commit", "-qm", "first")
    (corrected / "staged.txt").write_text("staged")
    git("add", "staged.txt")
    hook = corrected / ".git" / "hooks" / "post-commit"
    hook.write_text(f"#!/bin/sh\ntouch {corrected}/hook-ran\n")
    hook.chmod(0o755)

    result = call("refine", "lint", "--yes", propose())

    assert result.exit_code == 0
    assert git("show", "--name-only", "--format=%s").split("\n") == [
        "refine lint to version 2", "", ".claude/skills/lint/SKILL.md", ""
    ]  # fmt: skip
    assert git("diff", "--cached", "--name-only") == "staged.txt\n"
    assert git("status", "--porcelain", ".claude/skills/lint/SKILL.md") == ""
    assert not (corrected / "hook-ran").exists()
    assert "Cumulative drift: " in call("drift", "lint").stdout


def test_a_drift_reset_needs_a_yes_and_then_counts(corrected: Path) -> None:
    for text in ("a b c d", "a b c e", "f g h e"):
        skill_of(corrected).write_text(f"---\nname: lint\n---\n{text}")
        for arguments in (["init", "-q"], ["add", ".claude"],
                          ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", text]):  # fmt: skip
            subprocess.run(["git", *arguments], cwd=corrected, check=True, capture_output=True)
    exceeded = call("drift", "lint")
    refused = call("drift", "lint", "--reset")
    done = call("drift", "lint", "--reset", "--yes")

    assert (exceeded.exit_code, refused.exit_code, done.exit_code) == (1, 1, 0)
    assert "Status: THRESHOLD EXCEEDED" in exceeded.stdout
    assert "Cumulative drift: 0%" in call("drift", "lint").stdout


@pytest.mark.usefixtures("project")
def test_a_missing_skill_is_told() -> None:
    assert call("refine", "nosuch").exit_code == 1
    assert call("refine", "--check", "nosuch").exit_code == 1
    assert call("drift", "nosuch").exit_code == 1


@pytest.mark.usefixtures("corrected")
def test_contradictions_exit_with_one_only_on_conflicts() -> None:
    none = call("contradictions", "lint")
    record("s4", NEW, OLD)
    some = call("contradictions", "lint", "--json")

    assert (none.exit_code, some.exit_code) == (0, 1)
    assert json.loads(some.stdout)["hasConflicts"] is True


@pytest.mark.usefixtures("corrected")
def test_the_history_filters_by_session_and_time() -> None:
    whole = call("feedback", "lint")
    one = json.loads(call("feedback", "lint", "--session", "s2", "--json").stdout)
    none = json.loads(call("feedback", "lint", "--since", "2099-01-01", "--json").stdout)

    assert "Total events: 3 (3 corrections, 0 overrides, 0 ratings)" in whole.stdout
    assert [event["sessionId"] for event in one["events"]] == ["s2"]
    assert none["events"] == []


def test_an_event_comes_by_standard_input_and_is_scrubbed(project: Path, own_secret: str) -> None:
    reason = f"key ghp_{'a' * 36} for {own_secret}"
    event = {"type": "override", "skillName": "lint", "sessionId": "s", "reason": reason}

    result = call("feedback-log", "record", "--stdin", stdin=json.dumps(event))

    assert result.exit_code == 0
    written = (project / ".planning" / "patterns" / "feedback.jsonl").read_text()
    assert ("ghp_" in written, own_secret in written) == (False, False)


@pytest.mark.parametrize(
    ("arguments", "stdin", "code"),
    [
        (["record", "--type", "rating"], None, 1),
        (["record"], None, 2),
        (["record", "--type", "rating", "--stdin"], "{}", 2),
        (["record", "--stdin"], "[]", 1),
        (["record", "--stdin"], "{", 1),
        (["record", "--type", "rating", "--score", "9"], None, 2),
        (["clean"], None, 1),
        (["rotate"], None, 1),
        (["check"], None, 0),
    ],
)
@pytest.mark.usefixtures("project")
def test_a_bad_call_is_told_by_its_exit_code(arguments: list[str], stdin: str | None, code: int) -> None:
    assert call("feedback-log", *arguments, stdin=stdin).exit_code == code


def test_maintaining_the_log(corrected: Path) -> None:
    log = corrected / ".planning" / "patterns" / "feedback.jsonl"
    log.write_bytes(log.read_bytes() + b"junk\x1b[31m\n")

    checked = call("feedback-log", "check")
    cleaned = call("feedback-log", "clean")
    rotated = call("feedback-log", "rotate", "--keep", "1")

    assert checked.exit_code == 1
    assert "CORRUPT: junk\\x1b[31m" in checked.stdout
    assert cleaned.stdout.startswith("3 lines kept, 1 dropped")
    assert "1 lines kept" in rotated.stdout


def test_without_a_planning_folder_the_log_lies_in_the_projects_store(project: Path, home: Path) -> None:
    (project / ".planning").rmdir()

    record("s1")

    assert not (project / ".planning").exists()
    assert list((home / ".local" / "share" / "tellback" / "projects").glob("*/patterns/feedback.jsonl"))


def test_the_check_tells_what_became_of_a_refinement(corrected: Path, home: Path) -> None:
    call("refine", "lint", "--yes", propose())
    store = home / ".local" / "share" / "tellback" / "feedback-store" / "feedback.jsonl"
    store.parent.mkdir(parents=True, exist_ok=True)
    with store.open("w") as file:
        for number in range(60):
            day = "2020-01-01" if number < 30 else "2999-01-01"
            outcome = "correction" if number < 15 else "acceptance"
            event = {"event_id": str(number), "skill_id": "lint", "outcome": outcome, "timestamp": f"{day}T00:00:00Z"}
            file.write(json.dumps(event) + "\n")

    result = call("refine", "--check", "lint")

    assert corrected.exists()
    assert "Effect of refinements:\n" in result.stdout
    assert "version 2: corrections fell from 0.50 to 0.00 (n = 30, 95 % 0.00 to 0.11)" in result.stdout


def test_rules_of_a_project_that_cannot_both_hold_are_shown(project: Path) -> None:
    (project / "CLAUDE.md").write_text("- use pnpm, not npm\n")
    agreed = call("contradictions")
    (project / "AGENTS.md").write_text("- use npm, not pnpm\n")
    clashing = call("contradictions")

    assert (agreed.exit_code, clashing.exit_code) == (0, 1)
    assert "CONFLICT  Reversal detected\n          CLAUDE.md: use pnpm, not npm\n" in clashing.stdout
