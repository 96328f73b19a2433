"""review: what waits for a decision, and that only a decision changes anything."""

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tellback.capture.detector import Verdict
from tellback.capture.heard import Heard
from tellback.capture.points import Point
from tellback.capture.queue import append_unsure
from tellback.cli import main
from tellback.commands.review_items import list_items
from tellback.core.db import open_db, transaction
from tellback.core.place import find_knowledge
from tellback.core.shapes import Places, Turn
from tellback.learning.feedback_store import FeedbackStore
from tellback.learning.ledger import Attribution, add_attribution, add_skill
from tellback.learning.signals import Said, read_signals
from tellback.sweep.captures import Capture, add_late

OLD, NEW = "npm install", "pnpm install"
FILLER = "".join(f"Line {n} says something that stays as it is.\n" for n in range(20))
SKILL = f"---\nname: lint\n---\nRun {OLD}.\n{FILLER}"
LEARNING = "run the tests before every commit"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["review", *arguments], catch_exceptions=False)


@pytest.fixture
def project(tmp_path: Path, home: Path, places: Places, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one proposal, one correction without a skill, and one unsure learning."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".planning").mkdir()
    for folder in (tmp_path, home):
        skill = folder / ".claude" / "skills" / ("lint" if folder == tmp_path else "deploy")
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(SKILL)
    store = FeedbackStore(tmp_path / ".planning" / "patterns")
    for session in ("s1", "s2", "s3"):
        event = {"type": "correction", "skillName": "lint", "original": OLD, "corrected": NEW}
        store.record({**event, "sessionId": session})
    said = (Said("t", "i", "p", "use X", correction="use X"),)
    with closing(open_db(places)) as db, transaction(db):
        add_attribution(db, Attribution("abc", "claude-code", "s9", str(tmp_path), 1.8e9, ("lint", "deploy"), said))
    _wait_unsure(tmp_path, places)
    return tmp_path


def _wait_unsure(project: Path, places: Places) -> None:
    turn = Turn("claude-code", "prompt", 1.8e9)
    turn.session_id, turn.project = "s9", str(project)
    verdict = Verdict()
    heard = Heard(turn, "0" * 12)
    heard.label, heard.category, heard.points = "learning", "Methodology Notes", [(0, Point(LEARNING))]
    assert verdict.label == "none"
    append_unsure(places, heard, find_knowledge(str(project), places))


def items(project: Path) -> dict[str, str]:
    return {item.kind: item.id for item in list_items(project)}


def test_a_list_shows_what_waits_with_its_evidence(project: Path) -> None:
    result = call("--list")

    assert result.exit_code == 0
    assert f"proposal: lint\n  - {OLD}\n  + {NEW}\n" in result.stdout
    assert f"session s1: '{OLD}' -> '{NEW}'" in result.stdout
    assert "one of: lint, deploy" in result.stdout
    assert f"“{LEARNING}”" in result.stdout
    assert set(items(project)) == {"proposal", "attribution", "learning"}


def test_looking_changes_nothing(project: Path) -> None:
    def read_all() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}

    before = read_all()
    call("--list", "--json")

    assert {path: data for path, data in read_all().items() if path in before} == before


def test_accepting_a_proposal_changes_the_skill(project: Path) -> None:
    result = call("--accept", items(project)["proposal"])

    assert result.stdout.startswith("Applied: version 2")
    assert NEW in (project / ".claude" / "skills" / "lint" / "SKILL.md").read_text()
    assert "proposal" not in items(project)


def test_a_proposal_of_a_skill_that_changed_is_not_applied(project: Path) -> None:
    ident = items(project)["proposal"]
    skill = project / ".claude" / "skills" / "lint" / "SKILL.md"
    skill.write_text(SKILL + "more\n")

    result = call("--accept", ident)

    assert result.exit_code == 1
    assert skill.read_text() == SKILL + "more\n"


def test_a_refused_change_is_not_proposed_again(project: Path) -> None:
    call("--reject", items(project)["proposal"])

    assert "proposal" not in items(project)
    assert (project / ".claude" / "skills" / "lint" / "SKILL.md").read_text() == SKILL


def test_a_correction_is_recorded_for_the_skill_that_the_person_names(project: Path, home: Path) -> None:
    asked = call("--accept", "abc")
    done = call("--accept", "abc", "--skill", "deploy")

    assert (asked.exit_code, done.exit_code) == (1, 0)
    assert "one of lint, deploy" in asked.stderr
    assert len(read_signals(home / ".claude" / "skills" / "deploy")) == 1
    assert read_signals(project / ".claude" / "skills" / "lint") == []


def test_a_correction_may_be_about_none(project: Path, home: Path) -> None:
    assert call("--reject", "abc").exit_code == 0
    assert "attribution" not in items(project)
    assert not list(home.rglob("signal.json"))


@pytest.mark.parametrize("text", [None, "run all tests before every commit"])
def test_an_accepted_learning_is_kept_as_it_is_or_in_better_words(project: Path, text: str | None) -> None:
    call("--accept", items(project)["learning"], *(["--text", text] if text else []))

    index = (project / ".knowledge" / "learnings" / "index.md").read_text()
    assert f"- {text or LEARNING} (source: user feedback, " in index
    assert "learning" not in items(project)


def test_better_words_are_scrubbed(project: Path, own_secret: str) -> None:
    secrets = ("ghp_" + "a1B2" * 9, own_secret)

    call("--accept", items(project)["learning"], "--text", f"log in with {' and '.join(secrets)}")

    index = (project / ".knowledge" / "learnings" / "index.md").read_text()
    assert "log in with [REDACTED:" in index
    assert [secret for secret in secrets if secret in index] == []


def test_a_refused_learning_is_dropped(project: Path) -> None:
    call("--reject", items(project)["learning"])

    assert "learning" not in items(project)
    assert not (project / ".knowledge").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--accept", "nosuch"], 1), (["--reject", "nosuch"], 1), (["--list", "--accept", "x"], 2), ([], 1)],
)
@pytest.mark.usefixtures("project")
def test_a_call_that_cannot_be_done_is_told(arguments: list[str], code: int) -> None:
    assert call(*arguments).exit_code == code


def test_with_nothing_waiting_no_terminal_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert call().stdout == "Nothing waits for a decision.\n"
    assert json.loads(call("--json").stdout) == {"items": []}


def test_the_screen_decides_one_by_one(project: Path, home: Path) -> None:
    from tellback.commands.review_screen import ReviewApp

    app = ReviewApp(list_items(project), project)

    async def play() -> None:
        async with app.run_test() as pilot:
            await pilot.press("y")  # the proposal
            await pilot.press("down", "enter")  # the correction: the second skill
            await pilot.press("l")  # the learning: later
            await pilot.pause()

    asyncio.run(play())

    assert app.decided == 2
    assert NEW in (project / ".claude" / "skills" / "lint" / "SKILL.md").read_text()
    assert len(read_signals(home / ".claude" / "skills" / "deploy")) == 1
    assert set(items(project)) == {"learning"}


def test_a_learning_is_edited_where_its_words_end(project: Path) -> None:
    from tellback.commands.review_screen import ReviewApp

    app = ReviewApp([item for item in list_items(project) if item.kind == "learning"], project)

    async def play() -> None:
        async with app.run_test() as pilot:
            await pilot.press("e", "space", "y", "o", "u", "enter", "y")
            await pilot.pause()

    asyncio.run(play())

    assert f"- {LEARNING} you (source: " in (project / ".knowledge" / "learnings" / "index.md").read_text()


def test_the_screen_asks_about_learnings_too_and_later_is_an_answer_to_the_unused(project: Path) -> None:
    from tellback.commands.review_screen import ReviewApp

    notes = project / ".knowledge" / "learnings" / "index.md"
    notes.parent.mkdir(parents=True)
    said = ("use npm, not pnpm", "use pnpm, not npm", "ask before a push", "name tables in the plural")
    notes.write_text("".join(f"- {words} (source: user feedback, 2026-01-{n:02})\n" for n, words in enumerate(said, 1)))
    asked = [item for item in list_items(project) if item.kind in ("succession", "unused")]
    app = ReviewApp(asked, project)

    async def play() -> None:
        async with app.run_test() as pilot:
            await pilot.press("y", "n", "l", "l")
            await pilot.pause()

    asyncio.run(play())

    assert [item.kind for item in asked] == ["succession", "unused", "unused", "unused"]
    assert app.decided == 2
    assert notes.read_text().count("→ superseded") == notes.read_text().count("→ retired") == 1
    assert not {"succession", "unused"} & set(items(project))


def test_an_unused_learning_that_was_shown_is_not_shown_again_soon(project: Path) -> None:
    from tellback.commands.review_screen import ReviewApp

    notes = project / ".knowledge" / "learnings" / "index.md"
    notes.parent.mkdir(parents=True)
    notes.write_text("- ask before a push (source: user feedback, 2026-01-01)\n")
    app = ReviewApp([item for item in list_items(project) if item.kind == "unused"], project)

    async def play() -> None:
        async with app.run_test() as pilot:
            await pilot.press("q")
            await pilot.pause()

    asyncio.run(play())

    assert (app.decided, app.return_value) == (0, None)
    assert "unused" not in items(project)


def test_a_change_that_was_taken_back_is_not_proposed_again(project: Path) -> None:
    call("--accept", items(project)["proposal"])
    undo = ["refine", "lint", "--undo"]
    shown = json.loads(CliRunner().invoke(main, [*undo, "--json"], catch_exceptions=False).stdout)

    CliRunner().invoke(main, [*undo, "--yes", shown["id"]], catch_exceptions=False)

    assert f"-Run {NEW}." in shown["diff"]
    assert f"+Run {OLD}." in shown["diff"]
    assert (project / ".claude" / "skills" / "lint" / "SKILL.md").read_text() == SKILL
    assert "proposal" not in items(project)


def test_a_proposal_comes_with_the_sentences_behind_it(project: Path, places: Places) -> None:
    entry = "corrections:\n  - id: CORR-001\n    description: no, use pnpm install, not npm install\n"
    log = project / ".knowledge" / "corrections" / "log.yaml"
    log.parent.mkdir(parents=True)
    log.write_text(entry)
    with closing(open_db(places)) as db, transaction(db):
        add_late(
            db,
            Capture(0, "claude-code", "s2", "", "h", 1.8e9, "u1", str(project), "correction", "logged", ("CORR-001",),
                    True, "", ""),
        )  # fmt: skip
        add_skill(db, "u1", "lint")

    shown = call("--list").stdout

    assert (
        shown.index("session s2") < shown.index("“no, use pnpm install, not npm install”") < shown.index("session s3")
    )


def test_words_of_a_log_cannot_steer_the_screen(project: Path) -> None:
    from tellback.commands.review_screen import ReviewApp

    (item, *_) = list_items(project)
    app = ReviewApp([item._replace(title="[red]x[/] \x1b[31m", evidence=("[bold]\x1b]0;x\x07",))], project)

    async def play() -> str:
        async with app.run_test() as pilot:
            await pilot.pause()
            return str(app.query_one("#item").render())

    shown = asyncio.run(play())

    assert "\x1b" not in shown
    assert "[red]x[/] \\x1b[31m" in shown
