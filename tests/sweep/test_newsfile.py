"""News are pruned while hooks append to them."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tellback.core.append import append_line
from tellback.core.shapes import Places
from tellback.sweep.newsfile import KEEP_S, STRAGGLERS_S, find_news_file, find_set_aside, prune_news, read_lines

# The real time: what was set aside is judged by the file system's clock.
NOW = float(int(time.time()))


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(str(tmp_path), str(tmp_path), str(tmp_path), str(tmp_path))


def read_at(line: bytes) -> float | None:
    try:
        return float(json.loads(line)["at"])
    except (ValueError, KeyError, TypeError):
        return None


def news(at: float, name: str = "x") -> bytes:
    return json.dumps({"at": at, "name": name}).encode()


def test_news_older_than_seven_days_go_and_the_others_stay_as_they_are(places: Places) -> None:
    young = [news(NOW - KEEP_S + 1, "young"), news(NOW, "new")]
    for line in [news(NOW - KEEP_S - 1, "old"), *young]:
        append_line(str(find_news_file(places)), line)

    pruned = prune_news(places, NOW, read_at)

    assert (pruned.dropped, pruned.unreadable, pruned.oldest_at) == (1, 0, NOW - KEEP_S + 1)
    assert list(read_lines(find_news_file(places))) == young
    assert find_news_file(places).stat().st_mode & 0o777 == 0o600


def test_a_file_without_old_news_is_left_alone(places: Places) -> None:
    append_line(str(find_news_file(places)), news(NOW))
    before = find_news_file(places).stat().st_ino

    prune_news(places, NOW, read_at)

    assert find_news_file(places).stat().st_ino == before
    assert not find_set_aside(places).exists()


@pytest.mark.parametrize("torn", [b"{", b"[]", b"\xff\xfe", b'{"at": "soon"}', b"null"])
def test_what_is_no_news_is_dropped_and_counted(places: Places, torn: bytes) -> None:
    append_line(str(find_news_file(places)), torn)
    append_line(str(find_news_file(places)), news(NOW))

    pruned = prune_news(places, NOW, read_at)

    assert pruned.unreadable == 1
    assert list(read_lines(find_news_file(places))) == [news(NOW)]


def test_a_hook_that_opened_the_file_before_and_writes_after_loses_nothing(places: Places) -> None:
    append_line(str(find_news_file(places)), news(NOW - KEEP_S - 1))
    slow_hook = os.open(find_news_file(places), os.O_WRONLY | os.O_APPEND)

    prune_news(places, NOW, read_at)
    os.write(slow_hook, news(NOW, "late") + b"\n")
    os.close(slow_hook)
    prune_news(places, NOW, read_at)

    assert list(read_lines(find_news_file(places))) == [news(NOW, "late")]


def test_the_file_set_aside_goes_once_no_hook_can_still_write_to_it(places: Places) -> None:
    append_line(str(find_news_file(places)), news(NOW - KEEP_S - 1))
    prune_news(places, NOW, read_at)
    set_aside_at = find_set_aside(places).stat().st_ctime

    prune_news(places, set_aside_at + STRAGGLERS_S - 1, read_at)
    assert find_set_aside(places).exists()
    prune_news(places, set_aside_at + STRAGGLERS_S, read_at)
    assert not find_set_aside(places).exists()


def test_a_crash_between_setting_aside_and_fetching_is_made_good(places: Places) -> None:
    append_line(str(find_news_file(places)), news(NOW - KEEP_S - 1))
    append_line(str(find_news_file(places)), news(NOW))
    os.rename(find_news_file(places), find_set_aside(places))

    prune_news(places, NOW, read_at)
    prune_news(places, NOW, read_at)

    assert list(read_lines(find_news_file(places))) == [news(NOW)]


APPENDER = """
import json, sys
from tellback.core.append import append_line
path, writer, old_at, new_at = sys.argv[1:]
sys.stdin.readline()
for number in range(300):
    at = float(old_at if number % 2 else new_at)
    append_line(path, json.dumps({"at": at, "name": f"{writer}-{number}"}).encode())
"""


@pytest.mark.parametrize("attempt", range(3))
def test_no_line_is_lost_or_doubled_while_four_processes_append(places: Places, attempt: int) -> None:
    del attempt  # each hits other instants
    path = str(find_news_file(places))
    argv = [sys.executable, "-c", APPENDER, path]
    times = [str(NOW - KEEP_S - 1), str(NOW)]
    writers = [subprocess.Popen([*argv, str(n), *times], stdin=subprocess.PIPE) for n in range(4)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.close()

    while any(writer.poll() is None for writer in writers):
        prune_news(places, NOW, read_at)
    prune_news(places, NOW, read_at)

    kept = [json.loads(line)["name"] for line in read_lines(Path(path)) if read_at(line) == NOW]
    assert [writer.returncode for writer in writers] == [0] * 4
    assert sorted(kept) == sorted(f"{n}-{i}" for n in range(4) for i in range(0, 300, 2))
