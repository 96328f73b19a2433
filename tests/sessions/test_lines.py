"""The two kinds of log files give the same lines, wherever blocks are cut, and however long a line is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.sessions import lines, zstd_log
from tellback.sessions.lines import FileLog, LogFile
from tellback.sessions.reader import Listed
from tellback.sessions.zstd_log import ZstdLog

LONGEST = 60

_data = st.lists(st.integers(0, 90).map(lambda length: b"x" * length + b"\n"), max_size=12).map(b"".join)


def write_plain(path: Path, data: bytes) -> type[LogFile]:
    path.write_bytes(data)
    return FileLog


def write_packed(path: Path, data: bytes) -> type[LogFile]:
    zstandard = pytest.importorskip("zstandard")
    path.write_bytes(zstandard.ZstdCompressor().compress(data))
    return ZstdLog


def list_lines(data: bytes, start: int, end: int) -> list[tuple[int, bytes]]:
    found, offset = list[tuple[int, bytes]](), 0
    for line in data[:end].splitlines(keepends=True):
        if offset >= start and line.endswith(b"\n"):
            found.append((offset, line[:-1] if len(line) <= LONGEST else b""))
        offset += len(line)
    return found


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lines, zstd_log):
        monkeypatch.setattr(module, "_BLOCK", 40)
        monkeypatch.setattr(module, "LONGEST_LINE", LONGEST)
    monkeypatch.setattr(lines, "_STEP", 48)


@pytest.mark.parametrize("write", [write_plain, write_packed])
@given(data=_data, rest=st.sampled_from([b"", b"torn"]), choose=st.data())
@settings(max_examples=80)
def test_lines_come_whole_from_any_line_on(
    short: None,
    tmp_path: Path,
    write: Callable[[Path, bytes], type[LogFile]],
    data: bytes,
    rest: bytes,
    choose: st.DataObject,
) -> None:
    kind = write(tmp_path / "log", data + rest)
    starts = [0, *(place + 1 for place in range(len(data)) if data[place : place + 1] == b"\n")]
    start, end = sorted(choose.draw(st.tuples(st.sampled_from(starts), st.sampled_from(starts))))

    with kind(Listed("codex", "s1", str(tmp_path / "log"), 0, 0)) as log:
        assert log.complete_bytes == len(data)
        log.complete_bytes = end
        found = list(log.lines(start))

    assert [offset for offset, _ in found] == [offset for offset, _ in list_lines(data, start, end)]
    for (_, line), (_, wanted) in zip(found, list_lines(data, start, end), strict=True):
        assert line == wanted or (not wanted and len(line) <= LONGEST + 40)  # a block more may be held


@given(data=_data)
@settings(max_examples=40)
def test_a_packed_log_knows_where_its_lines_begin(short: None, tmp_path: Path, data: bytes) -> None:
    kind = write_packed(tmp_path / "log", data)
    starts = {0, *(place + 1 for place in range(len(data)) if data[place : place + 1] == b"\n")}

    with ZstdLog(Listed("codex", "s1", str(tmp_path / "log"), 0, 0)) as log:
        assert kind is ZstdLog
        assert {offset for offset in range(len(data) + 2) if log.is_line_start(offset)} == starts
