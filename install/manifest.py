"""``<config>/install.json``: what install did, so that uninstall can give back what was there.

``{"format": 1, "interpreter": PATH, "installed": [row, ...]}``; a row is one file of one harness. Keys that this
version does not know stay. Without the file uninstall still works: it knows our hooks by their command.
"""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from filelock import FileLock, Timeout

from ..core.append import make_private_folder
from ..core.errors import TellbackError
from ..core.files import replace_file
from ..core.shapes import Places

FORMAT = 1
LOCK_WAIT_S = 10.0


class Row(NamedTuple):
    """One settings file that has our hooks.

    Attributes:
        scope: ``user`` or ``project``.
        file: as the harness names it; absolute.
        project: the folder of a project's file; ``""`` for the person's own.
        command: what was written into it.
        before: SHA-256 of the file before us; ``"absent"``: there was none; ``""``: not known, for somebody edited it
            between two installs.
        after: SHA-256 of what install wrote.
        made: containers that install made, as ``hooktext`` names them; ``None``: not known.
        folders: folders that install made, the innermost first.
    """

    harness: str
    scope: str
    file: str
    project: str
    command: str
    before: str
    after: str
    made: tuple[str, ...] | None
    folders: tuple[str, ...]


class Manifest(NamedTuple):
    """The rows, and the whole object that they were read from."""

    rows: tuple[Row, ...]
    raw: dict[str, Any]

    @property
    def interpreter(self) -> str:
        """The Python that the hooks run; ``""`` when nothing is installed."""
        value = self.raw.get("interpreter")
        return value if isinstance(value, str) else ""

    def get(self, harness: str, file: Path) -> Row | None:
        """Return the row of one file."""
        return next((row for row in self.rows if row.harness == harness and row.file == str(file)), None)


def find_manifest(places: Places) -> Path:
    """Return the manifest's path, whether or not it is there."""
    return Path(places.config) / "install.json"


def find_backups(places: Places) -> Path:
    """Return the folder of the settings files' former versions."""
    return Path(places.data) / "backups"


def read_manifest(places: Places) -> Manifest:
    """Return what install noted; an empty one when there is no file.

    Raises:
        TellbackError: the file cannot be read or parsed, or a newer Tellback wrote it.
    """
    path = find_manifest(places)
    hint = f"move {path} away; `tellback uninstall` then knows the hooks by their command"
    try:
        raw = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Manifest((), {})
    except OSError as error:
        raise TellbackError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise TellbackError(f"{path} is not valid JSON", hint=hint) from error
    if not isinstance(raw, dict) or not isinstance(cast("dict[str, Any]", raw).get("format"), int):
        raise TellbackError(f"{path} has no format number", hint=hint)
    known = cast("dict[str, Any]", raw)
    if known["format"] > FORMAT:
        raise TellbackError(f"{path} is of a newer Tellback (format {known['format']})", hint="use that one")
    return Manifest(tuple(_parse_rows(known)), known)


def replace_manifest(places: Places, manifest: Manifest) -> None:
    """Write the manifest; with no row and no unknown key left it is removed."""
    path = find_manifest(places)
    raw = {**manifest.raw, "format": FORMAT, "installed": [_dump_row(manifest, row) for row in manifest.rows]}
    if not manifest.rows:
        raw.pop("interpreter", None)
        if set(raw) == {"format", "installed"}:
            path.unlink(missing_ok=True)
            return
    make_private_folder(str(path.parent))
    text = json.dumps(raw, indent=2) + "\n"  # in ASCII: a path may hold bytes that are no UTF-8
    replace_file(path, text.encode("ascii"), mode=0o600)


def put_row(manifest: Manifest, row: Row, interpreter: str) -> Manifest:
    """Return the manifest with one row added or replaced."""
    rows = [old for old in manifest.rows if (old.harness, old.file) != (row.harness, row.file)]
    return Manifest((*rows, row), {**manifest.raw, "interpreter": interpreter})


def drop_row(manifest: Manifest, row: Row) -> Manifest:
    """Return the manifest without one row."""
    rows = tuple(old for old in manifest.rows if (old.harness, old.file) != (row.harness, row.file))
    return Manifest(rows, manifest.raw)


@contextmanager
def hold_install_lock(places: Places) -> Generator[None]:
    """Let one install or uninstall at a time touch the files of this person; who holds the lock may ask again.

    Raises:
        TellbackError: another one runs and does not end within ``LOCK_WAIT_S``, or the folder cannot be made.
    """
    folder = Path(places.config)
    try:
        make_private_folder(str(folder))
        lock = FileLock(folder / "install.lock", timeout=LOCK_WAIT_S, mode=0o600, is_singleton=True)
        lock.acquire()  # pyright: ignore[reportUnknownMemberType] - its own type is generic
    except Timeout as error:
        raise TellbackError("another install or uninstall is running", hint="wait for it and try again") from error
    except OSError as error:
        raise TellbackError(f"{folder} cannot be used: {error.strerror}") from error
    except NotImplementedError:  # no locks on this file system: what is left is to look twice before each write
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _parse_rows(raw: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows that have what this version needs; others are left in ``raw`` alone."""
    installed = raw.get("installed")
    for each in cast("list[Any]", installed) if isinstance(installed, list) else []:
        if isinstance(each, dict):
            row = cast("dict[str, Any]", each)
            words = [row.get(key) for key in ("harness", "scope", "file", "project", "command", "before", "after")]
            if all(isinstance(word, str) for word in words):
                made = row.get("made")
                folders = row.get("folders")
                yield Row(
                    *cast("list[str]", words),
                    made=tuple(map(str, cast("list[Any]", made))) if isinstance(made, list) else None,
                    folders=tuple(map(str, cast("list[Any]", folders))) if isinstance(folders, list) else (),
                )


def _dump_row(manifest: Manifest, row: Row) -> dict[str, Any]:
    """Return a row as JSON, with the unknown keys that its file's former row had."""
    former = cast("list[Any]", manifest.raw.get("installed") or [])
    kept: dict[str, Any] = {}
    for old in former:
        if isinstance(old, dict) and (old.get("harness"), old.get("file")) == (row.harness, row.file):  # pyright: ignore[reportUnknownMemberType]
            kept = cast("dict[str, Any]", old)
    return {**kept, **row._asdict()}
