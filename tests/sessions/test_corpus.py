"""The labelled corpus: hand-written sessions in every reader's format, and what list and digest make of them.

``corpus/<harness>/store`` is a store as the harness keeps it, a database as SQL in ``<name>.sql``; ``labels.json`` says
of spans what they are: ``friction``, ``expected`` (a failure that is none), ``cancellation``, ``denial``, ``repeat``,
``own`` (Tellback's own failure). Goldens lie beside the harness's folder. After a change that somebody wants:
``TELLBACK_WRITE_GOLDENS=1 pytest tests/sessions/test_corpus.py`` writes them anew, for reading in the diff.
"""

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tellback.cli import main
from tellback.sessions import sqlite_copy
from tellback.sessions.table import READERS

CORPUS = Path(__file__).parent / "corpus"
WRITES = os.environ.get("TELLBACK_WRITE_GOLDENS") == "1"

# Where each harness keeps its store below the home folder.
PLACES = {
    "claude-code": ".claude/projects",
    "codex": ".codex",
    "copilot": ".copilot/session-state",
    "cursor": ".cache/tellback",
    "gemini-cli": ".gemini/tmp",
    "opencode-v1": ".local/share/opencode",
    "opencode-v2": ".local/share/opencode",
}
WHEN = 1796040000  # all files' time


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path.resolve() / "home"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith(("TELLBACK_", "XDG_", "OPENCODE_"))]:
        monkeypatch.delenv(name)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    sqlite_copy.set_scratch(str(tmp_path / "data"))
    return folder


def build(harness: str, home: Path) -> None:
    """Put the harness's corpus where the harness would have it."""
    source = CORPUS / harness
    shutil.copytree(source / "store", home / PLACES[harness], dirs_exist_ok=True)
    if (source / "home").is_dir():
        shutil.copytree(source / "home", home, dirs_exist_ok=True)
    for path in sorted(home.rglob("*")):
        if path.suffix == ".sql":
            with closing(sqlite3.connect(path.with_suffix(""))) as connection:
                connection.executescript(path.read_text())
            path.unlink()
        elif path.name == "news.jsonl":
            path.write_text(path.read_text().replace("@NOW@", str(time.time())))
    for path in home.rglob("*"):
        os.utime(path, (WHEN, WHEN))


def run_json(home: Path, capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    """Return what a command prints as JSON, with the home folder's name taken out."""
    with pytest.raises(SystemExit):
        main([*argv, "--json"])
    return json.loads(capsys.readouterr().out.replace(str(home), "@HOME@"))


def hold(golden: Path, found: Any) -> None:
    """Compare with a golden file, or write it."""
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if WRITES:
        golden.write_text(text)
    assert golden.exists(), f"{golden.name} is missing: every reader has one"
    assert json.loads(golden.read_text()) == found


def digest_all(harness: str, home: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    listed = run_json(home, capsys, "sessions", "list", "--harness", harness)
    refs = [session["ref"] for session in listed["sessions"]]
    return run_json(home, capsys, "sessions", "digest", *refs)


@pytest.mark.parametrize("harness", READERS)
def test_a_corpus_is_listed_as_its_golden_says(harness: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(harness, home)

    listed = run_json(home, capsys, "sessions", "list", "--harness", harness)

    hold(CORPUS / f"{harness}.list.golden.json", listed)


@pytest.mark.parametrize("harness", READERS)
def test_a_corpus_is_digested_as_its_golden_says(harness: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(harness, home)

    hold(CORPUS / f"{harness}.digest.golden.json", digest_all(harness, home, capsys))


def shows(label: dict[str, Any], session: dict[str, Any]) -> bool:
    """Whether a digest shows a labelled span as what it is (S-178)."""
    span, tool = label["span"], label.get("tool")
    events = [e for e in session["events"] if e["span"] == span and (tool is None or e.get("tool") == tool)]
    match label["class"]:
        case "friction" | "expected":
            return [(e["status"], e["self"]) for e in events] == [("error", False)]
        case "cancellation":
            return [e["status"] for e in events] == ["interrupted"]
        case "denial":
            return [e["status"] for e in events] == ["denied"] and span in session["denials"]
        case "own":
            return [e["self"] for e in events] == [True]
        case "repeat":
            return any(retry["span"] == span for retry in session["retries"])
        case _:
            return False


@pytest.mark.parametrize("harness", READERS)
def test_every_label_is_shown_and_every_event_labelled(
    harness: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(harness, home)
    labels = json.loads((CORPUS / harness / "labels.json").read_text())

    sessions = {session["session_id"]: session for session in digest_all(harness, home, capsys)["sessions"]}

    assert [label for label in labels if not shows(label, sessions[label["session"]])] == []
    named = {(label["session"], label["span"]) for label in labels}
    events = [(name, e["span"]) for name, s in sessions.items() for e in s["events"] if e["type"] == "tool_call"]
    assert [event for event in events if event not in named] == []


def test_the_corpus_has_a_folder_for_each_reader() -> None:
    assert {path.name for path in CORPUS.iterdir() if path.is_dir()} == set(READERS)
