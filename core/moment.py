"""Moments as the learning files write them: ISO 8601 in UTC, with milliseconds and ``Z`` (L-6)."""

from datetime import datetime, timezone


def parse_moment(text: object) -> datetime | None:
    """Return the moment that *text* names, one without a zone taken as UTC; ``None`` when it names none."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def format_moment(at: datetime) -> str:
    """Return *at*, which has a time zone, as the files write it."""
    return at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
