"""The feedback log of the project: why no event arrives there (L-103)."""

import os
from pathlib import Path

from ...core.config import load_settings
from ...core.errors import TellbackError
from ...learning.feedback_store import FILE_NAME, FeedbackStore
from ...learning.where import find_feedback_folder
from .finding import Finding, Site
from .wired import list_wired

_NAME = "feedback"


def check_feedback(site: Site) -> list[Finding]:
    """Corrections of skills are kept where the log lies; ``refine`` learns from nothing else."""
    try:
        settings = load_settings(site.places)
    except TellbackError:
        return []  # the settings have a check of their own
    folder = find_feedback_folder(site.project, site.places, settings)
    if problem := _find_obstacle(folder) or _find_obstacle_of_log(folder / FILE_NAME):
        return [Finding(_NAME, "problem", *problem, {"location": str(folder)})]
    return [_count(folder, is_fed=bool(list_wired(site)))]


def _find_obstacle(folder: Path) -> tuple[str, str] | None:
    """Return what keeps the folder from being made or written, and the remedy."""
    if folder.is_dir():
        if os.access(folder, os.W_OK | os.X_OK):
            return None
        return f"{folder} cannot be written, so no correction of a skill is kept", f"run: chmod u+rwx '{folder}'"
    above = next(parent for parent in folder.parents if os.path.lexists(parent))
    if not os.path.lexists(folder) and above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return None  # made with the first event
    what = f"{folder} is missing and cannot be made below {above}, so no correction of a skill is kept"
    if os.path.lexists(folder):
        what = f"{folder} is no folder, so no correction of a skill is kept"
    return what, "make it a folder that you may write"


def _find_obstacle_of_log(path: Path) -> tuple[str, str] | None:
    if not os.path.lexists(path):
        return None
    if path.is_symlink() or not path.is_file():
        return f"{path} is a link or no file, so nothing is written through it", "put the file itself there"
    if not os.access(path, os.R_OK | os.W_OK):
        return f"{path} cannot be read and written, so no correction of a skill is kept", f"run: chmod u+rw '{path}'"
    return None


def _count(folder: Path, is_fed: bool) -> Finding:
    store = FeedbackStore(folder, warn=lambda _: None)
    events, corrupt = store.count(), len(store.check().corrupt)
    data = {"location": str(folder), "events": events, "corrupt": corrupt, "fed": is_fed}
    if corrupt:
        what = f"{corrupt} of the lines in {store.path} are no JSON and are passed over"
        return Finding(_NAME, "warn", what, "see them with `tellback feedback-log check`, drop them with `clean`", data)
    if not events and not is_fed:
        what = f"no correction of a skill was recorded in {folder} yet, and no hook feeds it"
        return Finding(_NAME, "warn", what, "run `tellback install claude-code`", data)
    return Finding(_NAME, "ok", f"{events} {'event' if events == 1 else 'events'} of skills in {folder}", "", data)
