"""record and scan-signals, through the door."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tellback.cli import main
from tellback.core.db import open_db, transaction
from tellback.core.shapes import Places
from tellback.learning.ledger import Attribution, add_attribution
from tellback.learning.signals import Said, read_signals


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.fixture
def skill(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = home / ".claude" / "skills" / "code-review"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("x")
    return folder


def test_a_correction_is_confirmed_and_recorded_point_by_point(skill: Path) -> None:
    result = call(
        *("record", "--corrected", "--skill", "code-review", "--scenario", "review it", "--input", "no: use X; drop Y"),
        *("--correction", "use X", "--correction", "drop Y"),
    )

    assert (result.exit_code, result.stdout) == (0, "已记录 code-review 的 corrected 信号\n")
    assert [signal["correction"] for signal in read_signals(skill)] == ["use X", "drop Y"]


def test_friction_is_silent(skill: Path) -> None:
    result = call("record", "--friction", "guessed_step", "--skill", "code-review", "--detail", "looked it up")

    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert read_signals(skill)[0]["friction_detail"] == "looked it up"


def test_two_frictions_of_one_second_are_two_signals(skill: Path) -> None:
    for detail in ("looked it up", "tried it out"):
        call("record", "--friction", "guessed_step", "--skill", "code-review", "--detail", detail)

    assert [signal["friction_detail"] for signal in read_signals(skill)] == ["looked it up", "tried it out"]
    assert len({signal["signal_id"] for signal in read_signals(skill)}) == 2


def test_what_is_recorded_is_scrubbed(skill: Path) -> None:
    call("record", "--corrected", "--skill", "code-review", "--input", "use ghp_" + "a" * 36)

    assert "ghp_a" not in json.dumps(read_signals(skill))


def test_what_is_recorded_is_scrubbed_by_the_persons_own_patterns(skill: Path, own_secret: str) -> None:
    call("record", "--corrected", "--skill", "code-review", "--input", f"use {own_secret}")

    assert own_secret not in json.dumps(read_signals(skill))


def test_without_a_skill_it_asks_and_writes_nothing(skill: Path) -> None:
    result = call("record", "--corrected", "--input", "wrong")

    assert result.exit_code == 1
    assert "刚才的问题属于哪个 skill？" in result.stderr
    assert not (skill / ".skillopt").exists()


@pytest.mark.parametrize("name", ["nosuch", "../code-review"])
def test_a_skill_that_is_not_there_gets_nothing(skill: Path, name: str) -> None:
    assert call("record", "--corrected", "--skill", name, "--input", "wrong").exit_code == 1
    assert not (skill / ".skillopt").exists()


@pytest.mark.parametrize(
    "arguments",
    [[], ["--corrected", "--friction", "guessed_step"], ["--corrected", "--list-pending"], ["--resolve", "x"],
     ["--friction", "bored"]],
)  # fmt: skip
def test_a_call_that_makes_no_sense_is_a_usage_error(arguments: list[str]) -> None:
    assert call("record", *arguments).exit_code == 2


def test_a_scanner_of_the_home_that_does_not_find_it_is_told(skill: Path) -> None:
    script = skill.parent / "skill-optimizer" / "scripts" / "scan_signals.py"
    script.parent.mkdir(parents=True)
    script.write_text("print('{\"result\": []}')")

    result = call("record", "--corrected", "--skill", "code-review", "--input", "wrong")

    assert result.exit_code == 1
    assert "信号未被 scan_signals.py 识别" in result.stderr
    assert len(read_signals(skill)) == 1


def test_a_scanner_of_a_project_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    skills = tmp_path / ".claude" / "skills"
    (skills / "lint").mkdir(parents=True)
    (skills / "lint" / "SKILL.md").write_text("x")
    script = skills / "skill-optimizer" / "scripts" / "scan_signals.py"
    script.parent.mkdir(parents=True)
    script.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")

    result = call("record", "--corrected", "--skill", "lint", "--input", "wrong")

    assert result.exit_code == 0
    assert not (tmp_path / "ran").exists()


@pytest.fixture
def pending(places: Places, tmp_path: Path) -> str:
    said = (Said("t", "i", "p", "use X", correction="use X"),)
    with closing(open_db(places)) as db, transaction(db):
        add_attribution(
            db, Attribution("abc", "claude-code", "s1", str(tmp_path), 1.8e9, ("code-review", "other"), said)
        )
    return "abc"


@pytest.mark.usefixtures("pending")
def test_pending_corrections_are_listed(skill: Path) -> None:
    result = call("record", "--list-pending")

    assert skill.exists()
    assert "abc" in result.stdout
    assert "code-review or other: use X" in result.stdout


def test_a_pending_correction_is_recorded_once_its_skill_is_said(skill: Path, pending: str) -> None:
    result = call("record", "--resolve", pending, "--skill", "code-review")

    assert result.exit_code == 0
    assert [signal["correction"] for signal in read_signals(skill)] == ["use X"]
    assert call("record", "--resolve", pending, "--skill", "code-review").exit_code == 1


def test_a_pending_correction_may_be_about_none(skill: Path, pending: str) -> None:
    assert call("record", "--resolve", pending, "--skill", "none").exit_code == 0
    assert read_signals(skill) == []
    assert "No correction waits" in call("record", "--list-pending").stdout


def test_a_scan_shows_what_waits(skill: Path) -> None:
    for words in ("a", "b"):
        call("record", "--friction", "user_urged", "--skill", "code-review", "--input", words)

    text = call("scan-signals").stdout
    data = json.loads(call("scan-signals", "--root", str(skill.parent), "--json").stdout)

    assert text == "code-review: 0 corrected, 2 friction (user_urged 2), high priority\n"
    assert data["result"][0] | {"path": ""} == {
        "skill": "code-review",
        "path": "",
        "corrected": 0,
        "friction": 2,
        "friction_by_type": {"user_urged": 2},
        "priority": "high",
    }
