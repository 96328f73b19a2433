"""What install recorded for hooks: folders, settings, tables, how to start a sweep. Hot.

A hook takes none of this from its environment, for a repository's settings can set variables for hooks.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from ..core.shapes import Places
    from .settings import Stamp

    class Installed:
        """The record of one installation.

        Attributes:
            places: Tellback's folders.
            packed: the settings as ``HookSettings`` takes them; ``stamps``: the files that they came from.
            stores: harness to the variable that moves its store and the value at install, ``""`` when it was not set.
            installed_at: UTC seconds.
            tables: what was prepared, each read when it is first asked for.
        """

        places: Places
        packed: dict[str, Any]
        stamps: list[Stamp]
        stores: dict[str, tuple[str, str]]
        installed_at: float
        tables: "PreparedTables"

        def __init__(self, **record: Any) -> None: ...

    class PreparedTables(Protocol):
        """Tier 0's anchors (``capture/anchors.py``) and further tables by name.

        ``detector`` and ``scrub`` are packed by ``hooks/shelf.py``. ``rare`` is what few calls need of the record:
        ``sweep_argv`` and ``environment`` (the command line that a turn's end launches, and all that it gets),
        ``claude_config`` (Claude Code's folder, which has a switch that stops all collection), ``libraries`` (folders
        that the slow way needs on ``sys.path``).
        """

        anchor_words: dict[bytes, bytes]
        anchor_pieces: dict[str, tuple[bytes, ...]]

        def load_pieces(self) -> None: ...
        def load(self, name: str) -> Any: ...
        def read_piece(self, position: int, size: int) -> bytes: ...

else:
    Installed = type(sys.implementation)  # types.SimpleNamespace: to make a class of our own costs too much here
