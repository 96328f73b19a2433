"""The one door to a harness: exit 0, nothing on stderr, on stdout nothing or the one answer. Whatever comes."""

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tellback.hooks import fire
from tellback.install.command import hook_command

QUIET = (0, b"", b"")
CORRECTION = "No, that is wrong. The total must use order_date, not ship_date."


def make_payload(chance: random.Random) -> bytes:
    """Return one of the things that no harness should send."""
    text = CORRECTION if chance.random() < 0.3 else "".join(chr(chance.randrange(1, 0xD7FF)) for _ in range(40))
    value = chance.choice([None, 1, -1.5, True, [], {}, text, "\ud800", "x" * 5000, [[1]], {"a": {}}])
    payload: dict[str, Any] = {
        "session_id": chance.choice(["s", value]),
        "transcript_path": chance.choice(["/t.jsonl", value]),
        "cwd": chance.choice(["/", value]),
        "prompt_id": chance.choice(["p", value]),
        "hook_event_name": chance.choice(["UserPromptSubmit", "SessionStart", "PostToolUseFailure", value]),
        "prompt": chance.choice([text, value]),
    }
    for key in [key for key in payload if chance.random() < 0.15]:
        del payload[key]
    data = json.dumps(payload, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    spoil = chance.randrange(12)
    if spoil == 0:
        return data[: chance.randrange(len(data))]
    if spoil == 1:
        return b"\xef\xbb\xbf" + data
    if spoil == 2:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(200)))
    if spoil == 3:
        return b"[" * chance.randrange(100_000) + data
    if spoil == 4:
        return data.replace(b'"', b"'", 1)
    if spoil == 5:
        return b'{"prompt":' * chance.randrange(20_000)
    if spoil == 6:
        return json.dumps(value).encode("utf-8", "surrogatepass")
    return data


def is_valid_answer(stdout: bytes) -> bool:
    """Whether it is nothing, an acknowledgement, or the brief of a session's start, which only the model reads."""
    return not stdout or {"hookSpecificOutput"} <= set(json.loads(stdout)) <= {"systemMessage", "hookSpecificOutput"}


def test_thousands_of_strange_payloads_are_handled_and_all_leave_news(hook: Any) -> None:
    installed = hook.load_installed()
    chance = random.Random(20261130)

    for _ in range(3000):
        answer = fire.handle(make_payload(chance), True, "claude-code", installed, 1_796_000_000.0)
        assert is_valid_answer(answer)

    assert len(hook.read_news()) == 3000


def fire_strange_payloads(hook: Any, count: int) -> None:
    chance = random.Random(count)
    for _ in range(count):
        payload = make_payload(chance)
        answer = hook.fire(payload)
        assert (answer.status, answer.stderr) == (0, b""), payload
        assert is_valid_answer(answer.stdout), payload


def test_strange_payloads_end_in_success(hook: Any) -> None:
    fire_strange_payloads(hook, 100)

    assert len(hook.read_news()) == 100


@pytest.mark.slow
def test_many_strange_payloads_end_in_success(hook: Any) -> None:
    fire_strange_payloads(hook, 10_000 if os.environ.get("TELLBACK_MANY") else 1_000)


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\0" * 100, id="zeros"),
        pytest.param(b"null", id="null"),
        pytest.param(b"[" * 1_000_000, id="deep"),
        pytest.param(b'{"a":' + b"9" * 100_000 + b"}", id="a number without end"),
        pytest.param(b'{"prompt": "' + b"\\ud800" * 1000 + b'", "hook_event_name": "UserPromptSubmit"}', id="halves"),
        pytest.param(b'{"prompt": "' + b"x" * 5_000_000 + b'", "hook_event_name": "UserPromptSubmit"}', id="5 MB"),
    ],
)
@pytest.mark.parametrize("harness", ["claude-code", "cursor", "gemini-cli", "nobody"])
def test_the_door_holds_for_every_harness(hook: Any, payload: bytes, harness: str) -> None:
    assert hook.fire(payload, harness) == QUIET
    assert len(hook.read_news()) == 1


def test_what_could_not_be_read_is_told_to_doctor_without_a_word_of_it(hook: Any) -> None:
    hook.fire(b'{"prompt": "my secret words')

    assert hook.last_news().outcome == "unreadable"
    assert "ValueError" in hook.read_log()
    assert "secret" not in hook.read_log()


def test_more_than_eight_megabytes_are_drained_and_left_to_the_sweep(hook: Any) -> None:
    payload = hook.prompt("wrong " * 1_800_000, prompt_id="p-9")

    assert hook.fire(payload) == QUIET

    news = hook.last_news()
    assert (news.outcome, news.session, news.prompt_id) == ("too long", payload["session_id"], "p-9")
    assert hook.read_corrections() == ""


def start(hook: Any, **streams: Any) -> "subprocess.Popen[bytes]":
    command = hook_command(hook.places, sys.executable, "claude-code")
    return subprocess.Popen(["sh", "-c", command], env={"PATH": os.defpath}, **streams)


def test_a_stdin_that_never_closes_ends_a_second_after_the_last_byte(hook: Any) -> None:
    process = start(hook, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdin.write(json.dumps(hook.correction()).encode())
    process.stdin.flush()
    started_at = time.monotonic()

    status = process.wait(20)

    took_s = time.monotonic() - started_at
    assert status == 0
    assert 0.7 < took_s < 10
    assert process.stderr.read() == b""
    assert b"CORR-001" in process.stdout.read()  # what came was whole, so it counts
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_a_stdin_that_stays_silent_ends_in_success(hook: Any) -> None:
    read_end, write_end = os.pipe()
    process = start(hook, stdin=read_end, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    out, err = process.communicate(timeout=20)

    os.close(read_end)
    os.close(write_end)
    assert (process.returncode, out, err) == QUIET
    assert hook.last_news().outcome == "unreadable"


@pytest.mark.parametrize(
    "redirections",
    [
        pytest.param(">&-", id="stdout closed"),
        pytest.param("<&-", id="stdin closed"),
        pytest.param(">&- <&- 2>&-", id="all closed"),
        pytest.param(">/dev/full", id="stdout full"),
    ],
)
def test_closed_and_full_streams_end_in_success(hook: Any, redirections: str) -> None:
    command = hook_command(hook.places, sys.executable, "claude-code")

    done = subprocess.run(
        ["sh", "-c", f"exec {redirections}; {command}"],
        input=json.dumps(hook.correction()).encode(),
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr
    assert len(hook.read_news()) == 1


def test_a_reader_that_went_away_ends_in_success(hook: Any) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    process = start(hook, stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)

    _, err = process.communicate(json.dumps(hook.correction()).encode(), timeout=20)

    assert (process.returncode, err) == (0, b"")
    assert hook.last_news().outcome == "logged"
    assert "BrokenPipeError" in hook.read_log()


def test_a_cache_that_cannot_be_written_stops_no_capture(hook: Any) -> None:
    Path(hook.places.cache).parent.mkdir(parents=True, exist_ok=True)
    Path(hook.places.cache).write_text("a file where the folder should be")

    answer = hook.fire(hook.correction())

    assert (answer.status, answer.stderr) == (0, b"")
    assert "use order_date" in hook.read_corrections()


def test_a_home_that_is_gone_ends_in_success(hook: Any, tmp_path: Path) -> None:
    for folder in ("cache", "config", "project"):
        os.rename(hook.home / folder, tmp_path / folder) if (hook.home / folder).exists() else None

    assert hook.fire(hook.correction()).status == 0


def test_an_interrupt_ends_in_success_or_by_the_signal_alone(hook: Any) -> None:
    process = start(hook, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)

    out, err = process.communicate(b"", timeout=20)

    assert (out, err) == (b"", b"")
    assert process.returncode in (0, -signal.SIGINT)


def test_the_log_is_bounded(hook: Any) -> None:
    from tellback.hooks.notes import LIMIT_BYTES, append_note

    for _ in range(3000):
        append_note(hook.places, "x" * 60)

    cache = Path(hook.places.cache)
    assert (cache / "hook.log").stat().st_size <= LIMIT_BYTES + 100
    assert (cache / "hook.log.old").stat().st_size <= LIMIT_BYTES + 100
    assert (cache / "hook.log").stat().st_mode & 0o777 == 0o600


def run_command(command: str, payload: bytes = b"{}") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(["sh", "-c", command], input=payload, capture_output=True, timeout=30, check=False)


def test_a_missing_interpreter_ends_in_success(hook: Any) -> None:
    done = run_command(hook_command(hook.places, "/no/such/python", "claude-code"))

    assert (done.returncode, done.stdout, done.stderr) == QUIET


def test_a_missing_entry_ends_in_success(hook: Any) -> None:
    hook.entry.unlink()

    assert hook.fire({}) == QUIET


def test_spaces_quotes_and_dollars_in_paths_are_taken_as_they_are(hook: Any, tmp_path: Path) -> None:
    odd = tmp_path / 'it\'s $HOME "x" `y`'
    odd.mkdir()
    python = odd / "py thon"
    python.symlink_to(sys.executable)
    os.rename(hook.home / "data", odd / "data")
    hook.places.data = str(odd / "data/tellback")
    command = hook_command(hook.places, str(python), "claude-code")

    done = run_command(command, json.dumps(hook.correction()).encode())

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"CORR-001" in done.stdout
    assert shlex.split(command)[2] == str(python)
