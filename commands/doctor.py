"""``tellback doctor``: is everything wired, alive and writable?"""

from pathlib import Path
from typing import Any

import click

from ..core.escape import show_line
from ..core.paths import find_places
from ..install.checks.finding import Finding
from ..install.doctor import Repaired, examine, find_worst, make_site, repair
from .result import Result, run

_MARKS = {"ok": "ok  ", "warn": "look", "problem": "BAD "}


@click.command("doctor")
@click.option("--project", type=click.Path(path_type=Path), help="The folder to look at, instead of this one.")
@click.option("--fix", "is_fix", is_flag=True, help="Do what is safe: our own files, modes and entries.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(project: Path | None, is_fix: bool, as_json: bool) -> None:
    """Say whether Tellback works here; each finding comes with its remedy. Exit code 1 when something is broken."""
    run(lambda: _examine(project or Path.cwd(), is_fix), as_json)


def _examine(project: Path, is_fix: bool) -> Result:
    places, folder = find_places(), project.absolute()
    findings = examine(make_site(places, folder))
    repaired = repair(findings) if is_fix else []
    if repaired:
        findings = examine(make_site(places, folder))
    worst = find_worst(findings)
    data: dict[str, Any] = {
        "healthy": worst != "problem",
        "level": worst,
        "findings": [_as_json(finding) for finding in findings],
        "repaired": [{**_as_json(each.finding), "failure": each.failure or None} for each in repaired],
        "last_push": next((finding.data["last_push"] for finding in findings if "last_push" in finding.data), None),
    }
    return Result(data, "\n".join(_list_lines(findings, repaired)), exit_code=1 if worst == "problem" else 0)


def _as_json(finding: Finding) -> dict[str, Any]:
    row: dict[str, Any] = {"check": finding.check, "level": finding.level, "what": finding.what}
    return {**row, "fix": finding.fix or None, "fixable": finding.repair is not None, "data": finding.data}


def _list_lines(findings: list[Finding], repaired: list[Repaired]) -> list[str]:
    lines = [_say_repaired(each) for each in repaired]
    lines += [line for finding in findings for line in _say(finding)]
    counts = {level: sum(finding.level == level for finding in findings) for level in _MARKS}
    return [*lines, _say_end(counts["problem"], counts["warn"])]


def _say(finding: Finding) -> list[str]:
    line = f"{_MARKS[finding.level]}  {finding.check}: {show_line(finding.what)}"
    return [line, f"      -> {show_line(finding.fix)}"] if finding.fix and finding.level != "ok" else [line]


def _say_repaired(each: Repaired) -> str:
    what = show_line(each.finding.what)
    return f"not repaired  {what}: {show_line(each.failure)}" if each.failure else f"repaired  {what}"


def _say_end(problems: int, looks: int) -> str:
    if problems:
        return f"{problems} broken, {looks} to look at."
    return f"Tellback works; {looks} to look at." if looks else "Tellback works."
