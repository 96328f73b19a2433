import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.core.shapes import Places
from tellback.install.apply import install
from tellback.install.table import HARNESSES

if TYPE_CHECKING:
    from conftest import Call

CLAUDE = HARNESSES["claude-code"]


@pytest.fixture(autouse=True)
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a Git repository of this user."""
    folder = home / "work"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tellback.install.checks.hooks.find_sweepable_folder", lambda _: None)
    return folder


def test_a_broken_installation_is_told_then_repaired(places: Places, call: "Call") -> None:
    install(CLAUDE, CLAUDE.find_user_file(), None, places, sys.executable)

    code, out, _ = call("doctor")
    assert code == 1
    assert "BAD   hook files:" in out
    assert "-> run `tellback doctor --fix`" in out

    code, out, _ = call("doctor", "--fix")
    assert code == 0
    assert "repaired  " in out
    assert out.splitlines()[-1].startswith("Tellback works")


def test_json_has_every_finding_with_its_remedy(call: "Call") -> None:
    code, out, _ = call("doctor", "--json")

    data = json.loads(out)
    assert (code, data["healthy"], data["last_push"]) == (1, False, None)
    hooks = next(each for each in data["findings"] if each["check"] == "hooks")
    assert (hooks["level"], "tellback install" in hooks["fix"]) == ("problem", True)
    assert all(each["fix"] for each in data["findings"] if each["level"] != "ok")


def test_text_from_outside_cannot_act_on_the_terminal(project: Path, call: "Call") -> None:
    evil = project / "a\x1b[2J\u202eb"
    evil.mkdir()

    _, out, _ = call("doctor", "--project", str(evil))

    assert "\x1b" not in out
    assert "\u202e" not in out


def test_a_wrong_flag_is_a_wrong_command_line(call: "Call") -> None:
    assert call("doctor", "--repair")[0] == 2
