"""``tellback feedback-log``: write to the feedback log, and keep it whole and small."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import click
import orjson

from ..core.config import load_settings
from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.paths import find_places
from ..core.scrub import scrub
from ..core.scrub_own import make_scrub_rules
from ..learning.feedback_store import KEEP_LINES, FeedbackStore
from ..learning.where import find_feedback_folder
from .result import Result, run

_FOLDER = click.option("--dir", "folder", type=click.Path(path_type=Path), help="The log's folder.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("feedback-log")
def command() -> None:
    """Write to the feedback log of this project, and keep it whole and small."""


@command.command("record")
@click.option("--type", "kind", type=click.Choice(["correction", "override", "rating"]))
@click.option("--skill", help="The skill that the event is about.")
@click.option("--session", help="The session that it comes from.")
@click.option("--original", help="What the skill led to.")
@click.option("--corrected", help="What the person made of it.")
@click.option("--reason", help="Why it was rejected.")
@click.option("--score", type=click.IntRange(1, 5), help="From 1 to 5.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the event as one JSON object.")
@_FOLDER
@_JSON
def record_command(folder: Path | None, from_stdin: bool, as_json: bool, **given: Any) -> None:
    """Record one event and print its id."""
    if from_stdin == (given["kind"] is not None):
        raise click.UsageError("give either --type, --skill and --session, or --stdin")
    run(lambda: _record(folder, _read_event() if from_stdin else _make_event(**given)), as_json)


def _make_event(kind: str, skill: str | None, session: str | None, **given: Any) -> dict[str, Any]:
    event = {"type": kind, "skillName": skill, "sessionId": session}
    if kind == "override":
        event["rejected"] = True  # pyright: ignore[reportArgumentType]
    return event | {name: value for name, value in given.items() if value is not None}


def _read_event() -> dict[str, Any]:
    try:
        event: Any = orjson.loads(sys.stdin.buffer.read())
    except orjson.JSONDecodeError as error:
        raise TellbackError(f"standard input is not valid JSON ({error})") from None
    if not isinstance(event, dict):
        raise TellbackError("standard input must hold one JSON object")
    return cast("dict[str, Any]", event)


def _record(folder: Path | None, event: dict[str, Any]) -> Result:
    rules = make_scrub_rules(load_settings(find_places()))
    scrubbed = {name: scrub(value, rules) if isinstance(value, str) else value for name, value in event.items()}
    store = _open(folder)
    try:
        stored = store.record(scrubbed)
    except OSError as error:
        raise TellbackError(f"{store.path} could not be written: {error.strerror}") from error
    return Result(stored, stored["id"])


@command.command("check")
@_FOLDER
@_JSON
def check_command(folder: Path | None, as_json: bool) -> None:
    """Name every line that is not JSON; exit code 1 when there is one."""
    run(lambda: _check(_open(folder)), as_json)


def _check(store: FeedbackStore) -> Result:
    checked = store.check()
    lines = [f"CORRUPT: {show_line(line)}" for line in checked.corrupt]
    summary = f"{checked.valid} valid, {len(checked.corrupt)} corrupt lines in {store.path}"
    data = {"path": str(store.path), "valid": checked.valid, "corrupt": list(checked.corrupt)}
    return Result(data, "\n".join([*lines, summary]), exit_code=1 if checked.corrupt else 0)


@command.command("clean")
@_FOLDER
@_JSON
def clean_command(folder: Path | None, as_json: bool) -> None:
    """Keep the valid lines alone."""
    run(lambda: _clean(_open(folder)), as_json)


def _clean(store: FeedbackStore) -> Result:
    kept, dropped = _try(store.clean, store)
    data = {"path": str(store.path), "kept": kept, "dropped": dropped}
    return Result(data, f"{kept} lines kept, {dropped} dropped in {store.path}")


@command.command("rotate")
@click.option("--keep", type=click.IntRange(0), default=KEEP_LINES, show_default=True, help="Lines that stay.")
@_FOLDER
@_JSON
def rotate_command(keep: int, folder: Path | None, as_json: bool) -> None:
    """Copy the log to feedback-YYYY-Qn.jsonl and keep its last lines."""
    run(lambda: _rotate(_open(folder), keep), as_json)


def _rotate(store: FeedbackStore, keep: int) -> Result:
    rotated = _try(lambda: store.rotate(keep), store)
    data = {"path": str(store.path), "copy": str(rotated.copy), "kept": rotated.kept}
    return Result(data, f"{rotated.copy} made, {rotated.kept} lines kept in {store.path}")


def _try(act: Callable[[], Any], store: FeedbackStore) -> Any:
    try:
        return act()
    except OSError as error:
        raise TellbackError(f"{store.path} could not be rewritten: {error.strerror}") from error


def _open(folder: Path | None) -> FeedbackStore:
    if folder is None:
        places = find_places()
        folder = find_feedback_folder(Path.cwd(), places, load_settings(places))
    return FeedbackStore(folder)
