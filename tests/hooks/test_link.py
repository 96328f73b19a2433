"""The hook's modules are linked with each other: no import statement is left where the other module is packed too."""

import ast

import pytest

from tellback.install.hotcode import list_targets
from tellback.install.link import link_modules


@pytest.mark.parametrize(
    ("source", "linked"),
    [
        pytest.param(
            "from ..core.append import append_line as add",
            "add = _modules['tellback.core.append'].append_line",
            id="a name of a module, renamed",
        ),
        pytest.param("from . import strip", "strip = _modules['tellback.capture.strip']", id="a module"),
        pytest.param(
            "def f():\n    from .strip import own_words",
            "def f():\n    own_words = _need('tellback.capture.strip').own_words",
            id="inside a function, where it may not be there yet",
        ),
        pytest.param("from .rules import CUES", "from .rules import CUES", id="a module that is not packed"),
        pytest.param("from binascii import crc32", "from binascii import crc32", id="a library"),
    ],
)
def test_an_import_becomes_a_lookup(source: str, linked: str) -> None:
    trees = {"capture.detector": ast.parse(source), "core.append": ast.parse(""), "capture.strip": ast.parse("")}

    link_modules(trees, list_targets)

    assert ast.unparse(trees["capture.detector"]) == linked
