"""Link the hook's modules with each other: what one takes from another it reads from it, without an import statement.

An import of a module that is there already still costs as much as a hundred lookups: Python asks each module whether it
is a package, and the answer "no" is an exception that nobody sees. The last step but one of making the hook's code
(``hotcode.py``); what is imported from elsewhere stays an import.
"""

import ast
from collections.abc import Callable

from ..hooks.boot import MODULES, NEED

Resolve = Callable[[ast.ImportFrom, str], list[str]]


def link_modules(trees: dict[str, ast.Module], resolve: Resolve) -> None:
    """Replace the relative imports in *trees* that lead to a module among them.

    At a module's top the other one is there, for modules are made in the order in which they import each other; inside
    a function it may have to be read from the file first.

    Args:
        resolve: the modules that a relative import in the module of that name leads to, one for each of its names.
    """
    for name, tree in trees.items():
        _Linker(name, set(trees), resolve).visit(tree)


class _Linker(ast.NodeTransformer):
    def __init__(self, name: str, known: set[str], resolve: Resolve) -> None:
        self._name = name
        self._known = known
        self._resolve = resolve
        self._is_inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before, self._is_inside = self._is_inside, True
        self.generic_visit(node)
        self._is_inside = before
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.stmt]:
        targets = self._resolve(node, self._name) if node.level else []
        if not targets or not self._known.issuperset(targets):
            return node
        lines: list[ast.stmt] = []
        for alias, target in zip(node.names, targets, strict=True):
            member = "" if target.endswith(f".{alias.name}") and not node.module else f".{alias.name}"
            place = f"{NEED}('tellback.{target}')" if self._is_inside else f"{MODULES}['tellback.{target}']"
            lines += ast.parse(f"{alias.asname or alias.name} = {place}{member}").body
        return lines
