"""The tables kept in the cache folder are read only when they are what would be prepared now."""

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tellback.capture import kept
from tellback.core.shapes import Places

TABLES = {"engine": "e", "patterns": [b"one"], "lazy": {"a": b"two"}}


class Counted:
    """Prepares the tables and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> dict[str, Any]:
        self.calls += 1
        return TABLES


@pytest.fixture
def prepare(places: Places) -> Counted:
    Path(places.cache).mkdir(parents=True)
    return Counted()


def file_of(places: Places) -> Path:
    return Path(places.cache, f"detector.{sys.implementation.cache_tag}.bin")


def test_the_tables_are_prepared_once(prepare: Counted) -> None:
    assert kept.keep_tables(prepare) == kept.keep_tables(prepare) == TABLES
    assert prepare.calls == 1


def test_only_the_user_may_read_the_file(places: Places, prepare: Counted) -> None:
    kept.keep_tables(prepare)

    assert stat.S_IMODE(file_of(places).stat().st_mode) == 0o600
    assert os.listdir(places.cache) == [file_of(places).name]


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:40] + b"\0" + data[41:]]
)
def test_a_damaged_file_is_replaced(places: Places, prepare: Counted, damage: Any) -> None:
    kept.keep_tables(prepare)
    whole = file_of(places).read_bytes()
    file_of(places).write_bytes(damage(whole))

    assert kept.keep_tables(prepare) == TABLES
    assert prepare.calls == 2
    assert file_of(places).read_bytes() == whole


def test_other_sources_ask_for_other_tables(prepare: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.keep_tables(prepare)
    monkeypatch.setattr(kept.sys, "version", "another")

    kept.keep_tables(prepare)

    assert prepare.calls == 2


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_a_file_that_others_may_write_is_not_read(places: Places, prepare: Counted) -> None:
    kept.keep_tables(prepare)
    file_of(places).chmod(0o666)

    kept.keep_tables(prepare)

    assert prepare.calls == 2


def test_without_a_cache_folder_nothing_is_written(places: Places) -> None:
    prepare = Counted()

    assert kept.keep_tables(prepare) == TABLES
    assert not Path(places.cache).exists()
