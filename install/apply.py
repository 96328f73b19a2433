"""Install: put our hooks into one file of a harness and note it in the manifest."""

from pathlib import Path
from typing import NamedTuple

from ..core.errors import TellbackError
from ..core.shapes import Places
from .command import hook_command, is_our_command
from .harness import Harness
from .hooktext import find_hooks
from .jsonspans import JsonError
from .manifest import (
    Manifest,
    find_backups,
    hold_install_lock,
    put_row,
    read_manifest,
    replace_manifest,
)
from .plan import AddHooks, Plan, make_row
from .settings_file import Written, preview_edit, read_settings, write_settings
from .table import HARNESSES


class Installed(NamedTuple):
    """What install did or would do; ``doubles`` are other files whose hooks fire for the same prompts."""

    plan: Plan
    command: str
    written: Written
    doubles: tuple[str, ...]


def plan_install(harness: Harness, file: Path, project: Path | None, manifest: Manifest) -> Plan:
    """Return what to do with one file of *harness*."""
    return Plan(harness, file, project, manifest.get(harness.name, file))


def preview_install(harness: Harness, file: Path, project: Path | None, places: Places, interpreter: str) -> Installed:
    """Return what ``install`` would do; nothing is written.

    Raises:
        TellbackError: the file is one that install refuses.
    """
    command = _make_command(places, interpreter, harness)
    manifest = read_manifest(places)
    plan = plan_install(harness, file, project, manifest)
    written = preview_edit(file, AddHooks(harness, command, is_our_command), project)
    return Installed(plan, command, written, _find_doubles(plan, manifest))


def install(harness: Harness, file: Path, project: Path | None, places: Places, interpreter: str) -> Installed:
    """Register our hooks in *file*, each exactly once, and note how to undo it; the second time changes nothing.

    The hook's own files must be in place before: a harness reads its settings while it runs.

    Raises:
        TellbackError: the file or the manifest is refused, and stays as it is.
    """
    command = _make_command(places, interpreter, harness)
    with hold_install_lock(places):
        manifest = read_manifest(places)
        plan = plan_install(harness, file, project, manifest)
        edit = AddHooks(harness, command, is_our_command)

        def note(written: Written) -> None:
            replace_manifest(places, put_row(manifest, make_row(plan, edit, command, written), interpreter))

        try:
            written = write_settings(file, edit, find_backups(places), project, announce=note)
        except TellbackError:
            if read_manifest(places) != manifest:
                replace_manifest(places, manifest)
            raise
        if not written.is_changed and (plan.row is None or plan.row.command != command):
            note(written)
        return Installed(plan, command, written, _find_doubles(plan, manifest))


def repoint_others(places: Places, interpreter: str) -> list[str]:
    """Let the hooks of every other wired file run *interpreter* too: there is one set of hook files for all.

    Returns:
        One line for each file that was changed or refused.
    """
    said: list[str] = []
    for row in read_manifest(places).rows:
        harness = HARNESSES.get(row.harness)
        if harness is None or row.command == _make_command(places, interpreter, harness):
            continue
        if not has_our_hooks(harness, Path(row.file)):
            continue  # a person took them out
        try:
            install(harness, Path(row.file), Path(row.project) if row.project else None, places, interpreter)
            said.append(f"{row.file} runs {interpreter} now as well.")
        except TellbackError as error:
            said.append(f"{row.file} still runs another Python: {error}")
    return said


def has_our_hooks(harness: Harness, file: Path) -> bool:
    """Whether a file has a hook of ours; false for one that cannot be read or parsed."""
    try:
        return bool(find_hooks(read_settings(file).text, harness, is_our_command))
    except (TellbackError, JsonError):
        return False


def _find_doubles(plan: Plan, manifest: Manifest) -> tuple[str, ...]:
    harness = plan.harness
    rows = [Path(row.file) for row in manifest.rows if row.harness == harness.name and row.scope != plan.scope]
    beside = [harness.find_user_file()] if plan.project else []
    if plan.project:
        beside += [harness.find_project_file(plan.project, shared) for shared in (False, True)]
    files = dict.fromkeys([*rows, *beside] if plan.project is None else beside)
    return tuple(str(file) for file in files if file != plan.file and has_our_hooks(harness, file))


def _make_command(places: Places, interpreter: str, harness: Harness) -> str:
    command = hook_command(places, interpreter, harness.name)
    try:
        command.encode()
    except UnicodeEncodeError as error:
        raise TellbackError(
            "the path of the Python or of the data folder is not UTF-8, and JSON cannot hold it",
            hint="install Tellback in a folder with a plain name",
        ) from error
    return command
