"""The hook's code is smaller than its source and does the same."""

import ast

from tellback.install.slim import Slimmer, shake


def slim(source: str) -> ast.Module:
    return ast.fix_missing_locations(Slimmer().visit(ast.parse(source)))


def names_of(tree: ast.Module) -> list[str]:
    return [node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


def test_what_nothing_mentions_goes_and_what_that_mentioned_alone_goes_too() -> None:
    tree = slim("def door(): used()\ndef used(): pass\ndef idle(): lonely()\ndef lonely(): pass\n")

    shake({"m": tree}, ["door"])

    assert names_of(tree) == ["door", "used"]


def test_an_import_of_what_goes_goes_and_a_renamed_one_keeps_what_it_renames() -> None:
    low = slim("def used(): pass\ndef idle(): pass\n")
    high = slim("from .low import idle, used as taken\ndef door(): taken()\n")

    shake({"low": low, "high": high}, ["door"])

    assert names_of(low) == ["used"]
    assert "idle" not in ast.unparse(high)
    assert "used as taken" in ast.unparse(high)


def test_methods_that_nothing_mentions_go_but_not_those_that_python_calls() -> None:
    tree = slim("class A:\n def __getattr__(self, n): pass\n def used(self): pass\n def idle(self): pass\nA().used()\n")

    shake({"m": tree}, [])

    assert names_of(tree) == ["A", "__getattr__", "used"]


def test_annotations_and_what_is_for_type_checkers_go() -> None:
    tree = slim("if TYPE_CHECKING:\n import typing\nelse:\n import sys\ndef f(a: int) -> 'str': b: int = 1; return b\n")

    assert "typing" not in ast.unparse(tree)
    assert "int" not in ast.unparse(tree)
    assert "str" not in ast.unparse(tree)
    assert "import sys" in ast.unparse(tree)
