import os
import subprocess
from pathlib import Path

import pytest

from tellback.core.shapes import Places
from tellback.install.command import hook_command, is_our_command


@pytest.mark.skipif(os.name == "nt", reason="asks a POSIX shell")
@pytest.mark.parametrize("name", ["plain", "with space", "it's", 'a"b', "$HOME", "a;b", "ü"])
def test_the_command_runs_what_lies_at_any_path(name: str, tmp_path: Path) -> None:
    entry = tmp_path / name / "tellback" / "hook" / "fire.py"
    entry.parent.mkdir(parents=True)
    entry.touch()
    python = tmp_path / name / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    places = Places(str(tmp_path), str(entry.parent.parent), "", "")

    command = hook_command(places, str(python), "claude-code")
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["-I", "-S", str(entry), "claude-code"]
    assert is_our_command(command)


@pytest.mark.skipif(os.name == "nt", reason="asks a POSIX shell")
@pytest.mark.parametrize("missing", ["python", "fire.py"])
def test_what_is_missing_ends_in_success_and_silence(missing: str, tmp_path: Path) -> None:
    python, entry = tmp_path / "python", tmp_path / "tellback" / "hook" / "fire.py"
    entry.parent.mkdir(parents=True)
    for path in (python, entry):
        if path.name != missing:
            path.write_text("#!/bin/sh\nexit 2\n")
            path.chmod(0o755)
    places = Places(str(tmp_path), str(tmp_path / "tellback"), "", "")

    done = subprocess.run(["sh", "-c", hook_command(places, str(python), "cursor")], capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


POSIX_FORM = (
    "[ -x 'C:/Program Files/py.exe' ] && [ -f C:/Users/a/tellback/hook/fire.py ] || exit 0; "
    "exec 'C:/Program Files/py.exe' -I -S C:/Users/a/tellback/hook/fire.py claude-code"
)
CMD_FORM = (
    r'if exist "C:\Program Files\py.exe" if exist "C:\Users\a\tellback\hook\fire.py" '
    r'"C:\Program Files\py.exe" -I -S "C:\Users\a\tellback\hook\fire.py" cursor'
)


@pytest.mark.parametrize(("harness", "command"), [("claude-code", POSIX_FORM), ("cursor", CMD_FORM)])
def test_on_windows_each_shell_gets_its_own_form(harness: str, command: str) -> None:
    places = Places("", r"C:\Users\a\tellback", "", "")

    assert hook_command(places, r"C:\Program Files\py.exe", harness, "nt") == command
    assert is_our_command(command)
