"""Cursor: which of its files hold hooks, and what ours look like there."""

from pathlib import Path

from ..core.paths import find_cursor_config
from .harness import Harness


def _find_user_file() -> Path:
    return find_cursor_config() / "hooks.json"


def _find_project_file(project: Path, is_shared: bool) -> Path:  # noqa: ARG001 - there is one file only
    return project / ".cursor" / "hooks.json"


HARNESS = Harness(
    name="cursor",
    title="Cursor",
    # Its own default is not documented.
    events={"beforeSubmitPrompt": 10, "stop": 10, "sessionEnd": 5, "postToolUseFailure": 10, "sessionStart": 10},
    is_grouped=False,
    find_user_file=_find_user_file,
    find_project_file=_find_project_file,
    has_shared_only=True,
    strictness="Cursor does not document that it reads such a file",
    preset={"version": 1},
)
