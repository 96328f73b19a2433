"""The checklist for agents without hooks: one marked block, the rest of the file byte for byte."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given
from hypothesis import strategies as st

from tellback.cli import main
from tellback.install.checklist import add_block, remove_block

BEFORE = [
    pytest.param(b"", id="empty"),
    pytest.param(b"# Rules\n", id="a line"),
    pytest.param(b"# Rules", id="no newline at the end"),
    pytest.param(b"# Rules\n\n\n", id="blank lines at the end"),
    pytest.param(b"# Rules\r\nmore\r\n", id="Windows"),
    pytest.param(b"# Rules\r\nmore", id="Windows without the last"),
    pytest.param(b"\xef\xbb\xbf# \xff\xfe\n", id="a byte order mark and no UTF-8"),
]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.mark.parametrize("before", BEFORE)
def test_taking_it_out_gives_back_the_bytes_of_before(before: bytes) -> None:
    assert remove_block(add_block(before)) == before


@pytest.mark.parametrize("before", BEFORE)
def test_adding_it_twice_changes_nothing_the_second_time(before: bytes) -> None:
    once = add_block(before)

    assert once.startswith(before)
    assert add_block(once) == once
    assert once.count(b"tellback checklist begin") == 1


def has_no_mark(data: bytes) -> bool:
    return b"tellback" not in data


@given(st.binary().filter(has_no_mark), st.binary().filter(has_no_mark))
@example(b"\r", b"")
def test_what_was_written_behind_it_stays(before: bytes, after: bytes) -> None:
    assert remove_block(add_block(before) + after) == before + after


def test_windows_line_ends_stay_of_one_kind() -> None:
    assert add_block(b"# Rules\r\n").count(b"\n") == add_block(b"# Rules\r\n").count(b"\r\n")


def test_an_older_block_is_brought_up_to_date_where_it_stands() -> None:
    block = add_block(b"")
    older = b"a\n\n" + block.replace(b"begin 0", b"begin 1").replace(b"silently", b"once") + b"z\n"

    assert add_block(older) == b"a\n\n" + block.replace(b"begin 0", b"begin 1") + b"z\n"


@pytest.mark.parametrize(
    ("there", "changed"),
    [((), ["AGENTS.md"]), (("CLAUDE.md",), ["CLAUDE.md"]), (("AGENTS.md", "CLAUDE.md"), ["AGENTS.md", "CLAUDE.md"])],
)
def test_the_files_that_agents_read_get_it_and_lose_it(
    tmp_path: Path, there: tuple[str, ...], changed: list[str]
) -> None:
    for name in there:
        (tmp_path / name).write_text(f"# {name}\n")

    added = json.loads(call("install", "--checklist", "--project", str(tmp_path), "--json").stdout)
    texts = {name: (tmp_path / name).read_text() for name in changed}
    call("uninstall", "--checklist", "--project", str(tmp_path))

    assert [Path(one["file"]).name for one in added["files"]] == changed
    assert all("tellback record --corrected" in text for text in texts.values())
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: f"# {name}\n" for name in there}


def test_a_link_to_the_other_file_is_followed_and_gets_it_once(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Rules\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")

    call("install", "--checklist", "--project", str(tmp_path))

    assert (tmp_path / "CLAUDE.md").is_symlink()
    assert (tmp_path / "AGENTS.md").read_text().count("checklist begin") == 1


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    result = call("install", "--checklist", "--project", str(tmp_path), "--dry-run")

    assert result.stdout == f"{tmp_path / 'AGENTS.md'} would change.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_does_not_end_is_refused_and_left(tmp_path: Path) -> None:
    text = "# Rules\n<!-- tellback checklist begin 1 -->\nmy own words\n"
    (tmp_path / "AGENTS.md").write_text(text)

    result = call("uninstall", "--checklist", "--project", str(tmp_path))

    assert (result.exit_code, (tmp_path / "AGENTS.md").read_text()) == (1, text)
    assert "begins and does not end" in result.stderr


@pytest.mark.parametrize("more", [["claude"], ["--shared"], ["--python", "python3"]])
def test_it_goes_with_no_harness(more: list[str]) -> None:
    assert call("install", "--checklist", *more).exit_code == 2


def test_every_command_of_the_checklist_is_understood() -> None:
    text = add_block(b"").decode()

    for option in (
        "--corrected",
        "--friction",
        "--skill",
        "--input",
        "--correction",
        "--scenario",
        "--intent",
        "--problem",
    ):
        assert option in text
        assert option in CliRunner().invoke(main, ["record", "--help"]).stdout
