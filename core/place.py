"""Where a project's ``.knowledge/`` is, or would be: found with a few ``lstat`` calls, never by running git.

The nearest existing one up to the Git root, else the Git root (of a linked worktree: its main checkout), else a store
of the project's own below Tellback's data folder. Never ``/``, the bare home, a folder of another user or one that
others may write. A ``.git`` file is a claim made by the repository: it is believed only when its target points back.
"""

import sys

from .digest import short_hash

if sys.platform == "win32":
    import nt as os
else:
    import posix as os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shapes import Places

KNOWLEDGE = ".knowledge"
_MODE, _FOLDER, _FILE, _LINK = 0o170000, 0o040000, 0o100000, 0o120000
_OTHERS_MAY_WRITE = 0o002
_POINTER_BYTES = 4096
_CONFIG_BYTES = 64 * 1024


class Where:
    """Where the words of one project are kept.

    Attributes:
        folder: absolute path of the folder that holds, or would hold, ``.knowledge/``.
        in_project: whether it lies in the project; else it is the project's store below the data folder.
        exists: whether ``.knowledge`` was seen there, whatever it is; opening it tells whether it may be used.
        reason: why the project itself was not taken: ``""``, ``no-git-root``, ``foreign`` (another user's folder),
            ``open`` (others may write it), ``home``, ``root``, ``new`` (none there, and none may be made), ``unknown``.
    """

    __slots__ = ("exists", "folder", "in_project", "reason")

    def __init__(self, folder: str, in_project: bool, exists: bool, reason: str = "") -> None:
        self.folder = folder
        self.in_project = in_project
        self.exists = exists
        self.reason = reason


def find_knowledge(project: str, places: "Places", may_create: bool = True) -> Where:
    """Return where the words said in *project* (an absolute folder) are kept; nothing is made.

    With ``may_create=False`` (late capture, history) a project that has no ``.knowledge`` yet gets its store.
    """
    try:
        return _find_in_project(project, places, may_create)
    except (OSError, ValueError):  # vanished, unreadable, or a path that no system takes
        return store_of(project, places, "unknown")


def _find_in_project(project: str, places: "Places", may_create: bool) -> Where:
    if not _is_absolute(project):
        return store_of(project, places, "unknown")
    folder = _resolve(project, "")
    while True:
        if reason := _refusal(folder, places):
            return store_of(project, places, reason)
        if _lstat(_join(folder, KNOWLEDGE)):
            return Where(folder, True, True)
        if root := git_root_at(folder):
            break
        parent = _parent(folder)
        if parent == folder or _refusal(parent, places):
            return store_of(project, places, "no-git-root")
        folder = parent
    if root != folder and (reason := _refusal(root, places)):
        return store_of(root, places, reason)
    if root != folder and _lstat(_join(root, KNOWLEDGE)):
        return Where(root, True, True)
    return Where(root, True, False) if may_create else store_of(root, places, "new")


def _refusal(folder: str, places: "Places") -> str:
    """Why nothing may be written into *folder*; ``""`` when it may."""
    if _parent(folder) == folder:
        return "root"
    found = os.stat(folder)
    if found.st_mode & _MODE != _FOLDER:
        return "unknown"
    if folder == _without_end_slash(places.home) or _is_same(found, places.home):
        return "home"
    if sys.platform != "win32":
        if found.st_uid != os.geteuid():
            return "foreign"
        if found.st_mode & _OTHERS_MAY_WRITE:
            return "open"
    return ""


def store_of(project: str, places: "Places", reason: str = "") -> Where:
    """Return the store below the data folder that belongs to *project* (an absolute folder), there or not."""
    path = _without_end_slash(project)
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in _base(path))[:40] or "nowhere"
    number = short_hash(path.encode("utf-8", "surrogatepass"))
    folder = _join(places.data, "projects", f"{name}-{number}")
    return Where(folder, False, _lstat(_join(folder, KNOWLEDGE)) is not None, reason)


# --- the Git root, read from the files that git itself reads -------------------------------------------------------


def git_root_at(folder: str) -> str:
    """Return the Git root that a ``.git`` in *folder* stands for; ``""`` when there is none, or one that lies."""
    found = _lstat(_join(folder, ".git"))
    if found is None:
        return ""
    kind = found.st_mode & _MODE
    if kind in (_FOLDER, _LINK):  # a link to one's git folder is an old custom; nothing is read through it here
        return folder
    return _root_behind_file(folder) if kind == _FILE else ""


def _root_behind_file(folder: str) -> str:
    pointer = _read_small(_join(folder, ".git"), _POINTER_BYTES)
    if not pointer.startswith("gitdir:"):
        return ""
    target = _resolve(folder, pointer[7:].strip())
    back = _read_small(_join(target, "gitdir"), _POINTER_BYTES).strip()
    if back:
        return _main_checkout(folder, target) if _is_one_file(_resolve(target, back), _join(folder, ".git")) else ""
    work_tree = _config_worktree(_read_small(_join(target, "config"), _CONFIG_BYTES))
    return folder if work_tree and _is_one_file(_resolve(target, work_tree), folder) else ""


def _main_checkout(folder: str, target: str) -> str:
    """Return the checkout that a worktree hangs on; the worktree itself when the repository is bare."""
    common = _without_end_slash(_resolve(target, _read_small(_join(target, "commondir"), _POINTER_BYTES).strip()))
    main = _parent(common)
    return main if _is_one_file(_join(main, ".git"), common) else folder


def _config_worktree(config: str) -> str:
    """Return ``core.worktree`` of a submodule's config; ``""`` when it has none."""
    section = ""
    for line in config.split("\n"):
        line = line.strip()
        if line.startswith("["):
            section = line.lower()
        elif section == "[core]" and line.lower().startswith("worktree"):
            return line.partition("=")[2].strip().strip('"')
    return ""


# --- paths and small reads without os.path ------------------------------------------------------------------------


def _lstat(path: str) -> "os.stat_result | None":
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _is_same(found: "os.stat_result", path: str) -> bool:
    try:
        other = os.stat(path)
    except (OSError, ValueError):
        return False
    return (found.st_dev, found.st_ino) == (other.st_dev, other.st_ino)


def _is_one_file(path: str, other: str) -> bool:
    try:
        return _is_same(os.stat(path), other)
    except (OSError, ValueError):
        return False


def _read_small(path: str, limit: int) -> str:
    """Return the text of a small regular file; ``""`` for anything else. A FIFO is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        fd = os.open(path, flags)
    except (OSError, ValueError):
        return ""
    try:
        return os.read(fd, limit).decode("utf-8", "surrogateescape") if os.fstat(fd).st_mode & _MODE == _FILE else ""
    finally:
        os.close(fd)


def _is_absolute(path: str) -> bool:
    if sys.platform == "win32":
        return path[1:3] in (":\\", ":/") or path[:2] == "\\\\"
    return path[:1] == "/"


def _tidy(path: str) -> str:
    return path.replace("\\", "/") if sys.platform == "win32" else path


def _without_end_slash(path: str) -> str:
    path = _tidy(path)
    return path.rstrip("/") or path[:1]


def _join(*parts: str) -> str:
    return "/".join(_tidy(part).rstrip("/") for part in parts)


def _base(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def _parent(path: str) -> str:
    cut = path.rfind("/")
    if cut > 0:
        return path[:cut]
    return "/" if cut == 0 else path  # a drive letter is its own parent


def _resolve(folder: str, path: str) -> str:
    """Return *path* as seen from *folder*, with ``..`` taken out of the text (git writes no links into these)."""
    whole = path if _is_absolute(path) else _join(folder, path)
    parts: list[str] = []
    for part in _tidy(whole).split("/"):
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part not in ("", ".", "..") or not parts:
            parts.append(part)
    return "/".join(parts) or "/"
