"""Reading what matters of a log tells of its skill calls what reading all of it tells."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.learning import marks
from tellback.learning.course import list_turns
from tellback.learning.events import FeedbackEvent
from tellback.learning.excerpt import Span as Part
from tellback.learning.excerpt import read_context, read_span, read_windows, sort_entries
from tellback.learning.marks import find_marks
from tellback.learning.outcomes import find_windows, make_event
from tellback.sessions import claude_code
from tellback.sessions.entry import Entry, Tally
from tellback.sessions.reader import Listed

WORDS = (
    "no, that is wrong", "redo it please", "looks good but rename the class", "可以", "what is this?",
    'the "Skill" tool is <command-name> not it', "and now the next part of the work please",
)  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.sampled_from(WORDS)),
        st.tuples(st.sampled_from(["skill", "typed_skill", "older_skill"]), st.sampled_from(["lint", "deploy"])),
        st.tuples(st.just("open_call"), st.sampled_from(["ls", "git checkout -- a.py"])),
        st.tuples(st.just("late_result"), st.just("")),
        st.tuples(st.just("command"), st.sampled_from(["ls", "git reset --hard", "pytest"])),
        st.tuples(st.just("refused"), st.sampled_from(WORDS)),
        st.tuples(st.just("answer"), st.sampled_from(["Done.", "All fixed now."])),
    ),
    max_size=40,
)


class Play:
    """Writes the steps with a log of the tests' own kind."""

    def __init__(self, log: Any) -> None:
        self.log = log
        self.open: list[str] = []

    def take(self, step: str, words: str) -> None:
        if step in ("user", "answer", "skill", "typed_skill", "older_skill"):
            getattr(self.log, step)(words)
        elif step == "command":
            self.log.tool("Bash", command=words)
        elif step == "open_call":
            self.open.append(f"open{len(self.log.records)}")
            block = {"type": "tool_use", "id": self.open[-1], "name": "Bash", "input": {"command": words}}
            self.log._assistant(block)
        elif step == "late_result" and self.open:
            self._result(self.open.pop(0), "ok")
        elif step == "refused":
            block = {"type": "tool_use", "id": f"r{len(self.log.records)}", "name": "Bash", "input": {"command": "x"}}
            self.log._assistant(block)
            said = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
            self._result(block["id"], said + words, is_error=True)

    def _result(self, call_id: Any, text: str, **more: Any) -> None:
        result = {"type": "tool_result", "tool_use_id": call_id, "content": text, **more}
        self.log._add("user", toolUseResult={}, message={"role": "user", "content": [result]})


def list_log(path: Path) -> Listed:
    return Listed(claude_code.HARNESS, path.stem, str(path), path.stat().st_size, path.stat().st_mtime_ns)


def read_all(listed: Listed) -> list[Entry]:
    return sort_entries(read_span(claude_code, listed, Part(0, listed.size)))


def tell(entries: list[Entry], window: int) -> list[tuple[str, bool, FeedbackEvent | None]]:
    return [
        (one.call.span, one.is_closed, make_event("s1", one.call, one.reacted) if one.reacted else None)
        for one in find_windows(entries, lambda _: True, window=window)
    ]


@settings(max_examples=300)
@given(steps=STEPS, window=st.integers(1, 4), is_compact=st.booleans())
def test_windows_read_apart_tell_what_the_whole_log_tells(
    steps: list[tuple[str, str]], window: int, is_compact: bool, claude_log: Any, tmp_path: Path
) -> None:
    path = write(claude_log(), steps, tmp_path, is_compact)
    listed = list_log(path)

    entries = read_windows(claude_code, listed, find_marks(str(path)), window)

    assert tell(entries, window) == tell(read_all(listed), window)


@settings(max_examples=200)
@given(steps=STEPS, lookback=st.integers(1, 4))
def test_turns_about_a_skill_are_as_in_the_whole_log(
    steps: list[tuple[str, str]], lookback: int, claude_log: Any, tmp_path: Path
) -> None:
    path = write(claude_log(), steps, tmp_path, True)
    listed = list_log(path)

    entries = read_context(claude_code, listed, Part(0, listed.size), find_marks(str(path)), lookback, Tally())

    def about_skills(entries: list[Entry]) -> list[object]:
        turns = [turn for turn in list_turns(entries, lambda _: True, lookback) if turn.skills]
        return [(t.entry, t.answer, t.intent, t.skills, [e.span for e in t.before]) for t in turns]

    assert about_skills(entries) == about_skills(read_all(listed))
    prompts = [entry for entry in entries if entry.kind == "prompt"]
    assert prompts == [entry for entry in read_all(listed) if entry.kind == "prompt"]


def write(log: Any, steps: list[tuple[str, str]], folder: Path, is_compact: bool) -> Path:
    play = Play(log)
    for step, words in steps:
        play.take(step, words)
    path: Path = log.write(folder)
    if not is_compact:
        path.write_text("".join(json.dumps(record) + "\n" for record in log.records))
    return path


@pytest.fixture
def open_lines(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every line that was parsed as JSON while entries were read, by its length."""
    from tellback.sessions import claude_reading

    lengths: list[int] = []
    parse: Any = claude_reading.parse_line

    def spy(line: Any) -> Any:
        lengths.append(len(line))
        return parse(line)

    monkeypatch.setattr(claude_reading, "parse_line", spy)
    return lengths


def test_what_is_far_from_a_call_is_not_parsed(claude_log: Any, tmp_path: Path, open_lines: list[int]) -> None:
    log = claude_log()
    for number in range(200):
        log.user(f"please look at {number}").tool("Bash", command="ls").answer()
        if number == 100:
            log.skill("lint")
    path = log.write(tmp_path)

    read_windows(claude_code, list_log(path), find_marks(str(path)), 3)

    assert len(open_lines) < 60


def test_a_log_without_calls_has_no_marks(claude_log: Any, tmp_path: Path) -> None:
    path = claude_log().user("hello").tool("Bash", command="ls").answer().write(tmp_path)

    assert find_marks(str(path)) == []


@given(st.lists(st.sampled_from(["/a", "/a/b", '/q"uo', "/ü", "/back\\slash"]), max_size=40), st.integers(1, 400))
def test_folders_are_found_wherever_blocks_are_cut(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cwds: list[str], block: int
) -> None:
    monkeypatch.setattr(marks, "_BLOCK", block)
    log = tmp_path / "s1.jsonl"
    log.write_text("".join(json.dumps({"text": "x" * 50, "cwd": cwd}, separators=(",", ":")) + "\n" for cwd in cwds))

    monkeypatch.setattr(marks, "_OVERLAP", 64)
    with log.open("a") as file:
        file.write('"Skill"\n')

    assert marks.find_marks_and_folders(str(log))[1] == list(dict.fromkeys(cwds))


@given(
    st.lists(st.sampled_from(['"name":"Skill","input":{', '"Skill"', "<command-name>", "x" * 30, "\n"]), max_size=60),
    st.booleans(),
    st.integers(8, 200),
)
def test_marks_are_found_wherever_blocks_are_cut(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pieces: list[str], is_usual: bool, block: int
) -> None:
    path = tmp_path / "s1.jsonl"
    first = '"type":"tool_use","id":"t1","name":"Read","input":{}\n'
    data = (first if is_usual else "") + "".join(pieces)
    path.write_text(data)
    whole = find_marks(str(path))

    monkeypatch.setattr(marks, "_BLOCK", block)
    monkeypatch.setattr(marks, "_OVERLAP", 64)

    assert find_marks(str(path)) == whole
    call = '"name":"Skill","input":{' if is_usual else '"Skill"'
    held, offset = [], 0
    for line in data.split("\n"):
        held += [offset] if call in line or "<command-name>" in line else []
        offset += len(line) + 1
    assert whole == held
