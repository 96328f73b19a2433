"""``tellback log``, ``tellback watch``: what was heard, shown so that no text can do harm."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tellback.core.db import open_db, transaction
from tellback.core.news import News, append_news
from tellback.core.shapes import Places
from tellback.learning.ledger import (
    Attribution,
    add_attribution,
    add_skill,
    make_attribution_id,
    settle_attribution,
)
from tellback.sweep.captures import Capture, add_late
from tellback.sweep.lock import hold_sweep_lock

if TYPE_CHECKING:
    from conftest import Call

WRONG = "No, you used the wrong file, it should be pyproject.toml, not setup.py"
RULE = "From now on always run the tests before you commit, remember that"


def say(call: "Call", project: Path, text: str) -> str:
    return call("capture", "--cwd", str(project), text)[1]


def read(call: "Call", *arguments: str) -> list[dict[str, Any]]:
    return json.loads(call("log", "--json", *arguments)[1])["captures"]


def test_where_nothing_was_heard_the_log_says_so(call: "Call") -> None:
    assert call("log")[:2] == (0, "Nothing was heard yet.\n")
    assert read(call) == []


def test_the_log_shows_when_where_what_and_the_words(project: Path, call: "Call") -> None:
    say(call, project, WRONG)
    say(call, project, "How do I install it?")

    rows = read(call)
    text = call("log")[1]

    assert [(row["type"], row["ids"], row["text"], row["project"]) for row in rows] == [
        ("correction", ["CORR-001"], WRONG, str(project))
    ]
    assert re.search(rf"\d\d:\d\d +tellback +correction +CORR-001 +{re.escape(WRONG)}", text)


def test_what_was_just_said_is_shown_while_a_sweep_is_at_work(project: Path, places: Places, call: "Call") -> None:
    say(call, project, WRONG)

    with hold_sweep_lock(places, None):
        rows = read(call)

    assert [row["ids"] for row in rows] == [["CORR-001"]]


def test_words_that_wait_in_the_queue_are_shown_as_waiting(project: Path, tmp_path: Path, call: "Call") -> None:
    (project / ".knowledge").symlink_to(tmp_path)
    assert say(call, project, WRONG) == "Got it, noted.\n"

    assert [(row["outcome"], row["ids"], row["text"]) for row in read(call)] == [("queued", [], WRONG)]
    assert f"{WRONG} (waits to be written)\n" in call("log")[1]


def test_corrections_of_one_skill_can_be_shown(project: Path, places: Places, call: "Call") -> None:
    said = ("of a skill", "of the skill that the person named", "of no skill")
    with closing(open_db(places)) as db, transaction(db):
        for number, text in enumerate(said):
            add_late(
                db,
                Capture(0, "claude-code", "s", "", text, 1.8e9 + number, f"u{number}", str(project), "correction",
                        "logged", (), True, "", text),
            )  # fmt: skip
        add_skill(db, "u0", "lint")
        asked = Attribution(make_attribution_id("u1"), "claude-code", "s", str(project), 1.8e9, ("lint", "deploy"), ())
        add_attribution(db, asked)

    assert [row["text"] for row in read(call, "--skill", "lint")] == [said[0]]
    with closing(open_db(places)) as db, transaction(db):
        settle_attribution(db, asked.id, "lint")
    shown = [(row["text"], row["skill"]) for row in read(call, "--skill", "lint")]
    assert shown == [(text, "lint") for text in said[:2]]
    assert call("log", "--skill", "deploy")[:2] == (0, "No correction of deploy is known.\n")
    assert call("log", "--skill", "lint", "--unsure")[0] == 2


def test_the_log_can_be_narrowed(tmp_path: Path, project: Path, call: "Call") -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    say(call, project, WRONG)
    say(call, other, "Still broken, the same error as before")
    say(call, other, RULE)
    say(call, other, "Perfect, thanks, looks good")

    assert len(read(call)) == 4
    assert [row["ids"] for row in read(call, "--project", str(project))] == [["CORR-001"]]
    assert [row["type"] for row in read(call, "--type", "positive")] == ["positive"]
    assert len(read(call, "--since", "1h")) == 4
    assert read(call, "--since", "2100-01-01") == []
    assert len(read(call, "--limit", "2")) == 2


@pytest.mark.parametrize("arguments", [["--type", "friction"], ["--since", "soon"], ["--limit", "0"], ["more"]])
def test_a_wrong_command_line_ends_with_2(call: "Call", arguments: list[str]) -> None:
    assert call("log", *arguments)[0] == 2


def test_hostile_words_are_shown_escaped(project: Path, call: "Call") -> None:
    say(call, project, "No, that's wrong, you used the wrong file \x1b[2J\x1b]0;owned\x07 it should be \u202eyp.b")

    text = call("log")[1]

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x07" not in text
    assert "CORR-001" in text


def test_hostile_news_are_shown_escaped_or_left_out(places: Places, call: "Call") -> None:
    news = News(time.time(), "evil\x1b[31m")
    news.event, news.session, news.hash = "prompt", "s\x1b[0m", "0" * 12
    news.verdict, news.outcome, news.project = "positive", "nothing", "/p\x1b[1m"
    append_news(places, news)
    with (Path(places.cache) / "news.jsonl").open("ab") as file:
        file.write(b'\xff\xfe\n{"at": "x"}\n[]\n{"at": 1e999, "harness": "h", "event": "prompt"}\n')

    code, text, _ = call("log")

    assert code == 0
    assert "\x1b" not in text
    assert "evil" in text


def test_unsure_learnings_are_shown_apart(places: Places, call: "Call") -> None:
    waiting = {
        "format": 1,
        "at": time.time(),
        "key": "0123456789ab",
        "text": "prefer tabs\x1b[2J",
        "learning_category": "Methodology Notes",
        "project": "/p",
    }
    Path(places.data).mkdir(parents=True)
    (Path(places.data) / "unsure.jsonl").write_text(json.dumps(waiting) + "\n{torn")

    text = call("log", "--unsure")[1]
    found = json.loads(call("log", "--unsure", "--json")[1])["unsure"]

    assert "0123456789ab" in text
    assert "\x1b" not in text
    assert [one["text"] for one in found] == ["prefer tabs\x1b[2J"]
    assert call("log", "--unsure", "--project", "/elsewhere")[1] == "Nothing waits for a decision.\n"


def read_line(process: "subprocess.Popen[str]") -> str:
    """Return the next line, ``""`` when none comes in time: the process is ended then."""
    assert process.stdout is not None
    timer = threading.Timer(60, process.kill)
    timer.start()
    try:
        return process.stdout.readline()
    finally:
        timer.cancel()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="ends it with SIGINT")
@pytest.mark.parametrize("verb", [["log", "--follow", "--json"], ["watch"]])
def test_what_is_heard_is_shown_as_it_is_heard(home: Path, project: Path, call: "Call", verb: list[str]) -> None:
    assert home.is_dir()
    argv = [sys.executable, "-u", "-m", "tellback", *verb]
    shown = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=project)
    time.sleep(3)  # it tells nobody that it listens on stdout; what comes before is shown as well, by a look

    assert say(call, project, WRONG) == "Got it, logged as CORR-001.\n"
    line = read_line(shown)
    shown.send_signal(signal.SIGINT)
    shown.communicate(timeout=20)

    assert WRONG in line
    assert shown.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="ends it with SIGINT")
def test_watch_sweeps_when_a_session_log_changed_and_rested(home: Path, project: Path) -> None:
    folder = home / ".claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    argv = [sys.executable, "-u", "-m", "tellback", "watch", "--quiet", "1s"]
    shown = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    record = {
        "type": "user",
        "message": {"role": "user", "content": WRONG},
        "promptSource": "typed",
        "uuid": "u1",
        "cwd": str(project),
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    (folder / "5e55.jsonl").write_text(json.dumps(record) + "\n")

    line = read_line(shown)
    shown.send_signal(signal.SIGINT)
    shown.communicate(timeout=20)

    assert WRONG in line
    assert "(late)" in line
    assert os.listdir(folder) == ["5e55.jsonl"]
