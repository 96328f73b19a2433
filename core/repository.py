"""A repository's ``.tellback.toml``: it switches collection off or vetoes push, and can widen nothing (S-202). Hot.

It is the nearest one from the working directory up to the Git root. Whatever is not surely understood counts as
``disabled``: a link, a FIFO, another user's unreadable file, one that is too large or does not parse. The plain form
(two sections, true or false) is read here; anything else is handed to a TOML reader, the slow way.
"""

import sys

from .append import nt_or_posix, open_regular
from .place import git_root_at
from .policy import Restriction

NAME = ".tellback.toml"
LARGEST_BYTES = 64 * 1024
_KEYS = (("collect", "disabled"), ("sessions", "push"))


def find_repository_file(folder: str) -> str:
    """Return the nearest ``.tellback.toml`` at or above *folder*, an absolute path, up to the Git root; or ``""``.

    A linked worktree without one takes its main checkout's. Without a Git root the search goes on to the top: a file
    there can only restrict.
    """
    slash = "\\" if sys.platform == "win32" and "/" not in folder else "/"
    here = folder.rstrip(slash)
    while True:
        if _is_there(found := here + slash + NAME):
            return found
        root = git_root_at(here or slash)
        if root:
            found = root.rstrip(slash) + slash + NAME
            return found if _is_there(found) else ""
        cut = here.rfind(slash)
        if cut < 0:
            return ""
        here = here[:cut]


def read_restriction(folder: str) -> Restriction:
    """Return what the repository around *folder*, an absolute path, restricts; never raises ``OSError``."""
    try:
        path = find_repository_file(folder)
    except (OSError, ValueError) as error:  # a folder that may not be looked into may hold a restriction
        return Restriction(disabled=True, problem=str(error))
    return read_repository_file(path) if path else Restriction()


def read_repository_file(path: str) -> Restriction:
    """Return what the file at *path* restricts."""
    try:
        fd = open_regular(path, nt_or_posix.O_RDONLY)
        try:
            data = nt_or_posix.read(fd, LARGEST_BYTES + 1)
        finally:
            nt_or_posix.close(fd)
    except OSError as error:
        return Restriction(disabled=True, path=path, problem=f"{path} cannot be read: {error.strerror or error}")
    if len(data) > LARGEST_BYTES:
        return Restriction(disabled=True, path=path, problem=f"{path} is larger than {LARGEST_BYTES} bytes")
    return parse_restriction(data, path)


def parse_restriction(data: bytes, path: str) -> Restriction:
    """Return what *data*, the bytes of a ``.tellback.toml``, restricts; *path* is where they came from."""
    try:
        text = data.decode("utf-8-sig" if data[:3] == b"\xef\xbb\xbf" else "utf-8")
        tables = _parse_plain(text)
        if tables is None:
            from .toml import parse_toml

            tables = parse_toml(text)
        collect, sessions = (tables.get(section, {}) for section, _ in _KEYS)
        disabled, push = collect.get("disabled", False), sessions.get("push", True)
        if not isinstance(disabled, bool) or not isinstance(push, bool):
            raise ValueError("collect.disabled and sessions.push are true or false")
    except (ValueError, AttributeError, ImportError, RecursionError) as error:
        return Restriction(disabled=True, push=False, path=path, problem=f"{path} cannot be understood: {error}")
    return Restriction(disabled, push, path)


def _parse_plain(text: str) -> "dict[str, dict[str, bool]] | None":
    """Return the tables of a file that holds nothing but ``[section]`` and ``key = true``; else ``None``."""
    tables: dict[str, dict[str, bool]] = {}
    table: dict[str, bool] | None = None
    for line in text.split("\n"):
        line = line.partition("#")[0].strip(" \t\r")
        name, equals, value = (part.strip(" \t") for part in line.partition("="))
        if not line:
            continue
        if line[0] == "[" and line[-1] == "]" and _is_bare(line[1:-1]) and line[1:-1] not in tables:
            table = tables[line[1:-1]] = {}
        elif equals and _is_bare(name) and value in ("true", "false") and table is not None and name not in table:
            table[name] = value == "true"
        else:
            return None
    return tables


def _is_bare(name: str) -> bool:
    return bool(name) and name.isascii() and name.replace("_", "a").isalnum()


def _is_there(path: str) -> bool:
    try:
        nt_or_posix.lstat(path)
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        return False
    return True
