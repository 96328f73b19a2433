import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tellback.core.errors import TellbackError
from tellback.core.shapes import Places
from tellback.install.manifest import (
    Manifest,
    Row,
    drop_row,
    find_manifest,
    hold_install_lock,
    put_row,
    read_manifest,
    replace_manifest,
)

HOLD = "import sys, filelock as f; lock = f.FileLock(sys.argv[1]); lock.acquire(); print('held', flush=True); input()"
ROW = Row(
    "claude-code", "user", "/h/.claude/settings.json", "", "command", "absent", "ab12", ("hooks",), ("/h/.claude",)
)


def write_raw(places: Places, text: str) -> Path:
    path = find_manifest(places)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_rows_are_read_back_as_they_were_written(places: Places) -> None:
    unknown = ROW._replace(file="/h/.cursor/hooks.json", harness="cursor", made=None)

    replace_manifest(places, put_row(put_row(Manifest((), {}), ROW, "/py"), unknown, "/py"))
    manifest = read_manifest(places)

    assert manifest.rows == (ROW, unknown)
    assert manifest.interpreter == "/py"
    assert stat.S_IMODE(find_manifest(places).stat().st_mode) == 0o600


def test_keys_of_another_version_survive(places: Places) -> None:
    replace_manifest(places, put_row(Manifest((), {}), ROW, "/py"))
    path = find_manifest(places)
    raw = json.loads(path.read_text())
    raw["colour"] = "green"
    raw["installed"][0]["note"] = "mine"
    path.write_text(json.dumps(raw))

    replace_manifest(places, put_row(read_manifest(places), ROW._replace(after="cd34"), "/py2"))

    raw = json.loads(path.read_text())
    assert (raw["colour"], raw["interpreter"]) == ("green", "/py2")
    assert (raw["installed"][0]["note"], raw["installed"][0]["after"]) == ("mine", "cd34")


def test_the_last_row_takes_the_file_with_it(places: Places) -> None:
    replace_manifest(places, put_row(Manifest((), {}), ROW, "/py"))

    replace_manifest(places, drop_row(read_manifest(places), ROW))

    assert not find_manifest(places).exists()


def test_a_manifest_of_a_newer_version_is_refused_and_stays(places: Places) -> None:
    path = write_raw(places, '{"format": 2, "installed": []}')

    with pytest.raises(TellbackError, match="newer Tellback"):
        read_manifest(places)

    assert path.read_text() == '{"format": 2, "installed": []}'


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "1"}'])
def test_a_broken_manifest_is_not_taken_for_an_empty_one(text: str, places: Places) -> None:
    write_raw(places, text)

    with pytest.raises(TellbackError) as caught:
        read_manifest(places)

    assert caught.value.hint


@pytest.mark.parametrize("rows", ["null", "{}", "[1, null, {}]", '[{"harness": 1}]'])
def test_rows_of_another_shape_are_left_out(rows: str, places: Places) -> None:
    write_raw(places, f'{{"format": 1, "installed": {rows}}}')

    assert read_manifest(places).rows == ()


def test_a_second_install_waits_and_then_gives_up(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellback.install.manifest.LOCK_WAIT_S", 0.05)
    Path(places.config).mkdir(parents=True)
    command = [sys.executable, "-c", HOLD, str(Path(places.config) / "install.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"

        with pytest.raises(TellbackError, match="another install"), hold_install_lock(places):
            pass

        other.communicate("\n")
    with hold_install_lock(places):
        pass
