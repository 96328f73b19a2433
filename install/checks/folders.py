"""Tellback's own folders and files: there, ours, private, writable, with locks that hold."""

import os
import sqlite3
import stat
import tempfile
from contextlib import closing
from pathlib import Path

import psutil

from ...core.db import MIGRATIONS
from ...core.errors import TellbackError
from ...core.locks import NoFlock, free_lock, take_lock
from ..manifest import read_manifest
from .finding import Finding, Site

NEW_DATABASE = "move it away; the next sweep makes a new one"
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_manifest(site: Site) -> list[Finding]:
    """What install noted can be read."""
    try:
        rows = read_manifest(site.places).rows
    except TellbackError as error:
        return [Finding("manifest", "problem", str(error), error.hint or "")]
    gone = [row.file for row in rows if not Path(row.file).exists()]
    return [
        Finding("manifest", "warn", f"{file}, which install wired, is gone", "run `tellback uninstall` to forget it")
        for file in gone
    ]


def check_folders(site: Site) -> list[Finding]:
    """Each folder can be made, is this user's alone and can be written."""
    named = {"data": site.places.data, "cache": site.places.cache, "config": site.places.config}
    return [finding for name, path in named.items() for finding in _check_folder(name, Path(path))]


def check_modes(site: Site) -> list[Finding]:
    """No file of ours is open to others."""
    if os.name != "posix":
        return []
    folders = map(Path, dict.fromkeys((site.places.data, site.places.cache, site.places.config)))
    files = [path for folder in folders for path in _list_own_files(folder)]
    return [_open_to_others("modes", path, 0o600) for path in files if path.lstat().st_mode & OTHERS]


def check_locks(site: Site) -> list[Finding]:
    """The file systems of our folders have locks that hold; where they do not, hooks queue instead of appending."""
    findings: list[Finding] = []
    for name, folder in (("data", site.places.data), ("cache", site.places.cache)):
        if os.path.isdir(folder) and not _has_locks(folder):
            kind = _find_file_system(folder)
            what = f"the {name} folder {folder} lies on {kind}, which has no locks: corrections wait for a sweep"
            findings.append(Finding("locks", "warn", what, "move it to a local disk (XDG_DATA_HOME, XDG_CACHE_HOME)"))
    return findings


def check_database(site: Site) -> list[Finding]:
    """The database opens, is whole and of a version that we know."""
    path = Path(site.places.data) / "tellback.db"
    if not path.exists():
        return [Finding("database", "ok", f"{path} is not made yet: the first sweep does it")]
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=2)) as db:
            version = int(db.execute("PRAGMA user_version").fetchone()[0])
            state = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as error:
        return [Finding("database", "problem", f"{path} cannot be used: {error}", NEW_DATABASE)]
    data = {"path": str(path), "version": version, "state": state}
    if version > len(MIGRATIONS):
        what = f"{path} is of a newer Tellback (version {version}; this one knows {len(MIGRATIONS)})"
        return [Finding("database", "problem", what, "update Tellback", data)]
    if state != "ok":
        return [Finding("database", "problem", f"{path} is damaged: {state}", NEW_DATABASE, data)]
    return [Finding("database", "ok", f"{path} is whole, version {version}", "", data)]


def _check_folder(name: str, path: Path) -> list[Finding]:
    data = {"folder": name, "path": str(path), "exists": path.is_dir()}
    if not os.path.lexists(path):
        parent = next(each for each in path.parents if each.exists())
        if parent.is_dir() and os.access(parent, os.W_OK):
            return [Finding("folders", "ok", f"the {name} folder {path} is not made yet", "", data)]
        what = f"the {name} folder {path} is missing and cannot be made: {parent} is not writable"
        return [Finding("folders", "problem", what, f"make {parent} writable", data)]
    if not path.is_dir():
        return [Finding("folders", "problem", f"the {name} folder {path} is no folder", "move it away", data)]
    info = path.stat()
    data["mode"] = f"{stat.S_IMODE(info.st_mode):04o}"
    if hasattr(os, "geteuid") and info.st_uid != os.geteuid():
        what = f"the {name} folder {path} belongs to another user"
        return [Finding("folders", "problem", what, "run Tellback as that user, or move it away", data)]
    if not _is_writable(path):
        what = f"the {name} folder {path} is not writable"
        return [Finding("folders", "problem", what, f"`chmod u+rwx {path}`, or make room on its disk", data)]
    if os.name == "posix" and info.st_mode & OTHERS:
        return [_open_to_others("folders", path, 0o700)]
    return [Finding("folders", "ok", f"the {name} folder {path} is yours alone and writable", "", data)]


def _open_to_others(check: str, path: Path, mode: int) -> Finding:
    shown = f"{stat.S_IMODE(path.lstat().st_mode):04o}"
    what = f"{path} is open to others (mode {shown})"
    fix = f"run `tellback doctor --fix` (`chmod {mode:o}`)"
    return Finding(check, "warn", what, fix, {"path": str(path), "mode": shown}, lambda: path.chmod(mode))


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made there; asking the mode bits is not enough on a read-only or full disk."""
    if not folder.stat().st_mode & stat.S_IWUSR:
        return False
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError:
        return False
    return True


def _list_own_files(folder: Path) -> list[Path]:
    """Return the regular files directly in a folder and in those that hooks and backups have; stores are people's."""
    found: list[Path] = []
    for each in (folder, folder / "hook", folder / "backups"):
        if each.is_dir() and not each.is_symlink():
            found += [path for path in each.iterdir() if stat.S_ISREG(path.lstat().st_mode)]
    return found


def _has_locks(folder: str) -> bool:
    path = os.path.join(folder, f"doctor.{os.getpid()}.lock")
    try:
        fd = take_lock(path, 0.0)
        if fd is not None:
            free_lock(fd)
        return True
    except NoFlock:
        return False
    except OSError:
        return True  # it cannot be written, which is another finding
    finally:
        Path(path).unlink(missing_ok=True)


def _find_file_system(folder: str) -> str:
    """Return the kind of file system that a folder lies on, ``nfs4``; ``an unknown file system`` when nobody says."""
    real = os.path.realpath(folder)
    mounts = [each for each in psutil.disk_partitions(all=True) if Path(real).is_relative_to(each.mountpoint)]
    best = max(mounts, key=lambda each: len(each.mountpoint), default=None)
    return best.fstype if best and best.fstype else "an unknown file system"
