"""A setting's value: from the file's form to ours, from what a person types, and back to what people read."""

import os
import re
import sys
from typing import Any

from .duration import format_duration, parse_duration
from .errors import TellbackError
from .keys import Spec
from .toml import parse_toml


def check_value(spec: Spec, value: Any, home: str) -> Any:
    """Return *value*, as a TOML reader gave it, in the form that ``Settings`` has; ``~`` is *home*.

    Raises:
        ValueError: it is not of the key's kind; the message reads on from "<key> must be".
    """
    if spec.kind == "bool":
        return _check_type(value, bool, "true or false")
    if spec.kind in ("whole", "number"):
        return _check_number(spec, value)
    if spec.kind == "span":
        return _check_span(spec, value)
    if spec.kind == "word":
        if value not in spec.choices:
            raise ValueError("one of " + ", ".join(spec.choices))
        return value
    if spec.kind in ("text", "path"):
        text = _check_type(value, str, "a text in quotes")
        return _expand(text, home) if spec.kind == "path" else text
    return _check_list(spec, value, home)


def parse_typed(spec: Spec, text: str) -> Any:
    """Return the TOML value that a person means by *text*; ``None`` for ``null`` where the key may be unset.

    Raises:
        ValueError: it cannot be one.
    """
    text = text.strip()
    if spec.may_be_none and text.lower() in ("null", "none", ""):
        return None
    if spec.kind in ("bool", "whole", "number"):
        return _parse_value(text.lower())
    if spec.kind in ("paths", "patterns", "names"):
        return _parse_value(text) if text.startswith("[") else [text]
    return _parse_value(text) if text[:1] in ('"', "'") else text


def show_value(spec: Spec, value: Any) -> Any:
    """Return a ``Settings`` value as JSON and as people read it: spans like ``10m``, lists as lists."""
    if spec.kind == "span":
        return format_duration(value)
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _check_type(value: Any, kind: type, what: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(what)
    return value


def _check_number(spec: Spec, value: Any) -> int | float:
    kinds = (int,) if spec.kind == "whole" else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise ValueError("a whole number" if spec.kind == "whole" else "a number")
    _check_bounds(spec, value, f"{spec.least:g}", f"{spec.most:g}")
    return int(value) if spec.kind == "whole" else float(value)


def _check_span(spec: Spec, value: Any) -> float:
    try:
        seconds = parse_duration(_check_type(value, str, 'a time in quotes like "10m"'))
    except TellbackError:
        raise ValueError('a time like "60s", "10m" or "2w"') from None
    _check_bounds(spec, seconds, format_duration(spec.least), format_duration(spec.most) if spec.most < 1e9 else "inf")
    return seconds


def _check_bounds(spec: Spec, value: float, least: str, most: str) -> None:
    if not spec.least <= value <= spec.most:  # also refuses nan
        raise ValueError(f"at least {least}" if most == "inf" else f"from {least} to {most}")


def _check_list(spec: Spec, value: Any, home: str) -> tuple[str, ...]:
    items: list[Any] = _check_type(value, list, 'a list of texts, ["..."]')
    if not all(isinstance(item, str) and item for item in items):
        raise ValueError('a list of texts, ["..."], none of them empty')
    if spec.kind == "patterns":
        return tuple(_check_pattern(item) for item in items)
    if spec.kind == "paths":
        return tuple(_check_path(spec, _expand(item, home)) for item in items)
    if spec.choices and not set(items) <= set(spec.choices):
        raise ValueError("a list of these: " + ", ".join(spec.choices))
    return tuple(items)


def _check_pattern(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"a list of regular expressions; {pattern!r} is none: {error}") from None
    return pattern


def _check_path(spec: Spec, path: str) -> str:
    if spec.name.startswith("collect.") and not os.path.isabs(path):
        raise ValueError(f"a list of absolute folders or of ones that begin with ~/; {path!r} is relative")
    return path


def _expand(path: str, home: str) -> str:
    """Return *path* with ``~`` at its start replaced; ``~name`` stays, for nothing is asked of the system here."""
    if path == "~" or path.startswith("~/") or (sys.platform == "win32" and path.startswith("~\\")):
        return os.path.join(home, path[2:]) if len(path) > 2 else home
    return path


def _parse_value(text: str) -> Any:
    try:
        return parse_toml(f"value = {text}\n")["value"]
    except (ValueError, KeyError):
        return text  # then its kind is wrong, and the check says what it must be
