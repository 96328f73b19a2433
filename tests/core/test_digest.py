"""The short hash: the same everywhere, different for different words."""

from hypothesis import given
from hypothesis import strategies as st

from tellback.core.digest import hash_prompt, hash_text, short_hash
from tellback.core.wire import load_object
from tellback.hooks.fields import get_prompt
from tellback.sessions.values import parse_line


def test_the_hash_is_the_same_on_every_python_and_machine() -> None:
    assert hash_text("session", "prompt", "1") == "781644badb81"


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_different_bytes_have_different_hashes(one: bytes, other: bytes) -> None:
    assert (short_hash(one) == short_hash(other)) == (one == other)


@given(st.integers(1, 400))
def test_two_letters_that_change_places_change_the_hash(distance: int) -> None:
    between = b"x" * (distance - 1)

    assert short_hash(b"a" + between + b"b") != short_hash(b"b" + between + b"a")


def test_leading_zero_bytes_count() -> None:
    assert short_hash(b"\0a") != short_hash(b"a")


def test_the_borders_between_texts_count() -> None:
    assert hash_text("ab", "c") != hash_text("a", "bc")


def test_a_prompt_with_half_a_character_has_the_same_hash_in_the_hook_and_in_the_sweep() -> None:
    raw = rb'{"prompt": "half \ud83d a character, and a whole one: \ud83d\ude00"}'

    heard, read = get_prompt(load_object(raw), "prompt"), (parse_line(raw) or {})["prompt"]

    assert heard == read
    assert (
        hash_prompt(heard) == hash_prompt(read) == hash_prompt("half \ud83d a character, and a whole one: \U0001f600")
    )


def test_a_lone_surrogate_is_hashed() -> None:
    assert len(hash_text("\ud800")) == 12
