from pathlib import Path

import pytest

from tellback.install.display import diff_settings, escape, escape_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain é 漢字 😀", "plain é 漢字 😀", id="any script"),
        pytest.param("\x1b[2J", "\\x1b[2J", id="clear the screen"),
        pytest.param("a\u202eb", "a\\u202eb", id="turn the writing around"),
        pytest.param("a\u200bb", "a\\u200bb", id="hide"),
        pytest.param("a\rb", "a\\x0db", id="overwrite the line"),
        pytest.param("\x9b1m", "\\x9b1m", id="a control of one byte"),
        pytest.param("\ud800", "\\ud800", id="half a character"),
    ],
)
def test_text_from_outside_cannot_act_on_the_terminal(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_one_line_stays_one_line() -> None:
    assert escape_line("a\nb\tc") == "a\\nb c"


def test_a_diff_says_when_the_last_line_has_no_end() -> None:
    assert diff_settings(Path("/f"), b'{"a": 1}', b'{"a": 2}\n').splitlines() == [
        "--- /f",
        "+++ /f",
        "@@ -1 +1 @@",
        '-{"a": 1}',
        "\\ No newline at end of file",
        '+{"a": 2}',
    ]


def test_a_new_file_and_a_file_that_goes_are_named_as_diff_does() -> None:
    assert diff_settings(Path("/f"), None, b"a\n").startswith("--- /dev/null\n+++ /f\n")
    assert diff_settings(Path("/f"), b"a\n", None).startswith("--- /f\n+++ /dev/null\n")


def test_nothing_changed_is_no_diff() -> None:
    assert diff_settings(Path("/f"), b"a\r\n", b"a\r\n") == ""
