"""A short hash for keys, the same on every Python and machine, from built-in integers alone.

``hashlib`` and the C modules below it are shared objects in most builds: loading one costs as much as writing an
entry. A power modulo a prime needs nothing loaded. It is no defence against somebody who wants two texts to collide;
neither would be any other 48 bits.
"""

from .wire import mend_text

# Numbers below this prime are mapped one to one by the power, for 65,537 has no factor in common with the prime less 1.
# Not 2**127 - 1: modulo that a power of two is another one, so two letters 127 bytes apart could change places.
_PRIME = 2**128 - 159
_EXPONENT = 65_537
_EDGE_BYTES = 32 * 1024


def short_hash(data: bytes) -> str:
    """Return 12 hexadecimal digits (48 bits) that stand for *data*.

    Of more than 64 KB only the length, the first and the last 32 KB count: what lies between is not judged either.
    """
    if len(data) > 2 * _EDGE_BYTES:
        data = b"%d:%b%b" % (len(data), data[:_EDGE_BYTES], data[-_EDGE_BYTES:])
    number = int.from_bytes(b"\x01" + data, "big")  # the 1 keeps leading zero bytes significant
    return f"{pow(number, _EXPONENT, _PRIME) & 0xFFFF_FFFF_FFFF:012x}"


def hash_prompt(scrubbed: str) -> str:
    """Return the short hash of a scrubbed prompt: the same in a hook, in a sweep and in a command."""
    return short_hash(mend_text(scrubbed).encode())


def hash_text(*parts: str) -> str:
    """Return the short hash of some texts in order; lone surrogates are allowed."""
    return short_hash("\0".join(parts).encode("utf-8", "surrogatepass"))
