"""The prepared tables kept in the cache folder, so that a sweep need not compile them again; cold.

A file of another interpreter, another engine of patterns or other sources is not read but replaced. Where it cannot be
read or written the tables are prepared anew: slower, with the same answer.
"""

import marshal
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..core import prepared
from ..core.errors import TellbackError
from ..core.files import replace_file
from ..core.paths import find_places
from ..core.prepared import freeze

_DIGEST = 32  # bytes before the tables: a hash of the sources and of the tables
_MOST = 1 << 25  # bytes; a larger file is none of ours


def keep_tables(prepare: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what *prepare* returns, from the cache folder when it lies there; else put it there.

    Nothing is written where there is no cache folder: it is made when Tellback is set up.
    """
    try:
        path = Path(find_places().cache, f"detector.{sys.implementation.cache_tag}.bin")
    except TellbackError:  # no home, no cache
        return prepare()
    key = _hash_sources()
    found = _read(path, key)
    if found is None:
        found = prepare()
        body = marshal.dumps(found)
        with suppress(OSError):
            replace_file(path, _seal(key, body) + body, mode=0o600, fsync=False)
    return found


def _read(path: Path, key: bytes) -> dict[str, Any] | None:
    """Return the tables of *path*; ``None`` when it is not ours, not whole or made of something else."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(fd, "rb") as file:
            if not _is_own(os.fstat(file.fileno())):
                return None
            data = file.read(_MOST)
    except OSError:
        return None
    body = data[_DIGEST:]
    return marshal.loads(body) if data[:_DIGEST] == _seal(key, body) else None


def _is_own(found: os.stat_result) -> bool:
    """Whether nobody but this user can have written the file: ``marshal`` is not to be fed by others."""
    if not hasattr(os, "geteuid"):
        return stat.S_ISREG(found.st_mode)
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _seal(key: bytes, body: bytes) -> bytes:
    return blake2b(body, key=key, digest_size=_DIGEST).digest()


def _hash_sources() -> bytes:
    """Return a hash of all that the tables are made of: this interpreter, the sources of this room, the model."""
    hashed = blake2b(repr((sys.version, freeze(())["engine"])).encode(), digest_size=_DIGEST)
    room = Path(__file__).parent
    for path in (*sorted(room.glob("*.py")), room / "borders.json", room / "model.dat", Path(prepared.__file__)):
        hashed.update(path.read_bytes() if path.is_file() else b"")
    return hashed.digest()
