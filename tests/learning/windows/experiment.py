"""The window experiment of A-21: how many corrections a window of 1, 3 and 5 turns catches, and how many are false.

Run: ``python tests/learning/windows/experiment.py [document]``. The sessions are in ``sessions.txt``, written and
labelled by hand. Recall is the share of the calls whose work was corrected that are found as corrected or partly so;
false is the share of those found that were not. With ``document`` the keyword rules alone read the turns.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tellback.capture.tables import default_tables
from tellback.learning.outcomes import ReadTurn, find_windows
from tellback.learning.reading import make_read_turn, read_by_document
from tellback.sessions.entry import Call, Entry

SESSIONS = Path(__file__).with_name("sessions.txt")
WINDOWS = (1, 3, 5)


class Session(NamedTuple):
    """One session: its entries, and for each skill call (by span) whether its work was corrected."""

    title: str
    entries: list[Entry]
    corrected: dict[str, bool]


class Figures(NamedTuple):
    """What one window found: corrected calls, those of them found, and all found."""

    window: int
    corrected: int
    caught: int
    found: int

    @property
    def recall(self) -> float:
        return self.caught / self.corrected

    @property
    def false_rate(self) -> float:
        return (self.found - self.caught) / self.found if self.found else 0.0


def read_sessions(path: Path = SESSIONS) -> Iterator[Session]:
    """Yield the sessions of the file."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.strip().splitlines() if not line.startswith("# ") and line != "#"]
        if lines:
            yield _read_session(lines[0], lines[1:])


def _read_session(title: str, lines: list[str]) -> Session:
    entries: list[Entry] = []
    corrected: dict[str, bool] = {}
    span = ""
    for number, line in enumerate(lines):
        mark, text = line[0], line[2:]
        entry = Entry(number * 10, number * 10 + 10, f"{title}-{number}", None, "", "", "prompt", text, origin="typed")
        if mark == "@":
            span = entry.span
            corrected[span] = False
            entry = entry._replace(kind="skill_call", skill=text, origin="agent")
        elif mark == "<":
            entry = entry._replace(kind="assistant_text", origin="")
        elif mark == "$":
            call = Call(entry.span, "Bash", {"command": text}, command=text, status="ok")
            entry = entry._replace(kind="tool_call", text="", call=call)
        elif mark == "!":
            corrected[span] = True
        elif mark != ">":
            raise ValueError(f"{title}: {line!r}")
        entries.append(entry)
    return Session(title, entries, corrected)


def measure(window: int, read: ReadTurn) -> Figures:
    """Return what *window* turns find in all sessions."""
    corrected = caught = found = 0
    for session in read_sessions():
        corrected += sum(session.corrected.values())
        for one in find_windows(session.entries, lambda _: True, read, window):
            if one.reacted is not None and one.reacted.reaction not in ("explicit", "implicit"):
                found += 1
                caught += session.corrected[one.call.span]
    return Figures(window, corrected, caught, found)


def list_readings() -> dict[str, ReadTurn]:
    return {"detector": make_read_turn(default_tables()), "document": read_by_document}


def main(arguments: list[str]) -> int:
    read = list_readings()["document" if "document" in arguments else "detector"]
    sessions = list(read_sessions())
    print(f"{len(sessions)} sessions, {sum(len(session.corrected) for session in sessions)} skill calls")
    for of in (measure(window, read) for window in WINDOWS):
        print(
            f"window {of.window}: recall {of.recall:.2f} ({of.caught} of {of.corrected}), "
            f"false {of.false_rate:.2f} ({of.found - of.caught} of {of.found})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
