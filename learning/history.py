"""The version of a skill before a refinement: kept, and brought back by ``refine --undo`` (L-38, L-113)."""

import hashlib
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from ..core.errors import TellbackError
from ..core.files import replace_file
from ..core.git import GitError, run_git
from ..core.moment import format_moment
from .audit import AuditLog, Entry
from .skills import SKILL_FILE, Skill, SkillStore

BEGUN = "refine-begun"
_BLOB = "git:"


class Undone(NamedTuple):
    """What would be, or was, undone: the refinement's audit entry and the bytes from before it."""

    entry: Entry
    data: bytes


def keep_before(skills_folder: Path, skill: Skill) -> str:
    """Keep the bytes of *skill* and return where: ``git:<blob>`` when the last commit has them, else a path."""
    folder = skill.path.parent
    try:
        committed = run_git(folder, "rev-parse", "--verify", "--quiet", f"HEAD:./{SKILL_FILE}").decode().strip()
        if run_git(folder, "cat-file", "blob", committed) == skill.data:
            return _BLOB + committed
    except GitError:
        pass  # no Git, or not in it yet
    path = skills_folder.parent / ".skill-history" / skill.name / f"{skill.extension.version}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, skill.data)
    return os.path.abspath(path)


def find_undo(skills: SkillStore, name: str) -> Undone:
    """Return what undoing the last refinement of a skill would bring back.

    Raises:
        TellbackError: there is none, the skill was changed since, or the bytes before it are gone.
    """
    skill = skills.read(name)
    if skill is None:
        raise TellbackError(f"there is no skill {name} in {skills.folder}")
    standing = list_refinements(AuditLog(skills.folder), skill.path)
    if not standing:
        raise TellbackError(f"{name} has no refinement to undo")
    entry = standing[-1]
    if skill.hash != entry.get("hashAfter"):
        raise TellbackError(f"{name} was changed since its last refinement", hint="take the change back by hand")
    data = _read_kept(skill, str(entry.get("before", "")))
    if data is None or hashlib.sha256(data).hexdigest() != entry.get("hashBefore"):
        raise TellbackError(f"the version of {name} before its last refinement is gone")
    return Undone(entry, data)


def undo_refinement(skills: SkillStore, name: str, user_confirmed: bool, confirmed: Undone | None = None) -> Undone:
    """Bring back the bytes from before the last refinement.

    Args:
        confirmed: what the person was shown; nothing else is brought back.

    Raises:
        TellbackError: nobody confirmed it, or as ``find_undo`` says; the file is as it was.
    """
    if user_confirmed is not True:
        raise TellbackError("User confirmation required for skill refinement")
    with skills.locked(name):
        undone = find_undo(skills, name)
        if confirmed not in (None, undone):
            raise TellbackError(f"{name} was refined again meanwhile", hint="look at what would come back now")
        skill = skills.read(name)
        assert skill is not None  # find_undo has just read it under the same lock
        skills.update(skill, undone.data)
        AuditLog(skills.folder).append(
            {
                "type": "refine-undo",
                "timestamp": format_moment(datetime.now(timezone.utc)),
                "filePath": os.path.abspath(skill.path),
                "skill": name,
                "fromVersion": undone.entry.get("toVersion"),
                "toVersion": undone.entry.get("fromVersion"),
                "hashBefore": skill.hash,
                "hashAfter": undone.entry.get("hashBefore"),
            }
        )
    return undone


def list_refinements(audit: AuditLog, path: Path) -> list[Entry]:
    """Return the refinements of a skill that stand, oldest first; undoing goes back one by one."""
    standing: list[Entry] = []
    begun: Entry | None = None
    for entry in audit.find_entries(path):
        if entry.get("type") == BEGUN:
            begun = entry
        elif entry.get("type") == "refine":
            standing.append(entry)
            begun = None
        elif entry.get("type") == "refine-undo":
            if begun and begun.get("hashAfter") == entry.get("hashBefore"):
                begun = None
            elif standing:
                standing.pop()
    found = _hash_file(path)
    if begun and begun.get("hashAfter") == found:
        standing.append(begun)  # it was made, and whoever made it was killed before saying so
    elif standing and standing[-1].get("hashBefore") == found:
        standing.pop()  # as after an undo that was killed, or a checkout of the version before
    return standing


def _hash_file(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _read_kept(skill: Skill, kept: str) -> bytes | None:
    try:
        if kept.startswith(_BLOB):
            return run_git(skill.path.parent, "cat-file", "blob", kept[len(_BLOB) :])
        return Path(kept).read_bytes() if kept else None
    except (GitError, OSError):
        return None
