"""``tellback install``: hook Tellback into a harness."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click

from ..core.escape import show_line
from ..core.paths import find_places
from ..core.shapes import Places
from ..install.apply import Installed, install, preview_install, repoint_others
from ..install.display import diff_settings
from ..install.harness import Harness
from ..install.hookfiles import put_hook_files
from ..install.hooktext import is_switched_off
from ..install.interpreter import choose_interpreter, find_executable, is_same_python
from ..install.manifest import hold_install_lock, read_manifest
from ..install.plan import find_file
from ..install.retention import describe_retention, read_retention
from ..install.table import find_harness, list_choices
from .checklist import install_checklist
from .result import Result, run


@click.command("install")
@click.argument("harness", required=False)
@click.option("--project", type=click.Path(path_type=Path), help="Only for the sessions in this folder.")
@click.option(
    "--shared", is_flag=True, help="With --project: write the file that a team shares, where it is the only one."
)
@click.option("--python", type=click.Path(path_type=Path), help="The Python that the hooks run; it must have Tellback.")
@click.option(
    "--checklist", is_flag=True, help="Only the checklist for agents without hooks, in AGENTS.md / CLAUDE.md."
)
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    harness: str | None,
    project: Path | None,
    shared: bool,
    python: Path | None,
    checklist: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Hook Tellback into HARNESS: claude-code (or claude), cursor."""
    if checklist:
        if harness or shared or python:
            raise click.UsageError("--checklist goes with --project, --dry-run and --json alone")
        return run(lambda: install_checklist((project or Path()).resolve(), dry_run), as_json)
    chosen = require_harness(harness)
    if shared and (project is None or not chosen.has_shared_only):
        raise click.UsageError("--shared goes with --project, for a harness whose project has no file of its own")
    where = project.resolve() if project else None
    executable = find_executable(str(python.absolute())) if python else sys.executable
    if python and not executable:
        raise click.UsageError(f"{python} does not run, or has no Tellback: `{python} -m pip install tellback` first")
    if not is_same_python(executable, sys.executable):
        flags = {"--shared": shared, "--dry-run": dry_run, "--json": as_json}
        sys.exit(_hand_over(executable, chosen, where, [flag for flag, is_set in flags.items() if is_set]))
    return run(lambda: _install(chosen, where, shared, python is not None, dry_run), as_json)


def require_harness(word: str | None) -> Harness:
    """Return the harness named on a command line, or leave with what may be named."""
    if word is None:
        raise click.UsageError(f"name a harness: {list_choices()}")
    if (harness := find_harness(word)) is None:
        raise click.UsageError(f"there is no harness {word!r}; choose one of: {list_choices()}")
    return harness


def _install(harness: Harness, project: Path | None, shared: bool, is_named: bool, dry_run: bool) -> Result:
    places = find_places()
    interpreter = choose_interpreter(is_named, read_manifest(places).interpreter)
    file = find_file(harness, project, shared)
    if dry_run:
        return _report(preview_install(harness, file, project, places, interpreter), interpreter, places, None)
    preview_install(harness, file, project, places, interpreter)  # a file that is refused must leave nothing behind
    with hold_install_lock(places):  # one for all: an uninstall in between would remove what the hooks run
        put_hook_files(places, interpreter)
        done = install(harness, file, project, places, interpreter)
        others = repoint_others(places, interpreter)
    return _report(done, interpreter, places, others)


def _report(done: Installed, interpreter: str, places: Places, others: list[str] | None) -> Result:
    """Make the result; *others* tells what became of other wired files, ``None`` of a dry run."""
    harness, written, dry_run = done.plan.harness, done.written, others is None
    retention = read_retention(harness, time.time())
    vanishing = describe_retention(retention, harness.title)
    notes = [*map(show_line, others or []), *_list_notes(done), *([vanishing] if vanishing else [])]
    diff = diff_settings(written.before.path, written.before.data, written.after)
    data: dict[str, Any] = {
        "harness": harness.name,
        "scope": done.plan.scope,
        "file": str(done.plan.file),
        "target": str(written.before.target),
        "changed": written.is_changed,
        "dry_run": dry_run,
        "events": list(harness.events),
        "command": done.command,
        "interpreter": interpreter,
        "doubles": list(done.doubles),
        "notes": notes,
        "retention": retention._asdict() if retention else None,
        "diff": diff,
    }
    if dry_run:
        text = diff or f"{harness.title} is wired already; nothing would change."
        return Result(data, "\n".join([text, *notes]))
    return Result(data, "\n".join([_say_what(done), *_say_next(places), *notes]))


def _say_what(done: Installed) -> str:
    harness, file = done.plan.harness, show_line(str(done.plan.file))
    if not done.written.is_changed:
        return f"{harness.title} is wired already; {file} stays as it is."
    return f"{harness.title} is wired: {len(harness.events)} hooks in {file} ({', '.join(harness.events)})."


def _say_next(places: Places) -> list[str]:
    keeps = "Correct it once, in your own words, and the correction is in .knowledge/ at the top of the Git repository"
    stores = show_line(str(Path(places.data) / "projects"))
    return [
        f"{keeps} you work in (without one: below {stores}).",
        "`tellback doctor` says whether all of it works; `tellback uninstall` takes it out again.",
    ]


def _list_notes(done: Installed) -> list[str]:
    harness = done.plan.harness
    notes = [
        f"{show_line(file)} has the hooks as well: one prompt fires both, and the second is ignored. "
        "Keep one of the two (`tellback uninstall`, with or without --project)."
        for file in done.doubles
    ]
    if is_switched_off((done.written.after or b"").decode(), harness):
        notes.append(f'"{harness.off_switch}" is on in this file: {harness.title} runs no hook until it is off.')
    return notes


def _hand_over(executable: str, harness: Harness, project: Path | None, flags: list[str]) -> int:
    """Let another Python do the whole install: the hook's code must be of its version."""
    where = ["--project", str(project)] if project else []
    arguments = ["install", harness.name, *where, *flags, "--python", executable]
    return subprocess.run([executable, "-I", "-m", "tellback", *arguments], check=False).returncode
