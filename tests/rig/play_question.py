"""Runs inside the rig's sandbox: two skills in one turn, a correction, the question whose it is, and its answer.

Called like ``play.py``, which does the rest. The agent settles it as the question tells it to, by its shell.
"""

import glob
import json
import os
import sys
import time

import play  # installs, plays, sweeps; finds the rig
from claude_code import bash, turn
from play_skills import SKILLS, list_skills
from rigkit import HOME, OUT, wait_for, write

PYTHON = sys.argv[sys.argv.index("--python") + 1]


def tellback(r, *arguments):
    """Run Tellback as the person would, and keep what it said."""
    done = play.run_tellback(PYTHON, {**r.env, "HOME": HOME}, *arguments)
    write(OUT + f"/said-{'-'.join(arguments[:2])}.txt", done.stdout + done.stderr)
    return done.stdout


def approve(r, terminal, prompt):
    """Say *prompt* and allow the command that the agent then wants to run."""
    before = r.n_events("Stop")
    terminal.say(prompt)
    wait_for(lambda: "Do you want" in terminal.screen(), 20)
    time.sleep(1.5)  # a dialog takes no keys just after it opens
    terminal.note("asked for permission")
    if "❯ No" in terminal.screen():
        terminal.key("Down")
    terminal.key("Enter")
    wait_for(lambda: r.n_events("Stop") > before, 20)
    time.sleep(0.7)


def is_logged(words):
    for path in glob.glob(HOME + "/.claude/projects/*/*.jsonl"):
        with open(path) as file:
            if words in file.read():
                return True
    return False


@play.ours
def question_whose(r):
    """Greet and farewell in one turn, then a correction that may be of either; asked once, settled by the agent."""
    os.makedirs(SKILLS + "/farewell", exist_ok=True)
    with open(SKILLS + "/farewell/SKILL.md", "w") as file:
        file.write("---\nname: farewell\ndescription: Say goodbye\n---\n\nSay goodbye to $ARGUMENTS.\n")
    write(OUT + "/skills-before.json", json.dumps(list_skills()))
    calls = [{"name": "Skill", "input": {"skill": skill, "args": "Ada"}} for skill in ("greet", "farewell")]
    r.stub.add({"tools": [calls[0]]}, {"tools": [calls[1]]}, {"text": "Hello and goodbye, Ada!"})
    r.stub.add({"text": "Grace it is from now on."})
    terminal = r.tui("--permission-mode", "manual")
    turn(r, terminal, "Greet Ada, then say goodbye")
    turn(r, terminal, "No, that's wrong, use Grace, not Ada")
    wait_for(lambda: is_logged("Grace it is from now on."), 20)
    tellback(r, "sweep", "--json")
    (waiting,) = json.loads(tellback(r, "record", "--list-pending", "--json"))["pending"]
    write(OUT + "/pending.json", json.dumps({**waiting, "skills": list_skills()}))
    command = f"{PYTHON} -I -m tellback record --resolve {waiting['id']} --skill greet"
    r.stub.add({"text": "Was it about greet or about farewell?"})
    r.stub.add({"tools": [bash(command)]}, {"text": "Recorded."}, {"text": "Two."})
    turn(r, terminal, "What else is there?")
    approve(r, terminal, "About greet")
    turn(r, terminal, "How many files are here?")
    r.leave(terminal)
    tellback(r, "record", "--list-pending")


if __name__ == "__main__":
    play.main()
    write(OUT + "/skills-after.json", json.dumps(list_skills()))
