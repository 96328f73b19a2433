"""The calls of a rollout: scripts as containers, results that come twice, processes that outlive their call.

What makes a rollout's calls hard, and what is done about it:

- A default model has one tool, ``exec``, that runs a script; the commands inside are ``item_completed`` records with
  ids of their own. They are calls of their own, and the script is one only when nothing inside tells of its end.
- A result may stand in an item, in the call's output and in a later poll: the first settles the call, a later item
  changes it only from ok to worse, and a poll never counts the failure of the command that it polls.
- After ``turn_aborted`` the killed command's item still comes, as failed with -1: it changes nothing.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import codex_records as records
from .entry import Call, Entry, Resume, Status, Tally
from .ledger import Ledger, Memo, Outcome
from .patch import edits_of_changes, edits_of_patch
from .values import as_list, as_object, as_text

_KEPT_SETTLED = 200  # calls whose item may still come; in 0.171.0 it nearly always comes before the output
_KEPT_TURNS = 32
_KEPT_PROCESSES = 64
_KEPT_SKILLS = 16
_WORSE: dict[Status, int] = {"open": 0, "ok": 1, "error": 2, "denied": 3, "interrupted": 4}


class Script(NamedTuple):
    """A call of ``exec`` without a result so far.

    Attributes:
        entry: its line's entry; its ``end`` moves when the result comes.
        inner: what became of the calls inside it so far.
    """

    entry: Entry
    inner: tuple[Status, ...] = ()


class Calls:
    """The calls of one reading of a rollout."""

    def __init__(self, tally: Tally, resume: Resume, reread: Callable[[Memo], list[Entry]]) -> None:
        self._ledger = Ledger(tally, reread)
        self._ledger.restore(resume.carry.get("calls"))
        self._tally = tally
        self._scripts: dict[str, Script] = {}
        self._skills: list[str] = [as_text(skill) for skill in as_list(resume.carry.get("skills"))]
        self._opening: dict[str, str] = {}  # by call: a skill that the turn did not have when the call began
        self._aborted: list[str] = [as_text(turn) for turn in as_list(resume.carry.get("aborted"))]
        self._running: dict[str, str] = {k: as_text(v) for k, v in as_object(resume.carry.get("running")).items()}
        self._restore_scripts(resume.carry.get("scripts"), reread)

    def begin(self, entry: Entry) -> None:
        """Take a call that the model made."""
        assert entry.call is not None
        if is_script(entry.call):
            if entry.call.id not in self._scripts and not self._ledger.knows(entry.call.id):
                self._scripts[entry.call.id] = Script(entry)
        elif not self._ledger.knows(entry.call.id):
            self._ledger.begin(entry)
            self._opening[entry.call.id] = self._as_skill(entry).skill

    def take_output(self, payload: dict[str, Any], end: int) -> Iterator[Entry]:
        """Take the output of a call."""
        call_id, output = as_text(payload.get("call_id")), payload.get("output")
        if script := self._scripts.pop(call_id, None):
            yield from self._settle_script(script, records.judge_script(output), end)
            return
        outcome = records.judge_output(output)
        if process := records.find_running(output):
            self._note_running(process, call_id)
        call = self._ledger.call_of(call_id)
        if call is not None and call.tool == "write_stdin":
            yield from self._settle_poll(call, outcome, end)
        elif self._ledger.status_of(call_id) == "open":  # the first output is the result (S-86)
            yield from self._settle(call_id, outcome, end)

    def take_item(self, item: dict[str, Any], turn: str, entry: Entry) -> Iterator[Entry]:
        """Take an ``item_completed`` that tells of a call; *entry* is what it would be as a call of its own."""
        assert entry.call is not None
        outcome = records.judge_item(item)
        call_id = entry.call.id
        if outcome is None or not call_id:
            return
        self._finished(as_text(item.get("process_id")))
        if self._ledger.knows(call_id):
            yield from self._refine(call_id, outcome, entry.end)
        elif turn not in self._aborted:
            self._ledger.begin(entry)
            yield from self._settle(call_id, outcome, entry.end)
            self._note_inner(outcome.status)
        else:
            # The script around it was interrupted, and that is told already.
            self._ledger.past[call_id] = Memo(entry.offset, entry.cwd, entry.model, "interrupted")

    def take_end_event(self, payload: dict[str, Any], end: int) -> Iterator[Entry]:
        """Take a ``*_end`` event of an earlier release."""
        if outcome := records.judge_end_event(payload):
            yield from self._refine(as_text(payload.get("call_id")), outcome, end)

    def abort(self, turn: str, end: int) -> Iterator[Entry]:
        """Interrupt every call without a result: the person stopped the turn (S-90)."""
        self._aborted = [*self._aborted, turn][-_KEPT_TURNS:] if turn else self._aborted
        for script in self._scripts.values():
            yield from self._settle_script(script, Outcome("interrupted"), end)
        self._scripts.clear()
        yield from self._ledger.settle_open(end, Outcome("interrupted"))

    def note_skill(self, skill: str) -> None:
        """Note that the turn has a skill: to read its file again is no further call of it."""
        self._skills = [*self._skills, skill][-_KEPT_SKILLS:]

    def forget_skills(self) -> None:
        """Begin a turn."""
        self._skills = []

    def finish(self) -> list[Entry]:
        """Return the calls that have no result, in the order of the log; whether a script is one, its end tells.

        Whether one opens a skill is told as of its own line: a reading that ended before the next could say no other.
        """
        found = [(entry, self._opening.get(call_id, "")) for call_id, entry in self._ledger.open.items()]
        return [_as_skill_call(entry, skill) if skill else entry for entry, skill in found]

    def carry(self) -> dict[str, Any]:
        """Return what the next reading must know."""
        scripts = [
            [call_id, s.entry.offset, s.entry.cwd, s.entry.model, list(s.inner[-8:])]
            for call_id, s in list(self._scripts.items())[-_KEPT_PROCESSES:]
        ]
        found = {
            "calls": self._ledger.carry(_KEPT_SETTLED),
            "scripts": scripts,
            "aborted": self._aborted,
            "running": dict(list(self._running.items())[-_KEPT_PROCESSES:]),
            "skills": self._skills,
        }
        return {name: value for name, value in found.items() if value}

    def _settle(self, call_id: str, outcome: Outcome, end: int) -> Iterator[Entry]:
        entry = self._ledger.settle(call_id, end, outcome)
        self._ledger.trim(_KEPT_SETTLED)
        if entry:
            yield self._with_skill(with_edits(entry))

    def _with_skill(self, entry: Entry) -> Entry:
        """Return a settled call, as a skill call when it read a skill's file for the first time in the turn."""
        found = self._as_skill(entry) if entry.call is not None and entry.call.status == "ok" else entry
        if found.skill:
            self.note_skill(found.skill)
        return found

    def _as_skill(self, entry: Entry) -> Entry:
        skill = records.find_read_skill(entry.call.command) if entry.call is not None else ""
        if not skill or skill in self._skills:
            return entry
        return _as_skill_call(entry, skill)

    def _refine(self, call_id: str, outcome: Outcome, end: int) -> Iterator[Entry]:
        """Settle a call by a record of the program; of two results the worse one holds, an interrupt for good."""
        status = self._ledger.status_of(call_id)
        if status is not None and _WORSE[outcome.status] > _WORSE[status]:
            yield from self._settle(call_id, outcome, end)

    def _settle_script(self, script: Script, outcome: Outcome, end: int) -> Iterator[Entry]:
        """Yield the script as a call of its own unless the calls inside it tell the same (no failure counts twice)."""
        call = script.entry.call
        assert call is not None
        if script.inner and _is_told(outcome.status, script.inner):
            self._ledger.past[call.id] = Memo(script.entry.offset, script.entry.cwd, script.entry.model, outcome.status)
            return
        self._ledger.begin(script.entry)
        yield from self._settle(call.id, outcome, end)

    def _settle_poll(self, call: Call, outcome: Outcome, end: int) -> Iterator[Entry]:
        """Settle a ``write_stdin``: an exit code in it is that of the process, whose own call has it too (D-cx6)."""
        process = str(call.input.get("session_id", ""))
        owner = self._running.get(process)
        if outcome.exit_code is not None and owner is not None:
            if owner:
                yield from self._refine(owner, outcome, end)
            outcome = outcome._replace(status="ok", exit_code=None)
            self._finished(process)
        yield from self._settle(call.id, outcome, end)

    def _note_running(self, process: str, call_id: str) -> None:
        self._running.setdefault(process, call_id)
        if len(self._running) > 2 * _KEPT_PROCESSES:
            del self._running[next(iter(self._running))]

    def _finished(self, process: str) -> None:
        """Note that a process's end is told: a later poll of it has nothing to add."""
        if process in self._running:
            self._running[process] = ""

    def _note_inner(self, status: Status) -> None:
        for call_id, script in self._scripts.items():
            self._scripts[call_id] = script._replace(inner=(*script.inner[-8:], status))

    def _restore_scripts(self, carried: Any, reread: Callable[[Memo], list[Entry]]) -> None:
        for item in map(as_list, as_list(carried)):
            if len(item) != 5 or not isinstance(item[1], int):
                continue
            for entry in reread(Memo(item[1], as_text(item[2]), as_text(item[3]), "open")):
                if entry.call and entry.call.id == item[0]:
                    self._scripts[entry.call.id] = Script(entry, tuple(as_list(item[4])))


def _as_skill_call(entry: Entry, skill: str) -> Entry:
    return entry._replace(kind="skill_call", skill=skill, origin="agent")


def _is_told(status: Status, inner: tuple[Status, ...]) -> bool:
    """Whether calls inside a script tell of its end: a script also fails because a command in it was refused."""
    return status == "ok" or status in inner or (status == "error" and "denied" in inner)


def is_script(call: Call) -> bool:
    """Whether a call is ``exec`` with a script, which is a container and no command."""
    return call.tool == "exec" and "input" in call.input


def with_edits(entry: Entry) -> Entry:
    """Return *entry* as an edit when its call patched files."""
    call = entry.call
    if call is None or call.status != "ok" or call.tool != "apply_patch":
        return entry
    if "changes" in call.input:
        edits = edits_of_changes(call.input["changes"])
    else:
        edits = edits_of_patch(as_text(call.input.get("input")), entry.cwd)
    return entry._replace(kind="edit", edits=edits) if edits else entry
