"""Whoever runs another version renews what the hooks run."""

import sys
from pathlib import Path

import pytest

from tellback.cli import main
from tellback.commands.renew import renew_hook_files
from tellback.core.shapes import Places
from tellback.install.hookfiles import put_hook_files
from tellback.install.interpreter import is_same_python
from tellback.install.manifest import Row, put_row, read_manifest, replace_manifest
from tellback.install.record import read_record


def read_version(places: Places) -> str:
    record = read_record(places)
    assert record
    return record["version"]


@pytest.fixture
def old_hook(places: Places, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Return the places of an installation by version 0.0.1."""
    with monkeypatch.context() as before:
        before.setattr("tellback.install.bundle.__version__", "0.0.1")
        put_hook_files(places, sys.executable)
    file = f"{places.home}/.claude/settings.json"
    row = Row("claude-code", "user", file, "", "command", "absent", "", None, ())
    replace_manifest(places, put_row(read_manifest(places), row, sys.executable))
    assert read_version(places) == "0.0.1"
    return places


@pytest.mark.parametrize("arguments", [["pause"], ["log"], ["sessions", "status"]], ids=" ".join)
def test_any_command_of_another_version_renews_the_hook(
    arguments: list[str], old_hook: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)

    capsys.readouterr()
    assert read_version(old_hook) != "0.0.1"


def test_another_name_of_the_same_python_is_the_same(old_hook: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(sys.executable).parent
    names = [folder / name for name in ("python", "python3", f"python3.{sys.version_info[1]}")]
    others = [str(name) for name in names if str(name) != sys.executable and is_same_python(str(name), sys.executable)]
    if not others:
        pytest.skip("this Python has one name only")
    monkeypatch.setattr(sys, "executable", others[0])

    renew_hook_files(old_hook)

    assert read_version(old_hook) != "0.0.1"
