"""Where Tellback's folders lie, whatever the environment says."""

import os
from pathlib import Path

import pytest

from tellback.cli import main
from tellback.core import paths
from tellback.core.errors import TellbackError
from tellback.core.paths import find_home, find_places


def test_the_home_of_the_environment_counts(home: Path) -> None:
    assert find_home() == home
    assert Path(find_places().data).is_relative_to(home)


@pytest.mark.skipif(os.name == "nt", reason="there the account's home is in the environment")
@pytest.mark.parametrize("value", [None, "", "some/where"], ids=["none", "an empty one", "a relative one"])
def test_a_home_that_is_no_absolute_path_gives_way_to_the_accounts(
    value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_read_account_home", lambda: str(tmp_path))
    if value is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", value)

    assert find_home() == tmp_path


@pytest.mark.skipif(os.name == "nt", reason="there the account's home is in the environment")
def test_without_any_home_a_command_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "_read_account_home", lambda: "")
    monkeypatch.delenv("HOME")

    with pytest.raises(TellbackError):
        find_places()
    with pytest.raises(SystemExit) as caught:
        main(["log"])

    assert caught.value.code == 1
    assert capsys.readouterr().err == "Error: there is no home folder; set HOME to an absolute path\n"


@pytest.mark.parametrize("value", ["", "relative"])
def test_a_variable_that_is_no_absolute_path_is_as_good_as_unset(
    value: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", value)

    assert Path(find_places().data).is_relative_to(home)
