"""Make the hook's code smaller than its source without changing what it does: what is not loaded costs nothing.

Three passes over the trees of all hot modules. What is there for readers and type checkers goes; functions, methods
and classes whose name nothing in the hook mentions go; a class that only holds members becomes a function that fills
a ``types.SimpleNamespace``, for making a class takes as long as all else that a module does.
"""

import ast
from collections.abc import Iterable

from ..hooks.boot import RECORD


class Slimmer(ast.NodeTransformer):
    """Take out annotations and what stands below ``if TYPE_CHECKING``."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse or ast.Pass()
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.Pass()
        return ast.Assign(targets=[node.target], value=node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def shake(trees: dict[str, ast.Module], roots: Iterable[str]) -> None:
    """Take out of *trees* every definition whose name is mentioned neither in *roots* nor in what stays.

    Names are compared without regard to where they come from, so too much stays rather than too little. An import of
    what goes, goes too.
    """
    mentioned: set[str] = set()
    originals = _find_renamed(trees)
    put_off: list[ast.AST] = []
    waiting: list[ast.AST] = [node for tree in trees.values() for node in tree.body]

    def mention(name: str) -> None:
        if name and name not in mentioned:
            mentioned.add(name)
            waiting.extend(put_off)
            put_off.clear()
            for original in originals.get(name, ()):
                mention(original)

    for root in roots:
        mention(root)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not _is_wanted(node.name, mentioned):
            put_off.append(node)
        elif not isinstance(node, ast.ImportFrom):
            mention(_name_of(node))
            waiting.extend(ast.iter_child_nodes(node))
    for tree in trees.values():
        _Shaker(mentioned).visit(tree)


def _find_renamed(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Return by new name what ``from x import name as new`` renames anywhere."""
    found: dict[str, set[str]] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                if alias.asname:
                    found.setdefault(alias.asname, set()).add(alias.name)
    return found


def _is_wanted(name: str, mentioned: set[str]) -> bool:
    return name in mentioned or (name.startswith("__") and name.endswith("__"))


def _name_of(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


class _Shaker(ast.NodeTransformer):
    def __init__(self, mentioned: set[str]) -> None:
        self._mentioned = mentioned

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        return self.generic_visit(node) if _is_wanted(node.name, self._mentioned) else ast.Pass()

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | None:
        return self.generic_visit(node) if _is_wanted(node.name, self._mentioned) else ast.Pass()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        if node.level:
            node.names = [each for each in node.names if (each.asname or each.name) in self._mentioned]
        return node if node.names else ast.Pass()


def make_records(trees: dict[str, ast.Module]) -> None:
    """Turn every class that only holds members, and is only ever called, into a function that fills a namespace."""
    records = {
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and _find_init(node) is not None
    }
    called: dict[str, int] = {}
    mentioned: dict[str, int] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            name = _name_of(node)
            if name in records:
                mentioned[name] = mentioned.get(name, 0) + 1
            if isinstance(node, ast.Call) and (name := _name_of(node.func)) in records:
                called[name] = called.get(name, 0) + 1
    fit = {name for name in records if mentioned.get(name) == called.get(name)}
    for tree in trees.values():
        tree.body = [
            _make_filler(node) if isinstance(node, ast.ClassDef) and node.name in fit else node for node in tree.body
        ]


def _find_init(node: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the ``__init__`` of a class without bases that has ``__slots__`` and nothing else."""
    if node.bases or node.keywords or node.decorator_list:
        return None
    inits: list[ast.FunctionDef] = []
    for each in node.body:
        is_docstring = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            inits.append(each)
        elif isinstance(each, ast.Assign) and [ast.unparse(target) for target in each.targets] == ["__slots__"]:
            continue
        elif not isinstance(each, ast.Pass) and not is_docstring:
            return None
    return inits[0] if len(inits) == 1 else None


def _make_filler(node: ast.ClassDef) -> ast.FunctionDef:
    init = _find_init(node)
    assert init is not None
    own = init.args.args[0].arg
    make = ast.parse(f"{own} = {RECORD}()").body
    give = ast.parse(f"def f():\n return {own}").body[0]
    assert isinstance(give, ast.FunctionDef)
    init.name = node.name
    init.args.args = init.args.args[1:]
    init.body = [*make, *init.body, *give.body]
    return init
