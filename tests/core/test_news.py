"""News: one line a hook call, round and whole."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.news import News, append_news, hide_place, news_path, parse_news, start_news
from tellback.core.shapes import Places, Turn


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(str(tmp_path), str(tmp_path / "data"), str(tmp_path / "new" / "cache"), str(tmp_path / "config"))


def make_turn() -> Turn:
    turn = Turn("cursor", "prompt", 1_796_032_515.6624)
    turn.session_id, turn.prompt_id = "s-1", "p-1"
    turn.prompt = "the words of a person"
    turn.project, turn.roots = "/home/dev/a", ("/home/dev/a", "/home/dev/b")
    turn.transcript = "/home/dev/log.jsonl"
    return turn


def read_news(places: Places) -> list[News | None]:
    return [parse_news(line) for line in Path(news_path(places)).read_bytes().splitlines()]


def test_news_come_back_as_they_were_written(places: Places) -> None:
    news = start_news(make_turn(), via="claude-code")
    news.verdict, news.outcome, news.ids, news.hash = "correction", "logged", ("CORR-001", "CORR-002"), "0123456789ab"

    append_news(places, news)

    (back,) = read_news(places)
    assert back is not None
    assert {name: getattr(back, name) for name in News.__slots__} == {
        "at": 1_796_032_515.662,
        "harness": "cursor",
        "via": "claude-code",
        "event": "prompt",
        "session": "s-1",
        "prompt_id": "p-1",
        "hash": "0123456789ab",
        "verdict": "correction",
        "outcome": "logged",
        "ids": ("CORR-001", "CORR-002"),
        "learned": (),
        "transcript": "/home/dev/log.jsonl",
        "project": "/home/dev/a",
        "roots": ("/home/dev/a", "/home/dev/b"),
        "note": "",
    }


def test_the_file_is_the_owners_alone_and_holds_no_words(places: Places) -> None:
    append_news(places, start_news(make_turn(), via="cursor"))

    path = Path(news_path(places))
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert b"person" not in path.read_bytes()


def test_a_project_that_must_not_be_listened_to_leaves_only_that_a_hook_fired(places: Places) -> None:
    news = start_news(make_turn(), via="cursor")
    news.outcome = "denied"

    hide_place(news)
    append_news(places, news)

    assert json.loads(Path(news_path(places)).read_bytes()) == {
        "at": 1_796_032_515.662,
        "harness": "cursor",
        "event": "prompt",
        "outcome": "denied",
    }


def test_a_line_behind_a_torn_one_is_read(places: Places) -> None:
    append_news(places, start_news(make_turn(), via="cursor"))
    with open(news_path(places), "ab") as file:
        file.write(b'{"at":17960')

    append_news(places, start_news(make_turn(), via="cursor"))

    assert [news and news.session for news in read_news(places)] == ["s-1", None, "s-1"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[1]", id="an array"),
        pytest.param(b'{"at":"x","harness":"cursor"}', id="a time that is a text"),
        pytest.param(b'{"at":true,"harness":"cursor"}', id="a time that is a truth value"),
        pytest.param(b'{"at":1}', id="no harness"),
        pytest.param(b'{"at":1,"harness":"cursor"} {}', id="two values"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_what_is_no_news_is_none(line: bytes) -> None:
    assert parse_news(line) is None


def test_members_of_a_wrong_type_and_unknown_ones_are_left_out() -> None:
    news = parse_news(b'{"at":1,"harness":"cursor","session":7,"ids":["a",1],"roots":"x","later":{}}')

    assert news is not None
    assert (news.session, news.ids, news.roots) == ("", (), ())


@given(st.text(), st.lists(st.text()))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, text: str, ids: list[str]) -> None:
    folder = str(tmp_path_factory.mktemp("news"))
    places = Places(folder, folder, folder, folder)
    news = News(1.5, text or "x")
    news.session, news.ids = text, tuple(ids)

    append_news(places, news)

    (back,) = read_news(places)
    assert back is not None
    assert (back.harness, back.session, back.ids) == (text or "x", text, tuple(ids))
