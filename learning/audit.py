"""The audit log of skills, ``.claude/.audit-log.jsonl``: what was done to which skill, one compact JSON line (L-67)."""

import os
from pathlib import Path
from typing import Any, cast

import orjson
from filelock import FileLock

from ..core.append import append_line

Entry = dict[str, Any]


class AuditLog:
    """The log beside a skills folder."""

    def __init__(self, skills_folder: Path) -> None:
        self.path = skills_folder.parent / ".audit-log.jsonl"

    def append(self, entry: Entry) -> None:
        """Append *entry*, which has at least ``type``, ``timestamp`` (ISO 8601, UTC) and ``filePath`` (absolute).

        Raises:
            OSError: it was not written.
        """
        with FileLock(f"{self.path}.lock"):
            append_line(str(self.path), orjson.dumps(entry))

    def find_entries(self, path: Path, kind: str | None = None) -> list[Entry]:
        """Return the entries of the skill file at *path*, oldest first, of one type if named."""
        wanted = os.path.abspath(path)
        return [
            entry
            for entry in self._entries()
            if entry.get("filePath") == wanted and (kind is None or entry.get("type") == kind)
        ]

    def _entries(self) -> list[Entry]:
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        entries: list[Entry] = []
        for line in lines:
            try:
                entry: Any = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(entry, dict):
                entries.append(cast("Entry", entry))
        return entries
