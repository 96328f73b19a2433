"""The slow way to the settings: the files parsed as commands parse them. Cold; in a hook outside the budget."""

from pathlib import Path
from typing import Any

from ..core.config import Loaded, SettingsError, load, make_policy
from ..core.scrub import prepare_scrub
from .gate import add_libraries
from .installed import Installed
from .settings import HookSettings


def read_settings(installed: Installed) -> HookSettings | None:
    """Return the settings as the files are now; ``None`` when one of them cannot be understood."""
    add_libraries(installed)
    try:
        loaded = load(installed.places, Path(installed.tables.load("rare")["claude_config"]))
    except SettingsError:
        return None
    return HookSettings(**pack_settings(loaded))


def pack_settings(loaded: Loaded) -> dict[str, Any]:
    """Return what ``HookSettings`` takes, of types that ``marshal`` can write."""
    settings, policy = loaded.settings, make_policy(loaded)
    has_own_scrub = settings.scrub_patterns or settings.scrub_emails or settings.scrub_hosts is not None
    return {
        "policy": (policy.disabled, policy.deny_paths, policy.opt_in_paths, policy.opt_in_only),
        "has_paths": policy.has_paths(),
        "is_capturing": settings.capture_enabled,
        "acknowledge": settings.capture_acknowledge,
        "brief": settings.capture_brief,
        "point": settings.capture_point,
        "dataset": settings.capture_dataset,
        "quiet_s": settings.sessions_quiet_s,
        "push_budget_s": settings.sessions_push_budget_s,
        "prompt_s": settings.prompt_deadline_s,
        "turn_end_s": settings.hooks_deadline_s,
        "scrub": prepare_scrub(settings.scrub_patterns, emails=settings.scrub_emails, hosts=settings.scrub_hosts)
        if has_own_scrub
        else None,
    }
