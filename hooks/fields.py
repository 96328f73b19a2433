"""Take one member out of a payload, or nothing: what a harness sent is checked here and trusted afterwards. Hot."""

from ..core.wire import is_array, mend_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

MAX_ID_CHARACTERS = 200
MAX_PATH_CHARACTERS = 4096
MAX_ROOTS = 32


def get_id(payload: "Payload", key: str) -> str:
    """Return a short printable text (an id, an event's name), else ``""``."""
    value = payload.get(key)
    if isinstance(value, str) and len(value) <= MAX_ID_CHARACTERS and value.isprintable():
        return value
    return ""


def get_path(payload: "Payload", key: str) -> str:
    """Return an absolute path, else ``""``."""
    value = payload.get(key)
    return value if isinstance(value, str) and is_path(value) else ""


def get_paths(payload: "Payload", key: str) -> "tuple[str, ...]":
    """Return the absolute paths in an array; ``()`` when it is none."""
    value = payload.get(key)
    return tuple(item for item in value[:MAX_ROOTS] if is_path(item)) if is_array(value) else ()


def is_path(value: "Any") -> bool:
    """Whether *value* is an absolute path that a system call can take: ``/x``, ``C:\\x``, ``C:/x``, ``\\\\host\\x``."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_PATH_CHARACTERS or "\0" in value:
        return False
    if value[0] != "/" and value[1:3] not in (":\\", ":/") and value[:2] != "\\\\":
        return False
    return mend_text(value) == value


def get_prompt(payload: "Payload", key: str) -> str:
    """Return a message as it was typed; halves of surrogate pairs, which no file takes, become U+FFFD."""
    value = payload.get(key)
    return mend_text(value) if isinstance(value, str) else ""
