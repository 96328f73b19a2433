"""What lies ready for a hook: taken once, bounded, never through a link."""

import os
import threading
from pathlib import Path

import pytest

from tellback.core.digest import hash_text
from tellback.core.ready import MAX_BYTES, question_path, read_brief, take_question
from tellback.core.shapes import Places

SESSION = "573ad00f-a8ce-4e56-a5a1-7d846c102f46"


def lay(path: str, text: str) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_question_is_asked_once(places: Places) -> None:
    lay(question_path(SESSION, places), "which one?\n")

    assert [take_question(SESSION, places) for _ in range(2)] == ["which one?", ""]


def test_of_many_hooks_at_once_one_asks(places: Places) -> None:
    lay(question_path(SESSION, places), "which one?")
    barrier, taken = threading.Barrier(8), list[str]()

    def hook() -> None:
        barrier.wait()
        taken.append(take_question(SESSION, places))

    threads = [threading.Thread(target=hook) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken) == [""] * 7 + ["which one?"]


@pytest.mark.parametrize("session", ["", "..", "../x", "a/b", "a\\b", ".", "x.y"])
def test_an_id_that_is_no_file_name_has_no_question(places: Places, session: str) -> None:
    lay(f"{places.cache}/x", "outside")
    os.makedirs(f"{places.cache}/ready")

    assert take_question(session, places) == ""
    assert Path(f"{places.cache}/x").exists()


def test_a_link_in_a_questions_place_is_not_followed(places: Places, tmp_path: Path) -> None:
    secret = lay(str(tmp_path / "secret"), "secret")
    path = Path(question_path(SESSION, places))
    path.parent.mkdir(parents=True)
    path.symlink_to(secret)

    assert take_question(SESSION, places) == ""


def test_a_brief_is_that_of_the_projects_root_and_is_bounded(places: Places, tmp_path: Path) -> None:
    project = tmp_path / "app"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    lay(f"{places.data}/briefs/{hash_text(str(project))}.txt", "你" * 1000)

    brief = read_brief(str(project / "src"), places)

    assert brief == "你" * (MAX_BYTES // 3)
    assert read_brief(str(tmp_path), places) == ""
