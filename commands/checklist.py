"""``install --checklist`` and ``uninstall --checklist``: a project's per-turn checklist, for agents without hooks."""

from pathlib import Path

from ..core.escape import show_line
from ..install.checklist import Changed, add_checklist, remove_checklist
from .result import Result


def install_checklist(project: Path, dry_run: bool) -> Result:
    """Put the checklist into the project's AGENTS.md and CLAUDE.md and tell where."""
    return _report(add_checklist(project, dry_run), "has the checklist", dry_run)


def uninstall_checklist(project: Path, dry_run: bool) -> Result:
    """Take it out again and tell where."""
    return _report(remove_checklist(project, dry_run), "has no checklist any more", dry_run)


def _report(done: list[Changed], what: str, dry_run: bool) -> Result:
    lines = [f"{show_line(str(one.path))} {_say(one, what, dry_run)}." for one in done]
    files = [{"file": str(one.path), "changed": one.is_changed} for one in done]
    return Result({"files": files, "dry_run": dry_run}, "\n".join(lines) or "There is no checklist here.")


def _say(one: Changed, what: str, dry_run: bool) -> str:
    if not one.is_changed:
        return "stays as it is"
    return "would change" if dry_run else what
