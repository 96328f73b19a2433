"""Read ``config.toml`` and Claude Code's feedback switch, and make the policy that they amount to. Cold."""

import json
import os
import re
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .duration import parse_duration as parse_duration
from .errors import TellbackError
from .keys import SPECS, Settings, Spec
from .paths import find_claude_config
from .policy import Policy
from .shapes import Places
from .toml import parse_toml
from .values import check_value, show_value

Origin = Literal["default", "file"]
_AT = re.compile(r"\(at line ([0-9]+), column ([0-9]+)\)|\(at end of document\)")
_LARGEST_BYTES = 1024 * 1024


class SettingsError(TellbackError):
    """The settings file cannot be used; the message names file, line and column."""


class Stamp(NamedTuple):
    """A file as it was when it was read; -1 and -1 when it was not there."""

    path: str
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True)
class Loaded:
    """Settings with where they come from.

    Attributes:
        settings: the values in force.
        origins: per key, for those that are set.
        warnings: one line each, for keys that this version does not know.
        path: the settings file, there or not.
        switch: what ``feedback-config.json`` says: ``on``, or why nothing is collected.
        sources: the files that these come from, as they were: a hook looks whether one changed.
    """

    settings: Settings
    path: str
    origins: dict[str, Origin] = field(default_factory=dict[str, Origin])
    warnings: tuple[str, ...] = ()
    switch: str = "on"
    sources: tuple[Stamp, ...] = ()


def settings_path(places: Places) -> Path:
    """Return where the settings file is, there or not."""
    return Path(places.config) / "config.toml"


def load_settings(places: Places) -> Settings:
    """Return the settings in force; see ``load``."""
    return load(places).settings


def load(places: Places, claude_config: Path | None = None) -> Loaded:
    """Read the settings file and the feedback switches of Claude Code's folders.

    Raises:
        SettingsError: a file is there and cannot be read, parsed or believed.
    """
    path = settings_path(places)
    switches = _switch_files(places, claude_config)
    sources = tuple(stamp_file(str(file)) for file in (path, *switches))
    text = _read(path)
    values, origins, warnings = parse_settings(text, str(path), places.home)
    switch = next((answer for answer in map(read_switch, switches) if answer != "on"), "on")
    return Loaded(Settings(**values), str(path), origins, warnings, switch, sources)


def parse_settings(text: str, path: str, home: str) -> tuple[dict[str, Any], dict[str, Origin], tuple[str, ...]]:
    """Return the values of *text* by attribute, the origins of keys, and warnings.

    Raises:
        SettingsError: it is no TOML, or a value is not of its key's kind.
    """
    try:
        tables = parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(_not_toml(path, text, error), hint="fix it there") from None
    values: dict[str, Any] = {
        spec.attribute: check_value(spec, show_value(spec, spec.default), home)
        for spec in SPECS.values()
        if spec.kind in ("path", "paths")  # their defaults begin with ~
    }
    origins: dict[str, Origin] = {}
    warnings: list[str] = []
    for name, value in _flatten(tables):
        spec = SPECS.get(name)
        if spec is None:
            line, _ = find_key(text, name)
            warnings.append(f"{path}, line {line}: {name} is no setting of this version")
            continue
        values[spec.attribute] = _checked(spec, value, text, path, home)
        origins[name] = "file"
    return values, origins, tuple(warnings)


def make_policy(loaded: Loaded) -> Policy:
    """Return the user's rules for ``policy.judge_path``, every folder as written and with its links resolved."""
    settings = loaded.settings
    return Policy(
        disabled=settings.collect_disabled or loaded.switch != "on",
        deny_paths=_spellings(settings.collect_deny_paths),
        opt_in_paths=_spellings(settings.collect_opt_in_paths),
        opt_in_only=settings.collect_opt_in_only,
    )


def read_switch(path: Path) -> str:
    """Return ``on``, or why this ``feedback-config.json`` stops all collection (A-84, O-14).

    A file that is there and cannot be understood counts as off: it was put there to switch something.
    """
    try:
        text = _read(path)
        switch: Any = json.loads(text) if text.strip() else {}
    except (SettingsError, ValueError, RecursionError):
        return f"{path} cannot be understood"
    enabled: Any = switch.get("enabled", True) if isinstance(switch, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if enabled is True:
        return "on"
    return f"{path} says so" if enabled is False else f"{path}: enabled is neither true nor false"


def stamp_file(path: str) -> Stamp:
    """Return size and mtime of the file at *path* (links followed), as the hook compares them."""
    try:
        found = os.stat(path)
    except OSError:
        return Stamp(path, -1, -1)
    return Stamp(path, found.st_size, found.st_mtime_ns)


def find_key(text: str, name: str) -> tuple[int, int]:
    """Return line and column, from 1, of the key *name* in the TOML *text*; ``(1, 1)`` when it is not plainly there."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith("["):
            table = bare.strip("[] \t").replace(" ", "").replace('"', "")
        elif (key := _key_of(bare)) and (f"{table}.{key}" if table else key) == name:
            return number, len(line) - len(line.lstrip()) + 1
    return 1, 1


def _key_of(line: str) -> str:
    key, equals, _ = line.partition("=")
    return key.replace(" ", "").replace("\t", "").replace('"', "") if equals else ""


def _switch_files(places: Places, claude_config: Path | None) -> tuple[Path, ...]:
    folders = (Path(places.home) / ".claude", claude_config or find_claude_config())
    return tuple(dict.fromkeys(folder / "feedback-config.json" for folder in folders))


def _read(path: Path) -> str:
    """Return the text of a settings file; ``""`` when there is none."""
    try:
        with open(path, "rb", opener=_open_waitless) as file:
            data = file.read(_LARGEST_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        hint = "make it a file that you may read, or move it away"
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}", hint=hint) from None
    if len(data) > _LARGEST_BYTES:
        raise SettingsError(f"{path} is larger than {_LARGEST_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: not UTF-8", hint="save it as UTF-8") from None


def _open_waitless(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a FIFO has no writer to wait for


def _not_toml(path: str, text: str, error: Exception) -> str:
    message = str(error)
    match = _AT.search(message)
    line, column = str(text.count("\n") + 1), str(len(text) - text.rfind("\n"))  # where the text ends
    if match and match[1]:
        line, column = match[1], match[2]
    return f"{path}, line {line}, column {column}: {_AT.sub('', message).strip() or 'not TOML'}"


def _flatten(tables: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the keys that may be ours, two parts deep at most: what lies deeper is not ours and named as a whole."""
    pairs: list[tuple[str, Any]] = []
    for name, value in tables.items():
        if isinstance(value, dict):
            pairs += [(f"{name}.{key}", inner) for key, inner in value.items()]  # pyright: ignore[reportUnknownVariableType]
        else:
            pairs.append((name, value))
    return pairs


def _checked(spec: Spec, value: Any, text: str, path: str, home: str) -> Any:
    try:
        checked = check_value(spec, value, home)
    except ValueError as error:
        line, column = find_key(text, spec.name)
        raise SettingsError(f"{path}, line {line}, column {column}: {spec.name} must be {error}") from None
    if spec.is_fixed and checked != spec.default:
        line, column = find_key(text, spec.name)
        raise SettingsError(f"{path}, line {line}, column {column}: {spec.name} cannot be changed")
    return checked


def _spellings(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return each folder as written and with its links resolved; on macOS in both forms of composed letters."""
    spellings = dict.fromkeys(spelling for folder in folders for spelling in (folder, os.path.realpath(folder)))
    if sys.platform == "darwin":
        forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
        spellings = dict.fromkeys(unicodedata.normalize(form, path) for path in spellings for form in forms)
    return tuple(spellings)
