"""report, through the door: the table, the JSON, the page."""

import json
import re
import sys
from contextlib import closing
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tellback.cli import main
from tellback.core.db import open_db, transaction
from tellback.core.shapes import Places
from tellback.learning.audit import AuditLog
from tellback.learning.event_store import find_event_file
from tellback.learning.ledger import Call, add_call

NOW = datetime.now(timezone.utc)
SECRET = "ghp_" + "a" * 36


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["report", *arguments], catch_exceptions=False)


def make_event(number: int, outcome: str, days_ago: float, skill: str = "lint", **more: Any) -> dict[str, Any]:
    is_bad = outcome != "acceptance"
    return {
        "event_id": f"{number:016x}",
        "timestamp": (NOW - timedelta(days=days_ago)).isoformat(),
        "session_id": "s",
        "skill_id": skill,
        "invocation_uuid": "u",
        "outcome": outcome,
        "confidence": 0.9,
        "correction_type": "rejection" if is_bad else None,
        "user_message_snippet": "that is wrong" if is_bad else "fine",
        "turns_to_feedback": 1,
        "ai_tools_used": [],
        "dimension_hint": "accuracy" if is_bad else None,
        **more,
    }


class Store:
    """The sweep's own store, filled by hand."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.count = 0

    def add(
        self,
        outcome: str,
        days_ago: float,
        skill: str = "lint",
        *,
        version: str = "",
        headless: bool = False,
        **more: Any,
    ) -> None:
        self.count += 1
        event = make_event(self.count, outcome, days_ago, skill, **more)
        path = find_event_file(self.places, is_headless=headless)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(event) + "\n")
        self.note(event["event_id"], days_ago, skill, version, headless)

    def note(self, ident: str, days_ago: float, skill: str, version: str = "", headless: bool = False) -> None:
        at = (NOW - timedelta(days=days_ago)).timestamp()
        with closing(open_db(self.places)) as db, transaction(db):
            add_call(db, Call(ident, "claude-code", "s", skill, at, version, f"model-{version[:1]}", headless))

    def call(self, skill: str, days_ago: float = 1) -> None:
        """Add a call that nobody reacted to."""
        self.count += 1
        self.note(f"{self.count:016x}", days_ago, skill)


@pytest.fixture
def store(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    return Store(places)


def add_history(store: Store) -> None:
    """Two months of one skill: 4 of 8 corrected with version a, then 2 of 8 with version b."""
    for number in range(8):
        store.add("correction" if number < 4 else "acceptance", 45, version="a" * 64)
        store.add("correction" if number < 2 else "acceptance", 5, version="b" * 64)


def test_the_table_names_rate_interval_trend_and_hotspots(store: Store) -> None:
    add_history(store)
    store.call("lint")

    text = call().stdout

    row = next(line for line in text.splitlines() if line.startswith("lint "))
    assert row.split() == [
        *("lint", "0.38", "0.18-0.61", "16", "17", "improving", "-0.25"),
        *("·····▅·····▃", "accuracy", "6"),
    ]
    assert "  version aaaaaaaa: 0.50 (0.22-0.78, n=8)" in text
    assert "  version bbbbbbbb: 0.25 (0.07-0.59, n=8)" in text
    assert "  model model-a: 0.50" in text


def test_too_few_events_are_not_enough_yet(store: Store) -> None:
    for _ in range(4):
        store.add("correction", 2)

    row = call().stdout.splitlines()[3]  # below the headline

    assert row.count("not enough yet") == 2
    assert "4 of 5" in row


def test_a_wrong_choice_is_kept_apart_from_a_wrong_skill(store: Store) -> None:
    for _ in range(5):
        store.add("acceptance", 3)
    for _ in range(5):
        store.add("correction", 3, dimension_hint="trigger_quality")

    (of,) = json.loads(call("--json").stdout)["skills"]

    assert (of["correction_rate"], of["wrong_choices"]) == (0.5, 5)
    assert (of["rightly_chosen"]["correction_rate"], of["rightly_chosen"]["sample_size"]) == (0.0, 5)
    assert "when it was the right skill 0.00" in call().stdout


def test_a_moment_parts_the_rate_before_from_the_rate_after(store: Store) -> None:
    add_history(store)

    text = call("--since", "30d").stdout
    (before,) = json.loads(call("--until", "30d", "--json").stdout)["skills"]

    assert "before 0.50 (0.22-0.78, n=8), since then 0.25 (0.07-0.59, n=8)" in text
    assert before["correction_rate"] == 0.5


def test_installed_skills_that_nobody_called_are_dead(store: Store, home: Path) -> None:
    for name in ("lint", "quiet"):
        folder = home / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("x")
    store.call("lint")

    assert json.loads(call("--json").stdout)["dead"] == ["quiet"]
    assert "Installed, never called: quiet" in call().stdout
    assert json.loads(call("--skill", "lint", "--json").stdout)["dead"] == []


def test_what_a_program_drove_is_left_out_unless_asked_for(store: Store) -> None:
    store.add("acceptance", 1)
    store.add("correction", 1, headless=True)

    (people,) = json.loads(call("--json").stdout)["skills"]
    (both,) = json.loads(call("--json", "--include-headless").stdout)["skills"]

    assert (people["sample_size"], people["calls"]) == (1, 1)
    assert (both["sample_size"], both["calls"]) == (2, 2)


def test_archived_events_still_count(store: Store) -> None:
    store.add("correction", 100)
    path = find_event_file(store.places)
    (path.parent / "archive").mkdir()
    path.rename(path.parent / "archive" / "feedback-20260101.jsonl")

    (of,) = json.loads(call("--json").stdout)["skills"]

    assert of["sample_size"] == 1


def test_one_skill_by_name_shows_its_newest_sentences(store: Store) -> None:
    store.add("correction", 3, user_message_snippet="older")
    store.add("correction", 2, user_message_snippet="newer \x1b[31m")
    store.add("correction", 2, skill="other")

    lines = call("--skill", "lint").stdout.splitlines()

    assert [line.partition("“")[2] for line in lines if "“" in line] == ["newer \\x1b[31m”", "older”"]


def test_nothing_known_is_said(store: Store) -> None:
    assert call().stdout == "No corrections yet.\n\nNo skill was called yet.\n"


def test_a_file_of_events_is_scrubbed_and_knows_no_calls(store: Store, tmp_path: Path, own_secret: str) -> None:
    path = tmp_path / "feedback.jsonl"
    path.write_text(
        json.dumps(make_event(1, "correction", 1, user_message_snippet=f"use {SECRET} {own_secret}")) + "\n"
    )

    report = json.loads(call("--input", str(path), "--json").stdout)

    assert (report["skills"][0]["calls"], report["dead"]) == (None, None)
    assert SECRET not in json.dumps(report)
    assert own_secret not in json.dumps(report)


def test_a_file_that_is_not_there_is_told() -> None:
    result = call("--input", "nowhere.jsonl")

    assert (result.exit_code, result.stdout) == (1, "")
    assert "nowhere.jsonl is not there; run `tellback analyze` first" in result.stderr


class Page(HTMLParser):
    """Collects what a page asks the browser to fetch or run, and the text below its details."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.policy = ""
        self.said: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        of = dict(attrs)
        self.links += [str(of[name]) for name in ("src", "href") if name in of]
        self.handlers += [name for name in of if name.startswith("on") or name == "style"]
        if of.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(of["content"])
        if tag == "details":
            self.said.append([])
        if tag == "q":
            self.said[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.said and self.said[-1] and self.lasttag == "q":
            self.said[-1][-1] += data


def test_the_page_stands_alone_and_every_chart_opens_to_what_was_said(store: Store, tmp_path: Path) -> None:
    add_history(store)
    path = tmp_path / "report.html"

    result = call("--html", str(path))

    page = Page(path.read_text())
    assert result.stdout == f"{path}\n"
    assert page.tags.count("img") == page.tags.count("details") == 3
    assert all(link.startswith(("data:image/svg+xml;base64,", "#")) for link in page.links)
    assert "script" not in page.tags
    assert page.policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert [len([text for text in said if text.strip() == "that is wrong"]) for said in page.said] == [6, 6, 6]
    assert path.stat().st_mode & 0o777 == 0o600


def test_nothing_that_was_said_becomes_part_of_the_page(store: Store, tmp_path: Path) -> None:
    evil = "</q><script>alert(1)</script><img src=x onerror=alert(1)> $\\frac$ \u202e"
    for _ in range(6):
        store.add("correction", 3, evil[:60], user_message_snippet=evil, dimension_hint=evil[:40])
    path = tmp_path / "report.html"

    call("--html", str(path))

    page = Page(path.read_text())
    assert "script" not in page.tags
    assert page.handlers == []
    assert "\u202e" not in path.read_text()
    assert evil[4:28] in "".join(page.said[0])


def test_the_same_store_gives_the_same_charts(store: Store, tmp_path: Path) -> None:
    add_history(store)
    pages: list[list[str]] = []
    for name in ("one.html", "two.html"):
        call("--html", str(tmp_path / name))
        pages.append(re.findall(r"base64,([^\"]+)", (tmp_path / name).read_text()))

    assert pages[0] == pages[1]


def test_without_the_chart_library_one_line_says_what_to_install(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tellback.commands.report_page", "tellback.commands.report_charts"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    result = call("--html", str(tmp_path / "report.html"))

    assert result.exit_code == 1
    assert result.stderr == (
        "tellback: the page's charts need matplotlib, which is not installed; run `pip install 'tellback[report]'`\n"
    )
    assert not (tmp_path / "report.html").exists()


def test_the_report_says_what_became_of_a_refinement(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    skill = tmp_path / ".claude" / "skills" / "lint" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("x")
    at = (NOW - timedelta(days=10)).isoformat()
    AuditLog(skill.parents[1]).append({"type": "refine", "timestamp": at, "filePath": str(skill), "toVersion": 2})
    for days in range(30):
        store.add("correction" if days >= 10 else "acceptance", days)

    (of,) = json.loads(call("--json").stdout)["skills"]
    page = tmp_path / "page.html"

    day = f"{NOW - timedelta(days=10):%Y-%m-%d}"
    assert of["effects"][0].startswith(f"{day} version 2: corrections fell from 1.00 to 0.00 (n = 10, 95 % ")
    assert f"refined {of['effects'][0]}" in call("--skill", "lint").stdout
    assert call("--html", str(page)).exit_code == 0
    assert "corrections fell from 1.00 to 0.00" in page.read_text()
