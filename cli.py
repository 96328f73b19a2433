"""The door: a table of verbs, each loaded only when it is called."""

import importlib
import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, Any

import click

from . import __version__
from .core.errors import TellbackError
from .core.paths import has_cwd

# verb: (module below commands/, one line for the help); the module's `command` is a click command
VERBS: dict[str, tuple[str, str]] = {
    "install": ("install", "hook Tellback into Claude Code or Cursor"),
    "uninstall": ("uninstall", "take the hooks out again; --purge removes everything of Tellback's"),
    "doctor": ("doctor", "is everything wired, alive and writable? --fix does what is safe"),
    "log": ("log", "show what was heard"),
    "brief": ("brief", "what an agent is told when a session starts here"),
    "watch": ("watch", "show what is heard as it is heard"),
    "sweep": ("sweep", "find in the session logs what no hook heard"),
    "backfill": ("backfill", "take what was said before Tellback was there"),
    "capture": ("capture", "say what Tellback hears in a message, or keep it"),
    "eval": ("eval", "how well the detector hears a file of labelled messages"),
    "forget": ("forget", "take a text out of every file of Tellback's, keep its number"),
    "demo": ("demo", "see all of it in a temporary home and project"),
    "analyze": ("analyze", "read from the session logs what people made of the skills' work"),
    "metrics": ("metrics", "how often people correct each skill, from an event file"),
    "report": ("report", "how often people correct each skill, and whether it gets better"),
    "export-bridge": ("export_bridge", "write the hotspot summary in Markdown"),
    "archive": ("archive", "move old events away; every sweep does it by itself"),
    "scan-signals": ("scan_signals", "which skills have signals waiting for an optimizer"),
    "record": ("record", "record that a skill was corrected or fell short"),
    "review": ("review", "decide about proposals, corrections without a skill, unsure learnings"),
    "refine": ("refine", "propose a small change of a skill, make it on your yes, or undo it"),
    "drift": ("drift", "how far a skill has come from where it began"),
    "contradictions": ("contradictions", "corrections of a skill that undo each other"),
    "feedback": ("feedback", "what people said of a skill"),
    "feedback-log": ("feedback_log", "write to the feedback log, check, clean or rotate it"),
    "config": ("config", "show the settings, or set one"),
    "sessions": ("sessions", "the sessions of every harness: list, digest, mark, status"),
    "pause": ("pause", "hear nothing for a while"),
}

# for the checklist in AGENTS.md, not for people
HIDDEN: frozenset[str] = frozenset({"record"})

AS_JSON = "tellback.as_json"


class JsonRefusal(click.ClickException):
    """A refusal of click's, a wrong command line above all, that is told to programs too."""

    def __init__(self, error: click.ClickException) -> None:
        super().__init__(error.message)
        self._error = error
        self.exit_code = error.exit_code  # pyright: ignore[reportAttributeAccessIssue] - each instance may have its own

    def show(self, file: IO[str] | None = None) -> None:
        """Print it as click does, and on stdout the object that every failing command prints with ``--json``."""
        self._error.show(file)
        click.echo(json.dumps({"error": self._error.format_message(), "hint": None}, ensure_ascii=False, indent=2))


@contextmanager
def tell_refusals(as_json: bool) -> Generator[None]:
    """Let click's refusals inside the block be told as JSON too, when that is asked for."""
    try:
        yield
    except click.ClickException as error:
        if as_json and not isinstance(error, JsonRefusal):
            raise JsonRefusal(error) from error
        raise


class VerbTable(click.Group):
    """A group whose commands are imported when they are asked for: a start with `--help` stays short."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the group's own part of the command line; whether ``--json`` is in it is noted for ``invoke``."""
        as_json = "--json" in (args[: args.index("--")] if "--" in args else args)
        with tell_refusals(as_json):
            ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta[AS_JSON] = as_json
        return ctx

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [verb for verb in VERBS if verb not in HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f".commands.{VERBS[cmd_name][0]}", __package__)
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; what fails before its one call, for want of a home or a folder, is one line too."""
        with tell_refusals(ctx.meta[AS_JSON]):
            return self._invoke(ctx)

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TellbackError as error:
            raise click.ClickException(f"{error}; {error.hint}" if error.hint else str(error)) from error
        except FileNotFoundError as error:
            if has_cwd():
                raise
            raise click.ClickException("the folder that you stand in is gone; `cd` to another one") from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(verb, VERBS[verb][1]) for verb in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


@click.group(cls=VerbTable, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tellback")
def main() -> None:
    """Hear what people tell their coding agents, and make it last."""
