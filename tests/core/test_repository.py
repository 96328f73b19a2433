"""A repository's file restricts, fails closed, and widens nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.repository import find_repository_file, parse_restriction, read_restriction

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and modes of POSIX")
OFF = "[collect]\ndisabled = true\n"


@pytest.mark.parametrize(
    ("text", "disabled", "push"),
    [
        pytest.param("", False, True, id="empty"),
        pytest.param(OFF, True, True, id="switched off"),
        pytest.param("[collect]\r\ndisabled=true # for now\r\n", True, True, id="CRLF and a comment"),
        pytest.param("\ufeff[collect]\ndisabled = true", True, True, id="a BOM and no newline at the end"),
        pytest.param("[sessions]\npush = false\n", False, False, id="a veto"),
        pytest.param("collect.disabled = true", True, True, id="a dotted key"),
        pytest.param('collect = { disabled = true, x = "#" }', True, True, id="an inline table"),
        pytest.param("[collect]\ndisabled = false\n[sessions]\npush = true\n", False, True, id="said to be on"),
        pytest.param("[collect]\nopt_in_paths = ['/']\ndeny_paths = []\n", False, True, id="tries to widen"),
        pytest.param("[capture]\nenabled = true\n[team]\nx = 1\n", False, True, id="other people's tables"),
        pytest.param("[collect]\ndisabled = maybe\n", True, False, id="does not parse"),
        pytest.param("[collect\n", True, False, id="half a table"),
        pytest.param('[collect]\ndisabled = "no"\n', True, False, id="a text for a switch"),
        pytest.param("[collect]\ndisabled = 0\n", True, False, id="a number for a switch"),
        pytest.param("collect = false\n", True, False, id="a switch for a table"),
        pytest.param("[sessions]\npush = 'yes'\n", True, False, id="a text for the veto"),
        pytest.param("[collect]\ndisabled = false\ndisabled = true\n", True, False, id="said twice"),
        pytest.param("x = " + "[" * 5000, True, False, id="nested without end"),
    ],
)
def test_a_file_is_read_and_what_is_not_understood_counts_as_off(text: str, disabled: bool, push: bool) -> None:
    restriction = parse_restriction(text.encode(), "/x/.tellback.toml")

    assert (restriction.disabled, restriction.push) == (disabled, push)
    assert bool(restriction.problem) == (disabled and not push)


@given(st.binary(max_size=200))
def test_any_bytes_are_taken(data: bytes) -> None:
    parse_restriction(data, "/x")


@given(
    st.lists(
        st.sampled_from(
            [
                "[collect]",
                "[sessions]",
                "[x]",
                "disabled = true",
                "disabled=false",
                "push = false",
                "a = true",
                "# c",
                "",
            ]
        ),
        max_size=8,
    )
)
def test_the_quick_reading_gives_what_the_toml_reader_gives(lines: list[str]) -> None:
    text = "\n".join(lines)

    quick = parse_restriction(text.encode(), "/x")
    slow = parse_restriction((text + '\n["slow"]\n').encode(), "/x")  # a quoted table is not read the quick way

    assert (quick.disabled, quick.push, bool(quick.problem)) == (slow.disabled, slow.push, bool(slow.problem))


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".tellback.toml").write_text(OFF)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / ".tellback.toml").write_text("")

    assert read_restriction(str(tmp_path / "a" / "b")).disabled is False
    assert read_restriction(str(tmp_path)).disabled is True


def test_the_search_ends_at_the_git_root(tmp_path: Path) -> None:
    (tmp_path / ".tellback.toml").write_text(OFF)
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src").mkdir()

    assert find_repository_file(str(tmp_path / "repo" / "src")) == ""
    assert find_repository_file(str(tmp_path / "repo")) == ""


def test_without_a_git_root_a_file_above_counts(tmp_path: Path) -> None:
    (tmp_path / ".tellback.toml").write_text(OFF)
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert find_repository_file(str(tmp_path / "a" / "b") + "/") == str(tmp_path / ".tellback.toml")


def test_a_folder_that_is_gone_is_judged_by_what_is_above(tmp_path: Path) -> None:
    (tmp_path / ".tellback.toml").write_text(OFF)

    assert read_restriction(str(tmp_path / "gone" / "too")).disabled is True


def test_a_git_file_that_lies_does_not_end_the_search(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".tellback.toml").write_text(OFF)
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / ".git").write_text("gitdir: ../.git\n")

    assert read_restriction(str(tmp_path / "vendor")).disabled is True


def test_a_linked_worktree_without_one_takes_its_main_checkouts(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path / "main"), *words], check=True, capture_output=True)

    (tmp_path / "main").mkdir()
    try:
        git("init", "-q")
    except FileNotFoundError:
        pytest.skip("no git here")
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", "../linked")
    (tmp_path / "main" / ".tellback.toml").write_text(OFF)

    assert read_restriction(str(tmp_path / "linked")).disabled is True
    (tmp_path / "linked" / ".tellback.toml").write_text("")
    assert read_restriction(str(tmp_path / "linked")).disabled is False


@posix_only
@pytest.mark.parametrize("what", ["link", "fifo", "folder", "huge"])
def test_what_is_no_small_file_counts_as_off(what: str, tmp_path: Path) -> None:
    path = tmp_path / ".tellback.toml"
    if what == "link":
        (tmp_path / "real.toml").write_text("")
        path.symlink_to("real.toml")
    elif what == "fifo":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"#" * 70_000)

    restriction = read_restriction(str(tmp_path))

    assert restriction.disabled is True
    assert str(path) in restriction.problem


@posix_only
def test_a_file_that_may_not_be_read_counts_as_off(tmp_path: Path) -> None:
    (tmp_path / ".tellback.toml").write_text("")
    (tmp_path / ".tellback.toml").chmod(0)
    code = (
        "import os, sys; os.getuid() or os.setuid(65534)\n"
        "from tellback.core.repository import read_restriction; print(read_restriction(sys.argv[1]).disabled)"
    )
    for folder in (tmp_path, *tmp_path.parents[:-1]):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o055)  # the child of another user must get there

    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)

    if run.returncode:
        pytest.skip(f"another user cannot run this Python: {run.stderr[-200:]}")
    assert run.stdout == "True\n"
