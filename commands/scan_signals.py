"""``tellback scan-signals``: which skills have signals waiting for an optimizer."""

from pathlib import Path
from typing import Any

import click

from ..core.config import load_settings
from ..core.escape import show_line
from ..core.paths import find_places
from ..learning.signals import Pending, scan_signals
from ..learning.where import find_skill_stores
from .result import Result, run


@click.command("scan-signals")
@click.option("--root", "roots", type=click.Path(path_type=Path), multiple=True, help="A folder of skills.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(roots: tuple[Path, ...], as_json: bool) -> None:
    """Show the signals that wait beside skills, below each --root or the folders of the settings."""
    run(lambda: _scan(list(roots)), as_json)


def _scan(roots: list[Path]) -> Result:
    settings = load_settings(find_places())
    folders = roots or [store.folder for store in find_skill_stores(Path.cwd(), settings)]
    found = scan_signals(folders, settings.recorder_friction_threshold)
    data: dict[str, Any] = {"result": [pending.to_json() for pending in found]}
    return Result(data, "\n".join(map(_tell, found)) or "No signals are waiting.")


def _tell(pending: Pending) -> str:
    kinds = ", ".join(f"{show_line(kind)} {count}" for kind, count in pending.friction_by_type.items())
    priority = ", high priority" if pending.priority == "high" else ""
    return (
        f"{show_line(pending.skill)}: {pending.corrected} corrected, {pending.friction} friction"
        f"{f' ({kinds})' if kinds else ''}{priority}"
    )
