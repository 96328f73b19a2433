"""What every command returns, and the one place that prints it."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click

from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.log import log_failure, log_path
from ..core.paths import find_places, has_cwd
from .renew import renew_after_upgrade


@dataclass(frozen=True)
class Result:
    """The outcome of one command.

    Attributes:
        data: what ``--json`` prints: one object of JSON types.
        text: what a person reads; ``""`` prints nothing. Control characters from outside are already escaped.
        messages: warnings and remarks, one line each, for stderr.
        exit_code: 0 done or nothing to do, 1 failed or refused.
    """

    data: dict[str, Any] = field(default_factory=dict[str, Any])
    text: str = ""
    messages: tuple[str, ...] = ()
    exit_code: int = 0


def print_result(result: Result, as_json: bool) -> None:
    """Print *result* once, as text or as one JSON object, and leave with its exit code."""
    for message in result.messages:
        click.echo(_encodable(message), err=True)
    if as_json:
        click.echo(_encodable(json.dumps(result.data, ensure_ascii=False, indent=2)))
    elif result.text:
        click.echo(_encodable(result.text))
    sys.exit(result.exit_code)


def _encodable(text: str) -> str:
    r"""Return *text* with bytes that are no UTF-8, as names and files of others may have them, as ``\udce9``."""
    return text.encode("utf-8", "backslashreplace").decode()


def run(call: Callable[[], Result], as_json: bool) -> None:
    """Make the command's one call and print its result; an expected failure is one line and exit code 1."""
    try:
        renew_after_upgrade(find_places())
        result = call()
    except TellbackError as error:
        hint = f"; {error.hint}" if error.hint else ""
        line = f"tellback: {error}{hint}"
        result = Result(data={"error": str(error), "hint": error.hint}, messages=(line,), exit_code=1)
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise  # click's own ways out; it also knows what to do when the reader of our output has gone
    except FileNotFoundError as error:
        if not has_cwd():
            raise  # no matter of this command's: `cli.py` says it
        result = _own_up(error)
    except Exception as error:  # the door of the commands: a person gets one line, the log the rest
        result = _own_up(error)
    print_result(result, as_json)


def _own_up(error: Exception) -> Result:
    """Return the result of a command that failed in a way nobody thought of."""
    places = find_places()
    hints = ["`tellback doctor` looks at folders and disks"] if isinstance(error, OSError) else []
    if log_failure(places, f"tellback {' '.join(sys.argv[1:2])}", error):
        hints.append(f"the traceback is in {log_path(places)}")
    what, hint = show_line(_describe(error)), "; ".join(hints)
    line = f"tellback: {what}; {hint}" if hint else f"tellback: {what}"
    return Result(data={"error": what, "hint": hint or None}, messages=(line,), exit_code=1)


def _describe(error: Exception) -> str:
    """Return what went wrong: of the system's errors its own words and the file, else class and message."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"
