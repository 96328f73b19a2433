"""From session logs to an event file: which sessions count, which calls, what becomes of them; through the door."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tellback.cli import main
from tellback.learning.analyze import is_skipped_folder, list_claude_sessions
from tellback.learning.events import FeedbackEvent, load_feedback_events


@pytest.fixture
def projects(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("deslop", "typed-one"):
        skill = home / ".claude" / "skills" / name / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("x")
    folder = home / ".claude" / "projects" / "-home-dev-project"
    folder.mkdir(parents=True)
    return folder


def analyze(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["analyze", "--json", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def events() -> list[FeedbackEvent]:
    return load_feedback_events(Path("feedback-store/feedback.jsonl"))


def test_a_skill_called_by_tool_and_corrected_is_one_event(projects: Path, claude_log: Any) -> None:
    log = claude_log().user("make it nicer").skill("deslop").tool("Read").tool("Edit").answer()
    log.user("no, that's wrong, the naming is off").answer().write(projects)

    data = analyze()

    assert (data["events"], data["added"], data["calls"]) == (1, 1, {"deslop": 1})
    (event,) = events()
    assert (event["outcome"], event["correction_type"], event["dimension_hint"]) == (
        "correction", "rejection", "accuracy"
    )  # fmt: skip
    assert (event["session_id"], event["turns_to_feedback"], event["ai_tools_used"]) == ("s1", 1, ["Read", "Edit"])
    assert event["invocation_uuid"] == log.records[1]["uuid"]
    assert event["timestamp"] == log.records[1]["timestamp"]


def test_what_was_said_is_scrubbed_by_the_persons_own_patterns(
    projects: Path, claude_log: Any, own_secret: str
) -> None:
    log = claude_log().user("make it nicer").skill("deslop").answer()
    log.user(f"no, that's wrong, the badge is {own_secret}").answer().write(projects)

    analyze()

    (event,) = events()
    assert "the badge is [REDACTED:" in event["user_message_snippet"]


@pytest.mark.parametrize("form", ["typed_skill", "older_skill"])
def test_a_typed_skill_counts_in_the_newer_and_the_older_form(projects: Path, claude_log: Any, form: str) -> None:
    log = claude_log().user("hello there")
    getattr(log, form)("typed-one").answer().user("still wrong, it does the same as before").write(projects)

    data = analyze()

    assert (data["calls"], data["outcomes"]) == ({"typed-one": 1}, {"correction": 1})


@pytest.mark.parametrize("name", ["clear", "help", "read", "exit", "nosuch"])
def test_built_ins_and_unknown_commands_are_no_skills(projects: Path, claude_log: Any, name: str) -> None:
    claude_log().typed_skill(name).older_skill(name).answer().user("that is wrong").write(projects)

    assert analyze()["calls"] == {}


def test_a_custom_command_and_a_plugins_skill_are_skills(projects: Path, claude_log: Any, home: Path) -> None:
    (home / ".claude" / "commands" / "ship").mkdir(parents=True)
    (home / ".claude" / "commands" / "ship" / "now.md").write_text("x")
    plugin = home / ".claude" / "plugins" / "cache" / "market" / "lint" / "1.0" / "skills" / "strict"
    plugin.mkdir(parents=True)
    (plugin / "SKILL.md").write_text("x")
    claude_log().typed_skill("ship:now").answer().user("lgtm").typed_skill("lint:strict").user("lgtm").write(projects)

    assert analyze()["calls"] == {"ship:now": 1, "lint:strict": 1}


def test_a_second_run_adds_nothing(projects: Path, claude_log: Any) -> None:
    claude_log().skill("deslop").answer().user("that is wrong").write(projects)
    analyze()
    before = Path("feedback-store/feedback.jsonl").read_bytes()

    data = analyze()

    assert (data["added"], data["known"]) == (0, 1)
    assert Path("feedback-store/feedback.jsonl").read_bytes() == before


def test_a_fork_counts_nothing_twice(projects: Path, claude_log: Any) -> None:
    log = claude_log().skill("deslop").answer().user("that is wrong")
    log.write(projects)
    log.session = "fork"
    log.write(projects)

    assert analyze()["events"] == 1


def test_overwriting_rebuilds_and_keeps_the_former_file(projects: Path, claude_log: Any) -> None:
    path = claude_log("gone").skill("deslop").answer().user("that is wrong").write(projects)
    analyze()
    path.unlink()
    claude_log("new").skill("deslop").answer().user("that is wrong").write(projects)

    data = analyze("--overwrite")

    assert (data["added"], data["lost"]) == (1, 1)
    assert [event["session_id"] for event in events()] == ["new"]
    assert Path("feedback-store/feedback.jsonl.before").exists()


def test_without_snippets_nothing_is_quoted(projects: Path, claude_log: Any) -> None:
    claude_log().skill("deslop").answer().user("that is wrong").write(projects)

    analyze("--no-snippets")

    assert events()[0]["user_message_snippet"] == ""


def test_a_snippet_is_scrubbed_and_then_cut(projects: Path, claude_log: Any) -> None:
    words = "that is wrong, " + "x" * 180 + " ghp_" + "a" * 36
    claude_log().skill("deslop").answer().user(words).write(projects)

    analyze()

    snippet = events()[0]["user_message_snippet"]
    assert len(snippet) == 200
    assert "ghp_a" not in snippet


def test_only_the_asked_skill_is_analysed(projects: Path, claude_log: Any) -> None:
    claude_log().skill("deslop").answer().user("wrong").skill("other").answer().user("wrong").write(projects)

    assert analyze("--skill-filter", "other")["calls"] == {"other": 1}


def test_the_documents_classifier_is_there_alone(projects: Path, claude_log: Any) -> None:
    claude_log().skill("deslop").answer("All fixed.").user("still blank").write(projects)

    by_document = analyze("--classifier", "document")["outcomes"]
    by_detector = analyze("--overwrite")["outcomes"]

    assert (by_document, by_detector) == ({}, {"correction": 1})


def test_a_session_that_a_program_drove_counts_only_when_asked_for(projects: Path, claude_log: Any) -> None:
    claude_log(source="sdk").user("go").skill("deslop").answer().user("that is wrong").write(projects)

    assert (analyze()["events"], analyze("--include-headless")["events"]) == (0, 1)


@pytest.mark.parametrize("where", ["feedback-config", "settings"])
def test_a_switch_stops_everything_before_anything_is_read(
    projects: Path, claude_log: Any, home: Path, where: str
) -> None:
    claude_log().skill("deslop").answer().user("that is wrong").write(projects)
    if where == "feedback-config":
        (home / ".claude" / "feedback-config.json").write_text('{"enabled": false}')
    else:
        settings = home / ".config" / "tellback" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text("[collect]\ndisabled = true\n")

    assert analyze() == {"disabled": True, "events": 0}
    assert not Path("feedback-store").exists()


def test_a_denied_folder_is_not_analysed(projects: Path, claude_log: Any, home: Path) -> None:
    claude_log().skill("deslop").answer().user("that is wrong").write(projects)
    settings = home / ".config" / "tellback" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[collect]\ndeny_paths = ["/home/dev"]\n')

    data = analyze()

    assert (data["events"], data["sessions"]) == (0, {"denied": 1})


def make_switched_off(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".tellback.toml").write_text("[collect]\ndisabled = true\n")
    return folder


@pytest.mark.parametrize("place", ["before", "after"])
def test_one_repository_that_is_switched_off_denies_the_session_wherever_it_was_seen(
    projects: Path, claude_log: Any, tmp_path: Path, place: str
) -> None:
    log = claude_log()
    elsewhere = make_switched_off(tmp_path / 'a "quoted" name')
    if place == "before":
        log._cwd = str(elsewhere)
        log.user("look around").answer()
        log._cwd = "/home/dev/project"
    for _ in range(6):  # far from the call
        log.user("what is this?").answer()
    log.skill("deslop").answer().user("that is wrong").answer()
    for _ in range(6):
        log.user("what is this?").answer()
    if place == "after":
        log._cwd = str(elsewhere)
        log.user("look around").answer()
    log.write(projects)

    data = analyze()

    assert (data["events"], data["calls"], data["sessions"]) == (0, {}, {"disabled": 1})


def test_a_folder_that_only_an_argument_names_denies_nothing(projects: Path, claude_log: Any, tmp_path: Path) -> None:
    elsewhere = make_switched_off(tmp_path / "elsewhere")
    claude_log().tool("mcp__shell", cwd=str(elsewhere)).skill("deslop").user("that is wrong").write(projects)

    assert analyze()["sessions"] == {"analyzed": 1}


def test_a_session_that_the_store_shows_to_be_denied_is_never_opened(
    home: Path, projects: Path, tmp_path: Path
) -> None:
    chats = home / ".gemini" / "tmp" / "app" / "chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text(str(make_switched_off(tmp_path / "app")))
    os.mkfifo(chats / "session-2026-11-30T10-00-00000001.jsonl")  # to open it would be told as unreadable

    assert analyze("--harness", "gemini-cli")["sessions"] == {"disabled": 1}
    assert analyze("--harness", "claude-code")["sessions"] == {}


def test_a_folder_of_sessions_is_one_harness_s(projects: Path) -> None:
    result = CliRunner().invoke(main, ["analyze", "--session-dir", "x", "--harness", "codex", "--harness", "copilot"])

    assert result.exit_code == 2
    assert "one --harness" in result.stderr


def test_a_folder_without_sessions_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "skills" / "x").mkdir(parents=True)
    (tmp_path / "skills" / "x" / "SKILL.md").write_text("x")

    assert analyze("--session-dir", "skills")["events"] == 0


def test_a_destination_that_cannot_be_written_says_so(projects: Path, claude_log: Any, tmp_path: Path) -> None:
    claude_log().skill("deslop").answer().user("that is wrong").write(projects)
    (tmp_path / "file").write_text("")

    result = CliRunner().invoke(main, ["analyze", "--output", "file/feedback.jsonl"])

    assert result.exit_code == 1
    assert "could not be written" in result.stderr


@pytest.mark.parametrize(
    "folder",
    ["a/subagents", "a/pytest", "pytest", "tmp", "observer-sessions", "-tmp-x", "x/-private-pytest-of-root-0",
     "-home-u--mem-observer-sessions"],
)  # fmt: skip
def test_logs_of_tests_sub_agents_and_observers_are_left_out(tmp_path: Path, claude_log: Any, folder: str) -> None:
    claude_log("kept").answer().write(tmp_path / "-home-u-project")
    claude_log("skipped").answer().write(tmp_path / folder)

    assert [listed.session_id for listed in list_claude_sessions(tmp_path)] == ["kept"]


@pytest.mark.parametrize(
    ("cwd", "skipped"),
    [("/tmp/x", True), ("/home/u/pytest-of-u/p", True), ("/home/u/observer-sessions", True), ("/home/u/tmp", False),
     ("/home/u/pytest", False)],
)  # fmt: skip
def test_a_recorded_folder_tells_a_temporary_session(cwd: str, skipped: bool) -> None:
    assert is_skipped_folder(cwd) is skipped


def test_a_log_of_a_temporary_folder_is_skipped(projects: Path, claude_log: Any) -> None:
    claude_log(cwd="/tmp/work").skill("deslop").answer().user("that is wrong").write(projects)

    data = analyze()

    assert (data["events"], data["sessions"]) == (0, {"skipped": 1})


def test_the_summary_is_for_people(projects: Path, claude_log: Any) -> None:
    claude_log().skill("deslop").answer().user("that is wrong").write(projects)

    result = CliRunner().invoke(main, ["analyze", "--min-invocations", "1"])

    assert result.stdout == (
        "1 events, 1 of them new, in feedback-store/feedback.jsonl\n"
        "Outcomes: correction 1, partial 0, acceptance 0\n"
        "Skills by number of calls:\n"
        "  deslop: 1, correction rate 1.00\n"
    )
