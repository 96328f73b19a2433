"""Many hooks at once, then one sweep: every correction once, the counters exact."""

import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tellback.core.shapes import Places
from tellback.install.command import hook_command
from tellback.install.hookfiles import put_hook_files
from tellback.sweep.lock import hold_sweep_lock
from tellback.sweep.run import Order, run_sweep

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="calls the hook through sh")]

HOOKS, AT_ONCE, SESSIONS = 640, 32, 8


def words_of(number: int) -> str:
    return f"No, you used the wrong file, it should be part_{number}.toml, not setup.py"


def write_logs(home: Path, project: Path) -> list[Path]:
    """Write the logs of the sessions in which all of it is said: a busy machine may end a hook by its time limit."""
    folder = home / ".claude" / "projects" / "-project"
    folder.mkdir(parents=True)
    logs = [folder / f"session-{number}.jsonl" for number in range(SESSIONS)]
    for number in range(HOOKS):
        record = {
            "type": "user",
            "message": {"role": "user", "content": words_of(number)},
            "promptSource": "typed",
            "uuid": f"uuid-{number}",
            "cwd": str(project),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        with logs[number % SESSIONS].open("a") as file:
            file.write(json.dumps(record) + "\n")
    return logs


def fire(command: str, project: Path, number: int, log: Path) -> str:
    """Call the hook with one correction of its own; returns the id that it acknowledged, ``""`` for none."""
    payload = {
        "session_id": log.stem,
        "prompt_id": f"prompt-{number}",
        "transcript_path": str(log),
        "cwd": str(project),
        "hook_event_name": "UserPromptSubmit",
        "prompt": words_of(number),
    }
    done = subprocess.run(["sh", "-c", command], input=json.dumps(payload).encode(), capture_output=True, check=True)
    assert done.stderr == b""
    found = re.search(rb"CORR-[0-9]+", done.stdout)
    return found[0].decode() if found else ""


def test_640_hooks_32_at_a_time_and_one_sweep_give_640_ids(home: Path, places: Places, tmp_path: Path) -> None:
    project = tmp_path / "project"
    for folder in (project / ".git", project / ".knowledge"):
        folder.mkdir(parents=True)
    logs = write_logs(home, project)
    put_hook_files(places, sys.executable)
    command = hook_command(places, sys.executable, "claude-code")

    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = list(pool.map(lambda number: fire(command, project, number, logs[number % SESSIONS]), range(HOOKS)))
    _wait_for_launched_sweep(places)
    done = run_sweep(places, Order(look_around=True, wait_s=30))

    corrections = project / ".knowledge" / "corrections"
    entries = YAML(typ="safe").load(corrections / "log.yaml")["corrections"]
    index = YAML(typ="safe").load(corrections / "index.yaml")
    kept = {entry["description"]: entry["id"] for entry in entries}
    assert done is not None
    assert done.failure == ""
    assert sorted(entry["id"] for entry in entries) == [f"CORR-{number:03d}" for number in range(1, HOOKS + 1)]
    assert set(kept) == {words_of(number) for number in range(HOOKS)}
    assert [kept[words_of(number)] for number, ident in enumerate(told) if ident] == [ident for ident in told if ident]
    assert index["total_corrections"] == sum(index["by_severity"].values()) == sum(index["by_category"].values())
    assert (index["total_corrections"], index["last_correction_id"]) == (HOOKS, f"CORR-{HOOKS:03d}")


def _wait_for_launched_sweep(places: Places) -> None:
    """A prompt hook may have launched a sweep by itself; it is let end, within a bound."""
    give_up_at = time.monotonic() + 60
    while time.monotonic() < give_up_at:
        with hold_sweep_lock(places, None, wait_s=5) as is_ours:
            if is_ours:
                return
    pytest.fail("a launched sweep did not end")
