"""A repository that brings links, FIFOs and other people's folders: nothing is written outside its place."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tellback.core.shapes import Places

if TYPE_CHECKING:
    from conftest import Project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and owners as POSIX has them")
NOBODY = 65534


def snapshot(folder: Path) -> dict[str, bytes | str]:
    """Return every file below *folder* with its bytes, every other thing with its kind."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else "other"
        for path in sorted(folder.rglob("*"))
    }


def link_knowledge(project: "Project", victim: Path) -> None:
    project.knowledge.symlink_to(victim)


def link_corrections(project: "Project", victim: Path) -> None:
    project.knowledge.mkdir()
    (project.knowledge / "corrections").symlink_to(victim)


def link_file(name: str) -> "Callable[[Project, Path], None]":
    def make(project: "Project", victim: Path) -> None:
        project.log.parent.mkdir(parents=True)
        (project.log.parent / name).symlink_to(victim / "file")

    return make


def make_fifo(name: str) -> "Callable[[Project, Path], None]":
    def make(project: "Project", _: Path) -> None:
        project.log.parent.mkdir(parents=True)
        os.mkfifo(project.log.parent / name)

    return make


def make_folder(name: str) -> "Callable[[Project, Path], None]":
    def make(project: "Project", _: Path) -> None:
        (project.log.parent / name).mkdir(parents=True)

    return make


def give_away(name: str) -> "Callable[[Project, Path], None]":
    def make(project: "Project", _: Path) -> None:
        project.log.parent.mkdir(parents=True)
        path = project.knowledge / name
        if not path.exists():
            path.write_text("")
        try:
            os.chown(path, NOBODY, NOBODY)
        except PermissionError:
            pytest.skip("only root can give a file to another user")

    return make


def open_to_all(project: "Project", _: Path) -> None:
    project.knowledge.mkdir()
    project.knowledge.chmod(0o777)


TRAPS = [
    pytest.param(link_knowledge, id="knowledge is a link"),
    pytest.param(link_corrections, id="corrections is a link"),
    pytest.param(link_file("log.yaml"), id="the log is a link"),
    pytest.param(link_file("index.yaml"), id="the index is a link"),
    pytest.param(link_file("log.yaml.lock"), id="the lock is a link"),
    pytest.param(link_file(".index.yaml.tellback"), id="the draft is a link"),
    pytest.param(make_fifo("log.yaml"), id="the log is a FIFO"),
    pytest.param(make_fifo("index.yaml"), id="the index is a FIFO"),
    pytest.param(make_fifo("log.yaml.lock"), id="the lock is a FIFO"),
    pytest.param(make_fifo(".index.yaml.tellback"), id="the draft is a FIFO"),
    pytest.param(make_folder("log.yaml"), id="the log is a folder"),
    pytest.param(make_folder("index.yaml"), id="the index is a folder"),
    pytest.param(give_away("corrections/log.yaml"), id="the log is another user's"),
    pytest.param(give_away("corrections/index.yaml"), id="the index is another user's"),
    pytest.param(give_away("corrections"), id="corrections is another user's"),
    pytest.param(give_away("."), id="knowledge is another user's"),
    pytest.param(open_to_all, id="everybody may write knowledge"),
]


@pytest.mark.parametrize("set_trap", TRAPS)
def test_a_trap_is_not_stepped_into_and_no_word_is_lost(
    set_trap: "Callable[[Project, Path], None]", project: "Project", tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine")
    set_trap(project, victim)

    outcome = project.say("that's wrong", prompt_id="p1")

    assert snapshot(victim) == {"file": b"mine"}
    # A draft that cannot be written keeps the entry: the next capture counts it. All else waits in the queue.
    assert (outcome.kind == "queued" and "that's wrong" in project.queue.read_text()) or outcome.ids == ["CORR-001"]


def test_a_log_that_links_to_somebodys_file_is_never_read_into_the_project(project: "Project", tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("corrections:\n- id: CORR-041\n")
    project.log.parent.mkdir(parents=True)
    project.log.symlink_to(secret)

    assert project.say("wrong").kind == "queued"


def test_learnings_that_are_a_link_are_not_followed(project: "Project", tmp_path: Path) -> None:
    victim = tmp_path / "victim.md"
    victim.write_text("mine")
    project.learnings.parent.mkdir(parents=True)
    project.learnings.symlink_to(victim)

    assert project.say("always", label="learning").kind == "queued"
    assert victim.read_text() == "mine"


def test_root_leaves_no_file_in_somebody_elses_folder(project: "Project") -> None:
    if os.geteuid() != 0:
        pytest.skip("only root works in the folders of others")
    os.chown(project.folder, NOBODY, NOBODY)
    before = snapshot(project.folder)

    outcome = project.say("wrong")

    assert outcome.ack == "Got it, noted."
    assert snapshot(project.folder) == before


def test_words_full_of_control_characters_steer_nothing(project: "Project") -> None:
    words = "wrong\x1b]0;title\x07 \u202eevil\u202c\r\n- id: CORR-999\n\ud800\0"

    assert project.say(words).ids == ["CORR-001"]

    assert project.entries()[0]["description"] == words
    assert all(c.isprintable() or c == "\n" for c in project.log.read_text())
    assert project.say("wrong").ids == ["CORR-002"]


def test_a_read_only_project_keeps_its_words_in_the_queue(project: "Project") -> None:
    base = Path(tempfile.mkdtemp())  # the test's own folder is below one that only root may enter
    try:
        project.places = Places(str(base / "home"), str(base / "data"), str(base / "cache"), str(base / "config"))
        project.folder = base / "project"
        (project.folder / ".git").mkdir(parents=True)
        (project.folder / ".knowledge").mkdir(mode=0o500)

        assert run_as_somebody(base, lambda: project.say("wrong").kind == "queued")

        assert list((project.folder / ".knowledge").iterdir()) == []
        assert "wrong" in (base / "data" / "queue.jsonl").read_text()
    finally:
        shutil.rmtree(base)


def run_as_somebody(base: Path, act: Callable[[], bool]) -> bool:
    """Return what *act* says in a child for whom modes count: root, who may write everywhere, becomes nobody."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            if os.geteuid() == 0:
                for path in (base, *base.rglob("*")):
                    os.chown(path, NOBODY, NOBODY)
                os.setuid(NOBODY)
            status = 0 if act() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
