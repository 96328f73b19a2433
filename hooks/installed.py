"""What install recorded for hooks: folders, settings, tables, how to start a sweep. Hot.

A hook takes none of this from its environment, for a repository's settings can set variables for hooks.
"""

from ..core.shapes import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .settings import Stamp


class Installed:
    """The record of one installation.

    Attributes:
        places: Tellback's folders; ``claude_config``: Claude Code's, which has a switch that stops all collection.
        packed: the settings as ``HookSettings`` takes them; ``stamps``: the files that they came from.
        stores: harness to the variable that moves its store and the value at install, ``""`` when it was not set.
        sweep_argv: the command line that a turn's end launches; ``environment``: all that it gets.
        installed_at: UTC seconds.
        libraries: folders that the slow way needs on ``sys.path``.
        load_table: returns a prepared table by name: ``anchor_words``, ``anchor_pieces``, ``detector``, ``scrub``.
    """

    __slots__ = (
        "claude_config",
        "environment",
        "installed_at",
        "libraries",
        "load_table",
        "packed",
        "places",
        "stamps",
        "stores",
        "sweep_argv",
    )

    def __init__(self, record: "dict[str, Any]", load_table: "Callable[[str], Any]") -> None:
        self.places = Places(*record["places"])
        self.claude_config: str = record["claude_config"]
        self.packed: dict[str, Any] = record["packed"]
        self.stamps: list[Stamp] = record["stamps"]
        self.stores: dict[str, tuple[str, str]] = record["stores"]
        self.sweep_argv: list[str] = record["sweep_argv"]
        self.environment: dict[str, str] = record["environment"]
        self.installed_at: float = record["installed_at"]
        self.libraries: list[str] = record["libraries"]
        self.load_table = load_table

    @property
    def anchor_words(self) -> "dict[bytes, bytes]":
        """Tier 0's words, see ``capture/anchors.py``."""
        return self.load_table("anchor_words")

    @property
    def anchor_pieces(self) -> "dict[str, tuple[bytes, ...]]":
        """Tier 0's pieces, loaded only for a text that is not ASCII."""
        return self.load_table("anchor_pieces")
