"""The first code in the hook's file: make our modules out of the rest, and start. Hot.

The file holds two kinds of modules: what every call needs is made at once, the rest is read when it is imported.
Whatever the file does not hold (the slow way's modules) comes from the package, as always.

Layout: this module's code, padded to ``BOOT_BYTES``; ``SIZE_DIGITS`` digits and the first part, one marshalled
dictionary: ``first`` (module name to code, in the order in which they import each other), ``tables``, ``later`` (name
of a module or table to position and size), ``clibs``, ``packages`` (package name to its folder), ``record`` (what
install knows); then the later parts, each marshalled alone.
"""

import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import posix as _os
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

    new_module: Callable[[str], Any]
    new_spec: Callable[..., Any]
else:
    try:
        import posix as _os
    except ImportError:
        import nt as _os
    new_module = type(sys)
    new_spec = type(sys.__spec__)

BOOT_BYTES = 8192  # the entry reads this much, and this module's code is padded to it
SIZE_DIGITS = 12  # then come these: the size of the first part, in bytes
FIRST_READ_BYTES = 65536


class Bundle:
    """The open file: finds and loads the modules in it for the import system, and the tables for the hook.

    Attributes:
        first: module name to its code, ``tables``: name to table: what was read at once.
        later: name of a module or table to (position, size) in the file.
        clibs: name of a C library to its file, found at install, so that no folder need be searched for it.
    """

    def __init__(self, parts: "dict[str, Any]", fd: int, base: int) -> None:
        self.first: dict[str, CodeType] = parts["first"]
        self.tables: dict[str, Any] = parts["tables"]
        self.later: dict[str, tuple[int, int]] = parts["later"]
        self.clibs: dict[str, str] = parts["clibs"]
        self._fd = fd
        self._base = base

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> "Any":
        """Return how to load *name*; ``None`` when it is not in the file."""
        if name in self.later or name in self.first:
            return new_spec(name, self, origin=name)
        if name in self.clibs:
            loader = sys.modules["_frozen_importlib_external"].ExtensionFileLoader(name, self.clibs[name])
            return new_spec(name, loader, origin=self.clibs[name])
        return None

    def create_module(self, _spec: object) -> None:
        """Leave the making of the module to the import system."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the code of *module* in it."""
        code = self.first.get(module.__name__) or self.load(module.__name__)
        exec(code, module.__dict__)

    def load_table(self, name: str) -> "Any":
        """Return a table, read once."""
        if name not in self.tables:
            self.tables[name] = self.load(name)
        return self.tables[name]

    def load(self, name: str) -> "Any":
        """Return a code object or a table that was not read at once.

        Raises:
            KeyError: the file has none of that name.
            ValueError, EOFError: the file is cut short.
        """
        position, size = self.later[name]
        _os.lseek(self._fd, self._base + position, 0)
        return marshal.loads(_os.read(self._fd, size))


def boot(fd: int, argument: str) -> None:
    """Read the first part, make the packages and the first modules, then serve the call; does not return.

    Args:
        fd: the open file, read up to the end of this code's own block.
        argument: whose settings file the hook stands in.
    """
    head = _os.read(fd, FIRST_READ_BYTES)
    size = int(head[:SIZE_DIGITS]) + SIZE_DIGITS
    while len(head) < size:
        piece = _os.read(fd, size - len(head))
        if not piece:
            raise EOFError
        head += piece
    parts = marshal.loads(head[SIZE_DIGITS:size])
    bundle = Bundle(parts, fd, BOOT_BYTES + size)
    sys.meta_path.insert(0, bundle)  # pyright: ignore[reportArgumentType]
    for name, folder in parts["packages"].items():
        package = sys.modules[name] = new_module(name)
        package.__path__ = [folder]
    for name, code in parts["first"].items():
        module = sys.modules[name] = new_module(name)
        module.__package__ = name.rpartition(".")[0]
        exec(code, module.__dict__)
    fire, installed = sys.modules["tellback.hooks.fire"], sys.modules["tellback.hooks.installed"]
    fire.main(argument, installed.Installed(parts["record"], bundle.load_table))
