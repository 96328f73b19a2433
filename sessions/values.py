"""Values out of a log's lines: every reader parses a line, a time and a folder the same way."""

import os
import re
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any, cast

import orjson

from ..core.moment import format_moment, parse_moment

# JavaScript writes half of a cut emoji as a lone surrogate, which is JSON, no Unicode, and refused by orjson.
_LONE_SURROGATE = re.compile(
    rb"(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)


def parse_line(line: bytes | memoryview) -> dict[str, Any] | None:
    """Return the JSON object that *line* holds; ``None`` when it holds none.

    Bytes that are no UTF-8 and lone surrogates become the replacement character; nesting deeper than 1,024 is refused.
    """
    try:
        record: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = _parse_repaired(bytes(line))
    return cast("dict[str, Any]", record) if isinstance(record, dict) else None


def _parse_repaired(line: bytes) -> Any:
    repaired = line.decode("utf-8", "replace").encode() if not line.isascii() else line
    if b"\\u" in repaired:
        repaired = _LONE_SURROGATE.sub(rb"\1\\ufffd", repaired)
    if repaired == line:
        return None
    try:
        return orjson.loads(repaired)
    except orjson.JSONDecodeError:
        return None


def parse_time(value: Any) -> float | None:
    """Return an ISO 8601 time as UTC seconds; one without a zone is taken as UTC; ``None`` when it is none."""
    at = parse_moment(value)
    try:
        return None if at is None else at.timestamp()
    except (ValueError, OverflowError):
        return None


def format_time(at: float) -> str:
    """Return UTC seconds as the digest writes them: ISO 8601 with milliseconds and ``Z``."""
    return format_moment(datetime.fromtimestamp(at, timezone.utc))


def as_object(value: Any) -> dict[str, Any]:
    """Return *value* when it is a JSON object, else ``{}``."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return *value* when it is a JSON array, else ``[]``."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return *value* when it is a string, else ``""``."""
    return value if isinstance(value, str) else ""


def as_folder(value: Any) -> str:
    """Return a recorded working directory; ``""`` when it is not an absolute path (S-75)."""
    if not isinstance(value, str):
        return ""
    is_folder = _is_known_folder(value) if len(value) < _MOST_KNOWN else _is_folder(value)
    return value if is_folder else ""


def _is_folder(path: str) -> bool:
    return os.path.isabs(path) and "\0" not in path


_MOST_KNOWN = 1024  # characters of a path that is remembered
_is_known_folder = lru_cache(maxsize=64)(_is_folder)


def arguments_key(arguments: dict[str, Any], command: str = "") -> bytes:
    """Return what makes two calls of one tool the same (S-173): the command, or all arguments in one order.

    *command* is the reader's, where the harness has another name for it than ``command``.
    """
    command = command or as_text(arguments.get("command"))
    return command.encode("utf-8", "replace") if command else orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)
