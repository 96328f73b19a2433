"""Install and uninstall on real files: what was there comes back, byte for byte, or was never touched."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tellback.core.errors import TellbackError
from tellback.core.shapes import Places
from tellback.install.apply import Installed, has_our_hooks, install, preview_install
from tellback.install.manifest import find_backups, find_manifest, read_manifest
from tellback.install.plan import find_file
from tellback.install.settings_file import write_settings
from tellback.install.table import HARNESSES
from tellback.install.undo import is_any_left, preview_uninstall, uninstall

_spec = importlib.util.spec_from_file_location("odd_settings", Path(__file__).with_name("odd_settings.py"))
assert _spec
assert _spec.loader
odd = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(odd)

CLAUDE, CURSOR = HARNESSES["claude-code"], HARNESSES["cursor"]
PYTHON = "/opt/python/bin/python3"

BROKEN = [
    pytest.param(b"{\n  // mine\n}\n", "line 2, column 3", id="comment"),
    pytest.param(b'{"a": 1,}', "line 1, column 8", id="trailing comma"),
    pytest.param(b'{"a": 1, "a": 2}', "line 1, column 10", id="a key twice"),
    pytest.param(b'{"hooks": null}', "line 1, column 11", id="hooks null"),
    pytest.param(b'{"hooks": {"Stop": {}, "stop": {}}}', "line 1, column ", id="an event of the wrong type"),
    pytest.param(b"[1]", "line 1, column 1", id="no object"),
    pytest.param(b'{"a": "\xff"}', "line 1, column 8", id="not UTF-8"),
    pytest.param('{"a": 1}'.encode("utf-16"), "line 1, column 1", id="UTF-16"),
    pytest.param(b"{" * 5000, "line 1, column ", id="cut off and deep"),
]


def put(harness: Any, places: Places, python: str = PYTHON, project: Path | None = None) -> Installed:
    return install(harness, find_file(harness, project, is_shared=True), project, places, python)


def write(harness: Any, data: bytes) -> Path:
    file: Path = harness.find_user_file()
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("harness", [CLAUDE, CURSOR], ids=lambda harness: harness.name)
@given(data=st.data())
@hypothesis_settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_install_twice_then_uninstall_gives_back_every_byte(harness: Any, data: st.DataObject, places: Places) -> None:
    text = data.draw(odd.settings_texts(tuple(harness.events), harness.is_grouped))
    file = write(harness, text.encode())

    first, second = put(harness, places), put(harness, places)
    (removed,) = uninstall(places, harness, None)

    assert (first.written.is_changed, second.written.is_changed) == (True, False)
    assert removed.error is None
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"{}", b"{ }\n", b"{\r\n}\r\n"])
def test_a_file_with_nothing_in_it_comes_back(data: bytes, places: Places) -> None:
    file = write(CLAUDE, data)

    put(CLAUDE, places)
    uninstall(places, None, None)

    assert file.read_bytes() == data


def test_a_file_that_was_not_there_goes_with_its_folder(places: Places, home: Path) -> None:
    put(CLAUDE, places)
    put(CURSOR, places)

    uninstall(places, None, None)

    assert not (home / ".claude").exists()
    assert not (home / ".cursor").exists()
    assert not find_manifest(places).exists()


@pytest.mark.parametrize(("data", "place"), BROKEN)
@pytest.mark.parametrize("harness", [CLAUDE, CURSOR], ids=lambda harness: harness.name)
def test_a_file_that_cannot_be_understood_is_refused_untouched(
    harness: Any, data: bytes, place: str, places: Places
) -> None:
    file = write(harness, data)

    with pytest.raises(TellbackError, match=place):
        put(harness, places)

    assert file.read_bytes() == data
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]
    assert not find_manifest(places).exists()


def test_a_link_is_followed_and_stays_a_link(places: Places, home: Path) -> None:
    kept = home / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_text('{\n  "a": 1\n}\n')
    file = CLAUDE.find_user_file()
    file.parent.mkdir()
    file.symlink_to("../dotfiles/claude.json")

    put(CLAUDE, places)

    assert file.is_symlink()
    assert "fire.py" in kept.read_text()
    uninstall(places, None, None)
    assert file.is_symlink()
    assert kept.read_text() == '{\n  "a": 1\n}\n'


def test_a_link_to_nothing_gets_its_target(places: Places, home: Path) -> None:
    file = CURSOR.find_user_file()
    file.parent.mkdir()
    file.symlink_to(home / "dotfiles" / "hooks.json")

    put(CURSOR, places)
    assert (home / "dotfiles" / "hooks.json").is_file()
    uninstall(places, None, None)

    assert file.is_symlink()
    assert not (home / "dotfiles").exists()


def test_links_in_a_circle_are_refused(places: Places) -> None:
    file = CURSOR.find_user_file()
    file.parent.mkdir()
    file.symlink_to(file)

    with pytest.raises(TellbackError, match="circle"):
        put(CURSOR, places)


def test_a_project_cannot_send_the_edit_somewhere_else(places: Places, home: Path) -> None:
    private = home / "private.json"
    private.write_text("{}")
    project = home / "cloned"
    (project / ".cursor").mkdir(parents=True)
    (project / ".cursor" / "hooks.json").symlink_to(private)

    with pytest.raises(TellbackError, match="out of the project"):
        put(CURSOR, places, project=project)

    assert private.read_text() == "{}"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664])
def test_the_mode_of_the_file_stays(mode: int, places: Places) -> None:
    file = write(CLAUDE, b"{}")
    file.chmod(mode)

    put(CLAUDE, places)
    assert file.stat().st_mode & 0o777 == mode
    uninstall(places, None, None)

    assert file.stat().st_mode & 0o777 == mode


def test_a_read_only_file_is_refused_even_for_root(places: Places) -> None:
    file = write(CLAUDE, b"{}")
    file.chmod(0o444)

    with pytest.raises(TellbackError, match="read-only"):
        put(CLAUDE, places)

    assert file.read_bytes() == b"{}"


def test_a_read_only_folder_is_refused_even_for_root(places: Places) -> None:
    file = write(CLAUDE, b"{}")
    file.parent.chmod(0o555)

    try:
        with pytest.raises(TellbackError, match="read-only"):
            put(CLAUDE, places)
    finally:
        file.parent.chmod(0o755)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["a FIFO", "a folder"])
def test_what_is_no_file_is_refused_without_waiting(make: Any, places: Places) -> None:
    file = CLAUDE.find_user_file()
    file.parent.mkdir()
    make(file)

    with pytest.raises(TellbackError, match="no regular file"):
        put(CLAUDE, places)


def test_a_folder_that_is_a_file_is_refused(places: Places, home: Path) -> None:
    (home / ".claude").write_text("")

    with pytest.raises(TellbackError):
        put(CLAUDE, places)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(places: Places) -> None:
    file = write(CLAUDE, b"{}")
    os.chown(file, 65534, 65534)

    with pytest.raises(TellbackError, match="another user"):
        put(CLAUDE, places)

    assert file.stat().st_uid == 65534


def test_the_former_bytes_lie_under_the_data_folder_for_the_owner_alone(places: Places) -> None:
    file = write(CLAUDE, b'{"env": {"KEY": "secret"}}')

    put(CLAUDE, places)

    (backup,) = find_backups(places).iterdir()
    assert backup.read_bytes() == b'{"env": {"KEY": "secret"}}'
    assert backup.stat().st_mode & 0o777 == 0o600
    assert backup.parent.stat().st_mode & 0o777 == 0o700
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_no_copy_of_the_settings_is_left_after_uninstall(places: Places) -> None:
    write(CLAUDE, b'{"env": {"KEY": "secret"}}')

    put(CLAUDE, places)
    uninstall(places, None, None)

    assert list(find_backups(places).iterdir()) == []


def test_what_the_person_wrote_meanwhile_stays(places: Places) -> None:
    file = write(CLAUDE, b'{\n  "model": "opus"\n}\n')
    put(CLAUDE, places)
    file.write_text(
        file.read_text().replace('"opus"', '"sonnet"').replace('"Stop": [', '"Stop": [\n      {"hooks": []},')
    )

    uninstall(places, None, None)

    assert (
        file.read_text() == '{\n  "model": "sonnet",\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n'
    )


def test_an_edit_between_two_installs_is_not_lost(places: Places) -> None:
    file = write(CLAUDE, b'{"model": "opus"}')
    put(CLAUDE, places)
    file.write_text(file.read_text().replace("opus", "sonnet"))
    put(CLAUDE, places, python="/opt/newer/bin/python3")

    uninstall(places, None, None)

    assert file.read_text() == '{"model": "sonnet"}'


def test_an_upgrade_keeps_the_way_back(places: Places) -> None:
    file = write(CLAUDE, b'{ "model" :"opus" }')
    put(CLAUDE, places)
    done = put(CLAUDE, places, python="/opt/newer/bin/python3")

    assert done.written.is_changed
    assert b"/opt/python/" not in file.read_bytes()
    uninstall(places, None, None)
    assert file.read_bytes() == b'{ "model" :"opus" }'


def test_without_the_manifest_our_hooks_are_known_by_their_command(places: Places) -> None:
    file = write(CLAUDE, b'{\n  "model": "opus"\n}\n')
    put(CLAUDE, places)
    find_manifest(places).unlink()
    assert is_any_left(places)

    uninstall(places, None, None)

    assert file.read_bytes() == b'{\n  "model": "opus"\n}\n'
    assert not is_any_left(places)


def test_without_the_backup_our_hooks_alone_go(places: Places) -> None:
    file = write(CLAUDE, b'{\n  "model": "opus"\n}\n')
    put(CLAUDE, places)
    shutil.rmtree(find_backups(places))

    uninstall(places, None, None)

    assert file.read_bytes() == b'{\n  "model": "opus"\n}\n'


def test_a_backup_that_somebody_changed_is_not_believed(places: Places) -> None:
    file = write(CLAUDE, b'{"model": "opus"}')
    put(CLAUDE, places)
    (backup,) = find_backups(places).iterdir()
    backup.write_text('{"model": "other"}')

    uninstall(places, None, None)

    assert file.read_bytes() == b'{"model": "opus"}'


def test_a_change_between_reading_and_writing_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("one")
    seen: list[str] = []

    def edit(text: str) -> str:
        seen.append(text)
        if len(seen) == 1:
            file.write_text("two")  # the harness writes at this very moment
        return text + "+"

    write_settings(file, edit, tmp_path / "backups")

    assert seen == ["one", "two"]
    assert file.read_text() == "two+"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["backups", "settings.json"]


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"

    def edit(text: str) -> str:
        if not text:
            file.write_text("theirs")
        return text + "+"

    write_settings(file, edit, tmp_path / "backups")

    assert file.read_text() == "theirs+"


def test_a_file_that_never_rests_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("0")

    def edit(text: str) -> str:
        file.write_text(str(int(text) + 1))
        return "ours"

    with pytest.raises(TellbackError, match="keeps changing"):
        write_settings(file, edit, tmp_path / "backups")

    assert file.read_text().isdigit()


def run_until(step: int, call: Callable[[], object]) -> bool:
    """Make *call* in a child that is killed before its touch number *step* of a file; say whether it was."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child calls nothing that a thread could hold
        child = os.fork()
    if child == 0:
        touches = iter(range(step))

        def die(event: str, _: object) -> None:
            touching = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "os.chown", "os.rmdir"}
            if event in touching and next(touches, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(die)
        call()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a fork")
@pytest.mark.parametrize("is_repeated", [False, True], ids=["undone", "done again and undone"])
@pytest.mark.parametrize("data", [b'{ "model" :"opus" }', None], ids=["a file", "no file"])
def test_an_install_killed_at_any_step_can_be(data: bytes | None, is_repeated: bool, places: Places) -> None:
    file = CLAUDE.find_user_file()
    states: list[bool] = []
    if data is not None:
        write(CLAUDE, data)

    while run_until(len(states), lambda: put(CLAUDE, places)):
        now = file.read_bytes() if file.exists() else None
        states.append(now != data)
        assert has_our_hooks(CLAUDE, file) == (now != data)
        if is_repeated:
            put(CLAUDE, places)
        uninstall(places, None, None)
        assert (file.read_bytes() if file.exists() else None) == data

    assert len(states) > 8
    assert states == sorted(states)
    if is_repeated:
        uninstall(places, None, None)
        assert sorted(each.name for each in file.parent.iterdir()) == ["settings.json"] if data else not file.exists()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a fork")
def test_an_uninstall_killed_at_any_step_can_be_done_again(places: Places) -> None:
    data, steps = b'{ "model" :"opus" }', 0
    file = write(CLAUDE, data)
    put(CLAUDE, places)

    while run_until(steps, lambda: uninstall(places, None, None)):
        assert file.read_bytes() == data or has_our_hooks(CLAUDE, file)
        uninstall(places, None, None)
        assert file.read_bytes() == data
        put(CLAUDE, places)
        steps += 1

    assert steps > 5


INSTALL_ONE = """
import sys
from tellback.core.paths import find_places
from tellback.install.apply import install
from tellback.install.table import HARNESSES
harness = HARNESSES[sys.argv[1]]
print("ready", flush=True)
sys.stdin.readline()
install(harness, harness.find_user_file(), None, find_places(), "/opt/python/bin/python3")
"""


def test_four_installs_at_once_register_each_hook_once(places: Places) -> None:
    write(CLAUDE, b'{\n  "model": "opus"\n}\n')
    names = ["claude-code", "cursor", "claude-code", "cursor"]
    command = [sys.executable, "-c", INSTALL_ONE]
    running = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for name in names
    ]
    for process in running:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"

    starters = [threading.Thread(target=process.communicate, args=("\n",)) for process in running]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join(60)

    assert [process.returncode for process in running] == [0, 0, 0, 0]
    assert {row.harness for row in read_manifest(places).rows} == {"claude-code", "cursor"}
    for harness in (CLAUDE, CURSOR):
        hooks = json.loads(harness.find_user_file().read_bytes())["hooks"]
        assert {event: len(groups) for event, groups in hooks.items()} == dict.fromkeys(harness.events, 1)
    uninstall(places, None, None)
    assert CLAUDE.find_user_file().read_bytes() == b'{\n  "model": "opus"\n}\n'


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="file names there are text")
def test_a_project_whose_name_is_no_text_can_be_wired(places: Places, home: Path) -> None:
    project = home / os.fsdecode(b"caf\xe9")
    project.mkdir()

    install(CLAUDE, find_file(CLAUDE, project), project, places, PYTHON)
    (done,) = uninstall(places, None, project)

    assert (done.error, list(project.iterdir())) == (None, [])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give any group")
def test_the_group_of_the_file_stays(places: Places) -> None:
    file = write(CLAUDE, b"{}")
    os.chown(file, -1, 12345)

    put(CLAUDE, places)

    assert file.stat().st_gid == 12345


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can do it")
def test_root_leaves_no_file_in_the_folder_of_somebody_else(places: Places, home: Path) -> None:
    (home / ".claude").mkdir()
    os.chown(home / ".claude", 65534, 65534)

    with pytest.raises(TellbackError, match="another user"):
        put(CLAUDE, places)

    assert list((home / ".claude").iterdir()) == []


def test_a_draft_of_a_killed_install_is_in_nobodys_way(places: Places) -> None:
    file = write(CLAUDE, b"{}")
    file.with_name(".settings.json.tellback").write_text("half a fi")

    put(CLAUDE, places)

    assert [entry.name for entry in file.parent.iterdir()] == ["settings.json"]


def test_a_project_gets_the_file_that_nobody_commits(places: Places, home: Path) -> None:
    project = home / "work"
    project.mkdir()

    file = find_file(CLAUDE, project)
    install(CLAUDE, file, project, places, PYTHON)

    assert file == project / ".claude" / "settings.local.json"
    assert has_our_hooks(CLAUDE, file)
    uninstall(places, None, project)
    assert list(project.iterdir()) == []


def test_cursors_shared_file_must_be_asked_for(home: Path) -> None:
    with pytest.raises(TellbackError, match="whole team shares") as caught:
        find_file(CURSOR, home)

    assert caught.value.hint
    assert "--shared" in caught.value.hint
    assert find_file(CURSOR, home, is_shared=True) == home / ".cursor" / "hooks.json"


def test_hooks_of_the_person_and_of_a_project_are_told(places: Places, home: Path) -> None:
    project = home / "work"
    project.mkdir()

    alone = put(CURSOR, places)
    both = put(CURSOR, places, project=project)
    again = put(CURSOR, places)

    assert alone.doubles == ()
    assert both.doubles == (str(CURSOR.find_user_file()),)
    assert again.doubles == (str(project / ".cursor" / "hooks.json"),)


def test_uninstall_of_one_harness_leaves_the_other(places: Places) -> None:
    put(CLAUDE, places)
    put(CURSOR, places)

    uninstall(places, CLAUDE, None)

    assert [row.harness for row in read_manifest(places).rows] == ["cursor"]
    assert has_our_hooks(CURSOR, CURSOR.find_user_file())


def test_a_refused_file_does_not_keep_the_others(places: Places) -> None:
    put(CLAUDE, places)
    put(CURSOR, places)
    CLAUDE.find_user_file().write_text("{")

    done = uninstall(places, None, None)

    assert [bool(each.error) for each in done] == [True, False]
    assert [row.harness for row in read_manifest(places).rows] == ["claude-code"]
    assert CLAUDE.find_user_file().read_text() == "{"


def test_a_project_that_is_gone_is_forgotten(places: Places, home: Path) -> None:
    project = home / "work"
    project.mkdir()
    put(CURSOR, places, project=project)
    shutil.rmtree(project)

    (done,) = uninstall(places, None, None)

    assert done.error is None
    assert not find_manifest(places).exists()
    assert not project.exists()


def test_a_preview_writes_nothing(places: Places, home: Path) -> None:
    preview_install(CLAUDE, CLAUDE.find_user_file(), None, places, PYTHON)
    preview_uninstall(places, None, None)

    assert list(home.iterdir()) == []


def test_claude_config_dir_is_honoured(places: Places, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))

    put(CLAUDE, places)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")

    assert has_our_hooks(CLAUDE, home / "elsewhere" / "settings.json")
    uninstall(places, None, None)
    assert not (home / "elsewhere").exists()
