"""Spans of time as people write them: ``10m``, ``1h30m``, ``2w``; and points in time for ``--since``."""

import re
from datetime import datetime, timezone

from .errors import TellbackError

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|s|m|h|d|w)")
_SPAN = re.compile(rf"(?:{_PART.pattern})+")
_RFC_3339 = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(?:[Zz]|([+-][0-9]{2}:[0-9]{2}))"
)


def parse_duration(text: str) -> float:
    """Return the seconds that *text* stands for: numbers with ``ms``, ``s``, ``m``, ``h``, ``d`` or ``w``.

    Raises:
        TellbackError: it is no such text.
    """
    if not _SPAN.fullmatch(text.strip()):
        raise TellbackError(f"{text!r} is no duration", hint="write it like 60s, 10m, 12h, 7d or 2w")
    return sum(float(number) * _UNITS_S[unit] for number, unit in _PART.findall(text))


def format_duration(seconds: float) -> str:
    """Return *seconds* in the largest unit that gives a whole number, as ``parse_duration`` reads it."""
    for unit in ("w", "d", "h", "m", "s", "ms"):
        count = seconds / _UNITS_S[unit]
        if count >= 1 and abs(count - round(count)) < 1e-6:
            return f"{round(count)}{unit}"
    return "0s" if seconds <= 0 else f"{seconds:f}".rstrip("0").rstrip(".") + "s"


def parse_since(text: str, now: float) -> float:
    """Return the point in time that *text* names, in UTC seconds: RFC 3339, or a span before *now* (S-133).

    Raises:
        TellbackError: it is neither.
    """
    if _SPAN.fullmatch(text.strip()):
        return now - parse_duration(text)
    match = _RFC_3339.fullmatch(text.strip())
    if match is None:
        raise TellbackError(f"{text!r} is no time", hint="write it like 2026-03-01T12:00:00Z, or like 30m, 12h, 7d, 2w")
    day, clock, fraction, offset = match.groups()
    try:
        at = datetime.fromisoformat(f"{day}T{clock}{offset or '+00:00'}")
    except ValueError as error:
        raise TellbackError(f"{text!r} is no time: {error}") from None
    return at.astimezone(timezone.utc).timestamp() + float(f"0.{fraction or 0}")
