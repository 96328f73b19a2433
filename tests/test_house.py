"""The house keeps its order: packages, floors, empty ``__init__`` files, and what a hook may load."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tellback
from tellback.cli import VERBS
from tellback.core.toml import parse_toml
from tellback.install.hotcode import find_hot_modules

CHECKOUT = Path(__file__).resolve().parents[1]
IS_CHECKOUT = (CHECKOUT / "core" / "__init__.py").is_file()
TREE = CHECKOUT if IS_CHECKOUT else Path(tellback.__file__).parent

in_checkout = pytest.mark.skipif(not IS_CHECKOUT, reason="the source tree is not beside the tests")

FLOORS = {
    "core": 0,
    "capture": 1,
    "sessions": 2,
    "learning": 3,
    "sweep": 4,
    "hooks": 5,
    "install": 6,
    "serve": 6,
    "commands": 7,
    "cli": 7,
    "__main__": 8,
}

# What a hook may load: reviewed like a lock. Built into Python, frozen, or one C library each ...
_ALLOWED = "_codecs _imp _json _signal _sre binascii errno fcntl gc marshal math msvcrt nt posix sys time"
ALLOWED = frozenset(_ALLOWED.split())
# ... and these modules of ours, which import nothing else when they are imported.
_HOT = {
    "capture": (
        "anchors corrections crc detector features folder grams heard hot_tables index keys knowledge learnings ledger "
        "log parts pieces points queue quote settle split strip"
    ),
    "core": "append digest locks news pause place policy prepared ready repository scrub shapes wire",
    "hooks": (
        "answer boot claude_code codex copilot cursor deadline fields fire gate gemini_cli installed keep notes "
        "out_of_time prompt settings shelf stdin table"
    ),
    "sweep": "stamp trigger",
}
HOT = frozenset(f"{room}.{name}" for room, names in _HOT.items() for name in names.split())

# What a launched sweep loads until it has found something to do: hot ones, these, and ``os``.
LIGHT = HOT | {
    *("core.swap", "sweep.early", "sweep.guard", "sweep.inherited", "sweep.lastrun", "sweep.look"),
    *("commands.launched", "__version__"),
}


def list_modules() -> list[str]:
    """Return the dotted names of all modules below the root, ``core.append``; packages as ``core.__init__``."""
    rooms = [init.parent for init in TREE.glob("*/__init__.py")]
    paths = [*TREE.glob("*.py"), *(path for room in rooms for path in room.rglob("*.py"))]
    return sorted(".".join(path.relative_to(TREE).with_suffix("").parts) for path in paths)


def read(module: str) -> ast.Module:
    return ast.parse(TREE.joinpath(*module.split(".")).with_suffix(".py").read_bytes())


def find_imports(module: str, nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Yield what *nodes* of *module* import: ``tellback.core.append`` for ours, ``re`` for others."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
        elif isinstance(node, ast.ImportFrom):
            package = ["tellback", *module.split(".")][: -node.level]
            yield from (".".join([*package, *filter(None, [node.module]), alias.name]) for alias in node.names)


def walk_top(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs when a module is imported: not the inside of functions, nor what only type checkers see."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from walk_top(other)
            continue
        yield from walk_top(child)


def room_of(name: str) -> str:
    """Return the room of one of ours, ``core`` of ``tellback.core.append``; ``""`` for the root and for others."""
    parts = name.split(".")
    return parts[1] if parts[0] == "tellback" and len(parts) > 1 and parts[1] in FLOORS else ""


MODULES = list_modules()


@in_checkout
def test_the_packages_are_those_of_the_tree() -> None:
    listed = parse_toml((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]

    there = sorted(".".join(["tellback", *name.split(".")[:-1]]) for name in MODULES if name.endswith("__init__"))

    assert listed == there


@in_checkout
def test_pyright_and_this_test_know_every_room() -> None:
    checked = parse_toml((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]["include"]

    rooms = {name.split(".")[0] for name in MODULES}

    assert rooms - {"__init__"} <= set(FLOORS)
    assert {part.removesuffix(".py") for part in checked} == rooms


@in_checkout
@pytest.mark.parametrize("folder", ["tests", "bench", "docs"])
def test_what_is_no_room_is_no_package(folder: str) -> None:
    assert list((CHECKOUT / folder).rglob("__init__.py")) == []


@pytest.mark.parametrize("module", [name for name in MODULES if name.endswith("__init__")])
def test_a_package_says_what_it_is_and_nothing_else(module: str) -> None:
    says, *rest = read(module).body

    assert isinstance(says, ast.Expr)
    assert isinstance(says.value, ast.Constant)
    assert [ast.unparse(line).split(" = ")[0] for line in rest] == (["__version__"] if module == "__init__" else [])


@pytest.mark.parametrize("module", MODULES)
def test_a_room_imports_only_from_rooms_below_it(module: str) -> None:
    own = module.split(".")[0]

    rooms = {room_of(name) for name in find_imports(module, ast.walk(read(module)))}

    above = {room for room in rooms - {"", own} if FLOORS[room] >= FLOORS.get(own, 8)}
    assert above == set()


@pytest.mark.parametrize("module", MODULES)
def test_inside_the_package_imports_are_relative(module: str) -> None:
    absolute = [node for node in ast.walk(read(module)) if isinstance(node, ast.ImportFrom) and not node.level]

    assert [node.module for node in absolute if (node.module or "").split(".")[0] == "tellback"] == []


def test_the_list_names_no_module_that_is_gone() -> None:
    assert set(MODULES) >= HOT


@pytest.mark.parametrize("module", sorted(HOT & set(MODULES)))
def test_a_hot_module_imports_only_what_is_hot(module: str) -> None:
    names = set(find_imports(module, walk_top(read(module))))

    ours = {name.removeprefix("tellback.") for name in names if name.startswith("tellback.")}
    cold = {name for name in ours if name not in HOT and name.rpartition(".")[0] not in HOT}
    assert {name for name in names if not name.startswith("tellback.")} <= ALLOWED
    assert cold == set()


@pytest.mark.parametrize("module", sorted(LIGHT & set(MODULES) - HOT))
def test_a_light_module_imports_only_what_is_light(module: str) -> None:
    names = set(find_imports(module, walk_top(read(module))))

    ours = {name.removeprefix("tellback.") for name in names if name.startswith("tellback.")}
    heavy = {name for name in ours if name not in LIGHT and name.rpartition(".")[0] not in LIGHT}
    assert {name for name in names if not name.startswith("tellback.")} <= ALLOWED | {"os", "_thread"}
    assert heavy == set()


def test_what_a_hook_loads_is_on_the_list() -> None:
    assert set(find_hot_modules(("hooks.fire", "hooks.boot"))) <= HOT


def test_no_folder_is_named_like_a_library() -> None:
    libraries = {"mcp", "click", "rich", "filelock", "psutil", "watchdog", "orjson", "httpx", "yaml", "toml"}
    rooms = {name.split(".")[0] for name in MODULES if "." in name}

    assert rooms & (libraries | set(sys.stdlib_module_names)) == set()


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_its_module_and_every_module_with_a_command_its_verb(verb: str) -> None:
    module, help_line = VERBS[verb]

    assert f"commands.{module}" in MODULES
    assert help_line
    assert not help_line.endswith(".")
