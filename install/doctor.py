"""Doctor: every check, what it finds, and the repairs that are safe."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..core.errors import TellbackError
from ..core.shapes import Places
from .checks import capture, folders, hooks, learning, policy, stores, sweep
from .checks.finding import Check, Finding, Level, Site, read_news
from .interpreter import choose_interpreter
from .manifest import Manifest, read_manifest

CHECKS: dict[str, Check] = {
    "manifest": folders.check_manifest,
    "settings": hooks.check_settings_files,
    "hooks": hooks.check_registration,
    "interpreter": hooks.check_interpreter,
    "hook files": hooks.check_hook_files,
    "firing": hooks.check_firing,
    "borrowed hooks": hooks.check_borrowed,
    "prompts": capture.check_heard,
    "hook log": capture.check_hook_log,
    "stores": stores.check_stores,
    "format": stores.check_format,
    "store": capture.check_notes,
    "config": policy.check_settings,
    "repository": policy.check_repository_file,
    "pause": policy.check_pause,
    "folders": folders.check_folders,
    "modes": folders.check_modes,
    "locks": folders.check_locks,
    "database": folders.check_database,
    "sweep lock": sweep.check_lock,
    "last push": sweep.check_last_run,
    "last launch": sweep.check_stamp,
    "queue": capture.check_queue,
    "knowledge": capture.check_knowledge,
    "feedback": learning.check_feedback,
    "retention": policy.check_retention,
}


class Repaired(NamedTuple):
    """A finding that ``--fix`` took on; ``failure`` says why it is still there."""

    finding: Finding
    failure: str


def make_site(places: Places, project: Path) -> Site:
    """Return what the checks look at, as it is now."""
    try:
        manifest = read_manifest(places)
    except TellbackError:
        manifest = Manifest((), {})  # a check of its own tells why
    interpreter = choose_interpreter(allow_temporary=True, recorded=manifest.interpreter)
    return Site(places, time.time(), project, interpreter, manifest, read_news(places))


def examine(site: Site, checks: dict[str, Check] = CHECKS) -> list[Finding]:
    """Run every check; one that fails itself is a finding and does not keep the others."""
    return [finding for name, check in checks.items() for finding in _run_check(name, lambda: check(site))]  # noqa: B023 - called at once


def repair(findings: list[Finding]) -> list[Repaired]:
    """Do what is safe: our own files, and our own entries in files that a person let us wire."""
    return [Repaired(each, _try_repair(each.repair)) for each in findings if each.repair is not None]


def find_worst(findings: list[Finding]) -> Level:
    """Return the worst level; ``ok`` of nothing."""
    levels = {finding.level for finding in findings}
    return "problem" if "problem" in levels else "warn" if "warn" in levels else "ok"


def _run_check(name: str, check: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return check()
    except Exception as error:  # a door: doctor must say what it can about an installation that is broken in any way
        what = f"this could not be looked at: {type(error).__name__}: {error}"
        return [Finding(name, "problem", what, "report it, please")]


def _try_repair(call: Callable[[], object]) -> str:
    try:
        call()
    except TellbackError as error:
        return f"{error}; {error.hint}" if error.hint else str(error)
    except OSError as error:
        return str(error)
    return ""
