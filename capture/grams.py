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

# traditional characters and the simplified ones
_FROM = (
    "請記後對錯沒還現這個說顯問題應該為樣們時點來開關過實無麼會並從給讓將與於當經長動進選擇設計檔案頁圖資"
    "確認體變數據庫連線結單雙際處發報開始終統術類別語號碼複雜簡測試運執優標準寫讀輸減舊鐘幾條層級東車愛難則規"
)
_TO = (
    "请记后对错没还现这个说显问题应该为样们时点来开关过实无么会并从给让将与于当经长动进选择设计档案页图资"
    "确认体变数据库连线结单双际处发报开始终统术类别语号码复杂简测试运执优标准写读输减旧钟几条层级东车爱难则规"
)
_straight: dict[int, int] = {}

_OPENING = 60  # own characters that tell praise
_EDGE = 700  # own characters at each end that n-grams are taken from
_DIGITS = dict.fromkeys(range(49, 58), 48)
_LOW = int(sys.byteorder == "big")  # where the low byte of a machine word lies


def straighten(text: str) -> str:
    """Put straight marks for curly ones, and simplified characters, in which the cues are written, for traditional."""
    return text.replace("`", "'") if text.isascii() else text.translate(_find_straight())


def _find_straight() -> "dict[int, int]":
    if not _straight:
        _straight.update(str.maketrans("’‘`´“”\u00a0\u3000" + _FROM, "''''\"\"  " + _TO))
    return _straight


def label_slots(own: str, tables: "Tables") -> "tuple[set[int], set[int], set[int]]":
    """Return the n-gram slots that tell correction (all), learning (words) and praise (words of the opening)."""
    if len(own) <= _OPENING:
        words, characters = slots_of(own, tables)
        return words | characters, words, words
    words, characters, opening = _slots_of(own, own[:_OPENING], tables)
    return words | characters, words, opening


def slots_of(own: str, tables: "Tables") -> "tuple[set[int], set[int]]":
    """Return the n-gram slots of both ends of *own*, words apart from characters; digits count as one digit.

    Words 1 and 2, characters 3 and 5; where blanks do not part words, words 1 and characters 2 stand for words, and
    characters 3 beside them.
    """
    return _slots_of(own, "", tables)[:2]


def _slots_of(own: str, opening: str, tables: "Tables") -> "tuple[set[int], set[int], set[int]]":
    """Return the slots of words and of characters of *own*, and those of words of its *opening*."""
    words, first = _split(own), _split(opening)
    wide, has_blanks = _widen(words), _has_blanks(own)
    has_first_blanks = has_blanks or _has_blanks(opening)
    runs = [(wide, 5), (wide, 3)] if has_blanks else [(wide, 3), (wide, 2)]
    if not has_first_blanks:
        runs.append((_widen(first), 2))
    single, start, longer, shorter, *rest = _hash(
        _join(words, has_blanks), _join(first, has_first_blanks), runs, tables.part("crc")
    )
    start = start.union(*rest)
    return (single, longer | shorter, start) if has_blanks else (single | shorter, longer, start)


def _split(own: str) -> list[str]:
    text = own if len(own) <= 2 * _EDGE else f"{own[:_EDGE]} {own[-_EDGE:]}"
    return straighten(text).lower().translate(_DIGITS).split()


def _has_blanks(own: str) -> bool:
    """Whether blanks part the words; not so in Chinese and Japanese."""
    return own.isascii() or not any("\u3040" <= char <= "\u9fff" for char in own[:200])


def _widen(words: list[str]) -> bytes:
    # str.encode would load a module for it
    return utf_16_le_encode(f" {' '.join(words)} ", "surrogatepass")[0]


def _join(words: list[str], in_pairs: bool) -> list[bytes]:
    """Return the n-grams of words: single ones, and pairs."""
    units = [word.encode("utf-8", "surrogatepass") for word in words]
    grams = [b"\x01" + unit for unit in units]
    if in_pairs:
        grams += [b"\x02" + units[at] + b" " + units[at + 1] for at in range(len(units) - 1)]
    return grams


def _hash(grams: list[bytes], more: list[bytes], runs: list[tuple[bytes, int]], crc: bytes) -> "list[set[int]]":
    """Return the slots of both lists of n-grams, then those of all runs of so many characters of UTF-16.

    The longest runs come first, and no run is longer than the columns of the n-grams are many: so each column is the
    beginning of the one before it.
    """
    both = [*grams, *more]
    width = max(map(len, both), default=0)
    if width > LONGEST:
        return [_hash_long(grams), _hash_long(more), *_hash([], [], runs, crc)[2:]]
    width = max(width, 10)
    together = b"".join([gram.rjust(width, b"\0") for gram in both])  # a zero byte adds nothing
    columns = [together[width - 1 - distance :: width] for distance in range(width)]
    lengths, ends = bytes(map(len, both)), [0, len(grams), len(both)]
    for wide, size in runs:
        last, count = 2 * size - 1, max(0, len(wide) // 2 - size + 1)
        has_high_bytes = any(wide[1::2])
        for distance in range(1 - has_high_bytes, last + 1, 2 - has_high_bytes):
            columns[distance] += wide[last - distance :: 2][:count]
        lengths += bytes((last + 1,)) * count
        ends.append(len(lengths))
    codes = _hash_columns(columns, lengths, crc)
    return [set(codes[ends[at] : ends[at + 1]]) for at in range(len(ends) - 1)]


def _hash_long(grams: list[bytes]) -> "set[int]":
    from .crc import crc32

    return {code & MASK for code in map(crc32, grams)}


def _hash_columns(columns: list[bytes], lengths: bytes, crc: bytes) -> "memoryview[int]":
    """Return the slots of n-grams of *lengths*, given as their bytes by distance to the end."""
    count, at = len(lengths), 512 * LONGEST
    low = int.from_bytes(lengths.translate(crc[at : at + 256]), "little")
    high = int.from_bytes(lengths.translate(crc[at + 256 :]), "little")
    at = 0
    for column in columns:
        low ^= int.from_bytes(column.translate(crc[at : at + 256]), "little")
        high ^= int.from_bytes(column.translate(crc[at + 256 : at + 512]), "little")
        at += 512
    codes = bytearray(2 * count)
    codes[_LOW::2] = low.to_bytes(count, "little")
    codes[1 - _LOW :: 2] = high.to_bytes(count, "little")
    return memoryview(codes).cast("H")
