"""Write the hook's two files: an entry that never changes, and one file with all code and tables that it runs.

``<data>/hook/fire.py`` (from ``hooks/entry.py``) parses on any Python 3 and ends in success whatever it finds.
``<data>/hook/hook.<tag>.bin``, the tag naming the interpreter's byte code, is replaced by one rename, so that an
upgrade has no half state; its layout is in ``hooks/boot.py``. Byte code belongs to the interpreter that made it, so
the file is made by the interpreter that the hooks run.
"""

import ast
import hashlib
import importlib.util
import marshal
import os
import sys
import sysconfig
import time
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from .. import __version__
from ..capture.anchors import prepare_anchors
from ..capture.tables import prepare, read_model
from ..core.config import Loaded, SettingsError, load
from ..core.errors import TellbackError
from ..core.files import replace_file
from ..core.keys import Settings
from ..core.paths import find_claude_config
from ..core.scrub import prepare_scrub
from ..core.shapes import Places
from ..hooks.boot import BOOT_BYTES
from ..hooks.notes import log_path
from ..hooks.shelf import pack_detector, pack_scrub
from ..hooks.slow import pack_settings
from ..hooks.table import FAMILIES
from .hotcode import ALLOWED, ROOT, compile_tree, find_hot_modules, list_clibs, order_imports, read_tree
from .interpreter import is_same_python
from .rare import record_usual
from .record import bundle_path, read_record
from .records import make_records

# What every call needs, in the order in which they import each other. All else that is hot is read when imported.
FIRST = (
    "core.shapes",
    "core.append",
    "core.wire",
    "core.news",
    "hooks.settings",
    "hooks.fields",
    "hooks.claude_code",
    "hooks.cursor",
    "hooks.table",
    "hooks.deadline",
    "hooks.stdin",
    "hooks.gate",
    "sweep.stamp",
    "capture.anchors",
    "hooks.fire",
)
PACKAGES = ("", "capture", "core", "hooks", "sweep")
# Imported inside functions and yet needed by nearly every call that loads the module: read with it.
ALWAYS_ALSO = {"hooks.prompt": ("core.prepared",)}
_SOURCES = (".py", ".dat", ".json")
FIRST_TABLES = ("anchor_words",)
FIRST_RECORD = ("places", "packed", "stamps", "stores", "installed_at")

# The launched sweep's environment: these as they are at install, and the folders.
KEPT_VARIABLES = (
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "OPENCODE_DB"),
    *("HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "LANG", "LC_ALL", "LC_CTYPE", "TZ"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"),
)
STORE_VARIABLES = {
    "claude-code": "CLAUDE_CONFIG_DIR",
    "codex": "CODEX_HOME",
    "copilot": "COPILOT_HOME",
    "gemini-cli": "GEMINI_CLI_HOME",
}


def entry_path(places: Places) -> Path:
    """Return where the entry is, the ``FIRE`` of the command line."""
    return Path(places.data) / "hook" / "fire.py"


def write_hook(places: Places, interpreter: str) -> None:
    """Write both files for hooks that run *interpreter*; the environment of now is recorded.

    Raises:
        TellbackError: *interpreter* is another Python, and that one cannot write them.
        OSError: they cannot be written.
    """
    _write(places, interpreter, _record_environment(places))


def renew_hook(places: Places) -> bool:
    """Write the files anew when they are of another version or of other settings; what install recorded stays.

    Returns:
        Whether they were written; ``False`` too where install never was, or by another Python.
    """
    record = read_record(places)
    if record is None or not is_same_python(record["python"], sys.executable):
        return False
    if is_current(places, record["python"]):
        return False
    kept = {name: record[name] for name in _record_environment(places) if name in record}
    _write(places, record["python"], {**_record_environment(places), **kept})
    return True


def is_current(places: Places, interpreter: str) -> bool:
    """Whether both files are there, of this version, these settings and *interpreter*."""
    record = read_record(places)
    if (
        record is None
        or not is_whole(places)
        or record["python"] != interpreter
        or tuple(record["places"]) != _pack_places(places)
    ):
        return False
    try:
        if entry_path(places).read_bytes() != make_entry(places):
            return False
    except OSError:
        return False
    return (record["version"], record["sources"], record["stamps"]) == (
        __version__,
        _stamp_sources(),
        _stamps(places)[1],
    )


def _sum_path(places: Places) -> Path:
    return bundle_path(places).with_suffix(".sha256")


def is_whole(places: Places) -> bool:
    """Whether the file for this interpreter is the one that was written: a spoiled one captures nothing."""
    try:
        found = hashlib.sha256(bundle_path(places).read_bytes()).hexdigest()
        return _sum_path(places).read_text("ascii") == found
    except (OSError, UnicodeDecodeError):
        return False


def make_entry(places: Places) -> bytes:
    """Return the bytes of ``fire.py``."""
    lines = (ROOT / "hooks" / "entry.py").read_text("utf-8").splitlines(keepends=True)
    text = "".join(line.partition("  # ")[0].rstrip() + "\n" for line in lines if not line.startswith("# fmt"))
    if os.name == "nt":
        text = text.replace("posix", "nt").replace(" | nt.O_NOFOLLOW | nt.O_NONBLOCK", "")
    literal = ascii(log_path(places)).replace("\\", "\\\\").replace('"', '\\"')  # a literal inside a literal
    return text.replace('"@NOTES@"', literal).encode("ascii")


def make_bundle(record: dict[str, Any]) -> bytes:
    """Return the bytes of the file for this interpreter."""
    codes, tables = _find_codes(), _prepare_tables()
    later: dict[str, Any] = {f"tellback.{name}": _group(name, codes) for name in codes if name not in FIRST}
    later |= {name: table for name, table in tables.items() if name not in FIRST_TABLES}
    later["rare"] = record
    places: dict[str, tuple[int, int]] = {}
    later["detector"], pieces = pack_detector(tables["detector"])
    later["scrub"], patterns = pack_scrub(tables["scrub"], len(pieces))
    tail = bytearray(pieces + patterns)
    for name, value in later.items():
        piece = marshal.dumps(value)
        places[name] = (len(tail), len(piece))
        tail += piece
    first = marshal.dumps(
        {
            "first": {f"tellback.{name}": codes[name] for name in FIRST},
            "tables": {name: tables[name] for name in FIRST_TABLES},
            "later": places,
            "clibs": _find_clibs(),
            "packages": {f"tellback.{name}".rstrip("."): str(ROOT / name) for name in PACKAGES},
            "record": {name: record[name] for name in FIRST_RECORD},
        }
    )
    boot = marshal.dumps(_compile_boot(len(first)))
    if len(boot) > BOOT_BYTES:
        raise AssertionError(f"hooks/boot.py is {len(boot)} bytes of code, its block {BOOT_BYTES}")
    return boot.ljust(BOOT_BYTES, b"\0") + first + tail


def _group(name: str, codes: dict[str, CodeType]) -> tuple[tuple[str, ...], dict[str, CodeType]]:
    """Return what loading the module *name* takes: C libraries, and the code of modules that were not read first."""
    before = (*FIRST, *(order_imports("hooks.prompt", ALWAYS_ALSO["hooks.prompt"]) if name == "hooks.keep" else ()))
    names = [each for each in order_imports(name, ALWAYS_ALSO.get(name, ())) if each not in before]
    clibs = tuple(each for each in list_clibs(names) if each in _find_clibs() or each in sys.builtin_module_names)
    return clibs, {f"tellback.{each}": codes[each] for each in names}


def _write(places: Places, interpreter: str, environment: dict[str, Any]) -> None:
    if os.path.realpath(interpreter) != os.path.realpath(sys.executable):
        raise TellbackError(
            f"this is {sys.executable}, and the hooks run {interpreter}",
            hint=f"run `{interpreter} -m tellback install` again",
        )
    packed, stamps = _stamps(places)
    record: dict[str, Any] = {
        **environment,
        "version": __version__,
        "sources": _stamp_sources(),
        "python": interpreter,
        "places": _pack_places(places),
        "packed": packed,
        "stamps": stamps,
        "sweep_argv": [interpreter, "-I", "-S", str(ROOT / "commands" / "launched.py")],
        "libraries": sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}),
    }
    folder = entry_path(places).parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    bundle = make_bundle(record)
    replace_file(bundle_path(places), bundle, mode=0o600)  # first: an entry without it would note a failure
    replace_file(_sum_path(places), hashlib.sha256(bundle).hexdigest().encode(), mode=0o600)
    entry = make_entry(places)
    if not entry_path(places).is_file() or entry_path(places).read_bytes() != entry:
        replace_file(entry_path(places), entry, mode=0o600)


def _record_environment(places: Places) -> dict[str, Any]:
    """Return what is taken from the environment now, so that a hook and its sweep need not look at theirs."""
    kept = {name: value for name in KEPT_VARIABLES if (value := os.environ.get(name))}
    folders = {
        "XDG_DATA_HOME": os.path.dirname(places.data),
        "XDG_CACHE_HOME": os.path.dirname(places.cache),
        "XDG_CONFIG_HOME": os.path.dirname(places.config),
    }
    home = {"USERPROFILE" if os.name == "nt" else "HOME": places.home}
    return {
        "environment": {"PATH": os.defpath, **kept, **home, **folders},
        "stores": {harness: (name, os.environ.get(name, "")) for harness, name in STORE_VARIABLES.items()},
        "claude_config": str(find_claude_config()),
        "installed_at": time.time(),
    }


def _pack_places(places: Places) -> tuple[str, str, str, str]:
    return places.home, places.data, places.cache, places.config


def _stamps(places: Places) -> tuple[dict[str, Any], list[tuple[str, int, int]]]:
    """Return the settings packed, and the stats of their files; those that do not parse the hook reads each time."""
    try:
        loaded = load(places)
    except SettingsError:
        return pack_settings(Loaded(Settings(), "")), [("", 0, 0)]
    return pack_settings(loaded), [(path, size, mtime_ns) for path, size, mtime_ns in loaded.sources]


def _stamp_sources() -> list[tuple[str, int, int]]:
    """Return name, size and modification time of every file that the bundle may be made of."""
    files = [path for name in PACKAGES if name for path in (ROOT / name).iterdir() if path.suffix in _SOURCES]
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(files)]


def _compile_boot(size: int) -> Any:
    """Return the code of ``hooks/boot.py`` with its one call, which the entry executes in its own names."""
    call = ast.parse(f"boot(fd, sys.argv[1], {size})")
    tree = ast.Module([*deepcopy(read_tree("hooks.boot")).body, *call.body], [])
    make_records({"hooks.boot": tree})
    return compile_tree(tree, "hooks.boot")


@lru_cache(maxsize=1)
def _find_clibs() -> dict[str, str]:
    """Return the C libraries that a hook may load and that are not built into this interpreter, with their files."""
    found = {name: importlib.util.find_spec(name) for name in ALLOWED - set(sys.builtin_module_names)}
    return {name: spec.origin for name, spec in sorted(found.items()) if spec and spec.origin and spec.has_location}


@lru_cache(maxsize=1)
def _find_codes() -> dict[str, CodeType]:
    usual = record_usual(pack_settings(Loaded(Settings(), "")), _prepare_tables())
    starts = (*FIRST, "hooks.prompt", "hooks.keep", *(f"hooks.{name}" for name in FAMILIES.values()))
    return find_hot_modules(starts, usual)


@lru_cache(maxsize=1)
def _prepare_tables() -> dict[str, Any]:
    return {"detector": prepare(), "scrub": prepare_scrub(), **prepare_anchors(read_model()["anchors"])}
