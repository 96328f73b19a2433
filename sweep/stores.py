"""Where the session logs of each harness lie, for the look at all of them (``look.py``)."""

import os
from collections.abc import Iterable

from ..sessions.table import READERS
from .look import Root

# Below the store: a folder, how many folders down from it the logs lie, and how their names end. A database is more
# than one file, and may have any name.
LOGS: dict[str, tuple[Root, ...]] = {
    "claude-code": (("", 1, (".jsonl",)),),
    "codex": (("sessions", 3, (".jsonl", ".jsonl.zst")), ("archived_sessions", 0, (".jsonl", ".jsonl.zst"))),
    "copilot": (("", 1, ("events.jsonl",)),),
    "gemini-cli": (("", 2, (".jsonl",)),),
    "opencode-v1": (("", 0, ("",)),),
    "opencode-v2": (("", 0, ("",)),),
}


def list_roots(harnesses: Iterable[str]) -> list[Root]:
    """Return where the logs of *harnesses* lie or would lie, each place once."""
    roots: dict[Root, None] = {}
    for name in harnesses:
        store = str(READERS[name].find_store())
        if os.path.isfile(store):
            store = os.path.dirname(store)
        for below, depth, endings in LOGS[name]:
            roots[os.path.join(store, below).rstrip(os.sep), depth, endings] = None
    return list(roots)
