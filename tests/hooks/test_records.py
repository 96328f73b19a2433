"""What the hook makes of classes does what the classes did."""

import ast
from types import MethodType, SimpleNamespace
from typing import Any

import pytest

from tellback.hooks.boot import METHOD, RECORD
from tellback.install.records import make_records


def flatten(source: str) -> ast.Module:
    tree = ast.parse(source)
    make_records({"m": tree})
    return ast.fix_missing_locations(tree)


def run(tree: ast.Module) -> dict[str, Any]:
    scope: dict[str, Any] = {RECORD: SimpleNamespace, METHOD: MethodType}
    exec(compile(tree, "m", "exec"), scope)
    return scope


def has_class(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))


def test_a_class_of_members_only_becomes_a_function_with_the_same_members() -> None:
    tree = flatten(
        "class Turn:\n __slots__ = ('a', 'b')\n def __init__(self, a, b=2):\n  self.a = a\n  self.b = b\nt = Turn(1)\n"
    )

    assert not has_class(tree)
    assert vars(run(tree)["t"]) == {"a": 1, "b": 2}


def test_methods_and_constants_of_a_class_are_members_of_what_it_makes() -> None:
    tree = flatten("""
MOST = 3
class Count:
    'Counts.'
    most = MOST
    step = 2
    def __init__(self, at): self.at = at
    def go(self, times=1, *, by=0): self.at = min(self.at + times * self.step + by, self._limit()); return self
    def _limit(self): return self.most + 10
one, two = Count(1), Count(5)
one.go().go(times=2, by=1)
""")

    names = run(tree)

    assert not has_class(tree)
    assert (names["one"].at, names["two"].at) == (8, 5)


def test_an_error_that_nobody_tells_from_its_base_becomes_the_base() -> None:
    tree = flatten(
        "class OddError(OSError):\n 'Odd.'\ntry:\n raise OddError(5, 'x')\nexcept OSError as error:\n caught = error\n"
    )

    assert not has_class(tree)
    assert run(tree)["caught"].errno == 5


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("class A:\n def __init__(self): pass\nx = isinstance(A(), A)", id="asked for"),
        pytest.param("class A:\n def __init__(self): pass\nclass B(A): pass\nB()", id="a base"),
        pytest.param("class A:\n def __init__(self): pass\n @property\n def p(self): return 1\nA()", id="a property"),
        pytest.param("class A:\n def __init__(self): pass\n def __getattr__(self, n): return n\nA()", id="a dunder"),
        pytest.param("class A:\n def __init__(self): return\nA()", id="an early end of its making"),
        pytest.param("class A:\n def act(self): pass\nA()", id="nothing to fill"),
        pytest.param("class A:\n def __init__(self): super().__init__()\nA()", id="super"),
        pytest.param("class A:\n seen = []\n def __init__(self): pass\nA()", id="a value that all share"),
        pytest.param("class E(OSError): pass\ntry: pass\nexcept E: pass", id="an error that is caught"),
        pytest.param("class E(OSError):\n def hint(self): return 1\nE()", id="an error that can do more"),
    ],
)
def test_what_is_not_surely_a_record_stays_a_class(source: str) -> None:
    assert has_class(flatten(source))
