"""What a check gets and what it gives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...core.news import News, news_path, parse_news
from ...core.shapes import Places
from ..manifest import Manifest

Level = Literal["ok", "warn", "problem"]
NEWS_BYTES = 16 << 20  # a week of news is far below; of a longer file the end is what matters


@dataclass(frozen=True)
class Finding:
    """One fact about this installation.

    Attributes:
        check: the subject, a word or two.
        level: ``warn`` wants a look, ``problem`` keeps Tellback from its work.
        what: one sentence; text from outside is escaped when it is shown.
        fix: what to do about it; ``""`` when there is nothing to do.
        data: the same as JSON types, for ``--json``.
        repair: does it, where that is safe; ``None``: a person must.
    """

    check: str
    level: Level
    what: str
    fix: str = ""
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    repair: Callable[[], object] | None = None


@dataclass(frozen=True)
class Site:
    """What the checks look at.

    Attributes:
        now: UTC seconds.
        project: the folder that the person stands in.
        interpreter: the running Python, to which ``--fix`` re-points what is broken.
        manifest: what install noted; an empty one when its file cannot be read (which is a finding).
        news: the hook calls of the last seven days, oldest first.
    """

    places: Places
    now: float
    project: Path
    interpreter: str
    manifest: Manifest
    news: tuple[News, ...]


Check = Callable[[Site], list[Finding]]


def read_news(places: Places) -> tuple[News, ...]:
    """Return the news that lie in the cache, oldest first; lines that are none are left out."""
    try:
        with open(news_path(places), "rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - NEWS_BYTES))
            lines = file.read().split(b"\n")
    except OSError:
        return ()
    return tuple(news for line in lines if (news := parse_news(line)))


def say_ago(seconds: float) -> str:
    """Return a span of time as people say it: ``3 minutes ago``."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
