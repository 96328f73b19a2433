"""The program as a person starts it: what its door keeps from them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tellback.__main__

TELLBACK = (sys.executable, "-I", "-m", "tellback")


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove a folder that somebody stands in")
@pytest.mark.parametrize("verb", ["brief", "capture", "doctor", "install", "log", "report"])
def test_in_a_folder_that_is_gone_a_command_says_so_or_does_its_work(verb: str, tmp_path: Path) -> None:
    arguments = {"install": ("claude-code", "--project", "."), "log": ("--project", ".")}.get(verb, ())
    gone = tmp_path / "gone"
    gone.mkdir()

    script = f'rmdir "{gone}" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *TELLBACK, verb, *arguments],
        cwd=gone,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )

    assert (done.returncode, done.stderr) == (
        1,
        "Error: the folder that you stand in is gone; `cd` to another one\n",
    )


def test_ctrl_c_while_the_program_is_loaded_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tellback.cli", _Interrupted("tellback.cli"))

    with pytest.raises(SystemExit) as caught:
        tellback.__main__.main()

    assert caught.value.code == "Aborted!"


class _Interrupted(type(sys)):
    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt


@pytest.mark.skipif(os.name == "nt", reason="the test closes a pipe as POSIX does")
@pytest.mark.parametrize("arguments", [("log",), ("log", "--follow"), ("doctor",)], ids=" ".join)
def test_a_reader_that_went_away_is_no_failure_to_tell_of(arguments: tuple[str, ...], tmp_path: Path) -> None:
    words = "No, you used the wrong file, it should be pyproject.toml, not setup.py"
    subprocess.run([*TELLBACK, "capture", "--cwd", str(tmp_path), words], check=True, stdout=subprocess.DEVNULL)
    reader, writer = os.pipe()
    os.close(reader)

    done = subprocess.run([*TELLBACK, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)

    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="a shell closes streams as POSIX does")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", ["log", "sweep", "sessions list"])
def test_a_stream_that_the_caller_closed_leads_nowhere(arguments: str, closed: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$@" {arguments} {closed}', "sh", *TELLBACK], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [("log",), ("doctor", "--json"), ("--help",)], ids=" ".join)
def test_output_that_finds_no_room_is_told_in_one_line(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*TELLBACK, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in done.stderr
