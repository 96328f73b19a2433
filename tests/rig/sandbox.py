"""Finds the rig with the real harness programs and plays one scenario in its sandbox."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import tellback

HERE = Path(__file__).resolve().parent
RIG = Path(os.environ.get("TELLBACK_RIG", HERE.parents[2] / "shared" / "rig"))
# Hidden inside the sandbox, where /home and /tmp are empty.
HIDDEN = (Path("/home"), Path("/tmp"))


def find_reason_to_skip() -> str:
    """Return why the real Claude Code cannot run here; ``""`` when it can."""
    if not (RIG / "rigkit.py").is_file():
        return f"no rig at {RIG} (set TELLBACK_RIG)"
    for program in ("unshare", "mount", "tmux", "git"):
        if shutil.which(program) is None:
            return f"{program} is missing"
    client = Path(load_kit().clients_dir()) / "node_modules" / ".bin" / "claude"
    if not client.exists():
        return f"no Claude Code at {client} (run {RIG / 'install.sh'})"
    flags = ["-n", "-m", "-p", "-f"] if os.getuid() == 0 else ["-r", "-n", "-m", "-p", "-f"]
    if subprocess.run(["unshare", *flags, "true"], capture_output=True).returncode != 0:
        return "namespaces are not allowed here"
    return ""


def load_kit() -> ModuleType:
    """Import the rig's kit from where it lies."""
    spec = importlib.util.spec_from_file_location("rigkit", RIG / "rigkit.py")
    assert spec is not None
    assert spec.loader is not None
    kit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kit)
    return kit


def find_binds() -> list[tuple[str, str]]:
    """Return the folders of this interpreter and package that the sandbox would hide, each onto itself."""
    needed = {Path(sys.prefix), Path(sys.base_prefix), Path(tellback.__file__).resolve().parent}
    return [(str(folder), str(folder)) for folder in needed if any(folder.is_relative_to(top) for top in HIDDEN)]


@dataclass(frozen=True)
class Played:
    """What one scenario left behind; ``out`` holds the rig's files, ``home`` the home folder."""

    out: Path
    status: int

    @property
    def home(self) -> Path:
        return self.out / "home"

    def read_json(self, name: str) -> Any:
        return json.loads((self.out / name).read_text())

    def read_records(self) -> list[dict[str, Any]]:
        """Return every record of every session log."""
        logs = self.home.glob(".claude/projects/*/*.jsonl")
        return [json.loads(line) for log in logs for line in log.read_text().splitlines() if line]

    def find_hook_errors(self) -> list[str]:
        """Return what the harness logged of hooks that failed, were cancelled or blocked."""
        bad = ("hook_non_blocking_error", "hook_blocking_error", "hook_cancelled", "hook_stopped_continuation")
        kinds = [record.get("attachment", {}).get("type", "") for record in self.read_records()]
        return [kind for kind in kinds if kind in bad]


def play(scenario: str, out: Path, script: str = "play.py", *more: str) -> Played:
    """Play *scenario* in a new sandbox whose results lie in *out*."""
    argv = [f"/home/rig/ours/{script}", "--scenario", scenario, "--python", sys.executable, *more]
    status = load_kit().enter(argv, str(out), [*find_binds(), (str(HERE), "/home/rig/ours")])
    return Played(out, status)
