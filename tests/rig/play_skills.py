"""Runs inside the rig's sandbox: skills called by tool and by name, each corrected; then what lies beside them.

Called like ``play.py``, which does the rest. What the skills' folder held before and after is written to the results.
"""

import json
import os

import play  # installs, plays, sweeps; finds the rig
from claude_code import bash, turn
from rigkit import HOME, OUT, PROJECT, write

SKILLS = PROJECT + "/.claude/skills"
QUESTIONS = ("What time is it?", "Which day is it?", "How many files are here?")


def list_skills():
    """Return every file of the skills' folder with its text."""
    found = {}
    for folder, _, names in os.walk(SKILLS):
        for name in names:
            with open(os.path.join(folder, name)) as file:
                found[os.path.relpath(os.path.join(folder, name), SKILLS)] = file.read()
    return found


def read_events():
    """Return the sweep's events."""
    path = HOME + "/.local/share/tellback/feedback-store/feedback.jsonl"
    with open(path) as file:
        return [json.loads(line) for line in file]


@play.ours
def skills_corrected(r):
    """Two sessions: a skill called by the agent and one typed by the person, each corrected in the next turn."""
    os.makedirs(SKILLS + "/farewell", exist_ok=True)
    with open(SKILLS + "/farewell/SKILL.md", "w") as file:
        file.write("---\nname: farewell\ndescription: Say goodbye\n---\n\nSay goodbye to $ARGUMENTS.\n")
    write(OUT + "/skills-before.json", json.dumps(list_skills()))
    answers = [{"text": f"It is {n}."} for n in range(3)]
    call = {"name": "Skill", "input": {"skill": "greet", "args": "Ada"}}
    r.stub.add({"text": "I use the greet skill.", "tools": [call]}, {"tools": [bash("echo hello")]})
    r.stub.add({"text": "Hello, Ada!"}, {"text": "Hello, Grace!"}, *answers)
    say_all(r, "Greet Ada", "No, that's wrong, the name format should be Grace, not Ada", *QUESTIONS)
    r.stub.add({"tools": [bash("echo bye")]}, {"text": "Goodbye, Ada!"}, {"text": "Tschüss, Ada!"}, *answers)
    say_all(r, "/farewell Ada ", "No, that's wrong, you forgot the German, use Tschüss instead of Goodbye", *QUESTIONS)


def say_all(r, *prompts):
    terminal = r.tui()
    for prompt in prompts:
        turn(r, terminal, prompt)
    r.leave(terminal)


if __name__ == "__main__":
    play.main()
    write(OUT + "/skills-after.json", json.dumps(list_skills()))
    write(OUT + "/events.json", json.dumps(read_events()))
