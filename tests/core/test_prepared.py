"""A thawed pattern is the pattern that ``re`` would have compiled."""

import marshal
import re
from typing import Any

import pytest

from tellback.core.prepared import freeze, pack, thaw

SOURCES = [
    pytest.param(r"\b(?:no|nope|wrong)\b[,.]?\s+(?P<rest>.+)", re.IGNORECASE, id="a named group, any case"),
    pytest.param(r"(?i)(?<!not )\bperfect\b(?!\s+storm)", 0, id="look around, flags inside"),
    pytest.param(r"^[^\W\d_]{2,}?(?:ß|ü|é)+$", re.MULTILINE, id="lines, big character sets"),
    pytest.param(r"不对|错了|違う|아니", 0, id="CJK alternatives"),
    pytest.param(r"(a)|(?P<x>b)(?P=x)(?(1)c|d)", re.VERBOSE, id="back reference and condition"),
    pytest.param("", 0, id="empty"),
]

TEXTS = [
    "",
    "No, the sum is wrong. Nope, again",
    "perfect, but not perfect; a perfect storm",
    "Größe\nfüß\n12",
    "这不对，错了",
    "abbd bbd acd",
    "wrong \ud800 half",
]


def matches(pattern: "re.Pattern[str]", text: str) -> list[Any]:
    return [(found.span(), found.groups(), found.groupdict(), found.lastgroup) for found in pattern.finditer(text)]


@pytest.mark.parametrize(("pattern", "flags"), SOURCES)
def test_a_thawed_pattern_finds_what_re_finds(pattern: str, flags: int) -> None:
    frozen = marshal.loads(marshal.dumps(freeze([(pattern, flags)])))

    thawed = thaw(frozen, 0)
    assert thaw(marshal.loads(marshal.dumps(pack(freeze([(pattern, flags)])))), 0) == thawed

    plain = re.compile(pattern, flags)
    assert (thawed.pattern, thawed.flags, thawed.groups) == (plain.pattern, plain.flags, plain.groups)
    assert [matches(thawed, text) for text in TEXTS] == [matches(plain, text) for text in TEXTS]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param({"engine": "cpython-39 20171005 4 little"}, id="another engine"),
        pytest.param(
            {"rows": [("a+(b)", 2, 34, b"\377\377\0\0", 1, {}, (None, None))]}, id="code that the engine refuses"
        ),
        pytest.param({"rows": [("a+(b)", 2, 34, b"\1\0\0", 1, {}, (None, None))]}, id="code cut short"),
    ],
)
def test_code_that_cannot_run_here_is_compiled_from_its_source(spoil: dict[str, Any]) -> None:
    frozen = {**freeze([("a+(b)", re.IGNORECASE)]), **spoil}

    assert thaw(frozen, 0).findall("AAB ab") == ["B", "b"]
    assert thaw(frozen, 0) == re.compile("a+(b)", re.IGNORECASE)
