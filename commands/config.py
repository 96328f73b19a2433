"""``tellback config``: the settings of this machine, with where each comes from; ``config set`` changes one."""

import os
import sys
from typing import Any, cast

import click

from ..core.config import Loaded, load
from ..core.configfile import UnknownKey, find_spec, set_value
from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.keys import SPECS, Spec
from ..core.paths import find_places
from ..core.policy import Restriction
from ..core.repository import read_restriction
from ..core.values import show_value
from .renew import renew_hook_files
from .result import Result, run

_SECRET_KEYS = ("key",)


@click.group("config", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Show the settings of this machine; on a terminal, ask which one to change.

    What the organisation and a repository restrict is shown and cannot be changed here, and no setting allows what
    they forbid.
    """
    if context.invoked_subcommand is None:
        if sys.stdin.isatty() and sys.stdout.isatty() and not as_json:
            _ask_for_changes()
        run(_show, as_json)


@command.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def set_command(key: str, value: str, as_json: bool) -> None:
    """Set KEY to VALUE: `config set sessions.quiet 10m`; lists like '["/a", "/b"]'; `null` unsets."""
    run(lambda: _set(key, value), as_json)


def _show() -> Result:
    loaded = load(find_places())
    restriction = read_restriction(os.getcwd())
    rows = [_row(spec, loaded) for spec in SPECS.values()]
    data: dict[str, Any] = {
        "path": loaded.path,
        "settings": {row["key"]: {name: row[name] for name in ("value", "default", "origin")} for row in rows},
        "organisation": None,
        "repository": _repository(restriction),
        "feedback_switch": loaded.switch,
    }
    return Result(data, "\n".join(_lines(loaded, rows, restriction)), loaded.warnings)


def _set(key: str, value: str) -> Result:
    places = find_places()
    try:
        set_value(places, key, value)
    except UnknownKey as error:
        line = f"tellback: {show_line(str(error))}; {error.hint}"
        return Result({"error": str(error), "hint": error.hint}, messages=(line,), exit_code=2)
    renew_hook_files(places)
    row = _row(find_spec(key), load(places))
    return Result(row, f"{key} is {_shown(row['value'])} now.")


def _row(spec: Spec, loaded: Loaded) -> dict[str, Any]:
    """Return key, value, default and origin of one setting, as JSON; the server's key is never shown."""
    value = show_value(spec, getattr(loaded.settings, spec.attribute))
    if spec.name in _SECRET_KEYS and value is not None:
        value = "[REDACTED:api-key]"
    origin = loaded.origins.get(spec.name, "default")
    return {"key": spec.name, "value": value, "default": show_value(spec, spec.default), "origin": origin}


def _lines(loaded: Loaded, rows: list[dict[str, Any]], restriction: Restriction) -> list[str]:
    there = "" if os.path.exists(loaded.path) else " (not there yet: all is default)"
    lines = [f"Settings in {show_line(loaded.path)}{there}"]
    width = max(len(name) for name in SPECS)
    for row in rows:
        note = f"   (default: {_shown(row['default'])})" if row["origin"] == "file" else ""
        lines.append(f"  {row['key']:<{width}}  {show_line(_shown(row['value']))}{show_line(note)}")
    lines.append("Organisation policy: none, this machine is on its own")
    lines.append(f"Repository: {_repository_line(restriction)}")
    if loaded.switch != "on":
        lines.append(f"Nothing is collected: {show_line(loaded.switch)}")
    return lines


def _repository(restriction: Restriction) -> dict[str, Any] | None:
    """Return what the repository around the working directory restricts, read-only here (S-9)."""
    if not restriction.path and not restriction.problem:
        return None
    return {
        "path": restriction.path,
        "collect.disabled": restriction.disabled,
        "sessions.push": restriction.push,
        "problem": restriction.problem or None,
    }


def _repository_line(restriction: Restriction) -> str:
    if restriction.problem:
        return show_line(f"{restriction.problem}; so nothing is collected here")
    if not restriction.path:
        return "no restrictions here"
    says = f"collect.disabled = {_shown(restriction.disabled)}, sessions.push = {_shown(restriction.push)}"
    return f"{show_line(restriction.path)} says {says}"


def _shown(value: Any) -> str:
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(f'"{item}"' for item in cast("list[str]", value)) + "]"
    return str(value)


def _ask_for_changes() -> None:
    """Ask for keys and values until an empty answer; a bad one is said and asked again."""
    loaded = load(find_places())
    click.echo(
        "\n".join(_lines(loaded, [_row(spec, loaded) for spec in SPECS.values()], read_restriction(os.getcwd())))
    )
    while key := click.prompt("Setting to change (Enter: none)", default="", show_default=False).strip():
        click.echo(_ask_for_value(key))
    sys.exit(0)


def _ask_for_value(key: str) -> str:
    try:
        click.echo(find_spec(key).about)
        return _set(key, click.prompt(key)).text
    except TellbackError as error:
        return show_line(str(error)) + (f"; {error.hint}" if error.hint else "")
