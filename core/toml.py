"""The TOML reader of this Python: ``tomllib``, or before 3.11 its backport ``tomli``."""

import sys
from typing import Any, cast


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of *text*.

    Raises:
        ValueError: it is no TOML; the message ends in "(at line L, column C)".
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # here and not above: a hook finds it only once the slow way has put its folder on the path
        import tomli as tomllib  # pyright: ignore[reportMissingImports]
    return cast("dict[str, Any]", tomllib.loads(text))  # pyright: ignore[reportUnknownMemberType]
