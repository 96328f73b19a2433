"""The hot path's JSON gives what ``json`` gives, and does not load it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tellback
from tellback.core.wire import dump_json, load_json

ROOT = Path(tellback.__file__).parent

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_it_reads_what_json_writes_and_the_other_way_round(value: Any) -> None:
    assert load_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) == value
    assert json.loads(dump_json(value)) == value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b'\xef\xbb\xbf {"a": 1}\r\n', {"a": 1}, id="a byte order mark and blanks"),
        pytest.param(b'"\\ud83d\\ude00 \\ud800"', "\U0001f600 \ud800", id="a pair and half of one"),
        pytest.param(b'"\xff\xfe"', "\ufffd\ufffd", id="no UTF-8"),
        pytest.param(b'"a\tb\nc"', "a\tb\nc", id="raw control characters"),
        pytest.param(b'{"a":1,"a":2}', {"a": 2}, id="a key twice"),
    ],
)
def test_it_is_lenient_where_the_meaning_is_plain(data: bytes, value: object) -> None:
    assert load_json(data) == value


BROKEN = [
    pytest.param(b"", id="empty"),
    pytest.param(b"{", id="cut short"),
    pytest.param(b'{"a" 1}', id="no colon"),
    pytest.param(b'{"a":1} x', id="something behind"),
    pytest.param(b'"\\ud8zz"', id="a bad escape"),
    pytest.param(b"[" * 200_000, id="deep"),
    pytest.param(b"1" * 5000 + b"}", id="a number without end"),
]


@pytest.mark.parametrize("data", BROKEN)
def test_what_is_broken_is_a_value_error_that_quotes_nothing(data: bytes) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - any kind of it, the hook's door tells them not apart
        load_json(data)

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("data", BROKEN)
def test_complaining_does_not_load_json(data: bytes, tmp_path: Path) -> None:
    document = tmp_path / "document"
    document.write_bytes(data)
    code = f"""
import sys
root = type(sys)("tellback"); root.__path__ = [{str(ROOT)!r}]; sys.modules["tellback"] = root
from tellback.core.wire import load_json
try:
    load_json(open({str(document)!r}, "rb").read())
except ValueError:
    print(sorted(name for name in sys.modules if name.startswith(("json", "re"))))
"""

    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
