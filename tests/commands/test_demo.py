"""``tellback demo`` shows the whole way, in folders of its own, and says when a step fails."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.commands import demo as demo_command
from tellback.commands.demo_session import TYPED, Said

if TYPE_CHECKING:
    from conftest import Call

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the demo makes its own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_the_demo_plays_all_steps_and_leaves_nothing(home: Path, temporary: Path, call: "Call") -> None:
    code, out, _ = call("demo")

    assert code == 0, out
    assert "Got it, logged as CORR-001." in out
    assert "Noted for future analyses." in out
    assert ".knowledge/corrections/log.yaml" in out
    assert list(temporary.iterdir()) == []
    assert list(home.iterdir()) == []


def test_the_demo_needs_no_git(temporary: Path, call: "Call", monkeypatch: pytest.MonkeyPatch) -> None:
    tools = temporary / "bin"
    tools.mkdir()
    (tools / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    monkeypatch.setenv("PATH", str(tools))

    data = json.loads(call("demo", "--json")[1])

    assert data["ok"], data["steps"]
    assert len(data["files"][".knowledge/corrections/log.yaml"].split("- id:")) == 3


def test_what_is_kept_can_be_looked_at(temporary: Path, call: "Call") -> None:
    data = json.loads(call("demo", "--keep", "--json")[1])

    kept = Path(data["kept"])
    assert kept.parent == temporary.resolve()
    assert (kept / "project" / ".knowledge" / "corrections" / "log.yaml").is_file()
    assert os.stat(kept).st_mode & 0o777 == 0o700


def test_a_step_that_fails_is_told_and_ends_with_1(
    temporary: Path, call: "Call", monkeypatch: pytest.MonkeyPatch
) -> None:
    unheard = Said("How do I install it?", "correction", "install it", "With uv.")
    monkeypatch.setattr(demo_command, "TYPED", (*TYPED, unheard))

    code, out, _ = call("demo")

    assert code == 1
    assert "failed" in out
    assert "How do I install it?" in out
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("step", ["1. Make", "5. End the turn"])
def test_a_demo_that_is_told_to_end_leaves_nothing(home: Path, tmp_path: Path, number: int, step: str) -> None:
    command = [sys.executable, "-u", "-I", "-m", "tellback", "demo"]
    variables = {**os.environ, "HOME": str(home), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=variables) as demo:
        assert demo.stdout
        assert any(line.startswith(step) for line in demo.stdout)
        demo.send_signal(number)
        said = demo.communicate(timeout=60)[0]

    assert demo.returncode in (1, 128 + number), said
    assert "Traceback" not in said
    assert list(tmp_path.glob("tellback-demo-*")) == []
