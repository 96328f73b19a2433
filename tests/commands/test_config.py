"""``tellback config`` through the door: output, exit code, and what it leaves in the file."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.cli import main
from tellback.core.config import load_settings, settings_path
from tellback.core.configfile import set_value
from tellback.core.errors import TellbackError
from tellback.core.keys import SPECS
from tellback.core.shapes import Places

FILE = """# mine
[sessions]   # of sessions
quiet = "5m" # short

# about folders
[collect]
deny_paths = [
  "/a", # first
  "/b",
]
future = { x = 1 }
"""


def call(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(main, ["config", *words], input=typed)


def write(places: Places, text: str) -> Path:
    path = settings_path(places)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_without_a_terminal_the_settings_are_printed(places: Places) -> None:
    write(places, FILE)

    result = call()

    assert result.exit_code == 0
    assert "sessions.quiet" in result.output
    assert "5m   (default: 10m)" in result.output
    assert "Organisation policy: none" in result.output
    assert "collect.future is no setting" in result.stderr


def test_json_has_value_default_and_origin_of_every_key(places: Places) -> None:
    write(places, FILE)

    data = json.loads(call("--json").stdout)

    assert set(data["settings"]) == set(SPECS)
    assert data["settings"]["sessions.quiet"] == {"value": "5m", "default": "10m", "origin": "file"}
    assert data["settings"]["capture.point"] == {"value": "write", "default": "write", "origin": "default"}
    assert (data["path"], data["organisation"], data["repository"]) == (str(settings_path(places)), None, None)


def test_a_repositorys_restriction_is_shown_and_never_changed(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".tellback.toml").write_text("[collect]\ndisabled = true\n")
    monkeypatch.chdir(tmp_path)

    assert "says collect.disabled = true" in call().output
    assert json.loads(call("--json").stdout)["repository"]["collect.disabled"] is True
    assert call("set", "collect.disabled", "false").exit_code == 0
    assert (tmp_path / ".tellback.toml").read_text() == "[collect]\ndisabled = true\n"
    assert places.config in json.loads(call("--json").stdout)["path"]


def test_a_repositorys_broken_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".tellback.toml").write_text("[collect")
    monkeypatch.chdir(tmp_path)

    output = call().output

    assert f"{tmp_path / '.tellback.toml'} cannot be understood" in output
    assert "nothing is collected here" in output


def test_one_call_sets_one_key_and_the_rest_stays(places: Places) -> None:
    path = write(places, FILE)

    result = call("set", "sessions.quiet", "20m")

    assert (result.exit_code, result.stdout) == (0, "sessions.quiet is 20m now.\n")
    assert path.read_text() == FILE.replace('"5m"', '"20m"')
    assert load_settings(places).sessions_quiet_s == 1200


def test_a_first_setting_makes_a_file_for_its_owner_only(places: Places) -> None:
    assert call("set", "collect.deny_paths", '["~/x"]').exit_code == 0

    path = settings_path(places)
    assert path.read_text() == '[collect]\ndeny_paths = ["~/x"]\n'
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == ["config.toml"]


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("collect.disabled", "TRUE", True),
        ("sessions.push_batch", "3", 3),
        ("learning.min_confidence", "0.5", 0.5),
        ("sessions.quiet", "1h30m", "90m"),
        ("capture.point", "strict", "strict"),
        ("capture.dataset", "sales figures", "sales figures"),
        ("capture.dataset", "null", None),
        ("collect.deny_paths", "/one", ["/one"]),
        ("collect.deny_paths", '["/one", "/two"]', ["/one", "/two"]),
        ("collect.deny_paths", "[]", []),
        ("scrub.patterns", r"ACME-\d+", [r"ACME-\d+"]),
        ("analyze.output", "out.jsonl", "out.jsonl"),
    ],
)
def test_each_kind_of_value_can_be_typed(key: str, typed: str, value: object, places: Places) -> None:
    assert call("set", "--json", key, typed).exit_code == 0

    assert json.loads(call("--json").stdout)["settings"][key]["value"] == value
    assert load_settings(places) is not None


@pytest.mark.parametrize(
    ("key", "typed", "says"),
    [
        ("sessions.quiet", "soon", "must be a time"),
        ("sessions.push_batch", "-1", "at least 1"),
        ("collect.disabled", "maybe", "true or false"),
        ("collect.deny_paths", "relative", "relative"),
        ("collect.deny_paths", "[1]", "a list of texts"),
        ("capture.point", "loose", "one of strict, write, report"),
        ("scrub.patterns", "(", "regular expressions"),
        ("learning.require_user_confirmation", "false", "cannot be changed"),
    ],
)
def test_a_bad_value_is_refused_with_1_and_nothing_is_written(key: str, typed: str, says: str, places: Places) -> None:
    result = call("set", key, "--", typed)

    assert result.exit_code == 1
    assert says in result.stderr
    assert not settings_path(places).exists()


def test_an_unknown_key_is_refused_with_2_and_the_nearest_is_named(places: Places) -> None:
    result = call("set", "sessions.quite", "10m")

    assert result.exit_code == 2
    assert result.stderr == "tellback: there is no setting 'sessions.quite'; did you mean sessions.quiet?\n"
    assert not settings_path(places).exists()


@pytest.mark.parametrize("words", [(), ("--json",), ("set", "sessions.quiet", "10m")])
def test_a_file_that_does_not_parse_is_refused_and_not_touched(words: tuple[str, ...], places: Places) -> None:
    path = write(places, "[sessions\n")

    result = call(*words)

    assert result.exit_code == 1
    assert f"{path}, line 1, column 10" in result.stderr
    assert path.read_text() == "[sessions\n"


def test_the_servers_key_is_never_shown(places: Places) -> None:
    secret = "tb-" + "0123456789"

    assert secret not in call("set", "key", secret).output
    assert secret not in call().output + call("--json").output
    assert load_settings(places).key == secret


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('sessions.quiet = "5m"\n', id="a dotted key"),
        pytest.param('sessions = { quiet = "5m" }\n', id="an inline table"),
        pytest.param('[sessions]\r\nquiet = "5m"\r\n', id="CRLF"),
        pytest.param('[collect]\n[sessions]\nquiet = "5m"', id="no newline at the end"),
        pytest.param('\ufeff[sessions]\nquiet = "5m"\n', id="a BOM"),
    ],
)
def test_files_of_odd_shape_are_changed_or_refused_whole(text: str, places: Places) -> None:
    path = write(places, text)

    result = call("set", "sessions.quiet", "20m")

    assert result.exit_code == 0, result.stderr
    assert path.read_bytes() == text.replace('"5m"', '"20m"').encode()


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_linked_file_is_changed_where_it_lies(places: Places, tmp_path: Path) -> None:
    path = write(places, "")
    path.unlink()
    (tmp_path / "dotfiles.toml").write_text("# mine\n")
    path.symlink_to(tmp_path / "dotfiles.toml")

    assert call("set", "capture.brief", "false").exit_code == 0

    assert path.is_symlink()
    assert (tmp_path / "dotfiles.toml").read_text() == "# mine\n\n[capture]\nbrief = false\n"


@given(st.sampled_from(sorted(SPECS)), st.text(max_size=20))
@settings(max_examples=150)
def test_whatever_is_typed_is_kept_or_refused_and_the_file_stays_good(
    tmp_path_factory: pytest.TempPathFactory, key: str, typed: str
) -> None:
    folder = str(tmp_path_factory.mktemp("config"))
    places = Places(folder, folder, folder, folder)

    try:
        value = set_value(places, key, typed)
    except TellbackError:
        assert not settings_path(places).exists()
    else:
        assert getattr(load_settings(places), SPECS[key].attribute) == value
