"""``tellback forget`` takes words out of every file of ours and keeps their number."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Call

WRONG = "No, you used the wrong file, it should be pyproject.toml, not setup.py"
RULE = "From now on always run the tests before you commit, remember that"


def say(call: "Call", project: Path, text: str) -> None:
    assert call("capture", "--cwd", str(project), text)[0] == 0


def find_files_with(words: str, *tops: Path) -> list[str]:
    return [
        path.name for top in tops for path in top.rglob("*") if path.is_file() and words.encode() in path.read_bytes()
    ]


def test_the_words_of_a_correction_are_nowhere_afterwards_and_its_number_stays(
    home: Path, project: Path, call: "Call"
) -> None:
    say(call, project, WRONG)
    call("log")

    code, out, _ = call("forget", "CORR-001", "--project", str(project), "--yes")

    assert (code, out) == (0, "CORR-001 is forgotten; its number stays.\n")
    assert find_files_with("pyproject", home, project) == []
    assert find_files_with("CORR-001", project / ".knowledge" / "corrections") != []
    say(call, project, "Still broken, the same error as before")
    assert json.loads(call("log", "--json")[1])["captures"][-1]["ids"] == ["CORR-002"]


def test_forgotten_words_are_not_heard_again_as_new(project: Path, call: "Call") -> None:
    say(call, project, WRONG)
    call("forget", "CORR-001", "--project", str(project), "--yes")

    data = json.loads(call("capture", "--cwd", str(project), "--json", WRONG)[1])

    assert (data["outcome"], data["ids"]) == ("repeat", ["CORR-001"])


def test_nobody_who_could_say_yes_means_no(project: Path, call: "Call") -> None:
    say(call, project, WRONG)

    code, _, err = call("forget", "CORR-001", "--project", str(project))

    assert (code, "say --yes" in err) == (1, True)
    assert WRONG in (project / ".knowledge" / "corrections" / "log.yaml").read_text()


@pytest.mark.parametrize("ident", ["CORR-999", "0123456789ab", "../../etc/passwd", "\x1b[2J", ""])
def test_an_id_that_names_nothing_is_refused(project: Path, call: "Call", ident: str) -> None:
    say(call, project, WRONG)

    code, _, err = call("forget", ident, "--project", str(project), "--yes")

    assert code == 1
    assert "\x1b" not in err


def test_an_id_of_another_project_is_pointed_to(tmp_path: Path, project: Path, call: "Call") -> None:
    say(call, project, WRONG)
    call("log")

    code, _, err = call("forget", "CORR-001", "--project", str(tmp_path), "--yes")

    assert code == 1
    assert str(project) in err


def test_a_number_whose_log_is_broken_is_not_sent_to_another_project(project: Path, call: "Call") -> None:
    say(call, project, WRONG)
    call("log")
    (project / ".knowledge" / "corrections" / "log.yaml").write_text("corrections: [\n")

    code, _, err = call("forget", "CORR-001", "--project", str(project), "--yes")

    assert (code, "doctor" in err, "--project" in err) == (1, True, False)
