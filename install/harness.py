"""What install must know of a harness."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Harness:
    """One harness's hooks file.

    Attributes:
        name, title: as in a command line and as in a sentence.
        events: event name: seconds that the harness waits at most.
        is_grouped: an event holds groups with a ``hooks`` array each, not the hooks themselves.
        find_user_file: the person's own file.
        find_project_file: a project's file; the flag asks for the one that a team shares.
        has_shared_only: a project has no other file than the shared one, so that a person must ask for it.
        strictness: what the harness itself does with a file that is not strict JSON, for a message.
        preset: members that a new file must have besides ``hooks``.
        members: what each hook has besides command and timeout.
        off_switch: the setting that turns every hook off; ``""``: there is none.
        retention_days: after how many days it deletes sessions, unless its settings say; ``None``: not known.
    """

    name: str
    title: str
    events: dict[str, int]
    is_grouped: bool
    find_user_file: Callable[[], Path]
    find_project_file: Callable[[Path, bool], Path]
    has_shared_only: bool
    strictness: str
    preset: dict[str, Any] = field(default_factory=dict[str, Any])
    members: dict[str, Any] = field(default_factory=dict[str, Any])
    off_switch: str = ""
    retention_days: int | None = None
