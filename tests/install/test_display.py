from pathlib import Path

from tellback.install.display import diff_settings


def test_what_steers_a_terminal_is_spelled_out() -> None:
    assert '+{"\\x1b[2J": "\\u202e"}' in diff_settings(Path("/f"), None, '{"\x1b[2J": "\u202e"}\n'.encode())


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
