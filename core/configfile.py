"""Change one setting in ``config.toml``: comments, order and unknown keys stay. Cold."""

from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from .append import make_private_folder
from .config import SettingsError, load, parse_settings, settings_path
from .errors import TellbackError
from .files import rewrite_file
from .keys import SPECS, Spec
from .shapes import Places
from .values import check_value, parse_typed


class UnknownKey(TellbackError):  # noqa: N818 - what it is, not that it is one
    """There is no such setting."""


def set_value(places: Places, name: str, text: str) -> Any:
    """Write what a person typed for the key *name*; return the value as ``Settings`` has it.

    ``null`` takes a key out of the file that may be unset.

    Raises:
        UnknownKey: there is no such key.
        TellbackError: the value is not of the key's kind, or the key cannot be changed.
        SettingsError: the file as it stands cannot be used; it is not touched.
    """
    spec = find_spec(name)
    if spec.is_fixed:
        raise TellbackError(f"{name} cannot be changed")
    load(places)  # a file that cannot be believed is not written to
    typed = parse_typed(spec, text)
    try:
        value = None if typed is None else check_value(spec, typed, places.home)
    except ValueError as error:
        raise TellbackError(f"{name} must be {error}") from None
    path = settings_path(places)
    make_private_folder(places.config)
    # 0600 whatever it was: it can hold the server's key
    rewrite_file(path, lambda data: _change(data or b"", spec, typed, str(path), places.home), mode=0o600)
    return value


def find_spec(name: str) -> Spec:
    """Return the row of the key *name*.

    Raises:
        UnknownKey: there is none; the hint names the nearest.
    """
    if name in SPECS:
        return SPECS[name]
    from difflib import get_close_matches

    near = get_close_matches(name, SPECS, 1)
    raise UnknownKey(
        f"there is no setting {name!r}", hint=f"did you mean {near[0]}?" if near else "see `tellback config`"
    )


def _change(data: bytes, spec: Spec, typed: Any, path: str, home: str) -> bytes:
    text = data.decode("utf-8-sig")
    try:
        document: Any = tomlkit.parse(text)
        _put(document, spec.name, typed)
        changed = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, TypeError, AttributeError) as error:
        raise SettingsError(f"{path} has a shape in which {spec.name} cannot be changed: {error}") from None
    values, origins, _ = parse_settings(changed, path, home)
    if (spec.name in origins) is (typed is None) or (
        typed is not None and values[spec.attribute] != check_value(spec, typed, home)
    ):
        raise SettingsError(f"{path} has a shape in which {spec.name} cannot be changed", hint="change it by hand")
    return data[: len(data) - len(text.encode())] + changed.encode()  # a BOM stays


def _put(document: Any, name: str, typed: Any) -> None:
    section, _, key = name.rpartition(".")
    table = document
    if section:
        if section not in document and typed is not None:
            document[section] = tomlkit.table()
        table = document.get(section)
    if typed is not None:
        table[key] = typed
    elif table is not None and key in table:
        del table[key]
        if isinstance(table, Table) and not table:
            del document[section]
