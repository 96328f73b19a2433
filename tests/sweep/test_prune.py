"""What grows beside the data stays bounded."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tellback.core.ready import question_path
from tellback.sweep.newsfile import KEEP_S

if TYPE_CHECKING:
    from conftest import House


def lay_question(house: "House", session: str, age_s: float) -> Path:
    path = Path(question_path(session, house.places))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("whose is it?")
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def test_a_question_that_nobody_was_asked_for_a_week_goes(house: "House") -> None:
    old, young = lay_question(house, "s1", KEEP_S + 60), lay_question(house, "s2", 60)

    done = house.sweep()

    assert done.stages["prune"]["questions"] == 1
    assert (old.exists(), young.exists()) == (False, True)


def test_nothing_but_files_is_removed_there(house: "House", tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("of somebody")
    folder = Path(question_path("s1", house.places)).parent
    folder.mkdir(parents=True)
    (folder / "link").symlink_to(kept)

    done = house.sweep()

    assert done.stages["prune"]["questions"] == 0
    assert kept.exists()
