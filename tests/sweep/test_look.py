"""A launched sweep that finds nothing changed ends at once, and whatever changed is found."""

import fcntl
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tellback
from tellback.core.db import database_path, open_db
from tellback.core.locks import free_lock, take_lock
from tellback.core.shapes import Places
from tellback.learning.ledger import Progress, write_progress
from tellback.sweep.captures import write_state
from tellback.sweep.lastrun import read_last_run
from tellback.sweep.lock import find_sweep_lock
from tellback.sweep.look import is_settled, list_logs, look_path
from tellback.sweep.stages.late import HARNESSES
from tellback.sweep.stages.learn import SETTLE_AFTER_S
from tellback.sweep.stores import LOGS, list_roots

if TYPE_CHECKING:
    from conftest import House, MadeLog

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are inherited on POSIX only")

ENTRY = Path(tellback.__file__).parent / "commands" / "launched.py"
WRONG = "No, you used the wrong file, it should be pyproject.toml, not setup.py"
AGAIN = "No, that is wrong again, it should be the other table, not this one"


def start(places: Places, *argv: str, **more: Any) -> "subprocess.Popen[str]":
    """Start a sweep as a hook does, with the lock in its hand."""
    Path(places.cache).mkdir(parents=True, exist_ok=True)
    fd = os.open(find_sweep_lock(places), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    parents = {name: os.path.dirname(getattr(places, name)) for name in ("data", "cache", "config")}
    environment = {**os.environ, **{f"XDG_{name.upper()}_HOME": folder for name, folder in parents.items()}}
    try:
        return subprocess.Popen([*argv, "--lock-fd", str(fd)], pass_fds=[fd], env=environment, text=True, **more)
    finally:
        os.close(fd)


def launch(places: Places) -> dict[str, Any]:
    """Run a launched sweep to its end and return what its last-run file says."""
    assert start(places, sys.executable, "-I", "-S", str(ENTRY)).wait(30) == 0
    told = read_last_run(places)
    assert told is not None
    assert told["state"] == "finished"
    return told


def make_due(places: Places) -> None:
    """Let the last look at all logs be long ago."""
    os.utime(look_path(places), (0, 0))


@pytest.fixture
def log(house: "House") -> "MadeLog":
    """A log that a sweep has read, in a home in which nothing is left to do."""
    (Path(house.places.config)).mkdir(parents=True)
    log = house.new_log()
    log.answer("I used setup.py.")
    log.prompt(WRONG)
    assert house.sweep().stages["late"]["sessions"] == 1
    assert launch(house.places)["stages"] == {}
    make_due(house.places)
    return log


def test_a_sweep_that_finds_nothing_changed_notes_its_look(house: "House", log: "MadeLog") -> None:
    before = time.time()

    assert launch(house.places)["stages"] == {}

    assert os.stat(look_path(house.places)).st_mtime >= before - 1


def test_a_look_loads_next_to_nothing(house: "House", log: "MadeLog") -> None:
    argv = (sys.executable, "-I", "-S", "-X", "importtime", str(ENTRY))
    child = start(house.places, *argv, stderr=subprocess.PIPE)

    loaded = {line.rpartition("|")[2].strip() for line in child.communicate()[1].splitlines()}

    assert "tellback.sweep.look" in loaded
    dear = {"sqlite3", "_sqlite3", "json", "re", "typing", "pathlib", "dataclasses", "contextlib", "enum", "site"}
    assert loaded & (dear | {"click", "orjson", "filelock", "tellback.sweep.run"}) == set()


def _same_size(log: "MadeLog") -> None:
    log.path.write_bytes(log.path.read_bytes().replace(b"wrong", b"WRONG"))


def _swap_with_its_time(log: "MadeLog") -> None:
    found, draft = log.path.stat(), log.path.with_suffix(".new")
    draft.write_bytes(log.path.read_bytes().replace(b"wrong", b"WRONG"))
    os.utime(draft, ns=(found.st_atime_ns, found.st_mtime_ns))
    draft.replace(log.path)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda log: log.prompt(AGAIN), id="appended to"),
        pytest.param(lambda log: os.truncate(log.path, 20), id="cut"),
        pytest.param(_same_size, id="rewritten with the same size"),
        pytest.param(_swap_with_its_time, id="replaced with the same size and time"),
        pytest.param(lambda log: log.path.unlink(), id="gone"),
        pytest.param(lambda log: log.path.rename(log.path.with_name("other.jsonl")), id="renamed"),
        pytest.param(lambda log: log.path.chmod(0o400), id="of another mode"),
        pytest.param(lambda log: shutil.copy(log.path, log.path.with_name("new.jsonl")), id="a new one"),
        pytest.param(lambda log: (log.path.parents[1] / "-new").mkdir(), id="a new folder"),
        pytest.param(lambda log: shutil.rmtree(log.path.parents[1]), id="the store gone"),
    ],
)
def test_a_change_in_the_store_is_seen_when_a_look_is_due(
    house: "House", log: "MadeLog", change: "Callable[[MadeLog], None]"
) -> None:
    change(log)

    assert "late" in launch(house.places)["stages"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda house: (Path(house.places.config) / "config.toml").write_text(""), id="settings"),
        pytest.param(lambda house: (house.path / ".claude" / "feedback-config.json").write_text("{}"), id="the switch"),
        pytest.param(lambda house: (Path(house.places.data) / "queue.jsonl").write_text("{}\n"), id="the queue"),
        pytest.param(lambda house: (Path(house.places.data) / "hook").mkdir(), id="the hook's files"),
        pytest.param(lambda house: database_path(house.places).unlink(), id="the database gone"),
        pytest.param(lambda house: _write_state(house.places), id="the database written to"),
        pytest.param(
            lambda house: Path(f"{database_path(house.places)}-journal").touch(), id="a journal that was left behind"
        ),
    ],
)
def test_a_change_of_anything_else_is_seen_at_once(
    house: "House", log: "MadeLog", change: "Callable[[House], None]"
) -> None:
    os.utime(look_path(house.places))
    change(house)

    assert "late" in launch(house.places)["stages"]


def _write_state(places: Places) -> None:
    with closing(open_db(places)) as db:
        write_state(db, "a test", "wrote")


def test_news_are_seen_at_once_and_lead_to_their_session_alone(
    house: "House", log: "MadeLog", descriptions: Callable[[], list[str]]
) -> None:
    os.utime(look_path(house.places))
    other = house.new_log()
    other.prompt("No, not there, the date belongs into the first column, not the last")
    house.tell(log, AGAIN, log.prompt(AGAIN))

    assert launch(house.places)["stages"]["late"]["sessions"] == 1

    assert descriptions() == [WRONG, AGAIN]


def test_an_append_without_news_is_found_within_the_hour(
    house: "House", log: "MadeLog", descriptions: Callable[[], list[str]]
) -> None:
    os.utime(look_path(house.places))
    log.prompt(AGAIN)

    assert launch(house.places)["stages"] == {}
    make_due(house.places)
    assert launch(house.places)["stages"]["late"]["sessions"] == 1

    assert descriptions() == [WRONG, AGAIN]


def test_what_was_appended_while_a_sweep_read_is_found_by_the_next(house: "House", log: "MadeLog") -> None:
    look = Path(look_path(house.places)).read_bytes()
    log.prompt(AGAIN)
    launch(house.places)

    log.prompt("No, the other one, you took the wrong branch again")
    make_due(house.places)

    assert Path(look_path(house.places)).read_bytes() != look
    assert launch(house.places)["stages"]["late"]["sessions"] == 1


def test_a_sweep_that_left_something_to_do_leaves_no_short_cut(house: "House", log: "MadeLog") -> None:
    log.prompt(AGAIN)

    house.sweep(budget_s=-1.0)

    assert launch(house.places)["stages"]["late"]["sessions"] == 1


def test_learnings_that_another_program_holds_are_looked_at_by_the_next_sweep(house: "House", log: "MadeLog") -> None:
    log.prompt("From now on use pnpm, not npm, remember that")
    house.sweep()
    (index,) = Path(house.places.data).glob("projects/*/.knowledge/learnings/index.md")
    with index.open("a") as file:
        file.write("- use npm, not pnpm (source: user feedback, 2026-01-07)\n")
    lock = take_lock(f"{index}.lock", 1)
    assert lock is not None

    done = house.sweep()
    free_lock(lock)

    assert done.busy == [str(index.parents[2])]
    assert launch(house.places)["stages"]["learnings"] == {"superseded": 1}


def test_a_call_whose_log_is_gone_keeps_no_sweep_at_work(house: "House", log: "MadeLog") -> None:
    with closing(open_db(house.places)) as db, db:
        write_progress(db, "claude-code", "gone", Progress(open_at=time.time() - 2 * SETTLE_AFTER_S))
    house.sweep()

    assert launch(house.places)["stages"] == {}


def test_a_database_of_before_is_not_taken_for_one_that_knows_the_logs(house: "House", log: "MadeLog") -> None:
    older = database_path(house.places).read_bytes()
    log.prompt(AGAIN)
    assert launch(house.places)["stages"]["late"]["sessions"] == 1

    database_path(house.places).write_bytes(older)
    launch(house.places)
    make_due(house.places)

    with closing(sqlite3.connect(database_path(house.places))) as db:
        assert db.execute("SELECT size FROM sweep_sessions").fetchall() == [(log.path.stat().st_size,)]


@pytest.mark.parametrize("later_s", [-60.0, 7 * 3600.0])
def test_a_few_times_a_day_and_when_the_clock_went_back_everything_is_done(
    house: "House", log: "MadeLog", later_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    for name in ("data", "cache", "config"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", os.path.dirname(getattr(house.places, name)))

    assert is_settled(house.places, now + 1)
    assert not is_settled(house.places, now + later_s)


@pytest.mark.parametrize(
    "spoiled",
    [b"", b"\n", b"[]\n", b'{"same": 1}\n', b'{"same": [1], "roots": [[1]]}\n', b"\xff\xfe\x00", b"{" * 9999],
)
def test_a_note_that_cannot_be_read_is_none(house: "House", log: "MadeLog", spoiled: bytes) -> None:
    Path(look_path(house.places)).write_bytes(spoiled)

    assert not is_settled(house.places, time.time())
    assert "late" in launch(house.places)["stages"]
    assert launch(house.places)["stages"] == {}


def test_links_and_other_files_are_no_logs(tmp_path: Path) -> None:
    (tmp_path / "-project").mkdir()
    before = list_logs([(str(tmp_path), 1, (".jsonl",))])
    (tmp_path / "-project" / "notes.txt").touch()
    (tmp_path / "link").symlink_to(tmp_path / "-project")

    assert list_logs([(str(tmp_path), 1, (".jsonl",))]) == before


def _append(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write("{}\n")


@pytest.mark.parametrize(
    ("harness", "variable", "path"),
    [
        pytest.param("claude-code", "CLAUDE_CONFIG_DIR", "projects/-p/s.jsonl", id="Claude Code"),
        pytest.param("codex", "CODEX_HOME", "sessions/2026/11/30/rollout-s.jsonl", id="Codex"),
        pytest.param("codex", "CODEX_HOME", "sessions/2026/11/30/rollout-s.jsonl.zst", id="Codex, packed"),
        pytest.param("codex", "CODEX_HOME", "archived_sessions/rollout-s.jsonl", id="Codex, archived"),
        pytest.param("copilot", "COPILOT_HOME", "session-state/s/events.jsonl", id="Copilot CLI"),
        pytest.param("gemini-cli", "GEMINI_CLI_HOME", ".gemini/tmp/p/chats/session-s.jsonl", id="Gemini CLI"),
        pytest.param("opencode-v1", "XDG_DATA_HOME", "opencode/opencode.db", id="OpenCode"),
        pytest.param("opencode-v2", "XDG_DATA_HOME", "opencode/opencode.db-wal", id="OpenCode, in its log"),
        pytest.param("opencode-v1", "", "elsewhere/mine", id="OpenCode, a database of its own"),
    ],
)
def test_the_look_sees_a_change_in_every_harnesss_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harness: str, variable: str, path: str
) -> None:
    monkeypatch.setenv(variable or "OPENCODE_DB", str(tmp_path if variable else tmp_path / path))
    _append(tmp_path / path)
    roots = list_roots([harness])
    there = list_logs(roots)

    _append(tmp_path / path)

    assert list_logs(roots) != there


def test_the_look_knows_the_store_of_every_harness_whose_logs_are_read() -> None:
    assert set(LOGS) == set(HARNESSES)


STUCK = """
import sys, time
from tellback.sweep import early
early.LIMIT_S = float(sys.argv[1])
def look(places, now):
    print("in", flush=True)
    while True:
        time.sleep(0.01)  # a signal that came just before a long sleep would not end it
early.is_settled = look
early.ends_early(early.read_places(), int(sys.argv[-1]))
"""


def start_stuck(places: Places, limit_s: float) -> "subprocess.Popen[str]":
    child = start(places, sys.executable, "-c", STUCK, str(limit_s), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdout is not None
    assert child.stdout.readline() == "in\n"
    child.stdout.close()
    return child


def test_a_look_that_takes_too_long_ends_and_says_so(places: Places) -> None:
    child = start_stuck(places, 0.3)

    assert child.wait(15) == 1

    told = read_last_run(places)
    assert told is not None
    assert told["state"] == "timed out"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_look_that_is_asked_to_end_says_so(places: Places, number: signal.Signals) -> None:
    child = start_stuck(places, 60)

    child.send_signal(number)
    child.wait(10)

    told = read_last_run(places)
    assert told is not None
    assert told["state"] == "terminated"
