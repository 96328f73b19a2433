"""The command line that a harness runs, and how we know one of ours again."""

import os
import re
import shlex

from ..core.shapes import Places

# By the entry file: whatever interpreter, quotes, guard or data folder a version wrote, this part is in it.
_ENTRY = re.compile(r"""[/\\]tellback['"]?[/\\]+hook[/\\]+fire\.py(?![\w.])""")


def is_our_command(text: str) -> bool:
    """Whether a hook's command is one that some version of install wrote."""
    return _ENTRY.search(text) is not None


def hook_command(places: Places, interpreter: str, harness: str, system: str = os.name) -> str:
    """Return the command line of a harness's hooks; a missing interpreter or entry file ends it in success.

    On Windows Claude Code gives it to Git's shell, which takes slashes; of Cursor we take it that it asks ``cmd``.
    """
    entry = f"{places.data}/hook/fire.py"
    if system == "nt" and harness == "cursor":
        entry, interpreter = entry.replace("/", "\\"), interpreter.replace("/", "\\")
        return f'if exist "{interpreter}" if exist "{entry}" "{interpreter}" -I -S "{entry}" {harness}'
    if system == "nt":
        entry, interpreter = entry.replace("\\", "/"), interpreter.replace("\\", "/")
    python, file = shlex.quote(interpreter), shlex.quote(entry)
    return f"[ -x {python} ] && [ -f {file} ] || exit 0; exec {python} -I -S {file} {harness}"
