"""May Tellback listen at all, and here: settings, switches, a pause, a repository's restriction."""

import math
import os
import time
from pathlib import Path

from ...core.config import SettingsError, load, make_policy
from ...core.pause import pause_path
from ...core.policy import judge_path
from ...core.repository import read_restriction
from ..pause import read_pause
from ..retention import describe_retention, read_retention
from ..table import HARNESSES
from .finding import Finding, Site


def check_settings(site: Site) -> list[Finding]:
    """The settings file parses and switches nothing off."""
    try:
        loaded = load(site.places)
    except SettingsError as error:
        what = f"{error}; nothing is captured until it is mended"
        return [Finding("config", "problem", what, error.hint or "mend the file")]
    findings = [Finding("config", "warn", warning, "take it out, or update Tellback") for warning in loaded.warnings]
    settings = loaded.settings
    switches = {
        "feedback-config.json": loaded.switch if loaded.switch != "on" else "",
        "collect.disabled": f"{loaded.path} says so" if settings.collect_disabled else "",
        "capture.enabled": f"{loaded.path} says false" if not settings.capture_enabled else "",
    }
    for name, reason in switches.items():
        if reason:
            what = f"{name} switches Tellback off: {reason}"
            findings.append(Finding("switch", "problem", what, "change it there", {"switch": name}))
    folder = str(site.project)
    word = judge_path(make_policy(loaded), folder, os.path.realpath(folder))
    if word == "denied":
        what = f"nothing is captured in {folder}: collect.deny_paths or collect.opt_in_only of {loaded.path}"
        findings.append(Finding("switch", "warn", what, "change them, when it is not meant so", {"switch": "paths"}))
    return findings or [Finding("config", "ok", f"{loaded.path} switches nothing off")]


def check_repository_file(site: Site) -> list[Finding]:
    """The nearest ``.tellback.toml`` is understood; one that is not stops capture there."""
    restriction = read_restriction(str(site.project))
    data = {"path": restriction.path, "disabled": restriction.disabled, "push": restriction.push}
    if restriction.problem:
        what = f"{restriction.problem}; nothing is captured in this repository"
        return [Finding("repository", "problem", what, "mend the file", data)]
    if restriction.disabled:
        what = f"{restriction.path} switches Tellback off in this repository"
        return [Finding("repository", "warn", what, "that is the repository's word; nothing overrides it", data)]
    return []


def check_pause(site: Site) -> list[Finding]:
    """A pause is easily forgotten."""
    until = read_pause(site.places, site.now)
    if until is None:
        return []
    if math.isfinite(until):
        shown = time.strftime("until %Y-%m-%d %H:%M", time.localtime(until))
        said = f"nothing is captured {shown}"
    else:
        shown = "without end"
        said = f"nothing is captured: {pause_path(site.places)} cannot be read"
    return [Finding("pause", "warn", said, "`tellback pause off` ends it", {"until": shown})]


def check_retention(site: Site) -> list[Finding]:
    """What a harness deletes soon and no sweep has seen is lost."""
    findings: list[Finding] = []
    for harness in HARNESSES.values():
        retention = read_retention(harness, site.now)
        has_data = (Path(site.places.data) / "tellback.db").exists()
        if retention and (said := describe_retention(retention, harness.title)):
            level, fix = ("ok", "") if has_data else ("warn", "run `tellback backfill`")
            findings.append(Finding("retention", level, said, fix, retention._asdict()))
    return findings
