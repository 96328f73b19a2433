"""Where .knowledge lies: found by lstat alone, and never where somebody else has a say."""

import os
import sys
from pathlib import Path

import pytest

from tellback.core.place import find_knowledge
from tellback.core.shapes import Places

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are POSIX's")
root_only = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can give a folder to another user"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    return folder


def make_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def add_worktree(repository: Path, folder: Path) -> Path:
    """Make what ``git worktree add`` makes."""
    own = make_folder(repository / ".git" / "worktrees" / folder.name)
    make_folder(folder)
    (folder / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{folder / '.git'}\n")
    (own / "commondir").write_text("../..\n")
    return folder


def add_submodule(repository: Path, name: str) -> Path:
    """Make what ``git submodule add`` makes."""
    own = make_folder(repository / ".git" / "modules" / name)
    folder = make_folder(repository / name)
    (folder / ".git").write_text(f"gitdir: ../.git/modules/{name}\n")
    (own / "config").write_text(f"[core]\n\tbare = false\n\tworktree = ../../../{name}\n")
    return folder


def test_the_git_root_is_taken_when_there_is_no_knowledge_yet(repository: Path, places: Places) -> None:
    below = make_folder(repository / "a" / "b")

    where = find_knowledge(str(below), places)

    assert (where.folder, where.in_project, where.exists) == (str(repository), True, False)


def test_the_nearest_knowledge_below_the_git_root_is_taken(repository: Path, places: Places) -> None:
    make_folder(repository / ".knowledge")
    make_folder(repository / "a" / ".knowledge")
    below = make_folder(repository / "a" / "b")

    where = find_knowledge(str(below), places)

    assert (where.folder, where.exists) == (str(repository / "a"), True)


def test_the_search_ends_at_the_git_root(repository: Path, places: Places) -> None:
    make_folder(repository.parent / ".knowledge")

    assert find_knowledge(str(repository), places).folder == str(repository)


def test_a_folder_without_git_has_its_store_below_the_data_folder(tmp_path: Path, places: Places) -> None:
    folder = make_folder(tmp_path / "my notes")

    where = find_knowledge(str(folder), places)

    assert (where.in_project, where.reason) == (False, "no-git-root")
    assert Path(where.folder).parent == Path(places.data) / "projects"
    assert Path(where.folder).name.startswith("my-notes-")


def test_two_projects_of_one_name_have_two_stores(tmp_path: Path, places: Places) -> None:
    stores = {find_knowledge(str(make_folder(tmp_path / name / "x")), places).folder for name in "ab"}

    assert len(stores) == 2


def test_late_capture_makes_no_knowledge_in_a_project(repository: Path, places: Places) -> None:
    assert find_knowledge(str(repository), places, may_create=False).reason == "new"

    make_folder(repository / ".knowledge")

    assert find_knowledge(str(repository), places, may_create=False).folder == str(repository)


@pytest.mark.parametrize("path", ["", "relative/folder", "/nowhere/at/all", "/with\0zero", "/half\ud800pair"])
def test_a_path_that_leads_nowhere_has_a_store(path: str, places: Places) -> None:
    where = find_knowledge(path, places)

    assert where.folder.startswith(places.data)


def test_the_root_of_the_file_system_is_never_taken(places: Places) -> None:
    assert find_knowledge("/", places).reason == "root"


def test_the_bare_home_is_never_taken(home: Path, places: Places) -> None:
    make_folder(home / ".git")
    make_folder(home / ".knowledge")
    below = make_folder(home / "project")

    assert find_knowledge(str(home), places).reason == "home"
    assert not find_knowledge(str(below), places).in_project


def test_the_home_is_known_through_a_link(home: Path, tmp_path: Path, places: Places) -> None:
    make_folder(home / ".git")
    (tmp_path / "link").symlink_to(home)

    assert find_knowledge(str(tmp_path / "link"), places).reason == "home"


@posix_only
def test_a_folder_that_everybody_may_write_is_not_taken(repository: Path, places: Places) -> None:
    repository.chmod(0o1777)

    assert find_knowledge(str(repository), places).reason == "open"


@root_only
def test_a_folder_of_another_user_is_not_taken(repository: Path, places: Places) -> None:
    make_folder(repository / ".knowledge")
    os.chown(repository, 65534, 65534)

    assert find_knowledge(str(repository), places).reason == "foreign"


def test_a_linked_worktree_keeps_its_words_in_the_main_checkout(
    repository: Path, tmp_path: Path, places: Places
) -> None:
    worktree = add_worktree(repository, tmp_path / "elsewhere" / "topic")

    assert find_knowledge(str(make_folder(worktree / "a")), places).folder == str(repository)


def test_a_worktree_of_a_bare_repository_keeps_its_own_words(tmp_path: Path, places: Places) -> None:
    bare = make_folder(tmp_path / "project.git")
    own = make_folder(bare / "worktrees" / "main")
    worktree = make_folder(tmp_path / "main")
    (worktree / ".git").write_text(f"gitdir: {own}\n")
    (own / "gitdir").write_text(f"{worktree / '.git'}\n")
    (own / "commondir").write_text("../..\n")

    assert find_knowledge(str(worktree), places).folder == str(worktree)


def test_a_submodule_is_its_own_root(repository: Path, places: Places) -> None:
    submodule = add_submodule(repository, "library")

    assert find_knowledge(str(submodule), places).folder == str(submodule)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("gitdir: {victim}/.git/worktrees/x\n", id="a worktree folder that points elsewhere"),
        pytest.param("gitdir: {victim}/.git/modules/x\n", id="a module folder that points elsewhere"),
        pytest.param("gitdir: {victim}/.git\n", id="somebody's git folder itself"),
        pytest.param("gitdir: /nowhere\n", id="nothing there"),
        pytest.param("gitdir: a\0b\n", id="no path"),
        pytest.param("nonsense", id="no pointer"),
        pytest.param("", id="empty"),
    ],
)
def test_a_git_file_that_lies_is_not_believed(text: str, tmp_path: Path, places: Places) -> None:
    victim = tmp_path / "victim"
    make_folder(victim / ".knowledge")
    for kind in ("worktrees", "modules"):
        own = make_folder(victim / ".git" / kind / "x")
        (own / "gitdir").write_text(f"{victim}/real/.git\n") if kind == "worktrees" else None
        (own / "config").write_text("[core]\n\tworktree = ../../../real\n")
        (own / "commondir").write_text("../..\n")
    make_folder(victim / "real")
    (victim / "real" / ".git").write_text("gitdir: ../.git/worktrees/x\n")
    liar = make_folder(tmp_path / "liar")
    (liar / ".git").write_text(text.format(victim=victim))

    where = find_knowledge(str(liar), places)

    assert not where.in_project


@posix_only
def test_a_fifo_as_git_file_is_not_waited_for(tmp_path: Path, places: Places) -> None:
    folder = make_folder(tmp_path / "project")
    os.mkfifo(folder / ".git")

    assert not find_knowledge(str(folder), places).in_project


def test_dots_in_the_path_are_resolved(repository: Path, places: Places) -> None:
    make_folder(repository / "a")

    assert find_knowledge(f"{repository}/a/../a/./", places).folder == str(repository)


def test_finding_costs_few_system_calls(repository: Path, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    from tellback.core import place

    calls = 0

    class Counting:
        def __getattr__(self, name: str) -> object:
            nonlocal calls
            calls += name in ("stat", "lstat", "open")
            return getattr(os, name)

    monkeypatch.setattr(place, "os", Counting())
    find_knowledge(str(repository), places)

    assert 0 < calls <= 4
