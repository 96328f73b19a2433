"""After recording: is the signal found by who will read it? Our scanner, and skill-optimizer's where it is installed.

Only the scanner below the person's own home is run: one that a project brings along is somebody else's program (R-26,
X-55).
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

from .signals import normalise_skill, scan_signals

NOT_RECOGNISED = "信号未被 scan_signals.py 识别，请检查文件名是否为 signal.json（非 signal.jsonl）"
_SCRIPT = ("skill-optimizer", "scripts", "scan_signals.py")
_LIMIT_S = 20.0


def is_recognised(skill: str, root: Path, home_roots: list[Path]) -> bool:
    """Whether a signal of *skill*, a folder in *root*, is found by every scanner that there is."""
    name = normalise_skill(skill)
    if all(pending.skill != name for pending in scan_signals([root])):
        return False
    return all(
        _finds(script, name) for home in home_roots if home == root and (script := home.joinpath(*_SCRIPT)).is_file()
    )


def _finds(script: Path, name: str) -> bool:
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(script), "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
        data: Any = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    result: Any = cast("dict[str, Any]", data).get("result") if isinstance(data, dict) else None
    entries = cast("list[Any]", result) if isinstance(result, list) else []
    return any(isinstance(entry, dict) and cast("dict[str, Any]", entry).get("skill") == name for entry in entries)
