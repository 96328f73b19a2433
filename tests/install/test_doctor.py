"""Doctor's checks, each on an installation that has just that fault."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tellback.core.db import open_db
from tellback.core.shapes import Places
from tellback.install.apply import install
from tellback.install.checks.finding import Check, Finding, Site
from tellback.install.checks.sweep import list_sweeps
from tellback.install.doctor import CHECKS, examine, find_worst, make_site, repair
from tellback.install.hookfiles import put_hook_files
from tellback.install.pause import write_pause
from tellback.install.table import HARNESSES

HOLD = "import sys, filelock as f; lock = f.FileLock(sys.argv[1]); lock.acquire(); print('held', flush=True); input()"
SWITCH, CONFIG = ".claude/feedback-config.json", ".config/tellback/config.toml"
CLAUDE, CURSOR = HARNESSES["claude-code"], HARNESSES["cursor"]


@pytest.fixture
def project(home: Path) -> Path:
    """Return a Git repository of this user."""
    folder = home / "work"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def registered(places: Places, project: Path) -> Path:
    """Return Claude Code's settings with our hooks in them; what they run is missing."""
    assert project.is_dir()
    install(CLAUDE, CLAUDE.find_user_file(), None, places, sys.executable)
    return CLAUDE.find_user_file()


@pytest.fixture
def wired(registered: Path, places: Places) -> Path:
    """Return the settings of a whole installation for Claude Code."""
    put_hook_files(places, sys.executable)
    return registered


@pytest.fixture(autouse=True)
def everything_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python that runs the tests may lie in a temporary folder; that is not what these tests are about."""
    monkeypatch.setattr("tellback.install.checks.hooks.find_sweepable_folder", lambda _: None)


def look(places: Places, project: Path, *names: str) -> list[Finding]:
    return examine(make_site(places, project), {name: CHECKS[name] for name in names or CHECKS})


def tell(places: Places, **members: Any) -> None:
    """Leave one line of news, as a hook does."""
    Path(places.cache).mkdir(parents=True, exist_ok=True)
    with open(Path(places.cache) / "news.jsonl", "a") as file:
        file.write(json.dumps({"at": time.time(), "harness": "claude-code", **members}) + "\n")


def test_a_whole_installation_is_healthy(wired: Path, places: Places, project: Path) -> None:
    assert wired.exists()
    for event in ("prompt", "turn_end"):
        tell(places, event=event)

    findings = look(places, project)

    assert [(each.check, each.what) for each in findings if each.level == "problem"] == []
    firing = next(each for each in findings if each.check == "firing")
    assert firing.level == "ok"
    assert set(firing.data["last_fired"]) == set(CLAUDE.events)
    assert firing.data["last_fired"]["SessionEnd"] is None


def test_nothing_wired_is_a_problem(places: Places, project: Path) -> None:
    (finding,) = look(places, project, "hooks")

    assert (finding.level, "no hook feeds" in finding.what) == ("problem", True)
    assert "tellback install claude-code" in finding.fix


def test_a_harness_that_is_there_and_not_wired_is_told(registered: Path, places: Places, project: Path) -> None:
    CURSOR.find_user_file().parent.mkdir()

    findings = look(places, project, "hooks")

    assert registered.exists()
    assert [(each.level, each.fix) for each in findings] == [("ok", ""), ("warn", "run `tellback install cursor`")]


def test_a_folder_of_claude_code_that_is_not_wired_is_told(
    registered: Path, places: Places, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))

    findings = look(places, project, "hooks")

    assert registered.exists()
    assert [(each.level, str(home / "elsewhere") in each.what) for each in findings] == [("ok", False), ("warn", True)]


@pytest.mark.parametrize(
    ("old", "new", "level", "said"),
    [
        pytest.param('"Stop":', '"Halt":', "problem", "Stop not registered", id="an event lost"),
        pytest.param("fire.py claude-code", "fire.py claude", "problem", "another command", id="a former command"),
    ],
)
def test_a_hook_that_somebody_changed_is_found_and_repaired(
    old: str, new: str, level: str, said: str, registered: Path, places: Places, project: Path
) -> None:
    registered.write_text(registered.read_text().replace(old, new))

    broken = look(places, project, "hooks")
    repair(broken)

    assert (broken[0].level, said in broken[0].what) == (level, True)
    assert find_worst(look(places, project, "hooks")) == "ok"


def test_a_hook_that_is_there_twice_is_found_and_repaired(registered: Path, places: Places, project: Path) -> None:
    value = json.loads(registered.read_text())
    value["hooks"]["Stop"] *= 2
    registered.write_text(json.dumps(value, indent=2))

    broken = look(places, project, "hooks")
    repair(broken)

    assert "Stop registered twice" in broken[0].what
    assert find_worst(look(places, project, "hooks")) == "ok"


def test_a_hook_of_the_person_and_one_of_the_project_are_told(registered: Path, places: Places, project: Path) -> None:
    file = CLAUDE.find_project_file(project, False)
    install(CLAUDE, file, project, places, sys.executable)

    findings = look(places, project, "hooks")

    assert registered.exists()
    assert any("wired twice" in each.what and str(file) in each.what for each in findings)


def test_what_a_repository_passes_off_as_ours_is_told_and_not_run(
    registered: Path, places: Places, project: Path
) -> None:
    trap = project / "python"
    trap.write_text(f"#!/bin/sh\ntouch {project}/sprung\n")
    trap.chmod(0o755)
    command = f"exec {trap} -I -S {places.data}/hook/fire.py claude-code"
    file = CLAUDE.find_project_file(project, True)
    file.parent.mkdir()
    file.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}))
    before = file.read_bytes()

    findings = look(places, project, "hooks", "interpreter", "settings")
    repair(findings)

    assert registered.exists()
    assert any(each.level == "warn" and command in each.what for each in findings)
    assert not (project / "sprung").exists()
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param('{"a": 1,}', "line 1, column 8: a comma with nothing after it; Claude Code ignores", id="broken"),
        pytest.param('{"disableAllHooks": true}', '"disableAllHooks" is on', id="switched off"),
    ],
)
def test_a_settings_file_without_effect_is_a_problem(text: str, said: str, places: Places, project: Path) -> None:
    CLAUDE.find_user_file().parent.mkdir()
    CLAUDE.find_user_file().write_text(text)

    (finding,) = look(places, project, "settings")

    assert finding.level == "problem"
    assert said in finding.what


def test_an_interpreter_that_is_gone_is_pointed_anew(places: Places, project: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    install(CLAUDE, CLAUDE.find_user_file(), None, places, str(python))
    python.unlink()

    broken = look(places, project, "interpreter")
    repair(broken)

    assert (broken[0].level, "does not start" in broken[0].what) == ("problem", True)
    after = look(places, project, "interpreter", "hooks", "hook files")
    assert find_worst(after) == "ok"
    assert str(python) not in CLAUDE.find_user_file().read_text()


def test_an_interpreter_without_tellback_cannot_sweep(places: Places, project: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    install(CLAUDE, CLAUDE.find_user_file(), None, places, str(python))

    (finding,) = look(places, project, "interpreter")

    assert (finding.level, "no sweep can start" in finding.what) == ("problem", True)


def test_an_interpreter_in_a_temporary_folder_is_told(
    registered: Path, places: Places, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert registered.exists()
    monkeypatch.setattr("tellback.install.checks.hooks.find_sweepable_folder", lambda _: Path("/tmp"))

    (finding,) = look(places, project, "interpreter")

    assert (finding.level, "emptied from time to time" in finding.what) == ("warn", True)


def test_hook_files_that_are_gone_are_written_again(wired: Path, places: Places, project: Path) -> None:
    assert wired.exists()
    shutil.rmtree(Path(places.data) / "hook")

    broken = look(places, project, "hook files")
    repair(broken)

    assert (broken[0].level, "missing" in broken[0].what) == ("problem", True)
    assert find_worst(look(places, project, "hook files")) == "ok"


def test_hooks_that_never_fire_are_told(registered: Path, places: Places, project: Path) -> None:
    assert registered.exists()

    (finding,) = look(places, project, "firing")

    assert (finding.level, "called no hook" in finding.what) == ("warn", True)


def test_a_harness_that_runs_the_hooks_of_another_is_told(places: Places, project: Path) -> None:
    tell(places, event="prompt", harness="cursor", via="claude-code")

    (finding,) = look(places, project, "borrowed hooks")

    assert (finding.level, "cursor runs the hooks of claude-code" in finding.what) == ("ok", True)


def test_turn_ends_without_prompts_are_told(registered: Path, places: Places, project: Path) -> None:
    assert registered.exists()
    tell(places, event="turn_end")

    findings = look(places, project, "firing")

    assert any(each.level == "warn" and "never of a prompt" in each.what for each in findings)


def test_a_folder_that_cannot_be_made_is_told_apart_from_one_that_cannot_be_written(
    places: Places, project: Path, home: Path
) -> None:
    (home / ".cache").write_text("a file where a folder should be")
    data = Path(places.data)
    data.mkdir(parents=True, mode=0o700)
    data.chmod(0o500)

    said = {each.data["folder"]: (each.level, each.what) for each in look(places, project, "folders")}
    data.chmod(0o700)

    assert (said["cache"][0], "cannot be made" in said["cache"][1]) == ("problem", True)
    assert (said["data"][0], "not writable" in said["data"][1]) == ("problem", True)
    assert (said["config"][0], "not made yet" in said["config"][1]) == ("ok", True)


def test_files_that_others_can_read_are_closed(registered: Path, places: Places, project: Path) -> None:
    assert registered.exists()
    Path(places.data).mkdir(parents=True)
    Path(places.data).chmod(0o755)
    queue = Path(places.data) / "queue.jsonl"
    queue.write_text("{}\n")
    queue.chmod(0o644)

    broken = look(places, project, "folders", "modes")
    repair(broken)

    assert [each.level for each in broken].count("warn") == 2
    assert (Path(places.data).stat().st_mode & 0o777, queue.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_file_system_without_locks_is_named(
    registered: Path, places: Places, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tellback.core.locks import NoFlock

    def refuse(*_: Any, **__: Any) -> None:
        raise NoFlock

    assert registered.exists()
    Path(places.data).mkdir(parents=True)
    monkeypatch.setattr("tellback.install.checks.folders.take_lock", refuse)

    findings = look(places, project, "locks")

    assert findings
    assert all(each.level == "warn" and "has no locks" in each.what for each in findings)


def test_a_database_of_a_newer_version_is_named(places: Places, project: Path) -> None:
    with closing(open_db(places)) as db:
        db.execute("PRAGMA user_version = 9999")
        db.commit()

    (finding,) = look(places, project, "database")

    assert (finding.level, "newer Tellback (version 9999" in finding.what) == ("problem", True)


def test_a_damaged_database_is_a_problem(places: Places, project: Path) -> None:
    Path(places.data).mkdir(parents=True)
    (Path(places.data) / "tellback.db").write_bytes(b"no database" * 100)

    (finding,) = look(places, project, "database")

    assert finding.level == "problem"


def test_prompts_that_pass_the_hooks_by_are_counted(places: Places, project: Path) -> None:
    with closing(open_db(places)) as db:
        columns = "harness, session, hash, at, is_late, label"
        insert = f"INSERT INTO captures ({columns}) VALUES ('claude-code', ?, ?, ?, ?, ?)"
        rows = [(str(n), str(n), time.time(), int(n > 0), "correction" if n == 3 else "none") for n in range(7)]
        db.executemany(insert, rows)
        db.execute(insert, ("old", "old", 1.0, 1, ""))
        db.commit()

    (finding,) = look(places, project, "prompts")

    assert finding.level == "warn"
    assert finding.data == {"harness": "claude-code", "seen_by_hooks": 1, "found_by_sweeps": 6, "with_signal": 1}


def test_what_waits_for_long_is_told(places: Places, project: Path) -> None:
    queue = Path(places.data) / "queue.jsonl"
    queue.parent.mkdir(parents=True)
    queue.write_text("{}\n{}\n")
    assert look(places, project, "queue")[0].level == "ok"

    os.utime(queue, (time.time() - 7200, time.time() - 7200))

    (finding,) = look(places, project, "queue")
    assert (finding.level, "2 entries wait" in finding.what) == ("warn", True)


def test_why_something_waits_is_told_once_for_each_reason(places: Places, project: Path) -> None:
    queue = Path(places.data) / "queue.jsonl"
    queue.parent.mkdir(parents=True)
    whys = ["[Errno 28] No space left on device", "out of time", "No space left on device", None]
    queue.write_text("".join(json.dumps({"why": why}) + "\n" for why in whys) + "{torn\n3\n\n")

    (finding,) = look(places, project, "queue")

    assert finding.what.startswith("6 entries wait to be written (out of time; No space left on device), the last")
    assert finding.data["reasons"] == ["out of time", "No space left on device"]


def test_failures_of_hooks_are_shown(places: Places, project: Path) -> None:
    Path(places.cache).mkdir(parents=True)
    (Path(places.cache) / "hook.log").write_text("2026-11-30T15:00:00Z claude-code prompt OSError 28 at append.py:51\n")

    (finding,) = look(places, project, "hook log")

    assert (finding.level, "OSError 28" in finding.what) == ("warn", True)


KNOWN = {"type": "user", "uuid": "1", "message": {"role": "user", "content": "hi"}}


def write_session(home: Path, project: Path, *records: dict[str, Any]) -> Path:
    log = home / ".claude" / "projects" / "-work" / "a.jsonl"
    log.parent.mkdir(parents=True)
    common = {"cwd": str(project), "sessionId": "a", "version": "9.9.9", "timestamp": "2026-11-30T15:00:00.000Z"}
    log.write_text("".join(json.dumps({**common, **record}) + "\n" for record in records))
    return log


def test_sessions_are_counted_per_store(registered: Path, places: Places, project: Path, home: Path) -> None:
    write_session(home, project, KNOWN)
    tell(places, event="prompt")  # Cursor's sessions are what news tell of: nobody here uses it

    findings = look(places, project, "stores")

    assert registered.exists()
    assert [(each.level, each.data["harness"], each.data["sessions"]) for each in findings] == [
        ("ok", "claude-code", 1)
    ]


def test_records_that_a_harness_invented_are_told(registered: Path, places: Places, project: Path, home: Path) -> None:
    write_session(home, project, KNOWN, {"type": "telepathy", "uuid": "2"})

    (finding,) = look(places, project, "format")

    assert registered.exists()
    assert (finding.level, finding.data["unknown"], finding.data["version"]) == ("warn", {"telepathy": 1}, "9.9.9")


def test_a_session_that_must_not_be_opened_is_not_looked_at(
    registered: Path, places: Places, project: Path, home: Path
) -> None:
    write_session(home, project, KNOWN, {"type": "telepathy", "uuid": "2"})
    (project / ".tellback.toml").write_text("[collect]\ndisabled = true\n")

    assert registered.exists()
    assert look(places, project, "format") == []


def test_a_store_variable_that_a_hook_saw_is_told(places: Places, project: Path) -> None:
    tell(places, event="prompt", note="CLAUDE_CONFIG_DIR=/elsewhere")

    (finding,) = look(places, project, "store")

    assert "CLAUDE_CONFIG_DIR=/elsewhere" in finding.what


def test_a_knowledge_folder_that_is_a_link_is_a_problem(places: Places, project: Path, home: Path) -> None:
    (home / "elsewhere").mkdir()
    (project / ".knowledge").symlink_to(home / "elsewhere")

    (finding,) = look(places, project, "knowledge")

    assert (finding.level, "never followed" in finding.what) == ("problem", True)


@pytest.mark.parametrize("name", ["corrections/index.yaml", "corrections/log.yaml.lock", "learnings/index.md"])
def test_a_file_of_knowledge_that_is_a_fifo_is_a_problem(places: Places, project: Path, name: str) -> None:
    path = project / ".knowledge" / name
    path.parent.mkdir(parents=True)
    os.mkfifo(path)

    (finding,) = look(places, project, "knowledge")

    assert (finding.level, finding.what) == ("problem", f"{path} is no file")


def test_a_read_only_project_is_a_problem(places: Places, project: Path) -> None:
    project.chmod(0o555)

    try:
        (finding,) = look(places, project, "knowledge")
    finally:
        project.chmod(0o755)

    assert (finding.level, "read-only" in finding.what) == ("problem", True)


def test_a_folder_without_git_has_its_store_named(places: Places, home: Path) -> None:
    (home / "loose").mkdir()

    (finding,) = look(places, home / "loose", "knowledge")

    assert (finding.level, "no Git repository" in finding.what) == ("ok", True)
    assert places.data in finding.what


@pytest.mark.parametrize(
    ("text", "level"),
    [
        pytest.param("corrections: [\n", "warn", id="no YAML"),
        pytest.param("- a\n", "warn", id="no list named corrections"),
        pytest.param("\xff\xfe", "warn", id="no UTF-8"),
        pytest.param("corrections: [{id: CORR-001}]\n", None, id="another shape of YAML"),
        pytest.param("", None, id="empty"),
        pytest.param("corrections:\n  - id: CORR-001\n  - id", None, id="the last line was torn"),
    ],
)
def test_a_log_that_is_left_alone_is_told(places: Places, project: Path, text: str, level: str | None) -> None:
    log = project / ".knowledge" / "corrections" / "log.yaml"
    log.parent.mkdir(parents=True)
    log.write_bytes(text.encode("latin-1"))

    findings = look(places, project, "knowledge")

    assert [each.level for each in findings if str(log) in each.what] == [level] * (level is not None)


def test_numbers_that_a_merge_doubled_are_told(places: Places, project: Path) -> None:
    log = project / ".knowledge" / "corrections" / "log.yaml"
    log.parent.mkdir(parents=True)
    log.write_text("corrections:\n  - id: CORR-001\n  - id: CORR-002\n  - id: CORR-001\n")

    findings = look(places, project, "knowledge")

    assert findings[-1].data == {"doubled": ["CORR-001"]}


def test_a_git_file_that_lies_is_told(places: Places, home: Path) -> None:
    liar = home / "liar"
    liar.mkdir()
    (home / "precious" / ".git").mkdir(parents=True)
    (liar / ".git").write_text(f"gitdir: {home}/precious/.git\n")

    findings = look(places, liar, "knowledge")

    assert any("does not point back" in each.what for each in findings)


@pytest.mark.parametrize(
    ("file", "text", "level", "said"),
    [
        pytest.param(SWITCH, '{"enabled": false}', "problem", "switches Tellback off", id="switch"),
        pytest.param(SWITCH, "{", "problem", "cannot be understood", id="a broken switch"),
        pytest.param(CONFIG, "collect = ", "problem", "line 1", id="not TOML"),
        pytest.param(CONFIG, "[collect]\ndisabled = true", "problem", "collect.disabled", id="off"),
        pytest.param(CONFIG, "[capture]\nenabled = false", "problem", "capture.enabled", id="deaf"),
        pytest.param(CONFIG, '[collect]\ndeny_paths = ["~/work"]', "warn", "deny_paths", id="off here"),
        pytest.param(CONFIG, "[collect]\ncolour = 1", "warn", "no setting", id="unknown key"),
    ],
)
def test_a_switch_is_shown(
    file: str, text: str, level: str, said: str, places: Places, project: Path, home: Path
) -> None:
    (home / file).parent.mkdir(parents=True)
    (home / file).write_text(text)

    findings = look(places, project, "config")

    assert any(each.level == level and said in each.what for each in findings)


@pytest.mark.parametrize(
    ("text", "level", "said"),
    [
        ("[collect]\ndisabled = true\n", "warn", "switches Tellback off in this repository"),
        ("disabled = [", "problem", "cannot be understood"),
    ],
)
def test_a_repository_file_is_shown(text: str, level: str, said: str, places: Places, project: Path) -> None:
    (project / ".tellback.toml").write_text(text)

    (finding,) = look(places, project, "repository")

    assert (finding.level, said in finding.what) == (level, True)


def test_a_pause_is_shown(places: Places, project: Path) -> None:
    write_pause(places, time.time(), time.time() + 60)

    (finding,) = look(places, project, "pause")

    assert (finding.level, finding.fix) == ("warn", "`tellback pause off` ends it")


def test_a_sweep_that_did_not_end_well_is_told(places: Places, project: Path) -> None:
    Path(places.cache).mkdir(parents=True)
    last = {"state": "failed", "finished_at": "2026-11-30T15:00:00Z", "failure": "OSError at late.py:57", "stages": {}}
    (Path(places.cache) / "push.last-run.json").write_text(json.dumps(last))

    (finding,) = look(places, project, "last push")

    assert (finding.level, "OSError at late.py:57" in finding.what) == ("warn", True)
    assert finding.data["last_push"] == last


def test_a_sweep_that_was_killed_is_told(places: Places, project: Path) -> None:
    Path(places.cache).mkdir(parents=True)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    last = {"state": "running", "started_at": "2026-11-30T15:00:00.000Z", "pid": gone.pid, "stages": {}}
    (Path(places.cache) / "push.last-run.json").write_text(json.dumps(last))

    (finding,) = look(places, project, "last push")

    assert (finding.level, "killed on the way" in finding.what) == ("warn", True)


@pytest.mark.parametrize("stamp", ["soon", "0", "99999999999"])
def test_a_stamp_that_is_no_past_time_is_told(stamp: str, places: Places, project: Path) -> None:
    Path(places.cache).mkdir(parents=True)
    (Path(places.cache) / "push.last-started").write_text(stamp)

    assert [each.level for each in look(places, project, "last launch")] == ["warn"]


def test_a_sweep_at_work_is_seen_with_its_lock(places: Places, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(places.cache).mkdir(parents=True)
    lock = Path(places.cache) / "push.lock"
    command = [sys.executable, "-c", HOLD, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sweep:
        assert sweep.stdout
        assert sweep.stdout.readline() == "held\n"
        stranger = look(places, project, "sweep lock")
        monkeypatch.setattr("tellback.install.checks.sweep._is_sweep", lambda words: words[-1:] == [str(lock)])
        known = look(places, project, "sweep lock")
        monkeypatch.setattr("tellback.install.checks.sweep.GRACE_S", -100.0)
        hangs = look(places, project, "sweep lock")
        sweep.communicate("\n")

    assert (stranger[0].level, "held by no launched sweep" in stranger[0].what) == ("warn", True)
    assert (known[0].level, str(sweep.pid) in known[0].what) == ("ok", True)
    assert (hangs[0].level, f"kill {sweep.pid}" in hangs[0].fix) == ("problem", True)


def test_sessions_about_to_vanish_are_told_until_they_were_read(places: Places, project: Path, home: Path) -> None:
    log = home / ".claude" / "projects" / "-work" / "a.jsonl"
    log.parent.mkdir(parents=True)
    log.touch()
    os.utime(log, (time.time() - 29 * 86400, time.time() - 29 * 86400))

    before = look(places, project, "retention")
    with closing(open_db(places)):
        after = look(places, project, "retention")

    assert [(each.level, each.fix) for each in before] == [("warn", "run `tellback backfill`")]
    assert [each.level for each in after] == ["ok"]


def test_a_broken_manifest_is_a_problem_and_keeps_no_other_check(places: Places, project: Path) -> None:
    Path(places.config).mkdir(parents=True)
    (Path(places.config) / "install.json").write_text("{")

    findings = look(places, project)

    assert [each.check for each in findings if each.level == "problem"] == ["manifest", "hooks"]


def test_a_check_that_fails_itself_is_a_finding(places: Places, project: Path) -> None:
    def break_down(site: Site) -> list[Finding]:
        raise sqlite3.DatabaseError(str(site.now))

    checks: dict[str, Check] = {"x": break_down, "pause": CHECKS["pause"]}

    (finding,) = examine(make_site(places, project), checks)

    assert (finding.check, finding.level) == ("x", "problem")


def test_looking_changes_nothing(wired: Path, places: Places, project: Path, home: Path) -> None:
    assert wired.exists()
    before = sorted((str(path), path.lstat().st_mtime_ns) for path in home.rglob("*") if path.is_file())

    look(places, project)

    assert sorted((str(path), path.lstat().st_mtime_ns) for path in home.rglob("*") if path.is_file()) == before


def test_a_git_that_is_neither_file_nor_folder_is_told(places: Places, home: Path) -> None:
    odd = home / "odd"
    odd.mkdir()
    os.mkfifo(odd / ".git")

    findings = look(places, odd, "knowledge")

    assert any("neither a file nor a folder" in each.what for each in findings)
    assert "neither a file nor a folder" in " ".join(each.what for each in look(places, odd))


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_sweep_of_another_home_is_not_this_ones(is_ours: bool, places: Places, project: Path, tmp_path: Path) -> None:
    variables = {"HOME": places.home if is_ours else str(tmp_path)}
    sweep = subprocess.Popen([sys.executable, "-I", "-m", "tellback", "sweep"], env=variables, cwd=project)

    pids = [process.pid for process, _ in list_sweeps(places)]
    sweep.kill()
    sweep.wait()

    assert (sweep.pid in pids) == is_ours


@pytest.mark.parametrize(
    ("spoil", "level", "what"),
    [
        pytest.param("missing", "problem", "is missing and cannot be made", id="cannot be made"),
        pytest.param("a file", "problem", "is no folder", id="no folder"),
        pytest.param("a link", "problem", "is a link or no file", id="a link"),
        pytest.param("corrupt", "warn", "1 of the lines", id="corrupt lines"),
        pytest.param("unfed", "warn", "no hook feeds it", id="no hook"),
    ],
)
def test_why_no_correction_of_a_skill_arrives_is_told_apart(
    places: Places, project: Path, spoil: str, level: str, what: str
) -> None:
    planning = project / ".planning"
    planning.mkdir()
    log = planning / "patterns" / "feedback.jsonl"
    if spoil == "missing":
        planning.rmdir()
        planning.symlink_to(project / "nowhere")
        config = Path(places.config) / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[learning]\ndir = "{planning / "patterns"}"\n')
    elif spoil == "a file":
        log.parent.write_text("")
    elif spoil in ("a link", "corrupt"):
        log.parent.mkdir()
        log.symlink_to(project / "x") if spoil == "a link" else log.write_text("{torn\n")

    (finding,) = look(places, project, "feedback")

    assert (finding.level, what in finding.what) == (level, True)
    assert finding.fix


def test_a_feedback_folder_that_a_hook_feeds_is_well(wired: Path, places: Places, project: Path) -> None:
    assert wired.exists()
    (finding,) = look(places, project, "feedback")

    assert (finding.level, finding.data["events"]) == ("ok", 0)


def test_a_wired_file_that_does_not_parse_is_to_be_mended_first(wired: Path, places: Places, project: Path) -> None:
    wired.write_text("{ // a comment\n}")

    findings = [each for each in look(places, project) if each.level == "problem"]

    assert [each.check for each in findings] == ["settings", "hooks"]
    assert all("mend the file" in each.fix for each in findings)
    assert [each.repair for each in findings] == [None, None]


@pytest.mark.parametrize(
    ("spoil", "what", "fix"),
    [
        pytest.param(lambda path: path.rmdir() or path.symlink_to("/tmp"), "is a link", "put a folder", id="a link"),
        pytest.param(lambda path: path.rmdir() or os.mkfifo(path), "is no folder", "move it away", id="a FIFO"),
        pytest.param(lambda path: path.chmod(0o777), "written by everybody", "`chmod o-w", id="open to all"),
        pytest.param(lambda path: path.chmod(0o555), "is read-only", "`chmod u+w", id="read-only"),
    ],
)
def test_everything_wrong_with_knowledge_names_what_to_do(
    spoil: Callable[[Path], object], what: str, fix: str, places: Places, project: Path
) -> None:
    corrections = project / ".knowledge/corrections"
    corrections.mkdir(parents=True)
    spoil(corrections)

    (finding,) = [each for each in look(places, project, "knowledge") if each.level == "problem"]

    assert what in finding.what
    assert finding.fix.startswith(fix)
    assert finding.fix.endswith("; until then corrections wait")
