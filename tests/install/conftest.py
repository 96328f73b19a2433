"""A home of the test's own; the real one is out of reach."""

from pathlib import Path

import pytest

from tellback.core.paths import find_places
from tellback.core.shapes import Places


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home folder that every look-up of this process ends in."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def places(home: Path) -> Places:
    """Return Tellback's folders in that home; none is there yet."""
    assert home.is_dir()
    return find_places()
