"""Runs inside the rig's sandbox: the same headless prompt without hooks, with ours, and with hooks that only start the
same Python, interleaved; called by path."""

import argparse
import copy
import json
import subprocess
import sys
import time

sys.path.insert(0, "/home/rig/scripts")
sys.path.insert(0, "/home/rig/ours")

import claude_code as rig  # the rig's driver, found in the sandbox only
from play import run_tellback
from rigkit import HOME, OUT, write

SETTINGS = HOME + "/.claude/settings.json"


def time_run(r, settings):
    write(SETTINGS, json.dumps(settings))
    r.stub.add({"text": "Hello. There is one Python file here, app.py."})
    started = time.perf_counter()
    r.p("What is in this project?")
    return time.perf_counter() - started


def time_idle(python):
    started = time.perf_counter()
    subprocess.run([python, "-I", "-S", "-c", "pass"], check=True)
    return time.perf_counter() - started


def replace_commands(hooked, command):
    """Return settings with the same hooks that run *command*."""
    settings = copy.deepcopy(hooked)
    for groups in settings["hooks"].values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            hook["command"] = command
    return settings


def count_news():
    try:
        with open(HOME + "/.cache/tellback/news.jsonl", "rb") as file:
            return sum(1 for _ in file)
    except FileNotFoundError:
        return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenario")
    parser.add_argument("--python", required=True)
    parser.add_argument("--pairs", type=int, required=True)
    options = parser.parse_args()
    r = rig.Rig(argparse.Namespace(env=[], path=None, settings=None, no_recorder=True, setup=None))
    with open(SETTINGS) as file:
        bare = json.load(file)
    run_tellback(options.python, {**r.env, "HOME": HOME}, "install", "claude-code").check_returncode()
    with open(SETTINGS) as file:
        hooked = json.load(file)
    idle = replace_commands(hooked, f"exec {options.python} -I -S -c pass")
    ways = [("hooked", hooked), ("bare", bare), ("idle", idle)]
    rounds, idle_s = [], []
    for number in range(options.pairs + 1):
        before = count_news()
        order = ways[number % 3 :] + ways[: number % 3]
        times = {name: time_run(r, settings) for name, settings in order}
        idle_s.append(time_idle(options.python))
        if number:  # the first round warms caches, and its turn's end launches the one sweep of this quiet interval
            rounds.append(times)
            calls = count_news() - before
    r.finish()
    write(OUT + "/pairs.json", json.dumps({"rounds": rounds, "idle_s": idle_s, "calls_a_run": calls}))


if __name__ == "__main__":
    main()
