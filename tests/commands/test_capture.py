"""``tellback capture`` keeps a message as a hook does, or says what it hears in it."""

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Call

WRONG = "No, you used the wrong file, it should be pyproject.toml, not setup.py"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (WRONG, "Got it, logged as CORR-001.\n"),
        ("From now on always run the tests before you commit, remember that", "Noted for future analyses.\n"),
        ("Perfect, thanks, looks good", "Thanks!\n"),
        ("How do I install it?", ""),
        ("", ""),
    ],
)
def test_a_message_is_acknowledged_as_by_a_hook(project: Path, call: "Call", text: str, answer: str) -> None:
    assert call("capture", "--cwd", str(project), text)[:2] == (0, answer)


def test_the_message_may_come_on_stdin(project: Path, call: "Call", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))

    data = json.loads(call("capture", "--cwd", str(project), "--json")[1])

    assert (data["outcome"], data["ids"]) == ("logged", ["CORR-001"])
    assert WRONG in (project / ".knowledge" / "corrections" / "log.yaml").read_text()


def test_a_closed_stdin_says_nothing(call: "Call", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert call("capture") == (0, "", "")


def test_the_same_words_again_are_a_repeat(project: Path, call: "Call") -> None:
    call("capture", "--cwd", str(project), WRONG)

    data = json.loads(call("capture", "--cwd", str(project), "--json", WRONG)[1])

    assert (data["outcome"], data["ids"]) == ("repeat", ["CORR-001"])


def test_a_dry_run_writes_nothing_and_shows_the_cues(home: Path, project: Path, call: "Call") -> None:
    text = call("capture", "--cwd", str(project), "--dry-run", WRONG)[1]
    verdict = json.loads(call("capture", "--dry-run", "--json", WRONG)[1])["verdict"]

    assert text.startswith("correction")
    assert verdict["cues"]
    assert [point["text"] for point in verdict["points"]] == [WRONG]
    assert list(home.iterdir()) == []
    assert not (project / ".knowledge").exists()


def test_a_folder_that_is_switched_off_keeps_nothing(project: Path, call: "Call") -> None:
    (project / ".tellback.toml").write_text("[collect]\ndisabled = true\n")

    code, out, err = call("capture", "--cwd", str(project), WRONG)

    assert (code, out) == (0, "")
    assert "switched off" in err
    assert not (project / ".knowledge").exists()


def test_secrets_are_scrubbed_before_anything_is_written(project: Path, call: "Call") -> None:
    token = "ghp_" + "a1B2" * 9

    call("capture", "--cwd", str(project), f"No, you used the wrong token, it should be {token}")

    kept = (project / ".knowledge" / "corrections" / "log.yaml").read_text()
    assert token not in kept
    assert "[REDACTED:" in kept
