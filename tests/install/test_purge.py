import subprocess
import sys
from pathlib import Path

import pytest

from tellback.core.errors import TellbackError
from tellback.core.shapes import Places
from tellback.install.purge import list_purge, purge

HOLD = "import sys, filelock as f; lock = f.FileLock(sys.argv[1]); lock.acquire(); print('held', flush=True); input()"


def fill(places: Places) -> None:
    for folder in (places.data, places.cache, places.config):
        (Path(folder) / "below").mkdir(parents=True)
        (Path(folder) / "below" / "file").write_text("x")


def test_data_cache_and_settings_go(places: Places, home: Path) -> None:
    fill(places)
    (home / "mine").touch()

    purged = purge(places)

    assert set(purged.removed) == {places.data, places.cache, places.config}
    assert list_purge(places) == []
    assert (home / "mine").exists()


def test_a_knowledge_folder_stays_with_the_way_to_it(places: Places) -> None:
    fill(places)
    store = Path(places.data) / "projects" / "work-ab12"
    (store / ".knowledge" / "corrections").mkdir(parents=True)
    (store / ".knowledge" / "corrections" / "log.yaml").write_text("kept")
    (store / "other").touch()

    purged = purge(places)

    assert purged.kept == (str(store / ".knowledge"),)
    assert (store / ".knowledge" / "corrections" / "log.yaml").read_text() == "kept"
    assert [path.name for path in store.iterdir()] == [".knowledge"]
    assert [path.name for path in Path(places.data).iterdir()] == ["projects"]


def test_of_a_link_only_the_link_goes(places: Places, home: Path) -> None:
    elsewhere = home / "big-disk"
    (elsewhere / "precious").mkdir(parents=True)
    Path(places.data).parent.mkdir(parents=True)
    Path(places.data).symlink_to(elsewhere)

    purge(places)

    assert not Path(places.data).is_symlink()
    assert (elsewhere / "precious").is_dir()


def test_a_link_below_is_not_followed(places: Places, home: Path) -> None:
    fill(places)
    (home / "mine").mkdir()
    (home / "mine" / "file").touch()
    (Path(places.data) / "link").symlink_to(home / "mine")

    purge(places)

    assert (home / "mine" / "file").exists()


def test_nothing_is_removed_below_a_running_sweep(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellback.install.purge.SWEEP_WAIT_S", 0.05)
    fill(places)
    command = [sys.executable, "-c", HOLD, str(Path(places.cache) / "push.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"

        with pytest.raises(TellbackError, match="sweep is running"):
            purge(places)

        other.communicate("\n")
    assert len(list_purge(places)) == 3
