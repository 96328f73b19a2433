"""``tellback uninstall``: take exactly what install added out again."""

import os
from pathlib import Path
from typing import Any

import click

from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.paths import find_places
from ..core.shapes import Places
from ..install.display import diff_settings
from ..install.harness import Harness
from ..install.manifest import hold_install_lock
from ..install.purge import Purged, list_purge, purge
from ..install.undo import Removed, is_any_left, preview_uninstall, remove_hook_files, uninstall
from .checklist import uninstall_checklist
from .install import require_harness
from .result import Result, run

IS_WINDOWS = os.name == "nt"


@click.command("uninstall")
@click.argument("harness", required=False)
@click.option("--project", type=click.Path(path_type=Path), help="Only the hooks of the sessions in this folder.")
@click.option("--purge", "is_purge", is_flag=True, help="Remove Tellback's data, cache and settings too; asks first.")
@click.option("--yes", "is_sure", is_flag=True, help="With --purge: do not ask.")
@click.option("--checklist", is_flag=True, help="Only the checklist in the project's AGENTS.md / CLAUDE.md.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    harness: str | None,
    project: Path | None,
    is_purge: bool,
    is_sure: bool,
    checklist: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take the hooks out of HARNESS, or out of everything that install wired."""
    if checklist:
        if harness or is_purge:
            raise click.UsageError("--checklist goes with --project, --dry-run and --json alone")
        return run(lambda: uninstall_checklist((project or Path()).resolve(), dry_run), as_json)
    chosen = require_harness(harness) if harness else None
    where = project.resolve() if project else None
    if is_purge and (chosen or where):
        raise click.UsageError("--purge removes everything: leave out HARNESS and --project")
    must_ask = is_purge and not dry_run and not is_sure
    return run(lambda: _uninstall(find_places(), chosen, where, is_purge, dry_run, must_ask), as_json)


def _ask(places: Places) -> None:
    """Ask on the terminal; whoever cannot or will not answer yes has said no."""
    folders = list_purge(places)
    if not folders:
        return
    click.echo("This takes the hooks out and removes, for good:", err=True)
    for folder in folders:
        click.echo(f"  {show_line(folder)}", err=True)
    click.echo("Every .knowledge folder stays.", err=True)
    try:
        is_yes = click.confirm("Remove them?", err=True)
    except click.Abort:
        is_yes = False
    if not is_yes:
        raise TellbackError("nothing is removed", hint="answer y, or give --yes")


def _uninstall(
    places: Places, harness: Harness | None, project: Path | None, is_purge: bool, dry_run: bool, must_ask: bool
) -> Result:
    if must_ask:
        _ask(places)
    if dry_run:
        return _report(preview_uninstall(places, harness, project), False, None, list_purge(places) if is_purge else [])
    purged: Purged | None = None
    with hold_install_lock(places):
        done = uninstall(places, harness, project)
        is_hook_gone = not is_any_left(places) and remove_hook_files(places)
        has_failed = any(each.error for each in done)
        if is_purge and not has_failed and not IS_WINDOWS:
            purged = purge(places)  # under the lock, which goes too: an install that waits for it begins anew
    if is_purge and has_failed:
        result = _report(done, is_hook_gone, None, None)
        return Result(result.data, result.text, (*result.messages, "tellback: nothing purged: hooks are left"), 1)
    if is_purge and IS_WINDOWS:
        purged = purge(places)  # a lock that is held cannot be removed there
    return _report(done, is_hook_gone, purged, None)


def _report(done: list[Removed], is_hook_gone: bool, purged: Purged | None, would_purge: list[str] | None) -> Result:
    dry_run = would_purge is not None
    files = [_describe(each, dry_run) for each in done]
    data: dict[str, Any] = {
        "files": files,
        "changed": any(each["changed"] for each in files),
        "dry_run": dry_run,
        "hook_removed": is_hook_gone,
        "purged": list(purged.removed) if purged else [],
        "would_purge": would_purge or [],
        "kept": list(purged.kept) if purged else [],
    }
    errors = tuple(_say_error(each.error) for each in done if each.error)
    text = "\n".join([*_list_lines(done, dry_run), *_list_purge_lines(purged, would_purge)])
    return Result(data, text or "No hook of Tellback is left.", errors, 1 if errors else 0)


def _describe(each: Removed, dry_run: bool) -> dict[str, Any]:
    plan, written = each.plan, each.written
    row: dict[str, Any] = {
        "harness": plan.harness.name,
        "scope": plan.scope,
        "file": str(plan.file),
        "changed": bool(written and written.is_changed),
        "error": str(each.error) if each.error else None,
    }
    if dry_run and written:
        row["diff"] = diff_settings(written.before.path, written.before.data, written.after)
    return row


def _list_lines(done: list[Removed], dry_run: bool) -> list[str]:
    lines: list[str] = []
    for each in done:
        file = show_line(str(each.plan.file))
        if not each.written:
            continue
        if dry_run and each.written.is_changed:
            lines.append(diff_settings(each.written.before.path, each.written.before.data, each.written.after))
        elif each.written.after is None:
            lines.append(f"{file} is gone: install had made it." if each.written.is_changed else f"{file} was gone.")
        else:
            state = "the hooks are out" if each.written.is_changed else "no hook was left in it"
            lines.append(f"{file}: {state}.")
    return lines


def _list_purge_lines(purged: Purged | None, would_purge: list[str] | None) -> list[str]:
    lines = [f"{show_line(folder)} would be removed." for folder in would_purge or []]
    if purged:
        lines += [f"{show_line(folder)} is removed." for folder in purged.removed]
        lines += [f"{show_line(folder)} stays: it holds what people said." for folder in purged.kept]
    return lines


def _say_error(error: TellbackError) -> str:
    return f"tellback: {error}" + (f"; {error.hint}" if error.hint else "")
