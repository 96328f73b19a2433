"""What install and uninstall mean to do with one file, as values and pure edits; nothing here writes.

The edits are callables from text to text, so that they can be asked again when the file changed meanwhile.
"""

from pathlib import Path
from typing import NamedTuple

from ..core.errors import TellbackError
from .harness import Harness
from .hooktext import IsOurs, add_hooks, find_hooks, is_blank, remove_hooks
from .jsonspans import load_value, parse_spans
from .manifest import Row
from .settings_file import Written, find_backup, hash_bytes

ABSENT = "absent"


class Plan(NamedTuple):
    """One file of one harness that gets, or loses, our hooks.

    Attributes:
        project: the folder of a project's file; ``None``: the person's own file.
        row: what the manifest knows of it.
    """

    harness: Harness
    file: Path
    project: Path | None
    row: Row | None

    @property
    def scope(self) -> str:
        return "user" if self.project is None else "project"


def find_file(harness: Harness, project: Path | None, is_shared: bool = False) -> Path:
    """Return the file that install writes: the person's, or that of a project.

    Raises:
        TellbackError: the project is no folder, or has only a shared file and *is_shared* is not set.
    """
    if project is None:
        return harness.find_user_file()
    if not project.is_dir():
        raise TellbackError(f"{project} is no folder", hint="name the project's folder")
    file = harness.find_project_file(project, is_shared)
    if harness.has_shared_only and not is_shared:
        raise TellbackError(
            f"{harness.title} has only one file for a project's hooks, {file}, which the whole team shares; our hooks "
            "name folders of this machine",
            hint="leave out --project to install for yourself, or add --shared to write that file: on other machines "
            "the hook finds no Tellback and ends in success",
        )
    return file


class AddHooks:
    """The edit of install; ``made`` and ``had_ours`` tell of its last call."""

    def __init__(self, harness: Harness, command: str, is_ours: IsOurs) -> None:
        self._harness = harness
        self._command = command
        self._is_ours = is_ours
        self.made: tuple[str, ...] = ()
        self.had_ours = False

    def __call__(self, text: str) -> str:
        self.had_ours = bool(find_hooks(text, self._harness, self._is_ours))
        edited = add_hooks(text, self._harness, self._command, self._is_ours)
        self.made = edited.made
        return edited.text


class TakeHooks:
    """The edit of uninstall: the bytes of before where nobody touched the file since, else our hooks alone go."""

    def __init__(self, plan: Plan, backups: Path, is_ours: IsOurs) -> None:
        self._plan = plan
        self._backups = backups
        self._is_ours = is_ours

    def __call__(self, text: str) -> str | None:
        row = self._plan.row
        if row and row.after == hash_bytes(text.encode()):
            if row.before == ABSENT:
                return None
            if (former := self._read_former(row)) is not None:
                return former
        if is_blank(text):
            return text
        left = remove_hooks(text, self._plan.harness, self._is_ours, row.made if row else None)
        is_empty = left != text and load_value(left, parse_spans(left)) == {}
        return None if is_empty and row is not None and row.before == ABSENT else left

    def _read_former(self, row: Row) -> str | None:
        """Return the backup of the file before us; ``None`` when it is gone or not what the manifest says."""
        try:
            data = find_backup(self._backups, Path(row.file), row.before).read_bytes()
            return data.decode() if hash_bytes(data) == row.before else None
        except (OSError, UnicodeDecodeError):
            return None


def make_row(plan: Plan, edit: AddHooks, command: str, written: Written) -> Row:
    """Return what the manifest says of a file after install.

    The bytes of before us are worth keeping only while nobody else has written the file: an edit between two installs
    would be lost with them.
    """
    old = plan.row
    before = ABSENT if written.before.data is None else hash_bytes(written.before.data)
    return Row(
        harness=plan.harness.name,
        scope=plan.scope,
        file=str(plan.file),
        project=str(plan.project or ""),
        command=command,
        before=_find_first_image(old, before, edit.had_ours),
        after=hash_bytes(written.after or b""),
        made=_join_made(old, before, edit),
        folders=(*written.folders, *old.folders) if old else written.folders,
    )


def _find_first_image(old: Row | None, before: str, had_ours: bool) -> str:
    if old is not None and old.after == before:
        return old.before
    # A row without our hooks: an install was killed between its note and its write, or somebody took them out.
    return "" if had_ours else before


def _join_made(old: Row | None, before: str, edit: AddHooks) -> tuple[str, ...] | None:
    if old is None or (before != old.after and not edit.had_ours):
        return None if edit.had_ours else edit.made
    return None if old.made is None else tuple(dict.fromkeys((*old.made, *edit.made)))
