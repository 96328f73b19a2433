"""What failed behind a door is one scrubbed line in a log that stays small."""

from pathlib import Path

from tellback.core.log import log_failure, log_path
from tellback.core.shapes import Places


def fail(message: str) -> BaseException:
    try:
        raise RuntimeError(message)
    except RuntimeError as error:
        return error


def test_a_failure_is_one_line_with_its_traceback_and_without_secrets(places: Places) -> None:
    log_failure(places, "sweep", fail("password=hunter2 \x1b[31m"), now=0)

    (line,) = log_path(places).read_text().splitlines()
    assert line.startswith("1970-01-01T00:00:00Z sweep: Traceback (most recent call last):\\n")
    assert line.endswith("RuntimeError: password=[REDACTED:password] \\x1b[31m")


def test_a_large_log_moves_aside(places: Places) -> None:
    log_failure(places, "first", fail("a"))
    with open(log_path(places), "ab") as file:
        file.write(b"x" * 1024 * 1024 + b"\n")

    log_failure(places, "second", fail("b"))

    assert " second: " in log_path(places).read_text()
    assert " first: " in (Path(places.cache) / "tellback.log.1").read_text()


def test_a_log_that_cannot_be_written_is_no_further_failure(places: Places) -> None:
    Path(places.cache).parent.mkdir(parents=True, exist_ok=True)
    Path(places.cache).write_text("a file where the folder should be")

    log_failure(places, "sweep", fail("a"))
