"""Hashed n-grams of words and characters: what the model weighs beside the cues; hot.

A slot is the low bits of the CRC-32 of an n-gram, an index into the model's tables. CRC-32 is linear: it is the sum
(exclusive or) of what each byte adds by its distance to the end, and of a seed for the length. So all n-grams of a
message are hashed at once, column by column, each column being the bytes of one distance: no loop over n-grams, and no
C library, which takes as long to load as a message takes to judge.
"""

import sys
from _codecs import utf_16_le_encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hot_tables import Tables

# bytes in the n-gram tables of correction, learning, positive, and where each begins
SIZES = (1 << 15, 1 << 13, 1 << 13)
STARTS = (0, 1 << 15, (1 << 15) + (1 << 13))
MASK = SIZES[0] - 1
LONGEST = 32  # bytes of an n-gram that the tables reach; longer ones, pairs of very long words, take the library
CURLY = str.maketrans("’‘`´“”\u00a0\u3000", "''''\"\"  ")

_OPENING = 60  # own characters that tell praise
_EDGE = 700  # own characters at each end that n-grams are taken from
_DIGITS = dict.fromkeys(range(49, 58), 48)
_LOW = int(sys.byteorder == "big")  # where the low byte of a machine word lies


def label_slots(own: str, tables: "Tables") -> "tuple[set[int], set[int], set[int]]":
    """Return the n-gram slots that tell correction (all), learning (words) and praise (words of the opening)."""
    words, characters = slots_of(own, tables)
    opening = words if len(own) <= _OPENING else _slots_of_opening(own[:_OPENING], tables)
    return words | characters, words, opening


def slots_of(own: str, tables: "Tables") -> "tuple[set[int], set[int]]":
    """Return the n-gram slots of both ends of *own*, words apart from characters; digits count as one digit.

    Words 1 and 2, characters 3 and 5; where blanks do not part words, words 1 and characters 2 stand for words, and
    characters 3 beside them.
    """
    words, crc = _split(own), tables.crc
    wide = _widen(words)
    if _has_blanks(own):
        return _hash_words(words, True, crc), _hash_runs(wide, 3, crc) | _hash_runs(wide, 5, crc)
    return _hash_words(words, False, crc) | _hash_runs(wide, 2, crc), _hash_runs(wide, 3, crc)


def _slots_of_opening(own: str, tables: "Tables") -> "set[int]":
    words, crc = _split(own), tables.crc
    if _has_blanks(own):
        return _hash_words(words, True, crc)
    return _hash_words(words, False, crc) | _hash_runs(_widen(words), 2, crc)


def _split(own: str) -> list[str]:
    text = own if len(own) <= 2 * _EDGE else f"{own[:_EDGE]} {own[-_EDGE:]}"
    return text.translate(CURLY).lower().translate(_DIGITS).split()


def _has_blanks(own: str) -> bool:
    """Whether blanks part the words; not so in Chinese and Japanese."""
    return own.isascii() or not any("\u3040" <= char <= "\u9fff" for char in own[:200])


def _widen(words: list[str]) -> bytes:
    # str.encode would load a module for it
    return utf_16_le_encode(f" {' '.join(words)} ", "surrogatepass")[0]


def _hash_words(words: list[str], in_pairs: bool, crc: bytes) -> "set[int]":
    """Return the slots of words, and of words in pairs."""
    units = [word.encode("utf-8", "surrogatepass") for word in words]
    grams = [b"\x01" + unit for unit in units]
    if in_pairs:
        grams += [b"\x02" + units[at] + b" " + units[at + 1] for at in range(len(units) - 1)]
    width = max(map(len, grams), default=0)
    if width > LONGEST:
        return _hash_long(grams)
    together = b"".join([gram.rjust(width, b"\0") for gram in grams])  # a zero byte adds nothing
    columns = [together[width - 1 - distance :: width] for distance in range(width)]
    return _hash_columns(columns, bytes(map(len, grams)), crc)


def _hash_long(grams: list[bytes]) -> "set[int]":
    from .crc import crc32

    return {code & MASK for code in map(crc32, grams)}


def _hash_runs(wide: bytes, size: int, crc: bytes) -> "set[int]":
    """Return the slots of the runs of *size* characters of UTF-16."""
    count = len(wide) // 2 - size + 1
    if count <= 0:
        return set()
    last = 2 * size - 1
    columns = [wide[last - distance :: 2][:count] for distance in range(2 * size)]
    return _hash_columns(columns, bytes((2 * size,)) * count, crc)


def _hash_columns(columns: list[bytes], lengths: bytes, crc: bytes) -> "set[int]":
    """Return the slots of n-grams of *lengths*, given as their bytes by distance to the end."""
    count, at = len(lengths), 0
    codes = _read_row(lengths, 512 * LONGEST, crc)
    for column in columns:
        if column.strip(b"\0"):  # the high bytes of ASCII in UTF-16 are all zero
            codes ^= _read_row(column, at, crc)
        at += 512
    both = codes.to_bytes(2 * count, "little")
    words = bytearray(2 * count)
    words[_LOW::2], words[1 - _LOW :: 2] = both[:count], both[count:]
    return set(memoryview(words).cast("H"))


def _read_row(column: bytes, at: int, crc: bytes) -> int:
    """Return what the bytes of a column add: first the low bytes of all slots, then the high ones, as one number."""
    low, high = crc[at : at + 256], crc[at + 256 : at + 512]
    return int.from_bytes(column.translate(low) + column.translate(high), "little")
