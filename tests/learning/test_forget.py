"""Words that a person wants forgotten leave every file of the learning group, and every count stays."""

from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tellback.core.db import open_db, transaction
from tellback.core.ready import question_path
from tellback.core.shapes import Places
from tellback.learning.event_file import append_events
from tellback.learning.feedback_store import FeedbackStore
from tellback.learning.forget import forget_words
from tellback.learning.ledger import Attribution, add_attribution, list_attributions
from tellback.learning.signals import Said, append_signals, make_signals, read_signals
from tellback.learning.skills import SkillStore

WORDS = "the customer Miller must not be in it, use the other table, not that one"


@pytest.fixture
def everywhere(places: Places, home: Path) -> Path:
    """Words in every place that learning writes; returns the skills folder."""
    data = Path(places.data)
    event = {"event_id": "1", "skill_id": "x", "outcome": "correction", "user_message_snippet": WORDS[:200]}
    append_events(data / "feedback-store" / "feedback.jsonl", [event])  # type: ignore[list-item]
    store = FeedbackStore(data / "projects" / "app-1" / "patterns")
    store.record({"type": "override", "skillName": "x", "sessionId": "s", "rejected": True, "reason": WORDS})
    skill = home / ".claude" / "skills" / "x"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("x")
    said = Said("t", "i", "p", WORDS, correction=WORDS)
    append_signals(skill, make_signals("x", b"", [said], datetime(2026, 1, 1, tzinfo=timezone.utc)))
    with closing(open_db(places)) as db, transaction(db):
        add_attribution(db, Attribution("a", "h", "s", "/p", 1.0, ("x", "y"), (said,)))
    brief = data / "briefs" / "0.txt"
    brief.parent.mkdir()
    brief.write_text(WORDS)
    question = Path(question_path("s", places))
    question.parent.mkdir(parents=True)
    question.write_text(f"Which skill was “{WORDS[:119]}…” about?")
    return skill.parent


def test_forgotten_words_are_in_no_file_and_every_line_stays(everywhere: Path, places: Places, home: Path) -> None:
    with closing(open_db(places)) as db, transaction(db):
        changed = forget_words(db, places, [SkillStore(everywhere)], [], WORDS)

    assert changed == 6
    files = [path for path in home.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"Miller" in path.read_bytes()]
    assert len(read_signals(everywhere / "x")) == 1
    assert FeedbackStore(Path(places.data) / "projects" / "app-1" / "patterns").count() == 1
    with closing(open_db(places)) as db:
        assert len(list_attributions(db)) == 1


def test_other_words_stay_byte_for_byte(everywhere: Path, places: Places) -> None:
    files = {path: path.read_bytes() for path in Path(places.data).rglob("*.jsonl")}

    with closing(open_db(places)) as db, transaction(db):
        forget_words(db, places, [SkillStore(everywhere)], [], "something else that was said")

    assert {path: path.read_bytes() for path in files} == files


def test_words_too_short_to_mean_one_thing_change_nothing(everywhere: Path, places: Places) -> None:
    with closing(open_db(places)) as db, transaction(db):
        assert forget_words(db, places, [SkillStore(everywhere)], [], "the") == 0
