"""A hook whose time is up before it was done: its prompt waits for the next sweep, and is written once."""

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tellback.capture.waiting import read_waiting, write_queued
from tellback.core.db import open_db
from tellback.core.locks import free_lock, take_lock
from tellback.hooks.fire import handle
from tellback.sweep.captures import list_captures
from tellback.sweep.run import Order, run_sweep
from tellback.sweep.stages.queue import write_waiting
from tellback.sweep.stamp import write_stamp

LEARNING = "From now on always use the orders_clean view."
PRAISE = "perfect, thanks"
NEVER = 1 << 62
MANY = bool(os.environ.get("TELLBACK_MANY"))


@pytest.fixture(autouse=True)
def no_sweep_but_the_tests_own(hook: Any) -> None:
    Path(hook.places.cache).mkdir(parents=True)
    write_stamp(hook.places, time.time())


# Runs the hook's file as its entry does, and breaks off at a call of that number since the first import.
BREAK_OFF_IN_IMPORT = """
import sys
count = 0
def hear(frame, event, argument):
    global count
    if event == "call" and (count or frame.f_code.co_name == "exec_module"):
        count += 1
        if count == {number}:
            sys.setprofile(None)
            raise KeyboardInterrupt
sys.argv = ["", "claude-code"]
code = compile(open({entry!r}).read(), {entry!r}, "exec")
sys.setprofile(hear)
exec(code, {{"__name__": "__main__", "__file__": {entry!r}}})
"""


def handle_until(hook: Any, payload: dict[str, Any], number: int) -> bool:
    """Handle *payload* in a child and break it off at its call of that number; say whether it came so far."""
    pid = os.fork()
    if pid == 0:
        status = 9
        try:
            status = int(_break_off(hook, payload, number))
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, 1)
    return status == 1


def _break_off(hook: Any, payload: dict[str, Any], number: int) -> bool:
    count = 0

    def count_down(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"
        if event == "call" and count == number:
            sys.setprofile(None)
            raise KeyboardInterrupt

    data, installed = json.dumps(payload).encode(), hook.load_installed()
    sys.setprofile(count_down)
    try:
        handle(data, True, "claude-code", installed, time.time())
    except KeyboardInterrupt:  # behind what is guarded: the prompt was dealt with
        pass
    finally:
        sys.setprofile(None)
    return count >= number


def sweep(hook: Any) -> None:
    done = run_sweep(hook.places, Order(), stages=(("queue", write_waiting),))
    assert done is not None
    assert not done.failure


def test_a_correction_broken_off_anywhere_is_kept_once(hook: Any) -> None:
    number, step = 3, 1 if MANY else 41  # the first two stand before the door
    sessions: list[str] = []
    is_broken_off = True
    while is_broken_off:
        sessions += [f"broken off at {number}", f"whole after {number}"]
        is_broken_off = handle_until(hook, hook.correction(session_id=sessions[-2]), number)
        handle_until(hook, hook.correction(session_id=sessions[-1]), NEVER)
        number += step

    write_queued(hook.places)

    assert len(sessions) > 20
    assert hook.read_corrections().count("description: ") == len(sessions)
    assert read_waiting(hook.places) == []


def hold_log(hook: Any) -> int:
    """Take the lock of the log, so that a hook waits for it until its time is up."""
    hook.fire(hook.correction(session_id="the first"))
    lock = take_lock(str(hook.project / ".knowledge/corrections/log.yaml.lock"), 1)
    assert lock is not None
    return lock


def set_deadline(hook: Any, text: str = "") -> None:
    config = Path(hook.places.config)
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(f'[hooks]\ndeadline = "0.3s"\n{text}')
    hook.write()


@pytest.mark.parametrize("harness", ["claude-code", "cursor"])
def test_a_prompt_whose_time_is_up_waits_scrubbed_and_is_written_by_the_next_sweep(hook: Any, harness: str) -> None:
    set_deadline(hook)
    lock = hold_log(hook)
    said = "No, that is wrong. The total must use PASSWORD=hunter2hunter2 and order_date, not ship_date."
    more = {"workspace_roots": [str(hook.project)]} if harness == "cursor" else {}
    if harness == "cursor":
        more |= {"conversation_id": "c", "generation_id": "g", "hook_event_name": "beforeSubmitPrompt"}

    answer = hook.fire(hook.prompt(said, **more), harness)

    assert answer == (0, b"", b"")
    assert hook.last_news().outcome == "queued"
    (waiting,) = read_waiting(hook.places)
    assert "hunter2" not in Path(hook.places.data, "queue.jsonl").read_text()
    assert "order_date" in waiting["prompt"]
    assert Path(hook.places.data, "queue.jsonl").stat().st_mode & 0o777 == 0o600
    assert "out of time" in hook.read_log()
    free_lock(lock)
    sweep(hook)
    hook.fire(hook.prompt(said, **more), harness)
    sweep(hook)
    assert hook.read_corrections().count("description: ") == 2
    with closing(open_db(hook.places)) as db:
        told = [(one.label, one.outcome, one.ids) for one in list_captures(db)]
    assert told[1] == ("correction", "logged", ("CORR-002",))


@pytest.mark.parametrize(
    ("said", "label", "outcome"),
    [
        pytest.param(LEARNING, "learning", "logged", id="a learning"),
        pytest.param("is the total wrong or right?", "none", "nothing", id="nothing"),
    ],
)
def test_what_was_not_judged_gets_its_verdict_from_the_sweep(hook: Any, said: str, label: str, outcome: str) -> None:
    handle_until(hook, hook.prompt(said), count_until(hook, "judge_prompt", said))
    assert hook.last_news().outcome == "queued"

    sweep(hook)

    with closing(open_db(hook.places)) as db:
        rows = db.execute("SELECT label, outcome FROM captures ORDER BY id DESC LIMIT 1").fetchall()
    assert [tuple(row) for row in rows] == [(label, outcome)]
    learnings = hook.project / ".knowledge/learnings/index.md"
    assert learnings.exists() == (label == "learning")


@pytest.mark.parametrize(
    ("settings", "repository", "outcome"),
    [
        pytest.param("[capture]\nenabled = false\n", "", "out of time", id="capture switched off"),
        pytest.param("[collect]\ndeny_paths = ['{project}']\n", "", "denied", id="a denied folder"),
        pytest.param("", "[collect]\ndisabled = true\n", "disabled", id="a repository that wants none"),
        pytest.param("paused", "", "paused", id="a pause"),
    ],
)
def test_what_may_not_be_heard_is_not_queued_either(hook: Any, settings: str, repository: str, outcome: str) -> None:
    config = Path(hook.places.config)
    config.mkdir(parents=True)
    if settings == "paused":
        (Path(hook.places.data) / "hook/pause").write_text(f"{time.time() + 60}\n")
    else:
        (config / "config.toml").write_text(settings.format(project=hook.project))
    if repository:
        (hook.project / ".tellback.toml").write_text(repository)

    assert handle_until(hook, hook.correction(), 3)

    assert hook.last_news().outcome == outcome
    assert hook.last_news().project == (str(hook.project) if outcome in ("paused", "out of time") else "")
    assert not Path(hook.places.data, "queue.jsonl").exists()


def test_what_surely_says_nothing_is_not_queued(hook: Any) -> None:
    assert handle_until(hook, hook.task(), 3)

    assert hook.last_news().verdict == "none"
    assert not Path(hook.places.data, "queue.jsonl").exists()


def test_modules_whose_import_was_broken_off_are_imported_anew(hook: Any) -> None:
    for number in range(1, 400, 1 if MANY else 29):
        session = f"broken off at {number}"
        payload = json.dumps(hook.correction(session_id=session)).encode()
        script = BREAK_OFF_IN_IMPORT.format(number=number, entry=str(hook.entry))

        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", script], input=payload, capture_output=True, check=True
        )

        assert done.stderr == b""
        assert hook.last_news().session == session
        assert hook.last_news().outcome in ("queued", "logged")


def count_until(hook: Any, name: str, said: str) -> int:
    """Return the number of the first call of the function *name* while *said* is handled."""
    calls: list[str] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    installed = hook.load_installed()
    data = json.dumps(hook.prompt(said, session_id="to count")).encode()
    sys.setprofile(note)
    try:
        handle(data, True, "claude-code", installed, time.time())
    finally:
        sys.setprofile(None)
    return calls.index(name) + 1


@pytest.mark.parametrize("has_timer", [True, False], ids=["the kernel's timer", "a thread, as on Windows"])
@pytest.mark.parametrize("is_heard", [True, False], ids=["heard", "swallowed"])
def test_the_time_is_called_once_and_ends_the_process_soon_after(has_timer: bool, is_heard: bool) -> None:
    script = f"""
import time
from tellback.hooks import deadline
deadline.HAS_TIMER = deadline.HAS_TIMER and {has_timer}
deadline.LAST_WORDS_S = 0.2
deadline.start_timer(5)
deadline.end_after(0.1)
try:
    for _ in range(500):
        time.sleep(0.01)  # not one long sleep, which only a real signal interrupts
except KeyboardInterrupt:
    print("called", flush=True)
    for _ in range(0 if {is_heard} else 500):
        time.sleep(0.01)
print("done")
"""

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=30)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == (["called", "done"] if is_heard else ["called"])
