"""What install recorded in the hook's file, read without loading what writes it."""

import marshal
import sys
from pathlib import Path
from typing import Any

from ..core.shapes import Places
from ..hooks.boot import BOOT_BYTES


def bundle_path(places: Places) -> Path:
    """Return where the code for this interpreter is."""
    return Path(places.data) / "hook" / f"hook.{sys.implementation.cache_tag}.bin"


def read_record(places: Places) -> dict[str, Any] | None:
    """Return what install recorded in the file for this interpreter; ``None`` when it is not there or not readable."""
    try:
        with open(bundle_path(places), "rb") as file:
            file.seek(BOOT_BYTES)
            position, length = marshal.load(file)["later"]["rare"]
            file.seek(file.tell() + position)
            record: dict[str, Any] = marshal.loads(file.read(length))
    except (OSError, ValueError, EOFError, TypeError, KeyError):
        return None
    return record
