"""The queue: written later, with ids, exactly once, whatever was killed, whatever the log looks like."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.capture import slow, waiting
from tellback.capture.heard import Heard
from tellback.capture.points import Point
from tellback.capture.queue import append_unsure
from tellback.capture.waiting import drop_waiting, read_unsure, read_waiting, write_queued
from tellback.core.locks import NoFlock
from tellback.core.shapes import Turn

if TYPE_CHECKING:
    from conftest import Project

BLOCK = "corrections:\n- id: CORR-001 # the first\n  severity: high\n  fix: |\n    two\n    lines\n"


def block_log(project: "Project") -> None:
    project.write(project.log, "corrections: {}\n")


def unblock(project: "Project", text: str = "corrections:\n") -> None:
    project.log.write_text(text)


def test_queued_words_get_their_entry_and_id(project: "Project") -> None:
    def fill(point: Point) -> None:
        point.severity, point.fix, point.tables, point.sql_before = "high", "x", ["t"], "select 1"

    block_log(project)
    project.say('wrong "one"\n', prompt_id="p1", at=1e9, change=fill, dataset="sales")
    unblock(project)

    written = write_queued(project.places)

    assert (written.written, written.ids, written.waiting) == (1, ("CORR-001",), 0)
    (entry,) = project.entries()
    assert entry["description"] == 'wrong "one"\n'
    assert (entry["severity"], entry["fix"], entry["tables"], entry["sql_before"]) == ("high", "x", ["t"], "select 1")
    assert (entry["dataset"], entry["date"]) == ("sales", "2001-09-09")
    assert not project.queue.exists()
    assert project.say("next").ids == ["CORR-002"]


def test_the_hook_knows_what_the_sweep_wrote(project: "Project") -> None:
    block_log(project)
    project.say("wrong", prompt_id="p1")
    unblock(project)
    write_queued(project.places)

    assert project.say("wrong", prompt_id="p1").kind == "double"
    assert project.say("wrong", prompt_id="p2").ids == ["CORR-001"]


def test_what_cannot_be_written_yet_stays_in_the_queue(project: "Project") -> None:
    block_log(project)
    project.say("wrong", prompt_id="p1")

    written = write_queued(project.places)

    assert (written.written, written.waiting) == (0, 1)
    assert "no list" in written.reasons[0]
    assert [fields["text"] for fields in read_waiting(project.places)] == ["wrong"]
    assert project.log.read_text() == "corrections: {}\n"


def test_a_writer_killed_behind_the_append_writes_nothing_twice(
    project: "Project", monkeypatch: pytest.MonkeyPatch
) -> None:
    block_log(project)
    for number in range(3):
        project.say(f"wrong {number}", prompt_id=f"p{number}")
    unblock(project)
    real, calls = slow.commit, 0

    def die_later(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        result = real(*arguments)  # type: ignore[arg-type]
        if calls == 2:
            raise KeyboardInterrupt
        return result

    with monkeypatch.context() as patched:
        patched.setattr(slow, "commit", die_later)
        with pytest.raises(KeyboardInterrupt):
            write_queued(project.places)
    project.say("wrong 3", prompt_id="p3")

    write_queued(project.places)

    assert sorted(entry["description"] for entry in project.entries()) == [f"wrong {n}" for n in range(4)]
    assert [entry["id"] for entry in project.entries()] == [f"CORR-{n:03d}" for n in range(1, 5)]
    assert project.counts()["total_corrections"] == 4


def test_a_line_that_lies_in_the_queue_twice_is_written_once(project: "Project") -> None:
    block_log(project)
    project.say("wrong", prompt_id="p1")
    project.queue.write_bytes(project.queue.read_bytes() * 2)
    unblock(project)

    write_queued(project.places)

    assert len(project.entries()) == 1


def test_unreadable_lines_are_kept_aside(project: "Project") -> None:
    block_log(project)
    project.say("wrong", prompt_id="p1")
    with project.queue.open("ab") as queue:
        queue.write(b'{"format":1,"te\n{"format": 99}\n[]\n\xff\n')
    unblock(project)

    written = write_queued(project.places)

    assert (written.written, written.unreadable) == (1, 4)
    assert (Path(project.places.data) / "queue.unreadable.jsonl").read_bytes().count(b"\n") == 4


def test_a_line_with_missing_fields_stays_and_stops_nothing(project: "Project") -> None:
    block_log(project)
    project.say("wrong", prompt_id="p1")
    line = json.loads(project.queue.read_text())
    del line["text"]
    project.queue.write_text(json.dumps(line) + "\n" + project.queue.read_text())
    unblock(project)

    written = write_queued(project.places)

    assert (written.written, written.waiting) == (1, 1)


def test_a_hook_that_writes_while_the_queue_is_taken_loses_nothing(
    project: "Project", monkeypatch: pytest.MonkeyPatch
) -> None:
    block_log(project)
    real = os.fstat
    taken = False

    def take_meanwhile(fd: int) -> os.stat_result:
        nonlocal taken
        found = real(fd)
        if not taken and project.queue.exists() and found.st_ino == project.queue.stat().st_ino and found.st_size:
            taken = True
            project.queue.rename(project.queue.with_name("queue.taken.jsonl"))
            project.queue.with_name("queue.taken.jsonl").write_bytes(b"")  # read before the line came
        return found

    with monkeypatch.context() as patched:
        patched.setattr("posix.fstat", take_meanwhile)
        project.say("wrong", prompt_id="p1")

    assert taken
    assert [fields["text"] for fields in read_waiting(project.places)] == ["wrong"]


def test_learnings_too_long_for_a_hook_are_written_by_the_sweep(project: "Project") -> None:
    project.write(project.learnings, "words\n" * 60_000)
    project.say("always", label="learning", prompt_id="p1")

    assert write_queued(project.places).written == 1

    assert project.learnings.read_text().startswith("words\n" * 60_000)
    assert "\n- always (source" in project.learnings.read_text()


def test_without_locks_on_the_file_system_the_sweep_still_writes(
    project: "Project", monkeypatch: pytest.MonkeyPatch
) -> None:
    from tellback.core.locks import take_lock

    def refuse_in_project(path: str, wait_s: float, *, dir_fd: int | None = None) -> int | None:
        if path.startswith("log.yaml"):
            raise NoFlock(95, "none here")
        return take_lock(path, wait_s, dir_fd=dir_fd)

    monkeypatch.setattr("tellback.capture.folder.take_lock", refuse_in_project)
    assert project.say("wrong", prompt_id="p1").kind == "queued"

    assert write_queued(project.places).ids == ("CORR-001",)


def test_only_one_sweep_writes_the_queue(project: "Project", monkeypatch: pytest.MonkeyPatch) -> None:
    from tellback.capture.folder import BusyError, make_private

    data = make_private(project.places.data)
    held = data.take_lock("queue.lock", 0)
    monkeypatch.setattr(waiting, "LOCK_WAIT_S", 0.01)

    with pytest.raises(BusyError):
        write_queued(project.places)

    data.free_lock(held)
    data.close()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BLOCK, id="a block scalar"),
        pytest.param("corrections: [{id: CORR-001, fix: x}] # flow\n# end\n", id="a flow list"),
        pytest.param("corrections: [] # none\nowner: me\n", id="an empty list before another key"),
        pytest.param("a: 1\r\ncorrections:\r\n- id: CORR-001\r\n  fix: x\r\n", id="CRLF"),
        pytest.param("corrections:\n- id: CORR-001\n# about the next\narchive:\n- id: CORR-000\n", id="a key behind"),
        pytest.param("corrections:\n    - id: CORR-001\n      fix: x\n", id="four spaces"),
        pytest.param("\ufeffcorrections:\n- &a {id: CORR-001}\n- *a\n", id="anchors"),
        pytest.param("corrections:\n- id: CORR-001\n...\n", id="an end mark"),
    ],
)
def test_odd_logs_are_added_to_and_nothing_of_theirs_is_lost(text: str, project: "Project") -> None:
    project.write(project.log, text)
    before = project.load(project.log)
    comments = [line[line.index("#") :].strip() for line in text.splitlines() if "#" in line]
    assert project.say("wrong", prompt_id="p1").kind == "queued"

    written = write_queued(project.places)

    after = project.load(project.log)
    assert written.written == 1
    old = before.pop("corrections", None) or []
    new = after.pop("corrections")
    assert (after, new[:-1]) == (before, old)
    assert (new[-1]["description"], new[-1]["id"]) == ("wrong", written.ids[0])
    assert project.counts()["total_corrections"] == len(new)
    assert all(comment in project.log.read_text() for comment in comments)
    second = project.say("wrong 2", prompt_id="p2")
    if second.kind == "queued":
        second.ids = list(write_queued(project.places).ids)
    assert [entry["description"] for entry in project.entries()[-2:]] == ["wrong", "wrong 2"]
    assert project.entries()[-1]["id"] == second.ids[0]
    assert project.counts()["total_corrections"] == len(new) + 1


def test_after_the_sweep_the_hook_appends_to_a_log_with_block_scalars(project: "Project") -> None:
    project.write(project.log, BLOCK)
    project.say("wrong", prompt_id="p1")
    write_queued(project.places)

    assert project.say("wrong 2", prompt_id="p2").kind == "logged"
    assert project.log.read_text().startswith(BLOCK)


def test_a_list_behind_the_corrections_never_gets_an_entry_of_ours(project: "Project") -> None:
    tail = "archive:\n- id: CORR-000\n  prevented_by: null\n"
    project.write(project.log, "corrections:\n- id: CORR-001\n" + tail)
    for number in range(3):
        project.say(f"wrong {number}", prompt_id=f"p{number}")
        write_queued(project.places)

    assert project.log.read_text().endswith(tail)
    assert len(project.entries()) == 4


@pytest.mark.parametrize("text", ["{", "- id: CORR-001\n", "corrections: 3\n", "<<<<<<< HEAD\ncorrections:\n", "\0"])
def test_a_log_that_cannot_be_read_is_left_alone(text: str, project: "Project") -> None:
    project.write(project.log, text)
    project.say("wrong", prompt_id="p1")

    assert write_queued(project.places).waiting == 1
    assert project.log.read_text() == text


def test_a_doubled_id_after_a_merge_is_not_renumbered(project: "Project") -> None:
    project.write(project.log, "corrections:\n- id: CORR-001\n- id: CORR-001\n- id: CORR-003\n")

    assert project.say("wrong").ids == ["CORR-004"]

    assert [entry["id"] for entry in project.entries()] == ["CORR-001", "CORR-001", "CORR-003", "CORR-004"]


def test_an_index_that_a_killed_capture_left_behind_is_healed(project: "Project") -> None:
    project.say("wrong 1")
    index = project.index.read_bytes()
    project.say("wrong 2")
    with project.log.open("a") as log:
        log.write('  # tellback 0123456789ab\n  - id: "CORR-0')
    project.index.write_bytes(index)

    assert slow.heal_index(project.where, project.places)

    assert not slow.heal_index(project.where, project.places)
    assert len(project.entries()) == project.counts()["total_corrections"] == 2
    assert project.counts()["log_bytes"] == project.log.stat().st_size


def test_healing_makes_nothing_where_nothing_was_kept(project: "Project") -> None:
    project.knowledge.mkdir()

    assert not slow.heal_index(project.where, project.places)
    assert list(project.knowledge.iterdir()) == []


def test_an_index_is_recounted_on_demand(project: "Project") -> None:
    project.say("wrong 1")
    project.say("wrong 2")
    index = project.index.read_text()
    project.index.write_text(index.replace("total_corrections: 2", "total_corrections: 7"))

    with slow.open_ledger(project.where, project.places) as ledger:
        ledger.recount()

    assert project.index.read_text() == index


def test_unsure_learnings_are_kept_for_a_person_and_can_be_dropped(project: "Project") -> None:
    turn = Turn("claude-code", "prompt", 1.0)
    turn.session_id = "s1"
    for number, text in enumerate(["always", "never"]):
        heard = Heard(turn, f"hash {number}")
        heard.label, heard.category, heard.points = "learning", "Data Patterns", [(0, Point(text))]
        append_unsure(project.places, heard, project.where)

    first, second = read_unsure(project.places)
    assert (first["text"], second["text"], first["learning_category"]) == ("always", "never", "Data Patterns")

    assert drop_waiting(project.places, "unsure.jsonl", {first["key"]}) == 1
    assert [fields["text"] for fields in read_unsure(project.places)] == ["never"]
