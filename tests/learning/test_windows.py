"""The documented ordering of the windows holds on sessions labelled by hand (A-21, A-22)."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def experiment() -> ModuleType:
    path = Path(__file__).parent / "windows" / "experiment.py"
    spec = importlib.util.spec_from_file_location("window_experiment", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_at_least_sixty_sessions_are_labelled(experiment: ModuleType) -> None:
    sessions = list(experiment.read_sessions())

    assert len(sessions) >= 60
    assert len({session.title for session in sessions}) == len(sessions)
    assert all(session.corrected for session in sessions)


@pytest.mark.parametrize("reading", ["detector", "document"])
def test_three_turns_catch_more_than_one_and_five_are_wrong_more_often(experiment: ModuleType, reading: str) -> None:
    read = experiment.list_readings()[reading]

    one, three, five = (experiment.measure(window, read) for window in experiment.WINDOWS)

    assert three.recall > one.recall
    assert five.false_rate > three.false_rate


def test_the_experiment_is_one_command_that_prints_its_figures(
    experiment: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert experiment.main([]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[1:]] == ["window 1", "window 3", "window 5"]
