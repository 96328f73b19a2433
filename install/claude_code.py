"""Claude Code: which of its files hold hooks, and what ours look like there."""

from pathlib import Path

from ..core.paths import find_claude_config
from .harness import Harness


def _find_user_file() -> Path:
    return find_claude_config() / "settings.json"


def _find_project_file(project: Path, is_shared: bool) -> Path:
    """Return the settings of this machine, which nobody commits, or those of the team."""
    return project / ".claude" / ("settings.json" if is_shared else "settings.local.json")


HARNESS = Harness(
    name="claude-code",
    title="Claude Code",
    # SessionEnd gets 1.5 s without a word of ours; the others 30 or 600, which is long for a person who waits on a disk
    # that hangs. Our own deadline ends a hook long before. None is async: a headless run kills those when it exits.
    events={"UserPromptSubmit": 10, "Stop": 10, "PostToolUseFailure": 10, "SessionEnd": 5, "SessionStart": 10},
    is_grouped=True,
    find_user_file=_find_user_file,
    find_project_file=_find_project_file,
    has_shared_only=False,
    strictness="Claude Code ignores such a file as a whole",  # seen with 2.1.332
    members={"type": "command"},
    off_switch="disableAllHooks",
    retention_days=30,  # `cleanupPeriodDays`
)
