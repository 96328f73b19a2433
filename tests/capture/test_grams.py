"""N-grams are hashed column by column, and the slots are those of CRC-32."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.capture.grams import LONGEST, MASK, SIZES, label_slots, slots_of
from tellback.capture.tables import default_tables


def _slots(grams: list[bytes]) -> set[int]:
    return {zlib.crc32(gram) & MASK for gram in grams}


def _runs(text: str, size: int) -> list[bytes]:
    wide = text.encode("utf-16-le", "surrogatepass")
    return [wide[at : at + 2 * size] for at in range(0, len(wide) - 2 * size + 2, 2)]


def test_a_text_with_blanks_gives_words_pairs_and_runs_of_three_and_five() -> None:
    words, characters = slots_of("No, it's  line 27", default_tables())

    assert words == _slots(
        [b"\x01no,", b"\x01it's", b"\x01line", b"\x0100", b"\x02no, it's", b"\x02it's line", b"\x02line 00"]
    )
    assert characters == _slots(_runs(" no, it's line 00 ", 3) + _runs(" no, it's line 00 ", 5))


def test_a_text_without_blanks_gives_runs_of_two_for_words() -> None:
    words, characters = slots_of("还是不对", default_tables())

    assert words == _slots(["\x01还是不对".encode(), *_runs(" 还是不对 ", 2)])
    assert characters == _slots(_runs(" 还是不对 ", 3))


@given(st.text(st.characters(exclude_characters="\u200b"), max_size=2000))
def test_every_slot_is_the_crc_of_its_n_gram(own: str) -> None:
    words, characters = slots_of(own, default_tables())
    units = own[:700] + (own[700:] if len(own) <= 1400 else f" {own[-700:]}")
    told = units.translate(_TOLD).lower().translate(_ONE_DIGIT).split()
    line = f" {' '.join(told)} "

    single = [b"\x01" + word.encode("utf-8", "surrogatepass") for word in told]
    assert _slots(single) <= words
    assert _slots(_runs(line, 3)) <= characters


_TOLD = str.maketrans("’‘`´“”\u00a0\u3000", "''''\"\"  ")
_ONE_DIGIT = dict.fromkeys(range(ord("1"), ord("9") + 1), "0")


@pytest.mark.parametrize("length", [LONGEST - 2, LONGEST - 1, LONGEST, 3 * LONGEST])
def test_a_word_may_be_longer_than_the_tables_reach(length: int) -> None:
    words, _ = slots_of("x" * length, default_tables())

    assert words == _slots([b"\x01" + b"x" * length])


def test_nothing_said_gives_no_words() -> None:
    assert label_slots("", default_tables())[1:] == (set(), set())


def test_the_opening_tells_of_praise() -> None:
    own = "perfect, " + "and then the next part of the work " * 3

    _, words, opening = label_slots(own, default_tables())

    assert opening == slots_of(own[:60], default_tables())[0]
    assert opening != words
    assert max(opening) < SIZES[0]
