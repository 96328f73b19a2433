"""The first code in the hook's file: make our modules out of the rest, and start. Hot.

The file holds two kinds of modules: what every call needs is made at once, the rest is read when it is imported.
Whatever the file does not hold (the slow way's modules) comes from the package, as always.

Layout: this module's code with the size of the first part, padded to ``BOOT_BYTES``; the first part, one marshalled
dictionary: ``first`` (module name to code, in the order in which they import each other), ``tables``, ``later`` (name
of a module or table to position and size), ``clibs``, ``packages`` (package name to its folder), ``record`` (what
install knows); then the later parts, each marshalled alone, a module's as the C libraries and the
code of the modules that it needs and its own. The pieces of tables come first of them (``hooks/shelf.py``).

What is read is read in its exact size and not copied: a page of memory that is touched for the first time costs as
much as ten thousand instructions.
"""

import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import posix as _os
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

    _imp: Any
    new_module: Callable[[str], Any]
    new_spec: Callable[..., Any]
    _new_record: Callable[..., Any]
    _new_method: Callable[..., Any]
else:
    try:
        import posix as _os
    except ImportError:
        import nt as _os
    import _imp

    new_module = type(sys)
    new_spec = type(sys.__spec__)
    _new_record = type(sys.implementation)
    _new_method = type((lambda: 0).__get__(0))

BOOT_BYTES = 8192  # the entry reads this much, and this module's code is padded to it
# Under these names every module has types.SimpleNamespace and types.MethodType (install/records.py), ``put_off``, the
# modules that are there and what reads others (install/link.py).
RECORD, METHOD, PUT_OFF, MODULES, NEED = "_new_record", "_new_method", "_put_off", "_modules", "_need"


class Bundle:
    """The open file: finds and loads the modules in it for the import system, and the tables for the hook.

    Attributes:
        read: name of a module or table to its codes or value, as far as it was read.
        anchor_words: tier 0's words; ``anchor_pieces``: its pieces, empty until ``load_pieces``.
        later: name to (position, size) of what can be read.
        clibs: name of a C library to its file, found at install, so that no folder need be searched for it.
    """

    def __init__(self, parts: "dict[str, Any]", fd: int, base: int) -> None:
        self.read: dict[str, Any] = parts["tables"]
        self.anchor_words: dict[bytes, bytes] = self.read["anchor_words"]
        self.anchor_pieces: dict[str, tuple[bytes, ...]] = {}
        self.later: dict[str, tuple[int, int]] = parts["later"]
        self.clibs: dict[str, str] = parts["clibs"]
        self.fd = fd
        self.base = base

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> "Any":
        """Return how to load *name*; ``None`` when it is not in the file."""
        if name in self.later:
            return new_spec(name, self, origin=name)
        if name in self.clibs:
            loader = sys.modules["_frozen_importlib_external"].ExtensionFileLoader(name, self.clibs[name])
            return new_spec(name, loader, origin=self.clibs[name])
        return None

    def create_module(self, _spec: object) -> None:
        """Leave the making of the module to the import system."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the code of *module*, and before it of the modules that it needs and that are not there yet."""
        self.run_code(self.make_others(module.__name__), module)

    def need(self, name: str) -> "ModuleType":
        """Return the module *name*, made when it is first asked for, without the import system."""
        if name not in sys.modules:
            self.make_module(name, self.make_others(name))
        return sys.modules[name]

    def make_others(self, name: str) -> "CodeType":
        """Make what the module *name* needs and is not there yet, and return the module's own code."""
        clibs: tuple[str, ...]
        codes: dict[str, CodeType]
        clibs, codes = self.load(name)
        for clib in clibs:
            load_clib(clib, self.clibs)
        for other, code in codes.items():
            if other != name and other not in sys.modules:
                self.make_module(other, code)
        return codes[name]

    def make_module(self, name: str, code: "CodeType") -> None:
        """Make a module as an import would; the import system takes longer for it than our code runs."""
        module = sys.modules[name] = new_module(name)
        package, _, leaf = name.rpartition(".")
        module.__package__ = package
        self.run_code(code, module)
        setattr(sys.modules[package], leaf, module)

    def run_code(self, code: "CodeType", module: "ModuleType") -> None:
        """Execute a module's code in it, with the names that the code relies on."""
        names = module.__dict__
        names[RECORD] = _new_record
        names[METHOD] = _new_method
        names[PUT_OFF] = put_off
        names[MODULES] = sys.modules
        names[NEED] = self.need
        exec(code, names)

    def load(self, name: str) -> "Any":
        """Return a table or a module's code, read when it is first asked for.

        Raises:
            KeyError: the file has none of that name.
            ValueError, EOFError: the file is cut short.
        """
        if name not in self.read:
            self.read[name] = marshal.loads(self.read_piece(*self.later[name]))
        return self.read[name]

    def read_piece(self, position: int, size: int) -> bytes:
        """Return bytes of the file behind its first part."""
        if sys.platform != "win32":
            return _os.pread(self.fd, size, self.base + position)
        _os.lseek(self.fd, self.base + position, 0)
        return _os.read(self.fd, size)

    def load_pieces(self) -> None:
        """Read tier 0's pieces: only what is not ASCII can hold one."""
        self.anchor_pieces = self.load("anchor_pieces")


def boot(fd: int, argument: str, size: int) -> None:
    """Read the first part, make the packages and the first modules, then serve the call; does not return.

    Args:
        fd: the open file, read up to the end of this code's own block.
        argument: whose settings file the hook stands in.
        size: of the first part, in bytes.
    """
    load_clib("gc", {})
    sys.modules["gc"].disable()  # this process ends in milliseconds: nothing is worth collecting
    head = _os.read(fd, size)
    while len(head) < size:
        piece = _os.read(fd, size - len(head))
        if not piece:
            raise EOFError
        head += piece
    parts = marshal.loads(head)
    del head
    bundle = Bundle(parts, fd, BOOT_BYTES + size)
    sys.meta_path.insert(0, bundle)  # pyright: ignore[reportArgumentType]
    for name, folder in parts["packages"].items():
        package = sys.modules[name] = new_module(name)
        package.__path__ = [folder]
    load_clib("_json", bundle.clibs)
    for name, code in parts["first"].items():
        bundle.make_module(name, code)
    places, fire = sys.modules["tellback.core.shapes"].Places, sys.modules["tellback.hooks.fire"]
    record = parts["record"]
    record["places"] = places(*record["places"])
    fire.main(argument, _new_record(tables=bundle, **record))


def put_off(functions: "tuple[str, ...]", packed: bytes, names: "dict[str, Any]") -> None:
    """Put stand-ins for a module's rare *functions* among its *names*: the first that is called unpacks them all."""
    for function in functions:
        names[function] = _new_method(call_rare, (function, packed, names))


def call_rare(which: "tuple[str, bytes, dict[str, Any]]", *values: "Any", **named: "Any") -> "Any":
    """Call a function that was put off; some other module may hold its stand-in still."""
    function, packed, names = which
    if type(names[function]) is _new_method:
        exec(marshal.loads(packed), names)
    return names[function](*values, **named)


def load_clib(name: str, files: "dict[str, str]") -> None:
    """Load a C module, built in or straight from its file: the import system's own way takes ten times as long."""
    if name in sys.modules:
        return
    try:
        if name in files:
            sys.modules[name] = module = _imp.create_dynamic(new_spec(name, None, origin=files[name]))
            _imp.exec_dynamic(module)
        elif name in sys.builtin_module_names:
            sys.modules[name] = module = _imp.create_builtin(new_spec(name, None))
            _imp.exec_builtin(module)
    except (ImportError, OSError):
        sys.modules.pop(name, None)  # moved: whoever imports it has it looked for
