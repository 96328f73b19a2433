"""From corrections to a change of a skill: eligibility, patterns, confidence, bounds, confirmation, undo."""

import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tellback.core.errors import TellbackError
from tellback.learning.audit import AuditLog
from tellback.learning.bounds import make_bounds
from tellback.learning.drift import DriftTracker
from tellback.learning.feedback_store import FeedbackStore
from tellback.learning.history import find_undo, undo_refinement
from tellback.learning.patterns import compute_confidence, find_patterns
from tellback.learning.refinement import Change, ConfirmationRequiredError, RefinementEngine, Suggestion
from tellback.learning.skills import SkillStore
from tellback.learning.versions import VersionManager

NOW = datetime(2025, 7, 22, 12, tzinfo=timezone.utc)
OLD, NEW = "npx eslint --fix .", "npx eslint --fix --ext .ts,.tsx ."
FILLER = "".join(f"Line {n} says something that stays as it is.\n" for n in range(20))
BODY = f"# Lint on Save\n\nRun `{OLD}` when a file is saved.\n{FILLER}"


class Bench:
    """A project with one skill and its feedback."""

    def __init__(self, folder: Path, front: str = "name: lint\n", body: str = BODY) -> None:
        self.skills = SkillStore(folder / ".claude" / "skills")
        self.path = self.skills.path_of("lint")
        self.path.parent.mkdir(parents=True)
        self.path.write_bytes(f"---\n{front}---\n{body}".encode())
        self.store = FeedbackStore(folder / ".planning" / "patterns", now=lambda: NOW)
        self.audit = AuditLog(self.skills.folder)

    def correct(self, session: str, original: str = OLD, corrected: str = NEW) -> None:
        self.store.record(
            {
                "type": "correction",
                "skillName": "lint",
                "sessionId": session,
                "original": original,
                "corrected": corrected,
            }
        )

    def engine(self, with_drift: bool = False, now: datetime = NOW, **config: Any) -> RefinementEngine:
        tracker = DriftTracker(VersionManager(self.skills.folder), self.skills) if with_drift else None
        return RefinementEngine(self.store, self.skills, config, tracker, now=lambda: now)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def three(bench: Bench) -> Bench:
    for session in ("s1", "s2", "s3"):
        bench.correct(session)
    return bench


def events(*rows: tuple[str, str, str]) -> list[dict[str, Any]]:
    return [{"sessionId": session, "original": a, "corrected": b} for session, a, b in rows]


SAME = [("s1", "a", "b")] * 5
MIXED = [("s1", "a", "b")] * 4 + [("s1", "c", "d"), ("s1", "e", "f")]
SPREAD = [(f"s{n}", "a", "b") for n in range(3)] + [(f"s{n}", "c", "d") for n in range(3, 5)]


@pytest.mark.parametrize(
    ("rows", "weight", "confidence"),
    [
        pytest.param(SAME, 1, 0.5, id="5 of 5, literal"),
        pytest.param(MIXED, 1, 4 / 12, id="4 of 6, literal"),
        pytest.param([("s1", "a", "b")] * 6, 1, 0.5, id="6 of 6, literal"),
        pytest.param(SAME, 2, 0.5, id="5 in one session"),
        pytest.param([(f"s{n}", "a", "b") for n in range(3)], 2, 5 / 6, id="3 in three sessions"),
        pytest.param(SPREAD, 2, 0.8, id="frequencies 3 and 2 over five sessions"),
    ],
)
def test_the_worked_confidences_come_out(rows: list[tuple[str, str, str]], weight: int, confidence: float) -> None:
    corrections = events(*rows)

    assert compute_confidence(find_patterns(corrections, weight), len(corrections)) == pytest.approx(confidence)


def test_one_correction_of_a_kind_is_noise() -> None:
    assert find_patterns(events(("s1", "a", "b"), ("s2", "c", "d"), ("s3", "e", "f"))) == []


def test_long_texts_that_begin_alike_are_one_pattern_with_its_most_frequent_texts() -> None:
    head = "x" * 50
    rows = [("s1", head + "1", "b"), ("s2", head + "2", "b"), ("s3", head + "2", "b")]

    (pattern,) = find_patterns(events(*rows))

    assert (pattern.original, pattern.frequency, pattern.sessions) == (head + "2", 3, 3)


def test_a_correction_without_both_texts_takes_no_part() -> None:
    assert find_patterns([{"sessionId": "s", "original": "a"}] * 3) == []


def test_a_skill_that_is_not_there_is_not_eligible(bench: Bench) -> None:
    assert bench.engine().check_eligibility("nosuch").reason == "skill_not_found"


def test_too_few_corrections_are_counted(bench: Bench) -> None:
    bench.correct("s1")

    eligibility = bench.engine().check_eligibility("lint")

    assert (eligibility.reason, eligibility.correction_count, eligibility.corrections_needed) == (
        "insufficient_feedback", 1, 2
    )  # fmt: skip


@pytest.mark.parametrize(
    ("refined", "days"),
    [
        pytest.param("2025-07-20T12:00:00Z", 5, id="two days ago"),
        pytest.param("2025-07-20T13:00:00Z", 6, id="a day that began counts whole"),
        pytest.param("2025-07-15T12:00:00Z", 0, id="just over"),
        pytest.param("2025-06-15T00:00:00Z", 0, id="long ago"),
    ],
)
def test_a_cooldown_of_seven_days_is_kept(tmp_path: Path, refined: str, days: int) -> None:
    bench = Bench(tmp_path, front=f"metadata:\n  tellback:\n    learning:\n      lastRefined: {refined}\n")
    for session in "abc":
        bench.correct(session)

    eligibility = bench.engine().check_eligibility("lint")

    assert (eligibility.reason, eligibility.days_remaining) == (("cooldown", days) if days else (None, 0))


def test_three_equal_corrections_of_three_sessions_are_a_suggestion(three: Bench) -> None:
    suggestion = three.engine().generate_suggestion("lint")

    assert suggestion is not None
    assert suggestion.suggested_changes == (Change(OLD, NEW, "Pattern observed 3 times in user corrections"),)
    assert (suggestion.based_on_corrections, suggestion.current_version) == (3, 1)
    assert suggestion.confidence == pytest.approx(5 / 6)
    assert f"[CHANGED: {NEW}]" in suggestion.preview
    assert len(suggestion.preview) <= 500


@pytest.mark.parametrize(
    ("config", "obstacle"),
    [({"minConfidence": 0.9}, "low_confidence"), ({"cross_session_weight": 1}, "low_confidence"),
     ({"minCorrectionsForRefinement": 4}, "not_eligible")],
)  # fmt: skip
def test_what_stands_in_the_way_is_told(three: Bench, config: dict[str, Any], obstacle: str) -> None:
    considered = three.engine(**config).consider("lint")

    assert (considered.suggestion, considered.obstacle) == (None, obstacle)


def test_a_confidence_equal_to_the_bound_passes(three: Bench) -> None:
    assert three.engine(min_confidence=5 / 6).generate_suggestion("lint") is not None


def test_a_pattern_that_the_skill_no_longer_has_is_left_out(bench: Bench) -> None:
    for session in "abc":
        bench.correct(session, "gone from the skill", "whatever")

    assert bench.engine().consider("lint").obstacle == "not_in_body"


def test_an_applied_refinement_changes_the_text_and_the_bookkeeping_alone(three: Bench) -> None:
    engine = three.engine()
    before = three.path.read_text()
    suggestion = engine.generate_suggestion("lint")
    assert suggestion is not None

    applied = engine.apply_refinement("lint", suggestion, True)

    assert (applied.success, applied.new_version) == (True, 2)
    assert three.path.read_text() == before.replace(
        "name: lint\n",
        'name: lint\nmetadata:\n  tellback:\n    version: 2\n    updatedAt: "2025-07-22T12:00:00.000Z"\n'
        '    applicationCount: 1\n    learning:\n      lastRefined: "2025-07-22T12:00:00.000Z"\n',
    ).replace(OLD, NEW)
    (entry,) = three.audit.find_entries(three.path, "refine")
    assert (entry["type"], entry["skill"], entry["fromVersion"], entry["toVersion"]) == ("refine", "lint", 1, 2)
    assert '"type":"refine"' in three.audit.path.read_text()


@pytest.mark.parametrize("confirmed", [False, None, 1, "yes"])
def test_without_a_yes_nothing_is_read_or_written(three: Bench, confirmed: Any) -> None:
    suggestion = three.engine().generate_suggestion("lint")
    assert suggestion is not None
    before = three.path.read_bytes()

    with pytest.raises(ConfirmationRequiredError, match="User confirmation required for skill refinement"):
        three.engine().apply_refinement("lint", suggestion, confirmed)

    assert three.path.read_bytes() == before
    assert not three.audit.path.exists()


@pytest.mark.parametrize("name", ["requireUserConfirmation", "require_user_confirmation"])
def test_no_setting_makes_the_confirmation_unnecessary(three: Bench, name: str) -> None:
    engine = three.engine(**{name: False})
    suggestion = engine.generate_suggestion("lint")
    assert suggestion is not None

    with pytest.raises(ConfirmationRequiredError):
        engine.apply_refinement("lint", suggestion, False)

    assert make_bounds({name: False}).require_user_confirmation is True


def suggest(*changes: tuple[str, str], id_: str = "") -> Suggestion:
    return Suggestion("lint", 1, tuple(Change(a, b, "r") for a, b in changes), 1.0, 3, "", id_)


@pytest.mark.parametrize(
    ("suggestion", "error"),
    [
        pytest.param(suggest((FILLER, "short")), r"Change exceeds bounds \(\d+% > 20%\)", id="one change too large"),
        pytest.param(
            suggest(*[(f"Line {n} says something that stays as it is.", "!") for n in range(6)]),
            r"Change exceeds bounds", id="many small ones too large together",
        ),
        pytest.param(suggest(("not there", "x")), "is not in the skill", id="a text that is not there"),
        pytest.param(suggest(("", "x")), "is not in the skill", id="an empty text"),
        pytest.param(suggest((OLD, NEW), id_="000000000000"), "changed since it was shown", id="a stale yes"),
    ],
)  # fmt: skip
def test_a_refusal_leaves_the_file_byte_for_byte(three: Bench, suggestion: Suggestion, error: str) -> None:
    before = three.path.read_bytes()

    applied = three.engine().apply_refinement("lint", suggestion, True)

    assert not applied.success
    with pytest.raises(AssertionError, match=error):
        raise AssertionError(applied.error)
    assert three.path.read_bytes() == before
    assert not three.audit.path.exists()


@pytest.mark.parametrize(
    ("letters", "valid", "percent"), [(10, True, 20), (11, False, 22)], ids=["exactly 20 % passes", "22 % does not"]
)
def test_the_bound_is_twenty_percent_of_the_text(bench: Bench, letters: int, valid: bool, percent: int) -> None:
    before = "a" * letters + " " + "b" * (99 - letters)

    validation = bench.engine().validate_change(before, "c" * letters + before[letters:])

    assert (validation.valid, validation.change_percent) == (valid, percent)


def test_a_suggestion_made_before_another_refinement_is_refused_in_its_cooldown(three: Bench) -> None:
    engine = three.engine()
    assert engine.apply_refinement("lint", suggest((OLD, NEW)), True).success

    applied = engine.apply_refinement("lint", suggest(("Line 1 ", "Line one ")), True)

    assert not applied.success
    assert "cooldown" in str(applied.error)


def test_several_refinements_a_period_may_be_allowed(three: Bench) -> None:
    engine = three.engine(maxRefinementsPerSkill=2)
    assert engine.apply_refinement("lint", suggest((OLD, NEW)), True).success

    assert engine.check_eligibility("lint").eligible
    assert engine.apply_refinement("lint", suggest(("Line 1 ", "Line one ")), True).success
    assert engine.check_eligibility("lint").reason == "cooldown"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


def commit(bench: Bench, body: str) -> None:
    bench.path.write_text(f"---\nname: lint\n---\n{body}")
    git(bench.skills.folder, "add", ".")
    git(bench.skills.folder, "commit", "-m", "x")


@pytest.fixture
def in_git(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    git(tmp_path, "init", "-q")
    return bench


def test_drift_is_measured_from_the_oldest_commit_without_frontmatter(in_git: Bench) -> None:
    commit(in_git, "aaaa bbbb cccc dddd")
    commit(in_git, "aaaa bbbb cccc eeee")
    in_git.path.write_text("---\nname: other\nx: 1\n---\naaaa bbbb ffff eeee")

    drift = DriftTracker(VersionManager(in_git.skills.folder), in_git.skills).compute_drift("lint")

    assert drift.cumulative_drift_percent == 84.2  # 16 of 19 characters
    assert (drift.original_content, drift.threshold_exceeded) == ("aaaa bbbb cccc dddd", True)


def test_one_commit_or_none_is_no_drift(in_git: Bench) -> None:
    tracker = DriftTracker(VersionManager(in_git.skills.folder), in_git.skills)
    without = tracker.compute_drift("lint").cumulative_drift_percent
    commit(in_git, "aaaa")
    in_git.path.write_text("---\nname: lint\n---\nbbbb")

    assert (without, tracker.compute_drift("lint").cumulative_drift_percent) == (0.0, 0.0)


def test_an_empty_original_is_no_drift(in_git: Bench) -> None:
    commit(in_git, "")
    commit(in_git, "text")

    drift = DriftTracker(VersionManager(in_git.skills.folder), in_git.skills).compute_drift("lint")

    assert drift.cumulative_drift_percent == 0.0


@pytest.mark.parametrize(("threshold", "exceeded"), [(40, True), (40.1, False)])
def test_a_threshold_is_reached_when_it_is_equal(in_git: Bench, threshold: float, exceeded: bool) -> None:
    commit(in_git, "aaaa bbbb cccc dddd!")
    commit(in_git, "aaaa bbbb cccc eeee!")

    drift = DriftTracker(VersionManager(in_git.skills.folder), in_git.skills).check_threshold("lint", threshold)

    assert (drift.cumulative_drift_percent, drift.threshold_exceeded) == (40.0, exceeded)


def test_a_drift_over_the_threshold_refuses_every_refinement(in_git: Bench) -> None:
    commit(in_git, "aaaa bbbb cccc dddd")
    commit(in_git, "eeee ffff gggg dddd")

    applied = in_git.engine(with_drift=True).apply_refinement("lint", suggest(("dddd", "d")), True)

    assert applied.error == "Cumulative drift (126.3%) exceeds threshold (60%)"


def test_a_change_that_would_pass_the_threshold_is_refused_before_it_is_written(in_git: Bench) -> None:
    commit(in_git, "a" * 50 + " " + "b" * 25 + " " + "c" * 9 + " " + "d" * 13)
    commit(in_git, "a" * 50 + " " + "e" * 25 + " " + "c" * 9 + " " + "d" * 13)
    before = in_git.path.read_bytes()

    applied = in_git.engine(with_drift=True).apply_refinement("lint", suggest(("c" * 9, "f" * 9)), True)

    assert applied.error == "Projected drift (68%) would exceed threshold (60%)"
    assert in_git.path.read_bytes() == before


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_no_sequence_of_refinements_passes_the_bounds(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bench = Bench(
        tmp_path_factory.mktemp("bench"), body="alpha beta gamma delta epsilon zeta eta theta iota kappa\n" * 2
    )
    git(bench.skills.folder, "init", "-q")
    commit(bench, bench.skills.read("lint").text.body)  # type: ignore[union-attr]
    commit(bench, bench.skills.read("lint").text.body + "\n")  # type: ignore[union-attr]
    tracker = DriftTracker(VersionManager(bench.skills.folder), bench.skills)
    for number in range(data.draw(st.integers(1, 8))):
        body = bench.skills.read("lint").text.body  # type: ignore[union-attr]
        start = data.draw(st.integers(0, len(body) - 1))
        old = body[start : start + data.draw(st.integers(1, 20))]
        new = data.draw(st.text(st.sampled_from("xyz $\\g<0>"), max_size=12))
        before = bench.path.read_bytes()

        engine = bench.engine(with_drift=True, now=NOW + timedelta(days=8 * number))
        applied = engine.apply_refinement("lint", suggest((old, new)), True)

        if applied.success:
            after = bench.skills.read("lint").text.body  # type: ignore[union-attr]
            assert after == body.replace(old, new, 1)
            assert engine.validate_change(body, after).valid
        else:
            assert bench.path.read_bytes() == before
        assert tracker.compute_drift("lint").cumulative_drift_percent < 60


@pytest.mark.parametrize("committed", [True, False], ids=["kept by Git", "kept in a file"])
def test_undo_brings_the_very_bytes_back(in_git: Bench, committed: bool) -> None:
    if committed:
        commit(in_git, BODY)
    before = in_git.path.read_bytes()
    assert in_git.engine().apply_refinement("lint", suggest((OLD, NEW)), True).success

    undo_refinement(in_git.skills, "lint", True)

    assert in_git.path.read_bytes() == before
    assert (in_git.skills.folder.parent / ".skill-history").exists() is not committed


def test_undo_goes_back_one_refinement_at_a_time(bench: Bench) -> None:
    versions = [bench.path.read_bytes()]
    for n, change in enumerate([(OLD, NEW), ("Line 1 ", "Line one ")]):
        engine = bench.engine(now=NOW + timedelta(days=8 * n))
        assert engine.apply_refinement("lint", suggest(change), True).success
        versions.append(bench.path.read_bytes())

    undo_refinement(bench.skills, "lint", True)
    once = bench.path.read_bytes()
    undo_refinement(bench.skills, "lint", True)

    assert (once, bench.path.read_bytes()) == (versions[1], versions[0])
    with pytest.raises(TellbackError, match="no refinement to undo"):
        find_undo(bench.skills, "lint")


def test_undo_refuses_a_skill_that_was_changed_since(bench: Bench) -> None:
    assert bench.engine().apply_refinement("lint", suggest((OLD, NEW)), True).success
    bench.path.write_bytes(bench.path.read_bytes() + b"mine\n")
    before = bench.path.read_bytes()

    with pytest.raises(TellbackError, match="changed since"):
        undo_refinement(bench.skills, "lint", True)

    assert bench.path.read_bytes() == before


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", "/etc", "c:x", "a\0b"])
def test_a_name_that_leads_out_of_the_store_is_refused(bench: Bench, name: str) -> None:
    with pytest.raises(TellbackError, match="no name of a skill"):
        bench.skills.read(name)
