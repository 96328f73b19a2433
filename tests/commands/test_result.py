"""A command prints its result once and leaves with its code, whatever happens."""

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from tellback.cli import main
from tellback.commands.result import Result, print_result, run
from tellback.core.errors import TellbackError
from tellback.core.log import log_path
from tellback.core.shapes import Places


def leave(call: Callable[[], Result], as_json: bool = False) -> int:
    with pytest.raises(SystemExit) as caught:
        run(call, as_json)
    code = caught.value.code
    assert isinstance(code, int)
    return code


def fail(error: Exception) -> Callable[[], Result]:
    def call() -> Result:
        raise error

    return call


def test_a_result_is_text_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    result = Result({"ü": 1}, "done", ("careful",))

    assert leave(lambda: result) == 0
    assert capsys.readouterr() == ("done\n", "careful\n")
    assert leave(lambda: result, as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"ü": 1}


def test_an_expected_failure_is_one_line_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(fail(TellbackError("it is locked", hint="try later"))) == 1

    assert capsys.readouterr() == ("", "tellback: it is locked; try later\n")


def test_an_unexpected_failure_is_one_line_and_a_traceback_in_the_log(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert leave(fail(ZeroDivisionError("by \x1b zero"))) == 1

    assert capsys.readouterr().err == (
        f"tellback: ZeroDivisionError: by \\x1b zero; the traceback is in {log_path(places)}\n"
    )
    assert "Traceback (most recent call last)" in log_path(places).read_text()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param(OSError(28, "No space left on device"), "No space left on device", id="a full disk"),
        pytest.param(PermissionError(13, "Permission denied", "/x"), "/x: Permission denied", id="a read-only home"),
    ],
)
def test_an_error_of_the_system_names_the_file_and_who_knows_more(
    error: OSError, told: str, places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(places.cache).parent.mkdir(parents=True, exist_ok=True)
    Path(places.cache).write_text("a file where the folder should be, so that no traceback can be kept")

    assert leave(fail(error), as_json=True) == 1

    out, err = capsys.readouterr()
    assert err == f"tellback: {told}; `tellback doctor` looks at folders and disks\n"
    assert json.loads(out) == {"error": told, "hint": "`tellback doctor` looks at folders and disks"}


def test_a_reader_that_went_away_is_clicks_to_deal_with() -> None:
    with pytest.raises(BrokenPipeError):
        run(fail(BrokenPipeError()), False)


def test_clicks_own_errors_pass() -> None:
    with pytest.raises(click.UsageError):
        run(fail(click.UsageError("no such file")), False)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["install", "--json", "emacs"], id="an unknown harness"),
        pytest.param(["install", "--json"], id="a harness that is missing"),
        pytest.param(["log", "--json", "--since", "whenever"], id="a value that is none"),
        pytest.param(["doctor", "--json", "--wrong"], id="an unknown flag"),
        pytest.param(["frobnicate", "--json"], id="an unknown verb"),
        pytest.param(["--frobnicate", "--json"], id="an unknown flag before the verb"),
        pytest.param(["refine", "--json"], id="an argument that is missing"),
    ],
)
def test_a_wrong_command_line_is_one_object_too(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    out, err = capsys.readouterr()
    told = json.loads(out)
    assert caught.value.code == 2
    assert set(told) == {"error", "hint"}
    assert told["error"] in err.replace("\n", " ")


def test_a_wrong_command_line_prints_nothing_on_stdout_without_json(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["install", "emacs"], ["capture", "--wrong", "--", "--json"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert (caught.value.code, capsys.readouterr().out) == (2, "")


@pytest.mark.parametrize("as_json", [True, False])
def test_bytes_that_are_no_utf_8_are_printed_as_escapes(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    word = b"caf\xe9".decode("utf-8", "surrogateescape")

    with pytest.raises(SystemExit):
        print_result(Result({"word": word}, word, (word,)), as_json)

    out, err = capsys.readouterr()
    assert (json.loads(out)["word"] if as_json else out.strip()) == (word if as_json else "caf\\udce9")
    assert err == "caf\\udce9\n"
