"""A capture killed before, and in the middle of, every single system call: the next one finds nothing amiss."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tellback.capture.waiting import write_queued

if TYPE_CHECKING:
    from conftest import Project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks as POSIX has them")
CALLS = ("open", "close", "write", "pread", "rename", "link", "unlink", "mkdir", "rmdir", "ftruncate", "fstat", "stat")
ODD = "corrections: {}\n"


def die_at(number: int, is_torn: bool) -> None:
    """Let this process end before its call of that number, or in the middle of its ``write`` of that number."""
    import posix

    count = 0

    def wrap(name: str) -> Callable[..., Any]:
        real = getattr(posix, name)

        def call(*arguments: Any, **settings: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                if is_torn:
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os._exit(9)
            return real(*arguments, **settings)

        return call

    for name in ("write",) if is_torn else CALLS:
        setattr(posix, name, wrap(name))


def survives(act: Callable[[], object], number: int, is_torn: bool) -> bool:
    """Do *act* in a child that dies at call *number*; say whether it came to its end."""
    pid = os.fork()
    if pid == 0:
        try:
            die_at(number, is_torn)
            act()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, 9)
    return status == 0


def kill_everywhere(
    project: "Project",
    prepare: Callable[[], object],
    act: Callable[[], object],
    check: Callable[[], None],
    step: int = 1,
) -> int:
    """Kill *act* at every call, or every *step*-th, each time from the state that *prepare* makes.

    Returns:
        The number of calls.
    """
    for is_torn in (True, False):
        number = 1 - step
        is_done = False
        while not is_done:
            number += step
            for folder in (project.knowledge, Path(project.places.data)):
                shutil.rmtree(folder, ignore_errors=True)
            prepare()
            is_done = survives(act, number, is_torn)
            check()
    return number


def check_log(project: "Project", *words: str) -> None:
    entries = project.entries()
    assert [entry["description"] for entry in entries] == list(words)
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert project.counts()["total_corrections"] == len(entries)
    assert project.counts()["log_bytes"] == project.log.stat().st_size


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_correction_killed_anywhere_is_kept_once(step: int, project: "Project") -> None:
    def check() -> None:
        project.say("wrong 1", prompt_id="p1")
        project.say("wrong 2", prompt_id="p2")  # the second firing of the one that was killed
        project.say("wrong 3", prompt_id="p3")
        check_log(project, "wrong 1", "wrong 2", "wrong 3")

    calls = kill_everywhere(
        project,
        lambda: project.say("wrong 1", prompt_id="p1"),
        lambda: project.say("wrong 2", prompt_id="p2"),
        check,
        step,
    )

    assert calls > 30


@pytest.mark.slow
def test_a_correction_killed_anywhere_hides_nothing_from_another(project: "Project") -> None:
    def check() -> None:
        project.say("wrong 3", prompt_id="p3")
        words = [entry["description"] for entry in project.entries()]
        assert words in (["wrong 1", "wrong 3"], ["wrong 1", "wrong 2", "wrong 3"])
        check_log(project, *words)

    kill_everywhere(
        project,
        lambda: project.say("wrong 1", prompt_id="p1"),
        lambda: project.say("wrong 2", prompt_id="p2"),
        check,
    )


@pytest.mark.slow
def test_the_first_correction_killed_anywhere_leaves_no_folder_without_gitignore(project: "Project") -> None:
    def check() -> None:
        assert not project.knowledge.exists() or (project.knowledge / ".gitignore").read_text() == "*\n"
        project.say("wrong", prompt_id="p1")
        check_log(project, "wrong")

    kill_everywhere(project, lambda: None, lambda: project.say("wrong", prompt_id="p1"), check)


@pytest.mark.slow
def test_a_learning_killed_anywhere_is_kept_once(project: "Project") -> None:
    def check() -> None:
        project.say("always", label="learning", prompt_id="p1")
        assert project.learnings.read_text().count("- always (source") == 1

    kill_everywhere(project, lambda: None, lambda: project.say("always", label="learning", prompt_id="p1"), check)


@pytest.mark.slow
def test_words_on_their_way_into_the_queue_are_written_once(project: "Project") -> None:
    def check() -> None:
        project.say("wrong", prompt_id="p1")
        project.log.write_text("corrections:\n")
        write_queued(project.places)
        project.say("next", prompt_id="p2")
        check_log(project, "wrong", "next")

    kill_everywhere(
        project,
        lambda: project.write(project.log, ODD),
        lambda: project.say("wrong", prompt_id="p1"),
        check,
    )


@pytest.mark.slow
def test_a_sweep_killed_anywhere_writes_the_queue_once(project: "Project") -> None:
    def prepare() -> None:
        project.write(project.log, ODD)
        project.say("wrong 1", prompt_id="p1")
        project.say("wrong 2", prompt_id="p2")
        project.log.write_text("corrections:\n- id: CORR-001\n  description: |\n    odd\n")

    def check() -> None:
        write_queued(project.places)
        words = [entry["description"] for entry in project.entries()]
        assert words == ["odd\n", "wrong 1", "wrong 2"]
        assert project.counts()["total_corrections"] == 3

    kill_everywhere(project, prepare, lambda: write_queued(project.places), check)
