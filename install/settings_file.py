"""A harness's settings file on the disk: read it, refuse what is not ours to change, replace it.

It belongs to a person and to a program that may write it at the same moment. So: links are followed, the mode stays,
a former version lies under the data directory, and a file that changed between reading and writing is read again.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ..core.append import make_private_folder
from ..core.errors import TellbackError
from .jsonspans import JsonError

TRIES = 5
MAX_BYTES = 8 << 20

Edit = Callable[[str], str | None]  # None: the file goes


class Settings(NamedTuple):
    """What a settings file held when it was read.

    Attributes:
        path: as the harness names it.
        target: where the bytes lie, links resolved.
        data: ``None``: there is no such file.
        mode: permission bits; ``group``: its group's id, -1 for a new file.
    """

    path: Path
    target: Path
    data: bytes | None
    mode: int
    group: int = -1

    @property
    def text(self) -> str:
        return (self.data or b"").decode()


class Written(NamedTuple):
    """What became of an edit: the file before and after (``None``: not there), and the folders made for it."""

    before: Settings
    after: bytes | None
    folders: tuple[str, ...]

    @property
    def is_changed(self) -> bool:
        return self.before.data != self.after


def hash_bytes(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes, in hex."""
    return sha256(data).hexdigest()


def read_settings(path: Path, inside: Path | None = None) -> Settings:
    """Return what a settings file holds now.

    Args:
        inside: a project's folder: a link in it that leads out of it is not followed.

    Raises:
        TellbackError: it is no regular file of ours, is read-only, too large or not UTF-8.
    """
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as error:
        raise _circle(path) from error
    if inside is not None and not target.is_relative_to(inside.resolve()):
        raise TellbackError(f"{path} is a link out of the project, to {target}", hint="make it a file of the project")
    try:
        info = target.stat()
    except FileNotFoundError:
        return Settings(path, target, None, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:  # since 3.13 resolving tells of no circle
            raise _circle(path) from error
        raise TellbackError(f"{path} cannot be read: {error.strerror}") from error
    _refuse_foreign(path, info)
    data = target.read_bytes()
    _refuse_other_encodings(path, data)
    return Settings(path, target, data, stat.S_IMODE(info.st_mode), info.st_gid)


def _circle(path: Path) -> TellbackError:
    return TellbackError(f"{path} is a link that leads in a circle", hint="mend the link")


def preview_edit(path: Path, edit: Edit, inside: Path | None = None) -> Written:
    """Return what ``write_settings`` would do, and do nothing."""
    settings = read_settings(path, inside)
    return Written(settings, _apply(edit, settings), ())


def write_settings(
    path: Path,
    edit: Edit,
    backups: Path,
    inside: Path | None = None,
    *,
    known: str = "",
    announce: Callable[[Written], None] = lambda _: None,
) -> Written:
    """Edit a settings file in place; a change that comes in between is read and edited too.

    Args:
        edit: from the text now to the text wanted, called again on every try.
        backups: the folder that takes the former bytes.
        known: SHA-256 of bytes that need no backup, for they are all our own.
        announce: called with what is about to be written, at every try: whoever is killed then has noted it.

    Raises:
        TellbackError: the file is refused (see ``read_settings``), *edit* refuses its text, or it keeps changing.
    """
    for _ in range(TRIES):
        settings = read_settings(path, inside)
        _find_draft(settings).unlink(missing_ok=True)  # of one that was killed; it may hold keys
        after = _apply(edit, settings)
        if after == settings.data:
            return Written(settings, after, ())
        _refuse_read_only(settings)
        if settings.data is not None and hash_bytes(settings.data) != known:
            keep_backup(backups, path, settings.data)
        written = Written(settings, after, _make_folders(settings.target.parent))
        announce(written)
        if _swap(settings, after):
            return written
    raise TellbackError(f"{path} keeps changing while it is edited", hint="try again when nothing writes it")


def keep_backup(backups: Path, path: Path, data: bytes) -> Path:
    """Keep *data* under a name made of the file's path and the bytes, mode 0600, and return where.

    Raises:
        TellbackError: it cannot be kept.
    """
    place = find_backup(backups, path, hash_bytes(data))
    draft = place.with_suffix(f".{os.getpid()}")
    try:
        make_private_folder(str(backups))
        if not place.exists():
            _write_draft(draft, data, 0o600)
            draft.replace(place)
    except OSError as error:
        raise TellbackError(f"{path} is not changed: no backup can be kept in {backups}: {error.strerror}") from error
    return place


def find_backup(backups: Path, path: Path, digest: str) -> Path:
    """Return where the backup of the file *path* with these bytes lies, whether or not it is there."""
    return backups / f"{path.name}.{hash_bytes(os.fsencode(path))[:8]}.{digest[:16]}.bak"


def _apply(edit: Edit, settings: Settings) -> bytes | None:
    if settings.data is None:
        return None if (text := edit("")) is None or not text else text.encode()
    try:
        text = edit(settings.text)
    except JsonError as error:
        where = f"{settings.path}, line {error.line}, column {error.column}"
        raise TellbackError(
            f"{where}: {error.reason}; the file stays as it is", hint="mend it and try again"
        ) from error
    return None if text is None else text.encode()


def _refuse_foreign(path: Path, info: os.stat_result) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise TellbackError(f"{path} is no regular file", hint="move it away")
    if hasattr(os, "geteuid") and info.st_uid != os.geteuid():
        raise TellbackError(f"{path} belongs to another user", hint="run the command as that user")
    if info.st_size > MAX_BYTES:
        raise TellbackError(f"{path} is larger than {MAX_BYTES >> 20} MiB", hint="look what fills it")


def _refuse_other_encodings(path: Path, data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        where = f"{path}, line {line}, column {column}"
        raise TellbackError(f"{where}: this is not UTF-8; the file stays as it is", hint="save it as UTF-8") from error


def _refuse_read_only(settings: Settings) -> None:
    """Refuse what a person or a program that manages the file made read-only; ``root`` could write it even so."""
    if settings.data is not None and not settings.mode & stat.S_IWUSR:
        raise TellbackError(f"{settings.path} is read-only", hint="`chmod u+w` it, or change it where it is managed")
    folder = next(parent for parent in settings.target.parents if parent.exists())
    if not folder.is_dir():
        raise TellbackError(f"{folder} is no folder", hint="move it away")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and folder.stat().st_uid != 0:
        raise TellbackError(f"{folder} belongs to another user", hint="run the command as that user")
    if not folder.stat().st_mode & stat.S_IWUSR or not os.access(folder, os.W_OK):
        raise TellbackError(f"{folder} is read-only", hint="`chmod u+w` it")


def _make_folders(folder: Path) -> tuple[str, ...]:
    """Make the folder of a settings file and return those that were not there, the innermost first."""
    missing = [folder, *folder.parents][: next(i for i, p in enumerate([folder, *folder.parents]) if p.exists())]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tuple(str(each) for each in missing)


def _swap(settings: Settings, after: bytes | None) -> bool:
    """Put *after* in the place of what was read; ``False``: something else is there meanwhile."""
    draft = _find_draft(settings)
    try:
        if after is not None:
            _write_draft(draft, after, settings.mode, settings.group)
        if _read_bytes(settings.target) != settings.data or settings.path.resolve() != settings.target:
            return False
        if after is None:
            settings.target.unlink()
        else:
            os.replace(draft, settings.target)
        return True
    except OSError as error:
        raise TellbackError(f"{settings.path} cannot be written: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def _find_draft(settings: Settings) -> Path:
    return settings.target.with_name(f".{settings.target.name}.tellback")


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write_draft(path: Path, data: bytes, mode: int, group: int = -1) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb") as file:
        if os.name == "posix":
            with contextlib.suppress(OSError):  # a group that we are not in
                os.fchown(fd, -1, group)
            os.fchmod(fd, mode)
        file.write(data)
        file.flush()
        os.fsync(fd)
