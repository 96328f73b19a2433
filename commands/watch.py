"""``tellback watch``: a live view in the foreground; it is no service and leaves nothing behind."""

import click

from ..core.duration import parse_duration
from ..core.errors import TellbackError
from ..core.paths import find_places
from ..sessions.table import READERS
from ..sweep.captures import Capture
from ..sweep.stages.late import HARNESSES
from .follow import follow_captures
from .log_rows import make_rows, render_line
from .result import Result, run


class Duration(click.ParamType[float]):
    """A span of time like ``10s`` or ``5m``, in seconds."""

    name = "D"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds."""
        if isinstance(value, float):
            return value
        try:
            return parse_duration(str(value))
        except TellbackError as error:
            self.fail(str(error), param, ctx)


@click.command("watch")
@click.option("--quiet", "quiet_s", type=Duration(), default="5s", show_default=True, help="Rest before a sweep.")
def command(quiet_s: float) -> None:
    """Show what is heard as it is heard, and sweep when session logs changed and rested; Ctrl-C ends it."""
    run(lambda: _watch(quiet_s), as_json=False)


def _watch(quiet_s: float) -> Result:
    places = find_places()
    stores = [READERS[harness].find_store() for harness in HARNESSES]

    def show(captures: list[Capture]) -> None:
        for row in make_rows(places, captures):
            click.echo(render_line(row))

    click.echo("Listening. Ctrl-C ends it.", err=True)
    follow_captures(places, show, stores, quiet_s)
    return Result()
