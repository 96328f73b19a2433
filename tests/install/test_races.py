"""Install beside uninstall, purge and a renewing sweep: one at a time, and never hooks without what they run."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tellback.cli import main
from tellback.core.locks import free_lock, take_lock
from tellback.core.shapes import Places

WRITERS = {
    "install": ("install.bundle._write", ["install", "cursor"]),
    "doctor --fix": ("install.bundle._write", ["doctor", "--fix"]),
    "a renewing command": ("install.bundle._write", ["sweep", "--local-only"]),
    "uninstall": ("commands.uninstall.remove_hook_files", ["uninstall"]),
    "uninstall --purge": ("commands.uninstall.purge", ["uninstall", "--purge", "--yes"]),
}


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    return int(caught.value.code or 0)


@pytest.mark.parametrize("who", WRITERS)
def test_what_the_hooks_run_is_touched_under_the_lock_alone(
    who: str, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where, arguments = WRITERS[who]
    call("install", "claude-code", "--python", sys.executable)
    (Path(places.data) / "hook/fire.py").write_text("another version")
    module = importlib.import_module(f"tellback.{where.rpartition('.')[0]}")
    real = getattr(module, where.rpartition(".")[2])
    was_free: list[bool] = []

    def look(*values: Any) -> Any:
        lock = take_lock(str(Path(places.config) / "install.lock"), 0)
        was_free.append(lock is not None)
        if lock is not None:
            free_lock(lock)
        return real(*values)

    monkeypatch.setattr(module, where.rpartition(".")[2], look)

    call(*arguments)

    assert was_free == [False]


@pytest.mark.slow
@pytest.mark.parametrize("purge", [[], ["--purge", "--yes"]], ids=["uninstall", "uninstall --purge"])
def test_an_install_beside_an_uninstall_leaves_all_or_nothing(purge: list[str], places: Places, tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-m", "tellback"]
    settings = Path(places.home) / ".claude/settings.json"
    for _ in range(4):
        subprocess.run([*command, "install", "claude-code", "--python", sys.executable], check=True, cwd=tmp_path)
        beside = [["install", "claude-code", "--python", sys.executable], ["uninstall", *purge]]
        running = [
            subprocess.Popen([*command, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for arguments in beside
        ]
        said = [each.communicate(timeout=60)[0].decode() for each in running]

        assert [each.returncode for each in running] == [0, 0], said
        is_wired = settings.exists() and "fire.py" in settings.read_text()
        assert (Path(places.data) / "hook/fire.py").exists() == is_wired, said
        assert (Path(places.config) / "install.json").exists() == is_wired, said
        assert os.path.exists(places.config) or not is_wired
