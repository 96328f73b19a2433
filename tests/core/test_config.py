"""Settings: read by one table, refused with file, line and column, and turned into a policy."""

import os
import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tellback.core.config import SettingsError, find_key, load, load_settings, make_policy, read_switch, settings_path
from tellback.core.keys import SPECS, Settings
from tellback.core.policy import judge_path
from tellback.core.shapes import Places


def write(places: Places, text: str | bytes) -> Path:
    path = settings_path(places)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_without_a_file_all_is_default(places: Places) -> None:
    loaded = load(places)

    assert loaded.origins == {}
    assert loaded.settings.sessions_quiet_s == 600
    assert loaded.settings.recorder_skills_roots == (f"{places.home}/.claude/skills", ".claude/skills")
    assert make_policy(loaded).has_paths() is False
    assert not settings_path(places).exists(), "reading makes nothing"


def test_every_key_of_the_table_is_a_field_and_the_other_way_round() -> None:
    assert {spec.attribute for spec in SPECS.values()} == {item.name for item in fields(Settings)}
    assert {"collect.deny_paths", "sessions.quiet", "hooks.deadline", "url", "learning.dir"} <= set(SPECS)
    assert {name for name, spec in SPECS.items() if spec.in_repository} == {"collect.disabled", "sessions.push"}


def test_values_are_read_with_their_origin(places: Places) -> None:
    write(
        places,
        """\ufeffmachine = "here"
sessions.quiet = "1h30m"
[collect]
deny_paths = ["~/secret", "/srv/x"]  # mine
[capture]
point = "strict"
dataset = "sales"
[learning]
min_confidence = 1
require_user_confirmation = true
""",
    )

    loaded = load(places)

    assert loaded.settings.collect_deny_paths == (f"{places.home}/secret", "/srv/x")
    assert (loaded.settings.sessions_quiet_s, loaded.settings.machine) == (5400, "here")
    assert (loaded.settings.capture_point, loaded.settings.capture_dataset) == ("strict", "sales")
    assert loaded.settings.learning_min_confidence == 1.0
    assert set(loaded.origins.values()) == {"file"}
    assert "collect.deny_paths" in loaded.origins
    assert "capture.enabled" not in loaded.origins


def test_an_unknown_key_is_said_and_not_fatal(places: Places) -> None:
    write(places, "[collect]\n\nfuture = 1\n[new.deep]\nx = 1\n[capture]\nenabled = false\n")

    loaded = load(places)

    assert loaded.settings.capture_enabled is False
    assert [warning.split(", ", 1)[1] for warning in loaded.warnings] == [
        "line 3: collect.future is no setting of this version",
        "line 1: new.deep is no setting of this version",
    ]


@pytest.mark.parametrize(
    ("text", "place", "complaint"),
    [
        pytest.param("[collect\n", "line 1, column 9", "Expected", id="half a table"),
        pytest.param("a = 1\na = 2\n", "line 2, column 6", "overwrite", id="a key twice"),
        pytest.param('x = "', "line 1, column 6", "", id="an open quote"),
        pytest.param("[collect]\n  disabled = 1\n", "line 2, column 3", "true or false", id="a number for a switch"),
        pytest.param('[collect]\ndeny_paths = "/a"\n', "line 2, column 1", "a list", id="a text for a list"),
        pytest.param('[collect]\ndeny_paths = ["a/b"]\n', "line 2, column 1", "relative", id="a relative folder"),
        pytest.param('[collect]\ndeny_paths = [""]\n', "line 2, column 1", "none of them empty", id="an empty folder"),
        pytest.param('sessions.quiet = "soon"\n', "line 1, column 1", "10m", id="no time"),
        pytest.param("sessions.quiet = 600\n", "line 1, column 1", "10m", id="a bare number for a time"),
        pytest.param('hooks.deadline = "2m"\n', "line 1, column 1", "from 100ms to 1m", id="a time too long"),
        pytest.param("sessions.push_batch = 0\n", "line 1, column 1", "at least 1", id="a number too small"),
        pytest.param("analyze.window = 1.5\n", "line 1, column 1", "a whole number", id="a broken number"),
        pytest.param("learning.min_confidence = nan\n", "line 1, column 1", "from 0 to 1", id="no number"),
        pytest.param('capture.point = "loose"\n', "line 1, column 1", "strict, write, report", id="no such word"),
        pytest.param(
            'sessions.harnesses = ["claude"]\n', "line 1, column 1", "claude-code, codex", id="no such harness"
        ),
        pytest.param('scrub.patterns = ["("]\n', "line 1, column 1", "regular expressions", id="no regular expression"),
        pytest.param(
            "[learning]\nrequire_user_confirmation = false\n", "line 2, column 1", "cannot be changed", id="a fixed key"
        ),
        pytest.param(b"x = 1\ny = '\xff'\n", "line 2", "not UTF-8", id="other encoding"),
    ],
)
def test_a_file_that_cannot_be_believed_is_refused_with_its_place(
    text: str | bytes, place: str, complaint: str, places: Places
) -> None:
    path = write(places, text)

    with pytest.raises(SettingsError) as caught:
        load_settings(places)

    assert str(caught.value).startswith(f"{path}, {place}")
    assert complaint in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="FIFOs")
def test_a_fifo_is_not_waited_for_and_a_huge_file_not_read(places: Places) -> None:
    path = write(places, "")
    path.unlink()
    os.mkfifo(path)
    assert load(places).origins == {}, "it holds nothing"
    path.unlink()
    write(places, "#" * (2 * 1024 * 1024))

    with pytest.raises(SettingsError, match="larger"):
        load(places)


@pytest.mark.parametrize(
    ("text", "is_on"),
    [
        ('{"enabled": true}', True),
        ("{}", True),
        ('{"other": 1}', True),
        ("", True),
        ('{"enabled": false}', False),
        ('{"enabled": "false"}', False),
        ('{"enabled": 0}', False),
        ('{"enabled": null}', False),
        ("[]", False),
        ("{", False),
        ("[" * 100_000, False),
    ],
)
def test_claude_codes_feedback_switch_stops_all(text: str, is_on: bool, places: Places) -> None:
    path = Path(places.home) / ".claude" / "feedback-config.json"
    path.parent.mkdir()
    path.write_text(text)

    loaded = load(places)

    assert (read_switch(path) == "on") is is_on
    assert make_policy(loaded).disabled is not is_on
    assert is_on or str(path) in loaded.switch


def test_a_switch_in_claude_codes_own_folder_counts_too(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "feedback-config.json").write_text('{"enabled": false}')
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))

    assert make_policy(load(places)).disabled is True


def test_the_files_behind_the_settings_are_stamped(places: Places) -> None:
    path = write(places, "[collect]\n")

    config, switch = load(places).sources

    assert (config.path, config.size_bytes, config.mtime_ns) == (str(path), 10, path.stat().st_mtime_ns)
    assert (switch.size_bytes, switch.mtime_ns) == (-1, -1)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_policys_folders_are_there_as_written_and_with_links_resolved(places: Places, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write(places, f'[collect]\ndeny_paths = ["{tmp_path}/link"]\n')

    policy = make_policy(load(places))

    assert policy.deny_paths == (f"{tmp_path}/link", os.path.realpath(tmp_path / "real"))
    assert judge_path(policy, os.path.realpath(tmp_path / "real")) == "denied"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\n[x]\n  b = 2\n", (3, 3)),
        ("x.b = 2\n", (1, 1)),
        ('["x"]\n"b" = 2\n', (2, 1)),
        ("x = { b = 2 }\n", (1, 1)),
        ("# x.b = 1\n[y]\nb = 1\n", (1, 1)),
    ],
)
def test_a_key_is_found_in_the_text(text: str, place: tuple[int, int]) -> None:
    assert find_key(text, "x.b") == place


def test_the_docs_list_every_setting_with_its_default() -> None:
    docs = Path(__file__).parents[2] / "docs" / "settings.md"
    if not docs.is_file():
        pytest.skip("the docs are not beside the tests here")
    rows: dict[str, str] = dict(re.findall(r"^\| `([a-z_.]+)` \| (.*?) \|", docs.read_text(encoding="utf-8"), re.M))

    assert set(rows) == set(SPECS)
    assert {name: _shown(name) for name in rows} == rows


def _shown(name: str) -> str:
    from tellback.core.values import show_value

    value: Any = show_value(SPECS[name], SPECS[name].default)
    if value is None:
        return "unset"
    if isinstance(value, list):
        return "`[" + ", ".join(f'"{item}"' for item in value) + "]`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
