"""What the commands' tests share: a command line of Tellback's run in this process, a project to run it for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tellback.cli import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run one command line; return exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A Git project."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder
