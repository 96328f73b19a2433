import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from tellback.core.shapes import Places
from tellback.install.apply import install
from tellback.install.table import HARNESSES

if TYPE_CHECKING:
    from conftest import Call

CLAUDE, CURSOR = HARNESSES["claude-code"], HARNESSES["cursor"]


@pytest.fixture
def hook(places: Places) -> Path:
    """Return the folder of the hook's files, both harnesses being wired to it."""
    folder = Path(places.data) / "hook"
    folder.mkdir(parents=True)
    (folder / "fire.py").touch()
    for harness in (CLAUDE, CURSOR):
        install(harness, harness.find_user_file(), None, places, sys.executable)
    return folder


def test_the_hook_files_stay_while_a_harness_is_wired(hook: Path, call: "Call") -> None:
    assert call("uninstall", "claude")[0] == 0
    assert hook.is_dir()

    code, out, _ = call("uninstall", "cursor")

    assert (code, "hooks.json is gone: install had made it." in out) == (0, True)
    assert not hook.exists()


def test_a_dry_run_shows_the_diff_and_writes_nothing(hook: Path, home: Path, call: "Call") -> None:
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}

    code, out, _ = call("uninstall", "--dry-run")

    assert hook.is_dir()
    assert (code, out.count("+++ /dev/null")) == (0, 2)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_nothing_to_do_is_no_failure(call: "Call") -> None:
    assert call("uninstall")[:2] == (0, "No hook of Tellback is left.\n")


def test_a_refused_file_is_named_and_the_rest_is_done(hook: Path, call: "Call") -> None:
    CLAUDE.find_user_file().write_text("{")

    code, out, err = call("uninstall", "--json")

    files = {each["harness"]: each for each in json.loads(out)["files"]}
    assert (code, "line 1, column 2" in err) == (1, True)
    assert (files["claude-code"]["changed"], files["cursor"]["changed"]) == (False, True)
    assert hook.is_dir()


def test_purge_asks_first(hook: Path, call: "Call", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)

    code, _, err = call("uninstall", "--purge")

    assert (code, str(hook.parent) in err) == (1, True)
    assert hook.is_dir()
    assert CLAUDE.find_user_file().exists()


def test_purge_without_an_answer_removes_nothing_and_says_how(
    hook: Path, call: "Call", monkeypatch: pytest.MonkeyPatch
) -> None:
    def end_of_input(*_: object, **__: object) -> bool:
        raise click.Abort

    monkeypatch.setattr("click.confirm", end_of_input)

    code, out, err = call("uninstall", "--purge", "--json")

    assert (code, json.loads(out)["error"]) == (1, "nothing is removed")
    assert err.endswith("tellback: nothing is removed; answer y, or give --yes\n")
    assert hook.is_dir()


def test_purge_takes_everything_but_knowledge(hook: Path, places: Places, home: Path, call: "Call") -> None:
    store = hook.parent / "projects" / "work-ab12" / ".knowledge"
    store.mkdir(parents=True)
    (store / "log.yaml").write_text("kept")

    code, out, _ = call("uninstall", "--purge", "--yes")

    assert code == 0
    assert f"{store} stays" in out
    assert [path for path in home.rglob("*") if path.is_file()] == [store / "log.yaml"]
    assert not Path(places.config).exists()


def test_purge_waits_until_every_hook_is_out(hook: Path, call: "Call") -> None:
    CLAUDE.find_user_file().write_text("{")

    code, _, err = call("uninstall", "--purge", "--yes")

    assert (code, "nothing purged" in err) == (1, True)
    assert hook.is_dir()


@pytest.mark.parametrize("arguments", [("vim",), ("claude", "--purge"), ("--purge", "--project", ".")])
def test_a_wrong_command_line_is_told_as_one(arguments: tuple[str, ...], call: "Call") -> None:
    assert call("uninstall", *arguments)[0] == 2
