"""640 real hooks, 32 at a time, as install wired them, some killed at random instants; then one sweep.

The session log holds every prompt, so the sweep records those whose hook was killed, or ended by its own deadline on a
busy machine: in the end each prompt has one entry. Run: ``python bench/hook_race.py [hooks] [at once] [killed]``
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from racing import Scene, judge

from tellback.core.shapes import Places

# Words that the detector surely hears, told apart by their first letters.
SESSION = "0a0a0a0a-1111-4222-8333-444444444444"
WORDS = "no, column {} is wrong there"


def install(home: Path) -> str:
    """Wire Claude Code in *home* and return the command of its prompt hook."""
    run_tellback(home, "install", "claude-code")
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    return settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]


def run_tellback(home: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "tellback", *arguments]
    subprocess.run(command, env=environment(home), check=True, stdout=subprocess.DEVNULL)


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"]}


def write_session(scene: Scene, home: Path, count: int) -> Path:
    """Write the session's log as Claude Code would: an answer, then a prompt, *count* times."""
    name = "".join(c if c.isalnum() else "-" for c in str(scene.folder))
    path = home / ".claude" / "projects" / name / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    common = {"isSidechain": False, "timestamp": now, "cwd": str(scene.folder), "sessionId": SESSION}
    with path.open("w", encoding="utf-8") as log:
        for number in range(count):
            answer = {"role": "assistant", "content": [{"type": "text", "text": "Done, all columns are filled."}]}
            said = {"role": "user", "content": WORDS.format(number)}
            records = (
                {**common, "type": "assistant", "uuid": f"a{number}", "message": answer},
                {**common, "type": "user", "uuid": f"u{number}", "promptId": f"p{number}", "message": said,
                 "promptSource": "typed", "turnOrigin": "human", "userType": "external"},
            )  # fmt: skip
            log.writelines(json.dumps(record) + "\n" for record in records)
    return path


def start_hook(command: str, scene: Scene, home: Path, log: Path, number: int) -> "subprocess.Popen[bytes]":
    payload = {
        "session_id": SESSION,
        "transcript_path": str(log),
        "prompt_id": f"p{number}",
        "cwd": str(scene.folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": WORDS.format(number),
    }
    hook = subprocess.Popen(
        ["/bin/sh", "-c", command], env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert hook.stdin
    with suppress(BrokenPipeError):
        hook.stdin.write(json.dumps(payload).encode())
    return hook


def run_round(command: str, scene: Scene, home: Path, log: Path, numbers: range, killed: set[int]) -> list[str]:
    """Let hooks wait with their payload, end all their inputs at once, kill some; return the words acknowledged."""
    hooks = {number: start_hook(command, scene, home, log, number) for number in numbers}
    for hook in hooks.values():
        assert hook.stdin
        with suppress(BrokenPipeError):  # its own deadline was faster than this busy machine
            hook.stdin.close()
    for number in killed.intersection(numbers):
        time.sleep(random.uniform(0, 0.01))
        hooks[number].kill()
    told: list[str] = []
    for number, hook in hooks.items():
        assert hook.stdout
        if b"Got it" in hook.stdout.read():
            told.append(WORDS.format(number))
        hook.wait()
    return told


def main(count: int = 640, at_once: int = 32, kill_count: int = 0) -> int:
    killed = set(random.Random(1).sample(range(count), kill_count))
    with tempfile.TemporaryDirectory(prefix="tellback-bench-", ignore_cleanup_errors=True) as name:
        home = Path(name) / "home"
        scene = Scene(
            Path(name) / "project",
            Places(str(home), f"{home}/.local/share/tellback", f"{home}/.cache/tellback", f"{home}/.config/tellback"),
        )
        (scene.folder / ".git").mkdir(parents=True)
        log = write_session(scene, home, count)
        command = install(home)
        started_at = time.perf_counter()
        told: list[str] = []
        for first in range(0, count, at_once):
            told += run_round(command, scene, home, log, range(first, min(first + at_once, count)), killed)
        took_s = time.perf_counter() - started_at
        run_tellback(home, "sweep")
        verdicts = judge(scene, told)
    is_good = verdicts.is_good and verdicts.entries == count
    print(
        f"{count} hooks, {at_once} at a time, {kill_count} killed, in {took_s:.1f} s: {len(told)} acknowledged, "
        f"{verdicts.entries} entries; {'PASS' if is_good else f'FAIL {verdicts}'}"
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
