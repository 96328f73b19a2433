"""The entry file of the sweep that a turn's end launches: ``PY -I -S .../commands/launched.py --lock-fd N``.

Started without ``site``, for reading through ``site-packages`` costs more than the look of a sweep that has nothing to
do; one that has something to do reads it then.
"""

import os
import sys

if __name__ == "__main__":  # run by its path: the package is where this file is, under whatever name
    _root = type(sys)("tellback")
    _root.__path__ = [__file__[: -len("/commands/launched.py")]]
    with open(_root.__path__[0] + "/__init__.py", encoding="utf-8") as _file:
        exec(_file.read(), _root.__dict__)
    sys.modules["tellback"] = _root
    __package__ = "tellback.commands"

from ..sweep.early import ends_early, read_places
from ..sweep.guard import Terminated


def main(argv: list[str]) -> int:
    """Look, and run the whole sweep where there is something to do; returns the exit code."""
    lock_fd = int(argv[1]) if argv[:1] == ["--lock-fd"] else None
    places = read_places()
    try:
        if lock_fd is not None and ends_early(places, lock_fd):
            return 0
    except Terminated:
        return 1
    import site

    site.main()
    from .detached import run_detached

    return run_detached(lock_fd)


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
