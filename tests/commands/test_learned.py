"""Learnings from the moment they are said: replaced, asked about, retired, and all of it undone by a command."""

import json
import os
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tellback.capture.learnings import make_ident
from tellback.cli import main
from tellback.core.db import open_db, transaction
from tellback.core.news import News, append_news
from tellback.core.shapes import Places
from tellback.sweep.learned import note_use
from tellback.sweep.uses import Uses

OLD = "use npm, not pnpm, for the frontend"
NEW = "use pnpm, not npm, for the frontend"
LONG_AGO = "2026-01-07"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


class Learnings:
    """The learnings of one project, changed as a person would and looked at as a person would."""

    def __init__(self, project: Path, places: Places) -> None:
        self.project = project
        self.places = places
        self.path = project / ".knowledge" / "learnings" / "index.md"
        self.path.parent.mkdir(parents=True)

    def write(self, *learnings: tuple[str, str]) -> None:
        """Put learnings there that somebody else said."""
        bullets = "".join(f"- {words} (source: user feedback, {day})\n" for words, day in learnings)
        self.path.write_text(f"# Learnings\n\n### 6. Methodology Notes\n\n{bullets}")

    def say(self, words: str) -> None:
        result = call("capture", "--cwd", str(self.project), "--json", f"From now on {words}, remember that")
        assert json.loads(result.stdout)["verdict"]["label"] == "learning"

    def read(self) -> str:
        return self.path.read_text()

    def waiting(self, kind: str) -> list[dict[str, Any]]:
        items = json.loads(call("review", "--list", "--json").stdout)["items"]
        return [item for item in items if item["kind"] == kind]

    def log(self) -> list[dict[str, Any]]:
        return json.loads(call("log", "--json").stdout)["captures"]


@pytest.fixture
def learnings(tmp_path: Path, places: Places, monkeypatch: pytest.MonkeyPatch) -> Learnings:
    project = tmp_path / "app"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(project)
    return Learnings(project, places)


def test_a_learning_that_a_later_one_replaces_is_marked_by_the_next_sweep(learnings: Learnings) -> None:
    learnings.write((OLD, LONG_AGO), ("ask before a push", LONG_AGO))
    learnings.say(NEW)
    before = learnings.read()

    call("sweep")

    after = learnings.read()
    old, other, new = [line for line in after.splitlines() if line.startswith("- ")]
    assert old.startswith(f"- {OLD} (source: user feedback, {LONG_AGO}) → superseded ")
    assert "](#6-methodology-notes)" in old
    assert other == f"- ask before a push (source: user feedback, {LONG_AGO})"
    assert f"→ replaces “{OLD}”" in new
    assert all(line in after for line in before.splitlines())


def test_log_brief_and_contradictions_know_what_no_longer_stands(learnings: Learnings) -> None:
    learnings.say(OLD)
    learnings.say(NEW)
    call("sweep")

    old, new = learnings.log()
    assert (old["superseded_by"] is None, new["superseded_by"]) == (False, None)
    assert "superseded by:" in call("log").stdout
    brief = call("brief").stdout
    assert NEW in brief
    assert OLD not in brief
    found = json.loads(call("contradictions", "--json").stdout)
    assert found["clashes"] == []
    assert len(found["fallen"]) == 1


def test_contradictions_marks_what_is_sure_by_itself(learnings: Learnings) -> None:
    learnings.write((OLD, LONG_AGO))
    learnings.say(NEW)

    result = call("contradictions")

    assert result.exit_code == 0
    assert "Learnings that no longer stand" in result.stdout
    assert "→ superseded" in learnings.read()


def test_a_mark_is_undone_by_a_command_and_stays_away(learnings: Learnings) -> None:
    learnings.write((OLD, LONG_AGO))
    learnings.say(NEW)
    before = learnings.read()
    call("sweep")

    done = call("review", "--undo", make_ident(OLD))
    call("sweep")

    assert done.stdout == f"It stands again: {OLD}\n"
    assert learnings.read() == before
    assert learnings.waiting("succession") == []
    assert call("review", "--undo", make_ident(OLD)).exit_code == 1


def test_a_mark_that_the_person_takes_away_by_hand_stays_away(learnings: Learnings) -> None:
    learnings.write((OLD, LONG_AGO))
    learnings.say(NEW)
    before = learnings.read()
    call("sweep")
    learnings.path.write_text(before + "\nmy own line\n")

    call("sweep")
    call("contradictions")

    assert learnings.read() == before + "\nmy own line\n"


def test_saying_the_old_one_again_turns_it_round(learnings: Learnings) -> None:
    learnings.say(OLD)
    learnings.say(NEW)
    call("sweep")
    learnings.say(OLD)

    call("sweep")

    old, new = [line for line in learnings.read().splitlines() if line.startswith("- ")]
    assert "→ superseded" not in old
    assert "→ superseded" in new


def test_what_is_not_sure_is_asked_about_once(learnings: Learnings) -> None:
    learnings.write((OLD, LONG_AGO), (NEW, "2026-11-01"))  # both came with a pull
    text = learnings.read()
    call("sweep")
    assert learnings.read() == text

    (item,) = learnings.waiting("succession")
    assert [(change["original"], change["suggested"]) for change in item["changes"]] == [(OLD, NEW)]
    call("review", "--reject", item["id"])

    assert learnings.waiting("succession") == []
    assert learnings.read() == text


def test_what_is_not_sure_is_marked_on_a_yes(learnings: Learnings) -> None:
    learnings.write((OLD, LONG_AGO), (NEW, "2026-11-01"))
    (item,) = learnings.waiting("succession")

    done = call("review", "--accept", item["id"])

    assert done.stdout == f"Marked as superseded; undo it with: tellback review --undo {make_ident(OLD)}\n"
    assert "→ superseded" in learnings.read()
    assert learnings.waiting("succession") == []


@pytest.mark.parametrize("spoil", ["link", "read-only", "missing"])
@pytest.mark.skipif(os.name == "nt", reason="links and modes are others there")
def test_a_file_that_cannot_be_written_is_left_and_tried_again(
    learnings: Learnings, tmp_path: Path, spoil: str
) -> None:
    learnings.write((OLD, LONG_AGO))
    learnings.say(NEW)
    kept = tmp_path / "kept.md"
    learnings.path.rename(kept)
    text = kept.read_text()
    if spoil == "link":
        learnings.path.symlink_to(kept)
    elif spoil == "read-only":
        kept.rename(learnings.path)
        learnings.path.parent.chmod(0o500)

    result = call("sweep")
    learnings.path.parent.chmod(0o700)

    assert result.exit_code == 0
    if spoil != "read-only" or os.geteuid() != 0:
        assert (kept if kept.exists() else learnings.path).read_text() == text


def test_a_learning_unused_for_long_is_asked_about_and_kept(learnings: Learnings) -> None:
    learnings.write(("ask before a push", LONG_AGO))
    text = learnings.read()

    (item,) = learnings.waiting("unused")
    done = call("review", "--accept", item["id"])

    assert item["title"].startswith(f"not used since {LONG_AGO}")
    assert done.stdout == "Kept.\n"
    assert learnings.waiting("unused") == []
    assert learnings.read() == text


def test_a_retired_learning_is_marked_not_deleted_and_comes_back(learnings: Learnings) -> None:
    learnings.write(("ask before a push", LONG_AGO))
    text = learnings.read()
    (item,) = learnings.waiting("unused")

    call("review", "--reject", item["id"])
    retired = learnings.read()
    call("review", "--undo", make_ident("ask before a push"))

    assert f"- ask before a push (source: user feedback, {LONG_AGO}) → retired " in retired
    assert learnings.read() == text
    assert learnings.waiting("unused") == []  # it was decided just now


def test_later_asks_again_when_as_much_time_has_passed(
    learnings: Learnings, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnings.write(("ask before a push", LONG_AGO))
    (item,) = learnings.waiting("unused")

    call("review", "--later", item["id"])

    assert learnings.waiting("unused") == []
    now = time.time()
    monkeypatch.setattr("tellback.commands.review_learnings.time.time", lambda: now + 91 * 86400)
    assert [one["id"] for one in learnings.waiting("unused")] == [item["id"]]


def test_how_long_is_a_setting(learnings: Learnings) -> None:
    learnings.write(("ask before a push", LONG_AGO))

    assert call("config", "set", "learning.unused_days", "3650").exit_code == 0

    assert learnings.waiting("unused") == []


def test_what_was_said_lately_is_in_use(learnings: Learnings) -> None:
    learnings.say("always ask before a push")

    assert learnings.waiting("unused") == []


def test_words_that_come_up_in_a_prompt_are_a_use(learnings: Learnings, places: Places) -> None:
    learnings.write(("ask before a push to the main branch", LONG_AGO), ("call the tables by plural names", LONG_AGO))
    with closing(open_db(places)) as db, transaction(db):
        uses = Uses(db, places)
        uses.notice(str(learnings.project), "why did you not ask before you push to the main branch?", time.time())
        uses.notice(str(learnings.project), "thanks", time.time())

    (item,) = learnings.waiting("unused")

    assert item["text"] == "call the tables by plural names"


def test_a_skill_that_quotes_it_is_a_use(learnings: Learnings) -> None:
    learnings.write(("ask before a push", LONG_AGO))
    skill = learnings.project / ".claude" / "skills" / "push" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("Always  Ask\nbefore a push!\n")

    assert learnings.waiting("unused") == []


def test_a_correction_that_repeats_it_is_a_use(learnings: Learnings) -> None:
    learnings.write(("use the orders_clean view, not orders", LONG_AGO))
    words = "No, that's wrong, use the orders_clean view, not orders"
    assert json.loads(call("capture", "--json", words).stdout)["ids"] == ["CORR-001"]

    assert learnings.waiting("unused") == []


def test_a_brief_that_a_session_started_with_is_a_use(learnings: Learnings, places: Places) -> None:
    learnings.say("always ask before a push")
    call("sweep")
    with closing(open_db(places)) as db:
        (row,) = db.execute("SELECT folder, ident FROM brief_notes WHERE is_laid = 1").fetchall()
    news = News(time.time() + 5, "claude-code")
    news.event, news.session, news.project = "session_start", "s7", str(learnings.project)
    append_news(places, news)

    call("sweep")

    with closing(open_db(places)) as db:
        used = db.execute("SELECT folder, ident, used_at FROM learning_uses").fetchall()
    assert [tuple(one) for one in used] == [(row["folder"], row["ident"], pytest.approx(news.at, abs=0.01))]


def test_a_session_that_was_shown_no_brief_is_no_use(learnings: Learnings, places: Places) -> None:
    learnings.say("always ask before a push")
    call("sweep")
    news = News(time.time() + 5, "claude-code")
    news.event, news.project, news.outcome = "session_start", str(learnings.project), "paused"
    append_news(places, news)

    call("sweep")

    with closing(open_db(places)) as db:
        assert db.execute("SELECT count(*) FROM learning_uses").fetchone()[0] == 0


def test_the_latest_use_counts(places: Places, learnings: Learnings) -> None:
    with closing(open_db(places)) as db, transaction(db):
        for at in (5.0, 9.0, 7.0):
            note_use(db, "/a", "x", at)

        assert db.execute("SELECT used_at FROM learning_uses").fetchone()[0] == 9.0


def test_a_learning_of_a_harness_whose_log_nobody_reads_is_in_the_brief(learnings: Learnings) -> None:
    learnings.say("always ask before a push")  # the command writes no session log, like Cursor's

    assert "always ask before a push" in call("brief").stdout
    assert "always ask before a push" in learnings.log()[0]["text"]


def test_a_learning_that_was_taken_out_of_the_file_leaves_the_brief(learnings: Learnings) -> None:
    learnings.say("always ask before a push")
    assert "ask before" in call("brief").stdout
    learnings.write()

    assert "ask before" not in call("brief").stdout


def test_forgetting_takes_the_words_out_of_marks_too(learnings: Learnings) -> None:
    learnings.say(OLD)
    learnings.say(NEW)
    call("sweep")
    old, _ = learnings.log()

    assert call("forget", old["key"], "--yes").exit_code == 0

    assert OLD not in learnings.read()
    assert NEW in learnings.read()
