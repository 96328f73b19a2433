"""Make the hook's code smaller than its source without changing what it does: what is not loaded costs nothing.

Two passes over the trees of all hot modules: what is there for readers and type checkers goes; functions, methods and
classes whose name nothing in the hook mentions go. What is left of the classes, ``records.py`` makes cheaper.
"""

import ast
from collections.abc import Iterable

from .records import name_of


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
            mention(name_of(node))
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
