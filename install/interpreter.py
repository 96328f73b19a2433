"""Which Python the hooks run: one that will still be there tomorrow."""

import os
import subprocess
import sys
from pathlib import Path

from ..core.errors import TellbackError
from ..core.paths import find_home, read_dir_variable

ALIVE_WAIT_S = 20.0


def choose_interpreter(allow_temporary: bool = False, recorded: str = "") -> str:
    """Return the absolute path of the running Python, as it was started (a virtual environment's own link stays).

    Args:
        allow_temporary: take one in a cache or temporary folder, for a demo or because the person named it.
        recorded: what the hooks run now; kept where it is another name of the same one (``python``, ``python3``).

    Raises:
        TellbackError: Python does not know its own path, or it lies where things are swept away.
    """
    if not sys.executable or not os.path.isabs(sys.executable):
        raise TellbackError("this Python does not know where it lies", hint="run Tellback with a Python of its own")
    path = _tidy(sys.executable)
    if not allow_temporary and (folder := find_sweepable_folder(path)):
        raise TellbackError(
            f"the Python that runs this, {path}, lies in {folder}, which is emptied from time to time",
            hint="install Tellback to stay (`uv tool install tellback` or `pipx install tellback`, or into a virtual "
            "environment in your home) and install again from there, or name a Python with --python PATH",
        )
    return recorded if recorded and is_same_python(recorded, path) else path


def is_same_python(one: str, other: str) -> bool:
    """Whether two paths are names of one Python in one folder; a virtual environment is not what it was made from."""
    folders = {os.path.realpath(os.path.dirname(path)) for path in (one, other)}
    return len(folders) == 1 and os.path.realpath(one) == os.path.realpath(other)


def _tidy(path: str) -> str:
    """Return *path* without the way from the folder that one stood in: started as ``../venv/bin/python`` it has it."""
    tidy = os.path.normpath(path)
    try:
        return tidy if os.path.samefile(tidy, path) else path  # ``..`` behind a link leads elsewhere
    except OSError:
        return path


def find_sweepable_folder(path: str) -> Path | None:
    """Return the cache or temporary folder that *path*, or what it links to, lies in."""
    spots = {Path(os.path.abspath(path)), Path(os.path.realpath(path))}
    for folder in _list_sweepable_folders():
        roots = {folder, Path(os.path.realpath(folder))}
        if any(spot.is_relative_to(root) for spot in spots for root in roots):
            return folder
    for spot in spots:  # pipx run and some others keep a cache of their own beside their data
        if cache := next((part for part in spot.parents if part.name.lower() in {".cache", "caches"}), None):
            return cache
    return None


def is_alive(interpreter: str) -> bool:
    """Whether the interpreter starts as a hook starts it."""
    return _run(interpreter, "-I", "-S", "-c", "pass") is not None


def find_executable(python: str) -> str:
    """Return what a named Python calls itself, for a shim starts another one; ``""``: it fails or has no Tellback.

    The package must be found without the environment's help: the sweep is started that way.
    """
    return _run(python, "-I", "-c", "import sys, tellback.cli; print(sys.executable)") or ""


def _run(python: str, *arguments: str) -> str | None:
    """Return what a Python prints; ``None`` when it fails, hangs or is not there."""
    folder = "/" if os.name == "posix" else None  # not the working folder: it may hold anything
    command = [python, *arguments]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=ALIVE_WAIT_S, cwd=folder, check=True
        )
        return done.stdout.decode().strip()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None


def _list_sweepable_folders() -> list[Path]:
    home = find_home()
    variables = ("XDG_CACHE_HOME", "UV_CACHE_DIR", "XDG_RUNTIME_DIR", "TMPDIR", "TEMP", "TMP")
    named = [folder for name in variables if (folder := read_dir_variable(name))]
    usual = [home / ".cache", home / "Library/Caches", home / "AppData/Local/Temp", home / "AppData/Local/uv/cache"]
    posix = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/private/var/folders"]
    fixed = [Path(each) for each in posix] if os.name == "posix" else []
    # A variable that names the home or the root says nothing of what is swept away there.
    return [each for each in [*named, *usual, *fixed] if each != home and each != each.parent]
