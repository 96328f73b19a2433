import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tellback.install.table import HARNESSES

if TYPE_CHECKING:
    from conftest import Call

CLAUDE = HARNESSES["claude-code"]


@pytest.fixture(autouse=True)
def stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python that runs the tests may lie in a temporary folder."""
    monkeypatch.setattr("tellback.install.interpreter.find_sweepable_folder", lambda _: None)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write no hook files, which takes a second, and return for which Python they were asked."""
    asked: list[str] = []
    monkeypatch.setattr("tellback.commands.install.put_hook_files", lambda _, python: asked.append(python))
    return asked


def test_a_first_install_says_what_happens_next(home: Path, call: "Call") -> None:
    code, out, err = call("install", "claude")

    assert (code, err) == (0, "")
    assert "Claude Code is wired: 5 hooks in" in out
    assert ".knowledge/" in out
    assert "`tellback doctor`" in out
    assert "`tellback uninstall`" in out
    assert (home / ".local/share/tellback/hook/fire.py").is_file()


def test_the_second_install_changes_nothing_and_says_so(home: Path, written: list[str], call: "Call") -> None:
    call("install", "cursor")
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}

    code, out, _ = call("install", "cursor")

    assert (code, "is wired already" in out) == (0, True)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert written == [sys.executable] * 2


def test_without_a_harness_the_choices_are_listed(call: "Call") -> None:
    code, _, err = call("install")

    assert (code, "claude-code (or claude), cursor" in err) == (2, True)


def test_an_unknown_harness_is_a_wrong_command_line(call: "Call") -> None:
    code, _, err = call("install", "vim")

    assert (code, "no harness 'vim'" in err) == (2, True)


def test_a_dry_run_shows_the_diff_and_writes_nothing(home: Path, call: "Call") -> None:
    code, out, _ = call("install", "cursor", "--dry-run")

    assert (code, out.splitlines()[0]) == (0, "--- /dev/null")
    assert '+    "beforeSubmitPrompt": [' in out
    assert list(home.iterdir()) == []


def test_a_refused_file_leaves_nothing_behind(home: Path, call: "Call") -> None:
    file = CLAUDE.find_user_file()
    file.parent.mkdir()
    file.write_text("{\n  // mine\n}")

    code, out, err = call("install", "claude")

    assert (code, out) == (1, "")
    assert f"{file}, line 2, column 3: a comment" in err
    assert [path for path in home.rglob("*") if path.is_file()] == [file]


def test_json_tells_what_was_done(written: list[str], call: "Call") -> None:
    code, out, _ = call("install", "claude-code", "--json")

    data: dict[str, Any] = json.loads(out)
    assert code == 0
    assert written == [sys.executable]
    assert (data["harness"], data["changed"], data["dry_run"], data["scope"]) == ("claude-code", True, False, "user")
    assert data["file"] == str(CLAUDE.find_user_file())
    assert data["events"] == list(CLAUDE.events)


def test_a_project_of_cursor_asks_for_shared(home: Path, written: list[str], call: "Call") -> None:
    project = home / "work"
    project.mkdir()

    code, _, err = call("install", "cursor", "--project", str(project))
    assert (code, "--shared" in err, list(project.iterdir())) == (1, True, [])

    code, _, _ = call("install", "cursor", "--project", str(project), "--shared")
    assert (code, (project / ".cursor" / "hooks.json").is_file()) == (0, True)
    assert written == [sys.executable]


def test_shared_is_not_for_a_harness_with_a_file_of_ones_own(home: Path, call: "Call") -> None:
    code, _, _ = call("install", "claude", "--project", str(home), "--shared")

    assert code == 2


def test_sessions_about_to_vanish_are_offered_to_backfill(home: Path, written: list[str], call: "Call") -> None:
    log = home / ".claude" / "projects" / "-work" / "a.jsonl"
    log.parent.mkdir(parents=True)
    log.touch()
    (home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 1}')

    _, out, _ = call("install", "claude")

    assert written
    assert "1 of 1 on this machine go within 7 days. `tellback backfill`" in out


def test_hooks_that_are_switched_off_are_told(written: list[str], call: "Call") -> None:
    CLAUDE.find_user_file().parent.mkdir()
    CLAUDE.find_user_file().write_text('{"disableAllHooks": true}')

    _, out, _ = call("install", "claude")

    assert written
    assert '"disableAllHooks" is on' in out


def test_a_python_that_will_be_swept_away_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, call: "Call") -> None:
    monkeypatch.setattr("tellback.install.interpreter.find_sweepable_folder", lambda _: Path("/tmp"))

    code, _, err = call("install", "claude")

    assert (code, "emptied from time to time" in err, "--python PATH" in err) == (1, True, True)
    assert list(home.iterdir()) == []


def test_a_named_python_is_taken_wherever_it_lies(
    written: list[str], monkeypatch: pytest.MonkeyPatch, call: "Call"
) -> None:
    monkeypatch.setattr("tellback.install.interpreter.find_sweepable_folder", lambda _: Path("/tmp"))

    code, _, _ = call("install", "claude", "--python", sys.executable)

    assert (code, written) == (0, [sys.executable])


def test_a_named_python_without_tellback_is_refused(tmp_path: Path, call: "Call") -> None:
    code, _, err = call("install", "claude", "--python", str(tmp_path / "python"))

    assert (code, "has no Tellback" in err) == (2, True)


def test_another_python_does_the_install_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: "Call") -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n')
    other.chmod(0o755)
    monkeypatch.setattr("tellback.commands.install.find_executable", lambda _: str(other))

    code, _, _ = call("install", "cursor", "--dry-run", "--python", str(other))

    assert code == 0
    assert (tmp_path / "asked").read_text() == f"-I -m tellback install cursor --dry-run --python {other}\n"


def test_what_another_python_wired_is_pointed_to_this_one(
    written: list[str], monkeypatch: pytest.MonkeyPatch, call: "Call"
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/old/python")
        call("install", "cursor")

    _, out, _ = call("install", "claude")

    assert written == ["/old/python", sys.executable]
    assert f"hooks.json runs {sys.executable} now as well" in out
    assert "/old/python" not in HARNESSES["cursor"].find_user_file().read_text()
