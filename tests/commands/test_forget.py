"""``tellback forget`` takes words out of every file of ours and keeps their number."""

import json
from pathlib import Path

import pytest

from tellback.cli import main

WRONG = "No, you used the wrong file, it should be pyproject.toml, not setup.py"
RULE = "From now on always run the tests before you commit, remember that"


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run one command line; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A Git project in which a correction and a learning were said."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def say(capsys: pytest.CaptureFixture[str], project: Path, text: str) -> None:
    assert call(capsys, "capture", "--cwd", str(project), text)[0] == 0


def find_files_with(words: str, *tops: Path) -> list[str]:
    return [
        path.name for top in tops for path in top.rglob("*") if path.is_file() and words.encode() in path.read_bytes()
    ]


def test_the_words_of_a_correction_are_nowhere_afterwards_and_its_number_stays(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say(capsys, project, WRONG)
    call(capsys, "log")

    code, out, _ = call(capsys, "forget", "CORR-001", "--project", str(project), "--yes")

    assert (code, out) == (0, "CORR-001 is forgotten; its number stays.\n")
    assert find_files_with("pyproject", home, project) == []
    assert find_files_with("CORR-001", project / ".knowledge" / "corrections") != []
    say(capsys, project, "Still broken, the same error as before")
    assert json.loads(call(capsys, "log", "--json")[1])["captures"][-1]["ids"] == ["CORR-002"]


def test_forgotten_words_are_not_heard_again_as_new(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    say(capsys, project, WRONG)
    call(capsys, "forget", "CORR-001", "--project", str(project), "--yes")

    data = json.loads(call(capsys, "capture", "--cwd", str(project), "--json", WRONG)[1])

    assert (data["outcome"], data["ids"]) == ("repeat", ["CORR-001"])


def test_nobody_who_could_say_yes_means_no(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    say(capsys, project, WRONG)

    code, _, err = call(capsys, "forget", "CORR-001", "--project", str(project))

    assert (code, "say --yes" in err) == (1, True)
    assert WRONG in (project / ".knowledge" / "corrections" / "log.yaml").read_text()


@pytest.mark.parametrize("ident", ["CORR-999", "0123456789ab", "../../etc/passwd", "\x1b[2J", ""])
def test_an_id_that_names_nothing_is_refused(project: Path, capsys: pytest.CaptureFixture[str], ident: str) -> None:
    say(capsys, project, WRONG)

    code, _, err = call(capsys, "forget", ident, "--project", str(project), "--yes")

    assert code == 1
    assert "\x1b" not in err


def test_an_id_of_another_project_is_pointed_to(
    tmp_path: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say(capsys, project, WRONG)
    call(capsys, "log")

    code, _, err = call(capsys, "forget", "CORR-001", "--project", str(tmp_path), "--yes")

    assert code == 1
    assert str(project) in err
