"""Turn the hook's classes into functions that fill a namespace; its last step, ``slim.py`` does the ones before.

To make a class takes Python longer than all else that a module does. A class without bases whose name is only ever
called becomes a function of that name: it fills a ``types.SimpleNamespace`` with what ``__init__`` sets and with the
methods, bound. An exception that nobody tells from its base becomes its base. Both are seen in the source alone; what
is not surely of that kind stays a class.
"""

import ast
from collections.abc import Iterator

from ..hooks.boot import METHOD, RECORD

Trees = dict[str, ast.Module]


def make_records(trees: Trees) -> None:
    """Replace every class in *trees* that is only called; names are compared without regard to where they come from."""
    plain = {node.name for node in _list_classes(trees) if _is_plain(node)}
    errors = {node.name for node in _list_classes(trees) if _is_plain_error(node)}
    kept = _list_asked_for(trees, plain | errors)
    for tree in trees.values():
        body: list[ast.stmt] = []
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name in plain - kept:
                body += _make_functions(node)
            elif isinstance(node, ast.ClassDef) and node.name in errors - kept:
                body.append(ast.Assign(targets=[ast.Name(node.name, ast.Store())], value=node.bases[0]))
            else:
                body.append(node)
        tree.body = body


def _list_classes(trees: Trees) -> Iterator[ast.ClassDef]:
    return (node for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef))


def _list_asked_for(trees: Trees, names: set[str]) -> set[str]:
    """Return those of *names* that are mentioned otherwise than to be called."""
    called: dict[str, int] = {}
    mentioned: dict[str, int] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            name = name_of(node)
            mentioned[name] = mentioned.get(name, 0) + 1
            if isinstance(node, ast.Call):
                name = name_of(node.func)
                called[name] = called.get(name, 0) + 1
    return {name for name in names if mentioned.get(name) != called.get(name)}


def name_of(node: ast.AST) -> str:
    """Return the name that *node* mentions, ``""`` for other nodes."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _is_plain_error(node: ast.ClassDef) -> bool:
    """Whether a class adds nothing to a built-in error but a name."""
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    is_empty = all(isinstance(each, ast.Pass) or _is_docstring(each) for each in node.body)
    return is_empty and len(bases) == len(node.bases) == 1 and bases[0].endswith("Error") and not node.keywords


def _is_plain(node: ast.ClassDef) -> bool:
    """Whether a class has no base and nothing but ``__init__``, methods, constants and ``__slots__``."""
    if node.bases or node.keywords or node.decorator_list:
        return False
    names = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
    return (
        "__init__" in names
        and all(name == "__init__" or not name.startswith("__") for name in names)
        and all(_is_plain_member(each) for each in node.body)
    )


def _is_plain_member(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        inner = list(ast.walk(node))
        asks_class = any(name_of(each) in ("super", "__class__") for each in inner)
        returns = node.name == "__init__" and any(isinstance(each, ast.Return) for each in inner)
        return not (node.decorator_list or asks_class or returns)
    if isinstance(node, ast.Assign):
        is_slots = [ast.unparse(target) for target in node.targets] == ["__slots__"]
        return is_slots or isinstance(node.value, (ast.Constant, ast.Name))
    return isinstance(node, ast.Pass) or _is_docstring(node)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _make_functions(node: ast.ClassDef) -> list[ast.stmt]:
    """Return the methods as functions, and the function that makes one record with them bound to it."""
    functions = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    init = next(each for each in functions if each.name == "__init__")
    methods = [each for each in functions if each is not init]
    own = init.args.args[0].arg
    filling = [f"{own} = {RECORD}()"]
    for each in node.body:
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) != "__slots__":
            filling += [f"{own}.{ast.unparse(target)} = {ast.unparse(each.value)}" for target in each.targets]
    for method in methods:
        inner_name = f"{node.name}__{method.name}"
        filling.append(f"{own}.{method.name} = {METHOD}({inner_name}, {own})")
        method.name = inner_name
    giving = ast.parse(f"def f():\n return {own}").body[0]
    assert isinstance(giving, ast.FunctionDef)
    init.name = node.name
    init.args.args = init.args.args[1:]
    init.body = [*ast.parse("\n".join(filling)).body, *init.body, *giving.body]
    return [*methods, init]
