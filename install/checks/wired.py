"""Which settings files have hooks of ours, or should have."""

from pathlib import Path
from typing import NamedTuple

from ...core.errors import TellbackError
from ..command import is_our_command
from ..harness import Harness
from ..hooktext import Found, find_hooks
from ..jsonspans import JsonError
from ..settings_file import read_settings
from ..table import HARNESSES
from .finding import Site


class Wired(NamedTuple):
    """A settings file that has hooks of ours, or should have.

    Attributes:
        hooks: ours in it; ``None``: the file cannot be read or parsed.
        is_known: install wrote it, or it is the person's own. What a repository brings along may look like ours: it is
            told, and neither run nor repaired.
    """

    harness: Harness
    file: Path
    project: Path | None
    hooks: tuple[Found, ...] | None
    is_known: bool

    @property
    def found(self) -> tuple[Found, ...]:
        """The hooks that are known to stand in the file."""
        return self.hooks or ()


def list_wired(site: Site) -> list[Wired]:
    """Return the files with our hooks: those of the manifest, the person's own and those of this project."""
    found: list[Wired] = []
    for harness in HARNESSES.values():
        places: dict[Path, Path | None] = {
            Path(row.file): Path(row.project) if row.project else None
            for row in site.manifest.rows
            if row.harness == harness.name
        }
        expected = set(places)
        places.setdefault(harness.find_user_file(), None)
        known = set(places)
        for is_shared in (False, True):
            places.setdefault(harness.find_project_file(site.project, is_shared), site.project)
        for file, project in places.items():
            hooks = _read_hooks(harness, file)
            if hooks or (file in expected and (project is None or project.is_dir())):
                found.append(Wired(harness, file, project, hooks, file in known))
    return found


def _read_hooks(harness: Harness, file: Path) -> tuple[Found, ...] | None:
    try:
        return tuple(find_hooks(read_settings(file).text, harness, is_our_command))
    except (TellbackError, JsonError):
        return None
