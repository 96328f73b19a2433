"""The sweep's own store of outcomes, below the data folder: events of people, of programs, and their archives (O-17).

What a program drove (headless runs) lies in a folder of its own: the event file has no field for it, and whoever
reads ``feedback.jsonl`` as documented must meet people's reactions only.
"""

from pathlib import Path

from ..core.shapes import Places
from .events import FeedbackEvent, load_feedback_events


def find_event_file(places: Places, is_headless: bool = False) -> Path:
    """Return the event file of people's sessions, or of those that a program drove."""
    folder = Path(places.data) / "feedback-store"
    return (folder / "headless" if is_headless else folder) / "feedback.jsonl"


def load_with_archive(path: Path) -> list[FeedbackEvent]:
    """Return the events in *path* and in the archive beside it, each once.

    Raises:
        OSError: a file is there and cannot be read.
    """
    files = [*sorted((path.parent / "archive").glob("feedback-*.jsonl")), path]
    return list({event["event_id"]: event for file in files for event in load_feedback_events(file)}.values())
