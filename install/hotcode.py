"""The hook's code: which modules it may load, and each compiled to what a hook needs of it."""

import ast
import inspect
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import CodeType

from .link import link_modules
from .rare import Spot, put_off_rare
from .records import make_records
from .slim import Slimmer, shake

ROOT = Path(__file__).parents[1]

# What a hook may import: built into Python, frozen, or one C library each.
_ALLOWED = "_codecs _imp _json _signal _sre binascii errno fcntl gc marshal math msvcrt nt posix sys time"
ALLOWED = frozenset(_ALLOWED.split())

_STARS = (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)

# Called by the boot code, which is not among the modules.
DOORS = ("main", "Places")


def find_hot_modules(starts: tuple[str, ...], usual: frozenset[Spot] | None = None) -> dict[str, CodeType]:
    """Return the code of *starts* (``hooks.fire``) and of all hot modules that they import, by name, sorted.

    Functions that are not *usual* are put off; ``None`` puts off none.

    A module is hot when what it imports at its top is in ``ALLOWED`` or hot. One that is not, imported inside a
    function for a rare case, is left to the import system.
    """
    trees: dict[str, ast.Module] = {}
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in trees and is_hot(name):
            trees[name] = deepcopy(read_tree(name))
            waiting += _list_own_imports(list(ast.walk(trees[name])), name)
    shake(trees, (*DOORS, *_list_names_for("hooks.slow")))
    make_records(trees)
    link_modules(trees, list_targets)
    for name, tree in trees.items() if usual is not None else ():
        put_off_rare(tree, _find_file(name), usual or frozenset(), lambda part, name=name: compile_tree(part, name))
    return {name: compile_tree(trees[name], name) for name in sorted(trees)}


def _list_names_for(cold: str) -> set[str]:
    """Return what the module *cold*, read from the package in a rare case, and those that it needs import."""
    names: set[str] = set()
    seen: set[str] = set()
    waiting = [cold]
    while waiting:
        name = waiting.pop()
        if name in seen or not _find_file(name).is_file() or is_hot(name):
            continue
        seen.add(name)
        nodes = list(ast.walk(read_tree(name)))
        names |= {each.name for node in nodes if isinstance(node, ast.ImportFrom) and node.level for each in node.names}
        waiting += _list_own_imports(nodes, name)
    return names


@cache
def read_tree(name: str) -> ast.Module:
    """Return the module's tree without what is there for readers and type checkers only."""
    path = _find_file(name)
    tree: ast.Module = Slimmer().visit(ast.parse(path.read_bytes(), str(path)))
    return tree


def compile_tree(tree: ast.Module, name: str) -> CodeType:
    """Return the code of a module; its file's name is the same wherever the package lies."""
    file = f"tellback/{name.replace('.', '/')}.py"
    return _without_lines(compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True, optimize=2))


def _without_lines(code: CodeType) -> CodeType:
    """Leave out the line tables, a third of the size, and give variables the same names in every function.

    The hook's log names functions, not lines, and a name that is there already costs nothing.
    """
    inner = tuple(_without_lines(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    given = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & flag) for flag in _STARS)
    names = (*code.co_varnames[:given], *(f"v{at}" for at in range(given, code.co_nlocals)))
    code = code.replace(co_linetable=b"", co_consts=inner, co_varnames=names)
    return code.replace(co_qualname=code.co_name) if sys.version_info >= (3, 11) else code


def is_hot(name: str, above: frozenset[str] = frozenset()) -> bool:
    """Whether importing the module *name* loads nothing that a hook may not load."""
    if name in above:
        return True  # a circle is judged by the rest of it
    if not _find_file(name).is_file():
        return False
    foreign, own = _read_imports(name)
    return foreign <= ALLOWED and all(is_hot(each, above | {name}) for each in own)


def list_clibs(names: list[str]) -> tuple[str, ...]:
    """Return the modules not of ours that importing *names* loads."""
    return tuple(sorted({foreign for name in names for foreign in _read_imports(name)[0]}))


@cache
def _read_imports(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return what importing the module *name* imports at once: modules of others, modules of ours."""
    top = _list_top(read_tree(name))
    foreign = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    foreign |= {node.module or "" for node in top if isinstance(node, ast.ImportFrom) and not node.level}
    return frozenset(foreign), tuple(_list_own_imports(top, name))


def order_imports(name: str, also: tuple[str, ...] = ()) -> list[str]:
    """Return the hot modules that importing the module *name* loads, each behind those it needs; itself last.

    Args:
        also: modules that it imports later but always, put before it.
    """
    ordered: dict[str, None] = {}

    def visit(each: str, above: frozenset[str]) -> None:
        if each in ordered or each in above or not is_hot(each):
            return
        for own in _read_imports(each)[1]:
            visit(own, above | {each})
        ordered[each] = None

    for each in (*also, name):
        visit(each, frozenset())
    return list(ordered)


def _find_file(name: str) -> Path:
    return ROOT.joinpath(*name.split(".")).with_suffix(".py")


def _list_top(tree: ast.Module) -> list[ast.AST]:
    """Return the nodes that run when the module is imported: all but what lies inside functions."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return nodes


def _list_own_imports(nodes: list[ast.AST], name: str) -> list[str]:
    """Return the package's own modules that the relative imports among *nodes*, of module *name*, load."""
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level:
            found += dict.fromkeys(list_targets(node, name))
    return found


def list_targets(node: ast.ImportFrom, name: str) -> list[str]:
    """Return the module that each name of a relative import in the module *name* comes from, or is."""
    folder = name.split(".")[: -node.level]
    base = ".".join([*folder, *(node.module or "").split(".")]).strip(".")
    return [base if _find_file(base).is_file() else f"{base}.{alias.name}" for alias in node.names]
