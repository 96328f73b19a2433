"""Remove everything of Tellback's own: data, cache, settings. Never a ``.knowledge`` folder, wherever it lies."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from ..core.errors import TellbackError
from ..core.shapes import Places

SWEEP_WAIT_S = 10.0
KNOWLEDGE = ".knowledge"


class Purged(NamedTuple):
    """The folders that went, and the ``.knowledge`` folders below them that stayed."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


def list_purge(places: Places) -> list[str]:
    """Return the folders that purge would remove and that are there."""
    return [folder for folder in dict.fromkeys((places.data, places.cache, places.config)) if os.path.lexists(folder)]


def purge(places: Places) -> Purged:
    """Remove Tellback's folders once no sweep runs; of a link only the link.

    Raises:
        TellbackError: a sweep runs and does not end, or something cannot be removed.
    """
    _wait_for_sweep(Path(places.cache) / "push.lock")
    kept: list[str] = []
    folders = list_purge(places)
    for folder in map(Path, folders):
        stores = list(_find_knowledge_folders(folder))
        kept += map(str, stores)
        try:
            _remove(folder, stores)
        except OSError as error:
            raise TellbackError(f"{error.filename} cannot be removed: {error.strerror}") from error
    return Purged(tuple(folders), tuple(kept))


def _wait_for_sweep(path: Path) -> None:
    if not path.exists():
        return
    lock = FileLock(path, timeout=SWEEP_WAIT_S)
    try:
        with lock:
            return
    except Timeout as error:
        raise TellbackError("a sweep is running", hint="wait until it ends and try again") from error


def _find_knowledge_folders(folder: Path) -> Iterator[Path]:
    """Yield the stores of projects that have no place of their own; links are not followed."""
    if folder.is_symlink():
        return
    for parent, names, _ in os.walk(folder):
        if KNOWLEDGE in names:
            yield Path(parent) / KNOWLEDGE
            names.remove(KNOWLEDGE)


def _remove(path: Path, keep: list[Path]) -> None:
    """Remove *path* and what is below it, but for the folders to keep and the way to them."""
    if path in keep:
        return
    if path.is_symlink() or not path.is_dir():
        path.unlink()
    elif any(each.is_relative_to(path) for each in keep):
        for child in path.iterdir():
            _remove(child, keep)
    else:
        shutil.rmtree(path)
