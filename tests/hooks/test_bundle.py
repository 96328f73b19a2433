"""The hook's two files: an entry that outlives every version, and code that is replaced in one step."""

import ast
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import tellback
from tellback.core.errors import TellbackError
from tellback.hooks.boot import BOOT_BYTES
from tellback.install.bundle import is_current, make_entry, renew_hook, write_hook
from tellback.install.hotcode import ALLOWED, find_hot_modules, is_hot
from tellback.install.record import bundle_path, read_record

ROOT = Path(tellback.__file__).parent
QUIET = (0, b"", b"")


def test_the_entry_parses_on_any_python_3(hook: Any) -> None:
    ast.parse(hook.entry.read_text("ascii"), feature_version=(3, 4))


def test_the_entry_does_not_change_with_the_version(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hook.entry.read_bytes()

    monkeypatch.setattr("tellback.install.bundle.__version__", "9.9.9")
    hook.write()

    assert hook.entry.read_bytes() == before
    assert read_record(hook.places)["version"] == "9.9.9"  # type: ignore[index]


@pytest.mark.parametrize("cache", ['/h/it\'s/é"x"\\n/日本', "/h/plain", '/h/"""/x'])
def test_the_entry_names_its_log_whatever_the_path_holds(hook: Any, cache: str) -> None:
    hook.places.cache = cache

    entry = make_entry(hook.places).decode("ascii")

    failing = next(
        node for node in ast.walk(ast.parse(entry)) if isinstance(node, ast.Constant) and "time" in str(node.value)
    )
    names = [node.value for node in ast.walk(ast.parse(str(failing.value))) if isinstance(node, ast.Constant)]
    assert cache + "/hook.log" in names


def spoil(hook: Any, how: str) -> None:
    path = bundle_path(hook.places)
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "another tag":
        path.rename(path.with_name("hook.cpython-39.bin"))
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "zeros":
        path.write_bytes(b"\0" * len(data))
    elif how == "text":
        path.write_bytes(b"# nothing of ours\n" * 1000)
    elif how == "cut in the first code":
        path.write_bytes(data[:100])
    elif how == "cut in the first part":
        path.write_bytes(data[: BOOT_BYTES + 5000])
    elif how == "cut in a later part":
        path.write_bytes(data[:60_000])


@pytest.mark.parametrize(
    "how",
    ["missing", "another tag", "empty", "zeros", "text", "cut in the first code", "cut in the first part",
     "cut in a later part"],
)  # fmt: skip
def test_code_that_cannot_be_loaded_ends_in_success_and_one_line_for_doctor(hook: Any, how: str) -> None:
    Path(hook.places.cache).mkdir(parents=True)
    spoil(hook, how)

    assert hook.fire(hook.correction()) == QUIET

    assert hook.read_log().count("\n") == 1
    assert not is_current(hook.places, sys.executable)


def test_a_package_that_is_gone_still_captures_and_fails_closed(hook: Any, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "tellback"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "tests", "bench", "docs", "build", "__pycache__"))
    code = f"""
import sys
sys.path.insert(0, {str(copy.parent)!r})
from tellback.core.shapes import Places
from tellback.install.bundle import write_hook
write_hook(Places(*sys.argv[1:]), sys.executable)
"""
    places = hook.places
    folders = [places.home, places.data, places.cache, places.config]
    subprocess.run([sys.executable, "-c", code, *folders], check=True, cwd="/")
    shutil.rmtree(copy)

    hook.fire(hook.correction())
    Path(places.config).mkdir(parents=True)
    (Path(places.config) / "config.toml").write_text("[capture]\n")  # changed: must be parsed by code that is gone
    hook.fire(hook.correction())

    assert [news.outcome for news in hook.read_news()] == ["logged", "failed"]
    assert "ModuleNotFoundError" in hook.read_log()


def test_what_is_written_is_current_until_something_it_is_made_of_changes(hook: Any) -> None:
    assert is_current(hook.places, sys.executable)
    assert not is_current(hook.places, "/another/python")

    Path(hook.places.config).mkdir(parents=True)
    (Path(hook.places.config) / "config.toml").write_text("[capture]\nacknowledge = false\n")

    assert not is_current(hook.places, sys.executable)
    assert renew_hook(hook.places)
    assert is_current(hook.places, sys.executable)
    assert not renew_hook(hook.places)


def test_renewing_keeps_what_install_recorded_of_the_environment(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_record(hook.places)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    monkeypatch.setenv("HTTPS_PROXY", "http://elsewhere")
    monkeypatch.setattr("tellback.install.bundle.__version__", "9.9.9")

    assert renew_hook(hook.places)

    after = read_record(hook.places)
    assert before
    assert after
    assert after["version"] == "9.9.9"
    names = ("stores", "environment", "claude_config", "installed_at")
    assert {name: after[name] for name in names} == {name: before[name] for name in names}


def test_nothing_is_renewed_where_nothing_was_installed(hook: Any) -> None:
    shutil.rmtree(hook.entry.parent)

    assert not renew_hook(hook.places)
    assert not hook.entry.exists()


def test_byte_code_is_not_made_for_another_python(hook: Any, tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\n")

    with pytest.raises(TellbackError, match="the hooks run"):
        write_hook(hook.places, str(other))


def test_the_files_are_the_owners_alone(hook: Any) -> None:
    folder = hook.entry.parent

    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {
        "fire.py": 0o600,
        bundle_path(hook.places).name: 0o600,
        bundle_path(hook.places).with_suffix(".sha256").name: 0o600,
    }


# Runs the entry as Python would; at its end tells which modules are loaded.
TELL_MODULES = """
import posix, sys
real = posix._exit
def end(status):
    posix.write(2, repr(sorted(sys.modules)).encode())
    real(status)
posix._exit = end
__file__ = sys.argv[1]
del sys.argv[0]
exec(compile(posix.read(posix.open(__file__, 0), 9999), __file__, "exec"))
"""

# What Python itself loads before it runs anything.
BARE = subprocess.run(
    [sys.executable, "-I", "-S", "-c", "import sys; print(sorted(sys.modules))"], capture_output=True, check=True
)


def loaded_modules(hook: Any, payload: dict[str, Any]) -> set[str]:
    """Return the modules that one hook call loads beyond those of an idle Python."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", TELL_MODULES, str(hook.entry), "claude-code"],
        input=json.dumps(payload).encode(),
        capture_output=True,
        timeout=30,
        check=True,
    )
    return set(ast.literal_eval(done.stderr.decode())) - set(ast.literal_eval(BARE.stdout.decode()))


@pytest.mark.parametrize(
    ("event", "prompt"),
    [
        pytest.param("UserPromptSubmit", "Please list the files in the folder src", id="a task"),
        pytest.param("UserPromptSubmit", "liste les fichiers du répertoire « src »", id="a task with accents"),
        pytest.param(
            "UserPromptSubmit", "No, that is wrong. The total must use order_date, not ship_date.", id="a correction"
        ),
        pytest.param("UserPromptSubmit", "不对，应该用 order_date，不是 ship_date。", id="a correction in Chinese"),
        pytest.param("UserPromptSubmit", "From now on, always use UTC in our reports.", id="a rule"),
        pytest.param("UserPromptSubmit", "Perfect, that is exactly right, thanks!", id="praise"),
        pytest.param("UserPromptSubmit", "half \ud800 a character is wrong", id="half a character"),
        pytest.param("Stop", None, id="turn end, throttled"),
        pytest.param("PostToolUseFailure", None, id="a failed tool"),
        pytest.param("SessionStart", None, id="start"),
    ],
)
def test_a_call_loads_hot_modules_only(hook: Any, event: str, prompt: str | None) -> None:
    cache = Path(hook.places.cache)
    cache.mkdir(parents=True)
    (cache / "push.last-started").write_text(f"{int(time.time())}\n")
    payload = hook.payload(event) if prompt is None else hook.prompt(prompt)

    found = loaded_modules(hook, payload)

    ours = {name for name in found if name.split(".")[0] == "tellback"}
    assert found - ours <= ALLOWED
    rooms = {name for name in ours if name.count(".") < 2}
    assert [name for name in sorted(ours - rooms) if not is_hot(name.removeprefix("tellback."))] == []
    assert hook.read_log() == ""
    if prompt and "list" in prompt:
        assert not {name for name in ours if name.startswith("tellback.capture.")} - {"tellback.capture.anchors"}
        assert found - ours <= {"_json", "gc"}


def test_the_launching_turn_end_loads_the_trigger_and_a_lock(hook: Any) -> None:
    rare = read_record(hook.places)
    assert rare

    found = loaded_modules(hook, hook.payload("Stop"))

    assert {"tellback.sweep.trigger", "tellback.core.locks"} <= found
    assert {name for name in found if not name.startswith("tellback")} <= ALLOWED


def test_cold_modules_are_told_from_hot_ones() -> None:
    assert is_hot("hooks.fire")
    assert not is_hot("hooks.slow")
    assert not is_hot("capture.tables")
    assert "core.config" not in find_hot_modules(("hooks.fire", "hooks.gate"))


def find_other_pythons() -> list[str]:
    names = [f"python3.{minor}" for minor in range(10, 16) if minor != sys.version_info.minor]
    found = [path for name in names if (path := shutil.which(name))]
    return [path for path in found if not subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode]


@pytest.mark.parametrize("python", [*find_other_pythons(), None])
def test_another_version_of_python_writes_and_runs_its_own(hook: Any, python: str | None) -> None:
    if python is None:
        pytest.skip("no further version of Python on PATH")
    needs = "import click, filelock, orjson, psutil, rich, ruamel.yaml, tomlkit, watchdog"
    if subprocess.run([python, "-c", needs], capture_output=True, check=False).returncode:
        pytest.skip(f"{python} lacks what Tellback needs")
    code = f"""
import sys
root = type(sys)("tellback"); root.__path__ = [{str(ROOT)!r}]; root.__version__ = "0"; sys.modules["tellback"] = root
from tellback.core.shapes import Places
from tellback.install.bundle import write_hook
write_hook(Places(*sys.argv[1:]), sys.executable)
"""
    places = hook.places
    subprocess.run([python, "-c", code, places.home, places.data, places.cache, places.config], check=True)

    done = subprocess.run(
        [python, "-I", "-S", str(hook.entry), "claude-code"],
        input=json.dumps(hook.correction()).encode(),
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"CORR-001" in done.stdout


def test_a_cache_tag_without_code_ends_in_success(hook: Any) -> None:
    for python in find_other_pythons():
        Path(hook.places.cache).mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [python, "-I", "-S", str(hook.entry), "claude-code"], input=b"{}", capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == QUIET
        assert "FileNotFoundError" in hook.read_log()
    assert os.path.exists(hook.entry)
