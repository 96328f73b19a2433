"""Where the learning of a project lies: its feedback log and its skills (O-17, L-3, R-26)."""

from pathlib import Path

from ..core.keys import Settings
from ..core.paths import find_home
from ..core.place import find_knowledge, store_of
from ..core.shapes import Places
from .skills import SkillStore


def find_feedback_folder(project: Path, places: Places, settings: Settings) -> Path:
    """Return ``.planning/patterns`` where the project has a ``.planning``, else the project's store of Tellback's."""
    folder = Path(settings.learning_dir)
    if folder.is_absolute():
        return folder
    if (project / folder.parts[0]).is_dir():
        return project / folder
    return Path(store_of(find_root(project, places), places).folder) / "patterns"


def find_root(project: Path | str, places: Places) -> str:
    """Return the folder that stands for the project of *project*: the one whose ``.knowledge`` would be taken."""
    where = find_knowledge(str(project), places)
    return where.folder if where.in_project else str(project)


# Where each harness looks for skills, besides the folders of the settings: below the project, then below the home.
_FOLDERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "codex": ((".codex/skills", ".agents/skills"), (".codex/skills", ".agents/skills")),
    "copilot": ((".github/skills", ".agents/skills"), (".copilot/skills", ".agents/skills")),
    "gemini-cli": ((".gemini/skills", ".agents/skills"), (".gemini/skills", ".agents/skills")),
    "opencode": (
        (".opencode/skill", ".opencode/skills", ".agents/skills"),
        (".config/opencode/skill", ".config/opencode/skills", ".agents/skills"),
    ),
}


def find_skill_stores(project: Path, settings: Settings, harness: str = "") -> list[SkillStore]:
    """Return the folders of skills that count in *project*, its own first, each once.

    Args:
        harness: whose session it is about; its own folders then come before all others.
    """
    named = [settings.learning_skills_dir, ".claude/skills", *settings.recorder_skills_roots]
    folders = [project / name for name in named if not Path(name).is_absolute()]
    folders += [Path(name) for name in named if Path(name).is_absolute()]
    family = harness.partition("-v")[0]  # the two readers of OpenCode are one harness
    own = _list_folders(family, project) if family in _FOLDERS else []
    others = [folder for name in _FOLDERS for folder in _list_folders(name, project)]
    return [SkillStore(folder) for folder in dict.fromkeys([*own, *folders, *others])]


def _list_folders(family: str, project: Path) -> list[Path]:
    in_project, in_home = _FOLDERS[family]
    return [*(project / name for name in in_project), *(find_home() / name for name in in_home)]


def find_skill_store(skill: str, stores: list[SkillStore]) -> SkillStore:
    """Return the first store that has *skill*; the first of all where none has it.

    Raises:
        TellbackError: *skill* is no name of a skill.
    """
    return next((store for store in stores if store.path_of(skill).is_file()), stores[0])
