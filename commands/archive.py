"""``tellback archive``: move old events of the analyzer away; every sweep does it by itself."""

from pathlib import Path

import click

from ..core.config import load_settings
from ..core.errors import TellbackError
from ..core.paths import find_places
from ..learning.event_file import archive_old_events
from .result import Result, run


@click.command("archive")
@click.option("--input", "path", type=click.Path(path_type=Path), help="The event file; default: analyze.output.")
@click.option("--days", type=click.IntRange(1), help="Age in days; default: analyze.archive_days.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(path: Path | None, days: int | None, as_json: bool) -> None:
    """Move events older than 90 days to archive/feedback-YYYYMMDD.jsonl beside the event file."""
    run(lambda: _archive(path, days), as_json)


def _archive(path: Path | None, days: int | None) -> Result:
    settings = load_settings(find_places())
    path = path or Path(settings.analyze_output)
    try:
        moved = archive_old_events(path, days=days or settings.analyze_archive_days)
    except OSError as error:
        raise TellbackError(f"{path} could not be archived: {error.strerror}") from error
    return Result({"path": str(path), "moved": moved}, f"{moved} {'event' if moved == 1 else 'events'} moved")
