import json
import sys
from pathlib import Path

import pytest

from tellback.cli import main
from tellback.core.shapes import Places
from tellback.install.apply import install
from tellback.install.table import HARNESSES

CLAUDE = HARNESSES["claude-code"]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run one command line; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.fixture(autouse=True)
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a Git repository of this user."""
    folder = home / "work"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tellback.install.checks.hooks.find_sweepable_folder", lambda _: None)
    return folder


def test_a_broken_installation_is_told_then_repaired(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    install(CLAUDE, CLAUDE.find_user_file(), None, places, sys.executable)

    code, out, _ = call(capsys, "doctor")
    assert code == 1
    assert "BAD   hook files:" in out
    assert "-> run `tellback doctor --fix`" in out

    code, out, _ = call(capsys, "doctor", "--fix")
    assert code == 0
    assert "repaired  " in out
    assert out.splitlines()[-1].startswith("Tellback works")


def test_json_has_every_finding_with_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "doctor", "--json")

    data = json.loads(out)
    assert (code, data["healthy"], data["last_push"]) == (1, False, None)
    hooks = next(each for each in data["findings"] if each["check"] == "hooks")
    assert (hooks["level"], "tellback install" in hooks["fix"]) == ("problem", True)
    assert all(each["fix"] for each in data["findings"] if each["level"] != "ok")


def test_text_from_outside_cannot_act_on_the_terminal(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = project / "a\x1b[2J\u202eb"
    evil.mkdir()

    _, out, _ = call(capsys, "doctor", "--project", str(evil))

    assert "\x1b" not in out
    assert "\u202e" not in out


def test_a_wrong_flag_is_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "doctor", "--repair")[0] == 2
