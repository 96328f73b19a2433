import os
from pathlib import Path

import pytest

from tellback.install.retention import describe_retention, read_retention
from tellback.install.table import HARNESSES

CLAUDE, CURSOR = HARNESSES["claude-code"], HARNESSES["cursor"]
NOW, DAY = 1_800_000_000.0, 86_400.0


@pytest.fixture
def claude(home: Path) -> Path:
    """Return ``~/.claude`` with sessions of 1, 22.5, 24 and 29 days, and files that are none."""
    folder = home / ".claude" / "projects" / "-home-ada-work"
    (folder / "s1" / "subagents").mkdir(parents=True)
    names = {"a.jsonl": 1, "b.jsonl": 22.5, "c.jsonl": 24, "d.jsonl": 29, "s1/subagents/e.jsonl": 29, "note.txt": 29}
    for name, days in names.items():
        (folder / name).touch()
        os.utime(folder / name, (NOW - days * DAY, NOW - days * DAY))
    return home / ".claude"


def test_sessions_that_go_within_a_week_are_counted(claude: Path) -> None:
    assert claude.is_dir()

    retention = read_retention(CLAUDE, NOW)

    assert retention
    assert (retention.days, retention.sessions, retention.vanishing) == (30, 4, 2)
    assert "2 of 4 on this machine go within 7 days. `tellback backfill`" in describe_retention(
        retention, "Claude Code"
    )


@pytest.mark.parametrize(
    ("settings", "days", "vanishing"),
    [
        ('{"cleanupPeriodDays": 60}', 60, 0),
        ('{"cleanupPeriodDays": 8}', 8, 3),
        ('{"cleanupPeriodDays": true}', 30, 2),
        ('{"cleanupPeriodDays": "9"}', 30, 2),
        ("{", 30, 2),
    ],
)
def test_the_persons_own_period_counts(settings: str, days: float, vanishing: int, claude: Path) -> None:
    (claude / "settings.json").write_text(settings)

    retention = read_retention(CLAUDE, NOW)

    assert retention
    assert (retention.days, retention.vanishing) == (days, vanishing)


def test_nothing_is_said_where_nothing_goes(home: Path) -> None:
    assert home.is_dir()
    assert describe_retention(read_retention(CLAUDE, NOW), "Claude Code") == ""
    assert read_retention(CURSOR, NOW) is None
