"""What a usual call does not run is put off, and is there when it is called."""

import ast
import marshal
from pathlib import Path
from types import CodeType
from typing import Any

from tellback.hooks.boot import PUT_OFF, put_off
from tellback.install.hotcode import find_hot_modules
from tellback.install.rare import put_off_rare

SOURCE = """
LIMIT = 3
def usual(): return rare(2, more=LIMIT)
def rare(one, *, more=1): return one + more + also_rare()
def also_rare(): return 10
"""


def compile_part(tree: ast.Module) -> CodeType:
    return compile(ast.fix_missing_locations(tree), "m", "exec")


def run_without_rare() -> dict[str, Any]:
    tree = ast.parse(SOURCE)
    put_off_rare(tree, Path("m.py"), frozenset([("m.py", 3)]), compile_part)
    names: dict[str, Any] = {PUT_OFF: put_off}
    exec(compile_part(tree), names)
    return names


def test_only_the_usual_functions_are_there_at_first() -> None:
    names = run_without_rare()

    assert isinstance(names["usual"].__code__, CodeType)
    assert names["rare"].__func__.__name__ == "call_rare"


def test_a_rare_function_does_the_same_when_it_is_called_and_stays() -> None:
    names = run_without_rare()
    held_elsewhere = names["rare"]

    assert names["usual"]() == 15
    assert names["rare"].__name__ == "rare"
    assert held_elsewhere(1) == 12


def find_packed(code: CodeType) -> list[str]:
    """Return the names of the functions that a module's code keeps packed."""
    names: list[str] = []
    for each in code.co_consts:
        if isinstance(each, bytes) and len(each) > 100:
            names += [inner.co_name for inner in marshal.loads(each).co_consts if isinstance(inner, CodeType)]
    return names


def test_without_any_usual_function_all_are_put_off_but_those_of_the_door() -> None:
    codes = find_hot_modules(("hooks.fire",), frozenset())

    assert "may_be_restricted" in find_packed(codes["hooks.gate"])
    assert find_packed(codes["hooks.fire"]) == []


def test_what_was_recorded_puts_off_what_a_correction_does_not_run(hook: Any) -> None:
    from tellback.install import bundle

    codes = bundle._find_codes()

    packed = find_packed(codes["capture.ledger"]) + find_packed(codes["capture.log"])
    assert {"scan", "Ledger___rebuild"} <= set(packed)
    assert not {"entry_text", "Ledger__append"} & set(packed)
    hook.fire(hook.correction())
    assert hook.last_news().outcome == "logged"
