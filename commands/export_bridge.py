"""``tellback export-bridge``: the hotspot summary in Markdown for QMD and study-brain."""

from datetime import datetime, timezone
from pathlib import Path

import click

from ..core.config import load_settings
from ..core.errors import TellbackError
from ..core.files import replace_file
from ..core.paths import find_places
from ..learning.bridge import format_bridge
from .metrics import read_events
from .result import Result, run


@click.command("export-bridge")
@click.option("--input", "path", type=click.Path(path_type=Path), help="The event file; default: analyze.output.")
@click.option(
    "--output", type=click.Path(path_type=Path), help="Default: <date>-session-feedback-hotspots.md beside it."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(path: Path | None, output: Path | None, as_json: bool) -> None:
    """Write a Markdown summary of what each skill is corrected for, and print its path."""
    run(lambda: _export(path, output), as_json)


def _export(path: Path | None, output: Path | None) -> Result:
    path = path or Path(load_settings(find_places()).analyze_output)
    if not path.exists():
        raise TellbackError(f"{path} is not there", hint="run `tellback analyze` first")
    now = datetime.now(timezone.utc)
    output = output or path.parent / f"{now.astimezone():%Y-%m-%d}-session-feedback-hotspots.md"
    events = read_events(path)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace_file(output, format_bridge(events, now).encode("utf-8", "replace"), mode=0o644)
    except OSError as error:
        raise TellbackError(f"{output} could not be written: {error.strerror}") from error
    return Result({"path": str(output), "events": len(events)}, str(output))
