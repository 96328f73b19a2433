"""JSON on the hot path: the C scanner and encoder of the standard library without its ``json`` package.

Importing ``json`` costs most of an idle start (it compiles regular expressions); ``_json`` alone does not. Bytes in,
bytes out: what goes out is ASCII, so neither a locale nor half a surrogate pair can spoil it.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard

    make_encoder: "Callable[..., Callable[[object, int], tuple[str, ...]]]"
    make_scanner: "Callable[..., Callable[[str, int], tuple[Any, int]]]"
    encode_basestring_ascii: "Callable[[str], str]"
else:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

_BLANKS_AND_MARK = " \t\r\n\ufeff"


# What the scanner asks of its decoder: plain types, and control characters in texts allowed. (A namespace object: to
# make a class costs ten times as much, and every hook call would.)
_new_record: "Any" = type(sys.implementation)  # types.SimpleNamespace
_RULES = _new_record(
    strict=False, object_hook=None, object_pairs_hook=None, parse_float=float, parse_int=int, parse_constant=float
)


def load_json(data: bytes) -> "Any":
    """Parse one JSON document; bytes that are no UTF-8 become U+FFFD, a byte order mark is skipped.

    Raises:
        ValueError: it is not one JSON document, or nested too deeply.
    """
    text = data.decode("utf-8", "replace").strip(_BLANKS_AND_MARK)
    lent = [name for name in ("json", "json.decoder") if name not in sys.modules]
    for name in lent:  # the scanner imports these when it wants to complain, and with them all that we do without
        sys.modules[name] = stand_in = type(sys)(name)
        stand_in.JSONDecodeError = ValueError  # pyright: ignore[reportAttributeAccessIssue]
    try:
        value, end = make_scanner(_RULES)(text, 0)
    except (StopIteration, RecursionError, ValueError) as error:
        raise ValueError(f"no JSON: {type(error).__name__}") from None  # its own message may quote the document
    finally:
        for name in lent:
            del sys.modules[name]
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def load_object(data: bytes) -> "dict[str, Any]":
    """Parse one JSON object.

    Raises:
        ValueError: it is not one JSON object.
    """
    value = load_json(data)
    if not is_object(value):
        raise ValueError("no JSON object")
    return value


def is_object(value: object) -> "TypeGuard[dict[str, Any]]":
    """Whether a parsed value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> "TypeGuard[list[Any]]":
    """Whether a parsed value is an array."""
    return isinstance(value, list)


def mend_text(text: str) -> str:
    """Return *text* with each half of a surrogate pair, which no file takes, replaced by U+FFFD.

    Readers of session logs do the same (``sessions/values.py``), so a prompt is the same text in hook and sweep.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(["\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text])
    return text


def dump_json(value: object) -> bytes:
    """Return *value*, made of JSON types, as one compact line of ASCII without its newline."""
    encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)
    return "".join(encode(value, 0)).encode("ascii")


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON type")
