import importlib
from pathlib import Path

import tellback.install
from tellback.install.checks.hooks import EVENT_WORDS
from tellback.install.table import ALIASES, HARNESSES, find_harness


def test_every_harness_module_has_its_row() -> None:
    names = [path.stem for path in Path(tellback.install.__path__[0]).glob("*.py")]

    modules = [importlib.import_module(f"tellback.install.{name}") for name in names if name != "__init__"]

    assert {id(module.HARNESS) for module in modules if hasattr(module, "HARNESS")} == set(map(id, HARNESSES.values()))
    assert all(harness.name == name for name, harness in HARNESSES.items())


def test_a_short_name_is_taken() -> None:
    assert find_harness("claude") is HARNESSES["claude-code"]
    assert set(ALIASES.values()) <= set(HARNESSES)
    assert find_harness("vim") is None


def test_doctor_knows_every_event_that_install_registers() -> None:
    assert {event for harness in HARNESSES.values() for event in harness.events} == set(EVENT_WORDS)
