"""Cursor's sessions: listed from what the hooks told, never opened."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tellback.sessions import cursor
from tellback.sessions.entry import Resume, Tally
from tellback.sessions.reader import Gate, LogError

SESSION = "c0ffee00-0000-4000-8000-000000000001"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def tell(home: Path) -> Callable[..., None]:
    def append(**members: Any) -> None:
        news = {"at": time.time(), "harness": "cursor", "event": "turn_end", "session": SESSION} | members
        store = cursor.find_store()
        store.parent.mkdir(parents=True, exist_ok=True)
        with open(store, "ab") as file:
            file.write(json.dumps(news, separators=(",", ":")).encode() + b"\n")

    return append


def transcript(home: Path, *parts: str) -> Path:
    path = home / ".cursor" / "projects" / Path(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"role":"user"}\n')
    return path


NESTED = ("home-dev-project", "agent-transcripts", SESSION, f"{SESSION}.jsonl")
FLAT = ("home-dev-project", "agent-transcripts", f"{SESSION}.jsonl")


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(NESTED, id="nested"),
        pytest.param(FLAT, id="flat"),
        pytest.param(("-home-dev-project", *FLAT[1:]), id="with the leading dash"),
    ],
)
def test_the_path_is_derived_where_the_client_tells_none(
    home: Path, tell: Callable[..., None], parts: tuple[str, ...]
) -> None:
    path = transcript(home, *parts)
    tell(project="/home/dev/project")

    listing = cursor.list_sessions(cursor.find_store())

    assert [(s.session_id, s.path, s.size) for s in listing.sessions] == [(SESSION, str(path), 16)]
    assert cursor.read_gate(listing.sessions[0]) == Gate(dirs=("/home/dev/project",))


def test_the_path_that_a_hook_told_comes_first(home: Path, tell: Callable[..., None]) -> None:
    transcript(home, *NESTED)
    told = transcript(home, "elsewhere", "x.jsonl")
    tell(project="/home/dev/project", transcript=str(told))
    tell(roots=["/home/dev/project", "/home/dev/other"])

    listing = cursor.list_sessions(cursor.find_store())

    assert [s.path for s in listing.sessions] == [str(told)]
    assert cursor.read_gate(listing.sessions[0]).dirs == ("/home/dev/project", "/home/dev/other")


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({"at": time.time() - 8 * 24 * 3600}, id="eight days old"),
        pytest.param({"harness": "codex"}, id="of another harness"),
        pytest.param({"session": ""}, id="no session"),
        pytest.param({"session": "../../x"}, id="an id that leads elsewhere"),
        pytest.param({"project": ""}, id="neither root nor path"),
        pytest.param({"project": "/nowhere"}, id="no transcript there"),
    ],
)
def test_news_that_lead_to_no_transcript_list_nothing(
    home: Path, tell: Callable[..., None], members: dict[str, Any]
) -> None:
    transcript(home, *NESTED)
    tell(**({"project": "/home/dev/project"} | members))

    listing = cursor.list_sessions(cursor.find_store())

    assert (listing.state, listing.sessions, listing.problems) == ("ok", (), ())


def test_lines_that_are_no_news_are_passed_over(home: Path, tell: Callable[..., None]) -> None:
    transcript(home, *NESTED)
    tell(project="/home/dev/project")
    with open(cursor.find_store(), "ab") as file:
        file.write(b'"cursor"\n{"harness":"cursor"\n\xff "cursor"\n{"at":1,"harness":"cursor","sess')

    assert len(cursor.list_sessions(cursor.find_store()).sessions) == 1


@pytest.mark.parametrize("roots", [pytest.param(["relative", "/p"], id="relative"), pytest.param([], id="none")])
def test_roots_that_are_missing_or_invalid_leave_the_project_unknown(
    home: Path, tell: Callable[..., None], roots: list[str]
) -> None:
    tell(transcript=str(transcript(home, *NESTED)), roots=roots)

    assert cursor.read_gate(cursor.list_sessions(cursor.find_store()).sessions[0]) == Gate()


def test_a_link_on_the_way_is_refused(home: Path, tell: Callable[..., None], tmp_path: Path) -> None:
    path = transcript(home, *NESTED)
    (home / "projects").symlink_to(home / ".cursor" / "projects")
    tell(transcript=str(home / "projects" / Path(*NESTED)), project="/home/dev/project")
    tell(session="s2", transcript=str(path.parent / "link.jsonl"))
    (path.parent / "link.jsonl").symlink_to(path)

    listing = cursor.list_sessions(cursor.find_store())

    assert listing.sessions == ()
    assert all("link" in problem.what for problem in listing.problems)
    assert len(listing.problems) == 2


def test_a_link_that_took_the_transcripts_place_is_not_opened(home: Path, tell: Callable[..., None]) -> None:
    path = transcript(home, *NESTED)
    tell(transcript=str(path))
    listed = cursor.list_sessions(cursor.find_store()).sessions[0]
    path.rename(home / "real")
    path.symlink_to(home / "real")

    with pytest.raises(LogError, match="link"):
        cursor.open_log(listed)


@pytest.mark.parametrize("where", ["outside", "fifo", "relative", "dotted"])
def test_a_path_that_is_no_transcripts_is_refused(
    home: Path, tell: Callable[..., None], tmp_path: Path, where: str
) -> None:
    (tmp_path / "outside").write_text("x")
    os.mkfifo(home / "fifo")
    paths = {
        "outside": str(tmp_path / "outside"),
        "fifo": str(home / "fifo"),
        "relative": "x.jsonl",
        "dotted": f"{home}/a/../fifo",
    }
    tell(transcript=paths[where], project="/p")

    listing = cursor.list_sessions(cursor.find_store())

    assert listing.sessions == ()
    assert [problem.path for problem in listing.problems] == [paths[where]]


def test_without_news_the_store_is_absent(home: Path) -> None:
    assert cursor.list_sessions(cursor.find_store()).state == "absent"


def test_listing_opens_no_transcript_and_a_digest_is_refused(
    home: Path, tell: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = transcript(home, *NESTED)
    tell(project="/home/dev/project")
    opened: list[str] = []
    real_open = os.open
    monkeypatch.setattr(
        os, "open", lambda name, *rest, **more: (opened.append(str(name)), real_open(name, *rest, **more))[1]
    )

    listed = cursor.list_sessions(cursor.find_store()).sessions[0]
    cursor.read_gate(listed)

    assert opened
    assert str(path) not in opened
    with cursor.open_log(listed) as log, pytest.raises(LogError, match="never digested"):
        cursor.read_entries(log, Resume(), Tally())
