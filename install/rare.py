"""Put off what a usual hook call does not run: its code stays packed until somebody calls it.

To unpack a function costs as much as to run it, and of the hook's functions a usual prompt runs half. Which ones is
found by doing it: some prompts go through the modules as they are, in a folder of their own, and whatever was called
stays; the rest of a module becomes one packed piece behind stand-ins (``hooks/boot.py``, ``put_off``). A function that
is found rare wrongly is slower by its unpacking, and does the same.
"""

import ast
import json
import marshal
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ..core.shapes import Places
from ..hooks.boot import PUT_OFF
from ..hooks.fire import handle
from ..hooks.installed import Installed
from ..hooks.shelf import pack_detector, pack_scrub

PROMPTS = (
    "Please list the files in the folder src",
    "What should the column before this one return?",
    "No, that is wrong. The total must use order_date, not ship_date.",
    "Again: the report is wrong, you should never join on ship_date.",
)
# What the door itself runs, around what is called here.
_DOOR = frozenset(("fire", "stdin", "deadline", "stamp"))

Spot = tuple[str, int]  # file and first line of a function


class _PlainTables:
    """The tables as the hook's file gives them, from memory."""

    def __init__(self, tables: dict[str, Any]) -> None:
        detector, pieces = pack_detector(tables["detector"])
        secrets, patterns = pack_scrub(tables["scrub"], len(pieces))
        self._pieces = pieces + patterns
        self.load = {**tables, "detector": detector, "scrub": secrets}.__getitem__
        self.anchor_words: dict[bytes, bytes] = tables["anchor_words"]
        self.anchor_pieces: dict[str, tuple[bytes, ...]] = tables["anchor_pieces"]

    def load_pieces(self) -> None:
        pass

    def read_piece(self, position: int, size: int) -> bytes:
        return self._pieces[position : position + size]


def record_usual(packed: dict[str, Any], tables: dict[str, Any]) -> frozenset[Spot]:
    """Return the functions that some usual prompts run.

    Args:
        packed: the settings as hooks take them.
        tables: by name, as ``Installed.tables`` loads them.
    """
    seen: set[Spot] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            seen.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    with tempfile.TemporaryDirectory(prefix="tellback-") as name:
        project = Path(name) / "project"
        (project / ".git").mkdir(parents=True)
        places = Places(*(str(Path(name) / part) for part in ("home", "data", "cache", "config")))
        record = {"places": places, "packed": packed, "stamps": [(f"{name}/none", -1, -1)], "stores": {}}
        installed = Installed(**record, installed_at=time.time(), tables=_PlainTables(tables))
        for hearer in (None, note):  # the first round makes the folders and files, which is not usual
            for prompt in PROMPTS:
                call_hook(hearer, make_payload(prompt, str(project)), installed)
    return frozenset(seen)


def call_hook(hearer: Callable[[FrameType, str, object], None] | None, payload: bytes, installed: Installed) -> None:
    """Serve one payload while *hearer* is told of every call."""
    before = sys.getprofile()
    sys.setprofile(hearer)
    try:
        handle(payload, True, "claude-code", installed, time.time())
    finally:
        sys.setprofile(before)


def make_payload(prompt: str, project: str) -> bytes:
    """Return a payload as Claude Code sends it."""
    ids = {"session_id": os.urandom(8).hex(), "prompt_id": os.urandom(8).hex(), "transcript_path": f"{project}/x.jsonl"}
    return json.dumps({**ids, "cwd": project, "hook_event_name": "UserPromptSubmit", "prompt": prompt}).encode()


def put_off_rare(
    tree: ast.Module, path: Path, usual: frozenset[Spot], compile_part: Callable[[ast.Module], CodeType]
) -> None:
    """Take out of *tree*, the module at *path*, what is not *usual*, and leave it packed behind its names."""
    if path.stem in _DOOR:
        return
    rare = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and (str(path), node.lineno) not in usual
    ]
    if not rare:
        return
    data = marshal.dumps(compile_part(ast.Module(list(rare), [])))
    names = tuple(node.name for node in rare)
    call = ast.parse(f"{PUT_OFF}({names!r}, {data!r}, globals())").body
    tree.body = [*call, *(node for node in tree.body if node not in rare)]
