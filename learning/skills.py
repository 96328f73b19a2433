"""SkillStore: the skills below one folder, read whole and replaced whole (L-40).

Only refinement writes here, and only after a person said yes (O-7). A skill is a folder with a SKILL.md; the folder may
be a link, as people share skills that way.
"""

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from ..core.errors import TellbackError
from ..core.files import replace_file
from .skill_text import Extension, SkillText, read_extension, split_skill

SKILL_FILE = "SKILL.md"


class Skill(NamedTuple):
    """A skill as it was read: the file's bytes, its parts, and what Tellback notes in it."""

    name: str
    path: Path
    data: bytes
    text: SkillText
    extension: Extension

    @property
    def hash(self) -> str:
        """SHA-256 (hex) of the file (R-19)."""
        return hashlib.sha256(self.data).hexdigest()


class SkillStore:
    """The skills in *folder*, by document ``.claude/skills``."""

    def __init__(self, folder: str | Path = ".claude/skills") -> None:
        self.folder = Path(folder)

    def list_names(self) -> list[str]:
        """Return the names of the skills, sorted; none when the folder is not there, or not to be read."""
        try:
            names = [path.name for path in self.folder.iterdir() if _is_name(path.name)]
            return sorted(name for name in names if (self.folder / name / SKILL_FILE).is_file())
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return []

    def path_of(self, name: str) -> Path:
        """Return where the skill's file is or would be.

        Raises:
            TellbackError: *name* is no name of a folder (it would lead out of the store).
        """
        if not _is_name(name):
            raise TellbackError(f"{name!r} is no name of a skill")
        return self.folder / name / SKILL_FILE

    def read(self, name: str) -> Skill | None:
        """Return the skill; ``None`` when there is none of that name.

        Raises:
            TellbackError: it is no UTF-8, or its frontmatter is no YAML mapping.
        """
        path = self.path_of(name)
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            text = split_skill(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise TellbackError(f"{path} is not UTF-8", hint="save it as UTF-8") from None
        return Skill(name, path, data, text, read_extension(text))

    def update(self, skill: Skill, data: bytes) -> None:
        """Put *data* in the place of the file that *skill* was read from; call it under ``locked``.

        Raises:
            TellbackError: the file is not what it was when *skill* was read; it is left alone.
        """
        if skill.path.read_bytes() != skill.data:
            raise TellbackError(f"{skill.path} was changed meanwhile", hint="look at it and refine again")
        replace_file(skill.path, data, follow=True, is_refinement=True)

    @contextmanager
    def locked(self, name: str) -> Generator[None]:
        """Keep other refinements of the skill out (``SKILL.md.lock``)."""
        path = self.path_of(name)
        if not path.parent.is_dir():
            yield  # there is no skill, so nothing that two could write
            return
        with FileLock(path.with_name(f"{SKILL_FILE}.lock")):
            yield


def _is_name(name: str) -> bool:
    """Whether *name* is a folder of the store: not hidden, and no way out of it."""
    return bool(name) and not name.startswith(".") and not any(c in "/\\:\0" for c in name)
