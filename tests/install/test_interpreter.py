import sys
from pathlib import Path

import pytest

from tellback.core.errors import TellbackError
from tellback.install.interpreter import (
    choose_interpreter,
    find_executable,
    find_sweepable_folder,
    is_alive,
    is_same_python,
)


@pytest.fixture(autouse=True)
def no_cache_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "UV_CACHE_DIR", "XDG_RUNTIME_DIR", "TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ada")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/tmp/venv/bin/python", id="temporary"),
        pytest.param("/var/tmp/venv/bin/python", id="temporary and kept a little longer"),
        pytest.param("/home/ada/.cache/uv/archive-v0/x1/bin/python", id="uvx"),
        pytest.param("/home/ada/.local/pipx/.cache/a1b2/bin/python", id="pipx run"),
        pytest.param("/home/ada/Library/Caches/uv/archive-v0/x/bin/python", id="macOS"),
        pytest.param("/private/var/folders/ab/cd/T/venv/bin/python", id="macOS temporary"),
    ],
)
def test_a_python_that_will_be_swept_away_is_seen(path: str) -> None:
    assert find_sweepable_folder(path)


@pytest.mark.parametrize(
    "path",
    [
        "/usr/bin/python3",
        "/home/ada/.venvs/tellback/bin/python",
        "/home/ada/.local/share/uv/tools/tellback/bin/python",
        "/home/ada/.local/share/pipx/venvs/tellback/bin/python",
        "/home/ada/tmp/venv/bin/python",
        "/opt/cache-tools/bin/python",
        "/tmpfs/python",
    ],
)
def test_a_python_that_stays_is_taken(path: str) -> None:
    assert find_sweepable_folder(path) is None


def test_a_variable_that_names_the_home_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/home/ada")

    assert find_sweepable_folder("/home/ada/venv/bin/python") is None


def test_a_link_into_a_cache_is_seen_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "python").touch()
    link = tmp_path / "python"
    link.symlink_to(cache / "python")
    monkeypatch.setattr("tellback.install.interpreter._list_sweepable_folders", lambda: [cache])

    assert find_sweepable_folder(str(link)) == cache


def test_install_refuses_it_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/home/ada/.cache/uv/archive-v0/x1/bin/python")

    with pytest.raises(TellbackError, match="emptied from time to time") as caught:
        choose_interpreter()

    assert caught.value.hint
    assert "uv tool install" in caught.value.hint
    assert choose_interpreter(allow_temporary=True) == sys.executable


def test_another_name_of_the_same_python_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("python", "python3"):
        (tmp_path / name).symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))

    assert choose_interpreter(True, recorded=str(tmp_path / "python")) == str(tmp_path / "python")
    assert choose_interpreter(True, recorded="/usr/bin/python-of-before") == str(tmp_path / "python3")
    assert choose_interpreter(True) == str(tmp_path / "python3")


@pytest.mark.parametrize("path", ["", "python3"])
def test_a_python_without_a_path_is_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", path)

    with pytest.raises(TellbackError, match="does not know where it lies"):
        choose_interpreter(allow_temporary=True)


def test_an_interpreter_is_asked_whether_it_lives(tmp_path: Path) -> None:
    dead = tmp_path / "python"
    dead.write_text("#!/bin/sh\nexit 3\n")
    dead.chmod(0o755)

    assert is_alive(sys.executable)
    assert not is_alive(str(dead))
    assert not is_alive(str(tmp_path / "gone"))


def test_a_shim_is_asked_for_the_python_behind_it(tmp_path: Path) -> None:
    shim = tmp_path / "python"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    shim.chmod(0o755)

    assert find_executable(str(shim)) == sys.executable
    assert find_executable(str(tmp_path / "gone")) == ""


def test_the_way_from_the_folder_that_one_stands_in_is_no_part_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_folder = tmp_path / "venv/bin"
    bin_folder.mkdir(parents=True)
    python = bin_folder / "python"
    python.symlink_to(sys.executable)
    (tmp_path / "checkout").mkdir()
    (tmp_path / "link").symlink_to(bin_folder)
    started_as = f"{tmp_path}/checkout/../venv/bin/python"
    monkeypatch.setattr(sys, "executable", started_as)

    assert choose_interpreter(allow_temporary=True) == str(python)
    assert is_same_python(started_as, str(python))
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/link/../bin/python")  # behind a link `..` is another folder
    assert choose_interpreter(allow_temporary=True) == f"{tmp_path}/link/../bin/python"
