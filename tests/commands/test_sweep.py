"""``tellback sweep`` and ``tellback backfill``."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import pytest

from tellback.commands import sweep as sweep_command
from tellback.core.shapes import Places
from tellback.sweep.lastrun import read_last_run
from tellback.sweep.lock import find_sweep_lock

if TYPE_CHECKING:
    from conftest import Call

WRONG = "No, you used the wrong file, it should be pyproject.toml, not setup.py"


def write_log(home: Path, name: str = "5e55", age_s: float = 0.0) -> Path:
    """Write a session log with one correction, last changed *age_s* ago."""
    folder = home / ".claude" / "projects" / "-p"
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        {"type": "user", "message": {"role": "user", "content": text}, "promptSource": "typed", "cwd": "/p"}
        for text in ("How do I install it?", WRONG)
    ]
    path = folder / f"{name}.jsonl"
    lines = [
        json.dumps({**one, "uuid": f"{name}-{number}", "timestamp": f"2026-11-30T10:00:0{number}Z"})
        for number, one in enumerate(records)
    ]
    path.write_text("\n".join(lines) + "\n")
    changed_at = path.stat().st_mtime - age_s
    os.utime(path, (changed_at, changed_at))
    return path


def test_a_sweep_tells_what_it_did_as_text_and_as_json(home: Path, places: Places, call: "Call") -> None:
    write_log(home)

    code, out, _ = call("sweep")
    again = json.loads(call("sweep", "--json", "--local-only")[1])

    assert (code, "late: 1 nothing, 1 logged, 1 sessions" in out) == (0, True)
    assert again["started"]
    assert again["stages"]["late"] == {}
    assert read_last_run(places) == {name: value for name, value in again.items() if name not in ("started", "busy")}


def test_a_sweep_beside_another_one_says_so(places: Places, call: "Call", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_command, "WAIT_S", 0)
    Path(places.cache).mkdir(parents=True)

    with filelock.FileLock(find_sweep_lock(places)):
        code, out, _ = call("sweep")

    assert (code, "Another sweep is at work" in out) == (0, True)


def test_a_settings_file_that_cannot_be_parsed_means_no_sweep_and_is_named(
    home: Path, places: Places, call: "Call"
) -> None:
    write_log(home)
    config = Path(places.config) / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[collect\n")

    code, _, err = call("sweep")

    assert code == 1
    assert str(config) in err
    assert not (Path(places.data) / "projects").exists()


def test_the_sweep_of_a_hook_prints_nothing_whatever_happens(places: Places) -> None:
    config = Path(places.config) / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[collect\n")

    argv = [sys.executable, "-I", "-m", "tellback", "sweep", "--launched"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_a_backfill_takes_history_that_a_sweep_leaves_alone_and_only_once(home: Path, call: "Call") -> None:
    write_log(home, "01d", age_s=90 * 24 * 3600)

    swept = json.loads(call("sweep", "--json")[1])["stages"]["late"]
    filled = json.loads(call("backfill", "--json", "--harness", "claude-code")[1])["stages"]["late"]
    again = json.loads(call("backfill", "--json")[1])["stages"]["late"]

    assert (swept, filled, again) == ({}, {"nothing": 1, "logged": 1, "sessions": 1}, {})


def test_a_backfill_of_the_last_days_leaves_older_sessions(home: Path, call: "Call") -> None:
    write_log(home, "01d", age_s=90 * 24 * 3600)
    write_log(home, "2ece27", age_s=3600)

    filled = json.loads(call("backfill", "--json", "--since", "7d")[1])["stages"]["late"]

    assert filled["sessions"] == 1


@pytest.mark.parametrize("arguments", [["--since", "soon"], ["--harness", "nobody"]])
def test_a_wrong_command_line_ends_with_2(call: "Call", arguments: list[str]) -> None:
    assert call("backfill", *arguments)[0] == 2
