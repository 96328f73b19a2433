"""The table of readers against the folder, and what every reader promises."""

import ast
from pathlib import Path

import pytest

import tellback
from tellback.sessions.refs import ALIASES
from tellback.sessions.table import READERS

ROOM = Path(tellback.__file__).parent / "sessions"


def find_readers() -> set[str]:
    """Return the modules of the room that name a harness."""
    found: set[str] = set()
    for path in ROOM.glob("*.py"):
        names = [
            target.id
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        if "HARNESS" in names:
            found.add(path.stem)
    return found


def test_every_reader_has_a_row_and_every_row_a_reader() -> None:
    assert {name.replace("-", "_") for name in READERS} == find_readers()


@pytest.mark.parametrize("name", READERS)
def test_a_row_is_named_after_its_reader(name: str) -> None:
    assert name == READERS[name].HARNESS
    assert READERS[name].LABEL
    assert READERS[name].find_store().is_absolute()


def test_an_alias_leads_to_a_reader() -> None:
    assert set(ALIASES.values()) <= set(READERS)
    assert not set(ALIASES) & set(READERS)
