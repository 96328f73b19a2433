"""The hook's code is smaller than its source and does the same."""

import ast

from tellback.hooks.boot import RECORD
from tellback.install.slim import Slimmer, make_records, shake


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


def run(tree: ast.Module) -> dict[str, object]:
    scope: dict[str, object] = {RECORD: __import__("types").SimpleNamespace}
    exec(compile(ast.fix_missing_locations(tree), "m", "exec"), scope)
    return scope


def test_a_class_of_members_only_becomes_a_function_with_the_same_members() -> None:
    source = (
        "class Turn:\n __slots__ = ('a', 'b')\n def __init__(self, a, b=2):\n  self.a = a\n  self.b = b\nt = Turn(1)\n"
    )
    tree = slim(source)

    make_records({"m": tree})

    assert names_of(tree) == ["Turn"]
    assert isinstance(tree.body[0], ast.FunctionDef)
    assert vars(run(tree)["t"]) == {"a": 1, "b": 2}


def test_a_class_that_is_asked_for_or_does_something_stays_a_class() -> None:
    asked = slim("class A:\n __slots__ = ()\n def __init__(self): pass\nx = isinstance(A(), A)\n")
    acting = slim("class B:\n __slots__ = ()\n def __init__(self): pass\n def act(self): pass\nB().act()\n")

    make_records({"asked": asked, "acting": acting})

    assert isinstance(asked.body[0], ast.ClassDef)
    assert isinstance(acting.body[0], ast.ClassDef)


def test_annotations_and_what_is_for_type_checkers_go() -> None:
    tree = slim("if TYPE_CHECKING:\n import typing\nelse:\n import sys\ndef f(a: int) -> 'str': b: int = 1; return b\n")

    assert "typing" not in ast.unparse(tree)
    assert "int" not in ast.unparse(tree)
    assert "str" not in ast.unparse(tree)
    assert "import sys" in ast.unparse(tree)
