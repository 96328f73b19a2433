"""Runs inside the rig's sandbox: one scenario with the real Claude Code, then a sweep, then what is left running.

Called by path with the rig's folder beside it; uses nothing of Tellback but its command line. The rig's own
scenarios are known by name; the ones here are what the rig does not type: corrections by queued words and by words
of refusal.
"""

import argparse
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, "/home/rig/scripts")

import claude_code as rig  # the rig's driver, found in the sandbox only
from rigkit import HOME, OUT, PROJECT, wait_for, write

OURS = {}


def ours(scenario):
    OURS[scenario.__name__.replace("_", "-")] = scenario
    return scenario


@ours
def words_while_a_tool_runs(r):
    """A correction typed while a tool runs: Claude Code queues it and writes no user record for it."""
    r.stub.add({"tools": [rig.bash("sleep 3")]}, {"text": "I used npm."}, {"text": "Right."})
    terminal = r.tui()
    terminal.say("Install the packages")
    wait_for(lambda: r.n_events("PreToolUse") >= 1, 20)
    time.sleep(0.5)
    terminal.say("No, that's wrong, use uv instead of pip")
    terminal.note("queued")
    wait_for(lambda: r.n_events("Stop") >= 1, 20)
    time.sleep(2)
    r.leave(terminal)


@ours
def words_of_refusal(r):
    """A correction typed into the permission dialog: no prompt hook fires for it."""
    r.stub.add({"text": "I try it.", "tools": [rig.bash("touch one.txt")]}, {"text": "Alright."})
    terminal = r.tui("--permission-mode", "manual")
    terminal.say("Make the file one")
    wait_for(lambda: "Do you want" in terminal.screen(), 20)
    time.sleep(1.5)  # a dialog takes no keys just after it opens
    terminal.key("Down", "Down", "Down", "Tab")
    terminal.type("No, that's wrong, the file should be called two.txt, not one.txt")
    terminal.note("words of refusal")
    terminal.key("Enter")
    wait_for(lambda: r.n_events("Stop") >= 1, 20)
    time.sleep(2)
    r.leave(terminal)


@ours
def hooks_switched_off(r):
    """A correction that no hook hears, for the settings turn hooks off; the sweep finds it in the log."""
    r.stub.add({"text": "I would use pip for that."}, {"text": "Right, uv it is."})
    settings = HOME + "/.claude/settings.json"
    with open(settings) as file:
        text = json.load(file)
    write(settings, json.dumps({**text, "disableAllHooks": True}))
    r.p("How do I install the dependencies?")
    r.p("No, that's wrong, use uv instead of pip", "--continue")


@ours
def forked_correction(r):
    """A correction, then a fork that copies it under new ids, then a resume of the first session."""
    r.stub.add(*[{"text": f"Answer {n}."} for n in range(1, 5)])
    first = r.p("How do I install the dependencies?")
    r.p("No, that's wrong, use uv instead of pip", "--resume", first["session_id"])
    r.p("What else?", "--resume", first["session_id"], "--fork-session")
    r.p("And what then?", "--resume", first["session_id"])


def run_tellback(python, env, *arguments):
    argv = [python, "-I", "-m", "tellback", *arguments]
    return subprocess.run(argv, env=env, cwd=PROJECT, capture_output=True, text=True, timeout=120)


def find_left_processes():
    """Return the command lines that still name Tellback: hooks, sweeps, whatever they started."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        is_ours = "tellback" in line or "fire.py" in line
        if is_ours and int(name) != os.getpid() and "/rig/ours/play" not in line:  # the sandbox's own words
            found.append(line)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenario", required=True)
    parser.add_argument("--python", required=True)
    options = parser.parse_args()
    rig_options = argparse.Namespace(env=[], path=None, settings=None, no_recorder=False, setup=None)
    rig.BIN = os.environ.get("RIG_CLAUDE", rig.BIN)
    r = rig.Rig(rig_options)
    env = {**r.env, "HOME": HOME}
    try:
        setup = run_tellback(options.python, env, "install", "claude-code")
        write(OUT + "/install.txt", setup.stdout + setup.stderr + f"\nexit {setup.returncode}\n")
        with open(HOME + "/.claude/settings.json") as file:
            r.settings = json.load(file)
        {**rig.SCENARIOS, **OURS}[options.scenario](r)
    finally:
        r.finish()
    for number in (1, 2):  # the second sweep must find nothing to do
        sweep = run_tellback(options.python, env, "sweep", "--json")
        write(f"{OUT}/sweep-{number}.json", sweep.stdout)
        write(f"{OUT}/sweep-{number}.err", sweep.stderr + f"\nexit {sweep.returncode}\n")
    wait_for(lambda: not find_left_processes(), 10)
    write(OUT + "/left.json", json.dumps(find_left_processes()))


if __name__ == "__main__":
    main()
