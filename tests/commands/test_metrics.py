"""metrics, archive and export-bridge, through the door."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tellback.cli import main

NOW = datetime(2026, 4, 30, tzinfo=timezone.utc)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def make_event(
    number: int, outcome: str, days_ago: float, hint: str | None = None, snippet: str = ""
) -> dict[str, Any]:
    return {
        "event_id": f"{number:016x}",
        "timestamp": (NOW - timedelta(days=days_ago)).isoformat(),
        "session_id": "s",
        "skill_id": "cpp-expert",
        "invocation_uuid": "u",
        "outcome": outcome,
        "confidence": 0.9,
        "correction_type": "rejection" if outcome == "correction" else None,
        "user_message_snippet": snippet,
        "turns_to_feedback": 1,
        "ai_tools_used": [],
        "dimension_hint": hint,
    }


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "feedback-store" / "feedback.jsonl"
    path.parent.mkdir()
    rows = [make_event(n, "correction", 5, "accuracy", "**wrong** <b> naming\n# x") for n in range(3)]
    rows += [make_event(10 + n, "acceptance", 5) for n in range(7)]
    rows += [make_event(20 + n, "correction", 40, "coverage") for n in range(5)]
    rows += [make_event(30 + n, "acceptance", 40) for n in range(5)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.usefixtures("events")
def test_metrics_are_read_from_the_documented_place() -> None:
    result = call("metrics")

    assert result.stdout == (
        "Skill Feedback Metrics\n"
        "========================================\n"
        "  cpp-expert: correction_rate=0.40 (n=20, corrections=8, partials=0, acceptances=12)\n"
        "    hotspots: coverage=5, accuracy=3\n"
    )


@pytest.mark.usefixtures("events")
def test_a_rate_before_and_after_a_moment() -> None:
    before = json.loads(call("metrics", "--until", "2026-04-10T00:00:00Z", "--json").stdout)
    after = json.loads(call("metrics", "--since", "2026-04-10T00:00:00Z", "--json").stdout)

    assert before["skills"]["cpp-expert"]["correction_rate"] == 0.5
    assert after["skills"]["cpp-expert"]["correction_rate"] == 0.3


@pytest.mark.usefixtures("events")
def test_a_trend_at_a_given_moment() -> None:
    result = json.loads(call("metrics", "--trend", "--now", "2026-04-30T00:00:00Z", "--json").stdout)

    trend = result["trends"]["cpp-expert"]
    assert (trend["trend"], trend["direction"], trend["recent_sample"]) == (-0.2, "improving", 10)
    assert (
        "improving (-0.20: 0.30 of 10 after 0.50 of 10)"
        in call("metrics", "--trend", "--now", "2026-04-30T00:00:00Z").stdout
    )


def test_what_was_archived_counts_where_a_moment_is_asked_for(events: Path) -> None:
    call("archive", "--input", str(events), "--days", "1")

    then = json.loads(call("metrics", "--until", "2026-04-10T00:00:00Z", "--json").stdout)
    trend = call("metrics", "--trend", "--now", "2026-04-30T00:00:00Z", "--min-invocations", "11").stdout

    assert then["skills"]["cpp-expert"]["correction_rate"] == 0.5
    assert json.loads(call("metrics", "--json").stdout)["skills"] == {}
    assert "after 0.50 of 10) [not enough data yet]" in trend


@pytest.mark.usefixtures("events")
def test_another_skill_has_no_events() -> None:
    assert json.loads(call("metrics", "--skill", "nosuch", "--json").stdout)["skills"] == {}


def test_a_missing_file_has_no_skills(tmp_path: Path) -> None:
    result = call("metrics", "--input", str(tmp_path / "none.jsonl"))

    assert (result.exit_code, result.stdout.count("\n")) == (0, 2)


def test_archive_moves_old_events(events: Path) -> None:
    result = json.loads(call("archive", "--input", str(events), "--days", "1", "--json").stdout)

    assert result["moved"] == 20
    assert events.read_text() == ""


def test_the_bridge_is_markdown_in_which_no_sentence_is_markup(events: Path) -> None:
    result = call("export-bridge", "--input", str(events))

    path = Path(result.stdout.strip())
    text = path.read_text()
    assert path.name.endswith("-session-feedback-hotspots.md")
    assert text.startswith("# Session feedback hotspots\n")
    assert "- correction rate: 0.40, 95 % interval 0.22 to 0.61" in text
    assert "- hotspots: coverage 5, accuracy 3" in text
    assert "“\\*\\*wrong\\*\\* \\<b\\> naming\\\\n\\# x”" in text


def test_the_bridge_of_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    result = call("export-bridge", "--input", str(tmp_path / "none.jsonl"))

    assert result.exit_code == 1
    assert "run `tellback analyze` first" in result.stderr
