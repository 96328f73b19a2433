"""Runs inside the rig's sandbox: the same correction in three sessions, the refinement it leads to, the session after.

Called like ``play.py``, which does the rest.
"""

import json
import os
import sys

import play  # installs, plays, sweeps; finds the rig
from claude_code import turn
from rigkit import HOME, OUT, PROJECT, write

SKILL = PROJECT + "/.claude/skills/packages/SKILL.md"
LINES = "".join(f"Step {number} is described here at some length.\n" for number in range(12))
TEXT = f"---\nname: packages\ndescription: Install packages\n---\n\nRun npm install in the project.\n{LINES}"


def tellback(r, *arguments):
    """Run Tellback as the person would, and keep what it said."""
    python = sys.argv[sys.argv.index("--python") + 1]
    done = play.run_tellback(python, {**r.env, "HOME": HOME}, *arguments)
    write(OUT + f"/said-{'-'.join(arguments[:2])}.txt", done.stdout + done.stderr)
    return done.stdout


@play.ours
def learning_loop(r):
    """Three sessions with one correction, a refinement on a yes, and a session that starts with the brief."""
    os.makedirs(os.path.dirname(SKILL), exist_ok=True)
    with open(SKILL, "w") as file:
        file.write(TEXT)
    call = {"name": "Skill", "input": {"skill": "packages", "args": ""}}
    for number in range(3):
        r.stub.add({"text": "I use the skill.", "tools": [call]}, {"text": "I ran npm install."}, {"text": "Right."})
        terminal = r.tui()
        turn(r, terminal, f"Please install the packages of part {number}")
        turn(r, terminal, "No, that's wrong, use 'pnpm install', not 'npm install'")
        r.leave(terminal)
    tellback(r, "sweep", "--json")
    proposal = json.loads(tellback(r, "refine", "packages", "--json"))["suggestion"]
    tellback(r, "refine", "packages", "--yes", proposal["id"])
    tellback(r, "refine", "--check", "packages")
    with open(SKILL) as file:
        write(OUT + "/skill-after.txt", file.read())
    r.stub.add({"text": "Hello."})
    terminal = r.tui()
    turn(r, terminal, "Hello there")
    r.leave(terminal)


if __name__ == "__main__":
    play.main()
