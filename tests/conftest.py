"""No test reaches the real home: every look-up of a folder ends in one of the test's own."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tellback.core.paths import find_places
from tellback.core.shapes import Places

# Started in the background by a shell, this process and its children would be deaf to the Ctrl-C that tests send.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines that run tests are slow by turns, and the home fixture changes nothing that an example sees.
settings.register_profile(
    "tellback", deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("tellback")

# The variables that lead to somebody's folders, settings or servers; all end in the test's home or are gone.
_LEADS = (
    *("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "APPDATA", "LOCALAPPDATA"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "OPENCODE_DB"),
    *("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "TELLBACK_URL", "TELLBACK_API_KEY"),
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES"),
)

# Where the rig's real programs were installed; they are looked for from the home that the fixture hides.
_CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
_RIG_CLIENTS = os.environ.get("RIG_CLIENTS") or os.path.join(_CACHE, "agent-rig")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home folder; this process and its children know no other."""
    folder = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in _LEADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RIG_CLIENTS", _RIG_CLIENTS)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return folder


@pytest.fixture
def own_secret(home: Path) -> str:
    """Return what the person's own settings call a secret, and nothing else would."""
    config = home / ".config" / "tellback" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[scrub]\npatterns = ["ACME-[0-9]{6}"]\n')
    return "ACME-123456"


@pytest.fixture
def places(home: Path) -> Places:
    """Return Tellback's folders in the test's home; none of them is there yet."""
    assert home.is_dir()
    return find_places()
