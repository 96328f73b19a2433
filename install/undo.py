"""Uninstall: take our hooks out of the files again, and then what they ran."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..core.errors import TellbackError
from ..core.shapes import Places
from .apply import has_our_hooks
from .command import is_our_command
from .harness import Harness
from .manifest import Manifest, drop_row, find_backups, hold_install_lock, read_manifest, replace_manifest
from .plan import Plan, TakeHooks
from .settings_file import Written, find_backup, hash_bytes, preview_edit, write_settings
from .table import HARNESSES


class Removed(NamedTuple):
    """What became of one file: ``written`` when it could be edited, else the ``error``."""

    plan: Plan
    written: Written | None
    error: TellbackError | None


def list_plans(manifest: Manifest, harness: Harness | None, project: Path | None) -> list[Plan]:
    """Return the files to clean: those of the manifest, and those known by the command in them.

    Args:
        harness: only this one; ``None``: all.
        project: only this project's files; ``None``: all files, of projects too.
    """
    plans: list[Plan] = []
    for row in manifest.rows:
        known_harness = HARNESSES.get(row.harness)  # a row of a newer Tellback's harness stays for that one
        is_asked = harness is None or row.harness == harness.name
        if known_harness and is_asked and project in {None, Path(row.project)}:
            folder = Path(row.project) if row.project else None
            plans.append(Plan(known_harness, Path(row.file), folder, row))
    known = {plan.file for plan in plans}
    for each in [harness] if harness else HARNESSES.values():
        for file in _list_usual_files(each, project):
            if file not in known and has_our_hooks(each, file):
                plans.append(Plan(each, file, project, None))  # noqa: PERF401 - three lines that read
    return plans


def preview_uninstall(places: Places, harness: Harness | None, project: Path | None) -> list[Removed]:
    """Return what ``uninstall`` would do; nothing is written."""
    return [_preview(plan, places) for plan in list_plans(read_manifest(places), harness, project)]


def uninstall(places: Places, harness: Harness | None, project: Path | None) -> list[Removed]:
    """Take our hooks out of every file of the plan; one that is refused does not keep the others.

    Raises:
        TellbackError: the manifest is refused.
    """
    with hold_install_lock(places):
        manifest = read_manifest(places)
        done = [_undo(plan, places) for plan in list_plans(manifest, harness, project)]
        for each in done:
            if each.error is None and each.plan.row is not None:
                manifest = drop_row(manifest, each.plan.row)
        replace_manifest(places, manifest)
        return done


def is_any_left(places: Places) -> bool:
    """Whether some file still runs our hook."""
    usual = ((each, file) for each in HARNESSES.values() for file in _list_usual_files(each, None))
    return bool(read_manifest(places).rows) or any(has_our_hooks(each, file) for each, file in usual)


def remove_hook_files(places: Places) -> bool:
    """Remove what the hooks ran; a command that is left somewhere ends in success without it.

    Returns:
        Whether there was something.
    """
    folder = Path(places.data) / "hook"
    if folder.is_symlink() or not folder.is_dir():
        return False
    shutil.rmtree(folder)
    return True


def _preview(plan: Plan, places: Places) -> Removed:
    edit = TakeHooks(plan, find_backups(places), is_our_command)
    try:
        return Removed(plan, preview_edit(plan.file, edit, plan.project), None)
    except TellbackError as error:
        return Removed(plan, None, error)


def _undo(plan: Plan, places: Places) -> Removed:
    backups, row = find_backups(places), plan.row
    edit = TakeHooks(plan, backups, is_our_command)
    try:
        written = write_settings(plan.file, edit, backups, plan.project, known=row.after if row else "")
    except TellbackError as error:
        return Removed(plan, None, error)
    for folder in row.folders if row and written.after is None else ():
        with contextlib.suppress(OSError):  # not empty: somebody uses it by now
            Path(folder).rmdir()
    if row and written.after is not None and hash_bytes(written.after) == row.before:
        find_backup(backups, plan.file, row.before).unlink(missing_ok=True)
    return Removed(plan, written, None)


def _list_usual_files(harness: Harness, project: Path | None) -> Iterator[Path]:
    if project is None:
        yield harness.find_user_file()
        return
    yield from dict.fromkeys(harness.find_project_file(project, is_shared) for is_shared in (False, True))
