"""Signals beside a skill: their form, one line each, and nothing else of the skill touched."""

import hashlib
import os
import re
from datetime import datetime, timezone
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.errors import TellbackError
from tellback.learning.signals import (
    Said,
    append_signals,
    make_signals,
    normalise_skill,
    read_signals,
    scan_signals,
)

AT = datetime(2026, 4, 5, 10, 30, 15, tzinfo=timezone.utc)
WORDS = "不对，用 X 而不是 Y"
CORRECTED = Said("review the pull request", "a review", "used Y", WORDS, correction="用 X 而不是 Y")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "skills" / "code-review"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: code-review\n---\nbody")
    return folder


def friction(kind: str, words: str = "太慢了") -> Said:
    return Said("t", "i", "p", words, friction_type=kind, friction_detail="tried twice")  # type: ignore[arg-type]


def test_a_corrected_signal_has_the_documents_fields() -> None:
    (signal,) = make_signals("code-review", b"body", [CORRECTED], AT)

    assert signal == {
        "signal_id": f"20260405T103015_code-review_{hashlib.sha256(WORDS.encode()).hexdigest()[:6]}",
        "skill": "code-review",
        "type": "corrected",
        "scenario": "review the pull request",
        "correction": "用 X 而不是 Y",
        "friction_detail": None,
        "friction_type": None,
        "context": {"user_intent": "a review", "problem_turn": "used Y", "user_correction": WORDS},
        "skill_version_hash": hashlib.sha256(b"body").hexdigest(),
        "timestamp": "2026-04-05T10:30:15Z",
    }


def test_a_friction_signal_says_how_it_went_and_quotes_nobody() -> None:
    (signal,) = make_signals("x", b"", [friction("user_urged")], AT)

    assert (signal["type"], signal["correction"], signal["context"]["user_correction"]) == ("friction", None, None)
    assert (signal["friction_type"], signal["friction_detail"]) == ("user_urged", "tried twice")


def test_the_points_of_one_message_have_ids_of_their_own() -> None:
    signals = make_signals("x", b"", [CORRECTED, CORRECTED._replace(correction="z")], AT)

    ids = [signal["signal_id"] for signal in signals]
    assert len(set(ids)) == 2
    assert all(re.fullmatch(r"20260405T103015_x_[0-9a-f]{6}", signal_id) for signal_id in ids)


@pytest.mark.parametrize(
    ("name", "normal"),
    [("Code Review", "code-review"), ("plugin:Lint_All", "plugin-lint-all"), ("a--b", "a-b"), ("评审", "评审")],
)
def test_a_skills_name_is_written_lower_case_with_hyphens(name: str, normal: str) -> None:
    assert normalise_skill(name) == normal


def test_signals_are_appended_one_line_each_and_once(skill: Path) -> None:
    signals = make_signals("code-review", b"", [CORRECTED], AT)
    more = make_signals("code-review", b"", [friction("guessed_step", "other")], AT)

    counts = [append_signals(skill, signals), append_signals(skill, signals), append_signals(skill, more)]

    path = skill / ".skillopt" / "pending" / "signal.json"
    assert counts == [1, 0, 1]
    assert [orjson.loads(line) for line in path.read_bytes().splitlines()] == signals + more
    assert not path.with_suffix(".jsonl").exists()


def test_nothing_else_of_the_skill_is_written(skill: Path) -> None:
    before = {path: path.read_bytes() for path in skill.rglob("*") if path.is_file()}

    append_signals(skill, make_signals("code-review", b"", [CORRECTED], AT))

    files = {path for path in skill.rglob("*") if path.is_file()}
    assert files - before.keys() == {skill / ".skillopt" / "pending" / "signal.json"}
    assert all(path.read_bytes() == data for path, data in before.items())


@pytest.mark.parametrize("linked", [".skillopt", ".skillopt/pending", ".skillopt/pending/signal.json"])
def test_a_link_below_a_skill_is_never_followed(skill: Path, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "signal.json").write_text("mine")
    link = skill / linked
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "signal.json" if linked.endswith("json") else outside)

    with pytest.raises(TellbackError):
        append_signals(skill, make_signals("code-review", b"", [CORRECTED], AT))

    assert sorted(path.name for path in outside.rglob("*")) == ["signal.json"]
    assert (outside / "signal.json").read_text() == "mine"


def test_a_fifo_in_the_files_place_is_refused_and_not_waited_for(skill: Path) -> None:
    pending = skill / ".skillopt" / "pending"
    pending.mkdir(parents=True)
    os.mkfifo(pending / "signal.json")

    with pytest.raises(TellbackError):
        append_signals(skill, make_signals("code-review", b"", [CORRECTED], AT))
    assert read_signals(skill) == []


def test_a_scan_counts_by_skill_and_kind(skill: Path) -> None:
    append_signals(skill, make_signals("code-review", b"", [CORRECTED, CORRECTED], AT))
    append_signals(skill, make_signals("code-review", b"", [friction("user_urged"), friction("guessed_step")], AT))
    quiet = skill.parent / "quiet"
    quiet.mkdir()

    (pending,) = scan_signals([skill.parent, skill.parent / "missing"])

    assert (pending.skill, pending.corrected, pending.friction, pending.priority) == ("code-review", 2, 2, "normal")
    assert pending.friction_by_type == {"guessed_step": 1, "user_urged": 1}


def test_two_frictions_of_a_kind_are_high_priority(skill: Path) -> None:
    append_signals(skill, make_signals("x", b"", [friction("user_urged"), friction("user_urged", "b")], AT))

    assert scan_signals([skill.parent])[0].priority == "high"


def test_a_file_named_jsonl_is_not_found(skill: Path) -> None:
    pending = skill / ".skillopt" / "pending"
    pending.mkdir(parents=True)
    (pending / "signal.jsonl").write_bytes(orjson.dumps(make_signals("x", b"", [CORRECTED], AT)[0]))

    assert scan_signals([skill.parent]) == []


@given(words=st.text(max_size=80), correction=st.text(max_size=80))
def test_any_words_come_back_from_the_file(
    tmp_path_factory: pytest.TempPathFactory, words: str, correction: str
) -> None:
    skill = tmp_path_factory.mktemp("skill")
    said = CORRECTED._replace(words=words, correction=correction)

    append_signals(skill, make_signals("x", b"", [said], AT))

    (signal,) = read_signals(skill)
    assert (signal["correction"], signal["context"]["user_correction"]) == (correction, words)
