"""Passing over lines by their shape gives what parsing every line gives: on the recorded logs and on made-up ones."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tellback.sessions import claude_reading, lines
from tellback.sessions.claude_reading import Reading
from tellback.sessions.entry import Entry, Resume, Tally, Want
from tellback.sessions.lines import FileLog
from tellback.sessions.reader import Listed

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures" / "claude-code"
RECORDED = sorted(FIXTURES.glob("*/home/.claude/projects/**/*.jsonl"))

WANTS = [
    pytest.param(Want(), id="everything"),
    pytest.param(Want("final", "failed", repeats=True, git=False, facts=True), id="a digest"),
    pytest.param(Want("last", "failed", repeats=False, git=True, facts=False), id="prompts"),
    pytest.param(Want("none", "failed", repeats=False, git=False, facts=True), id="a list"),
    pytest.param(Want("none", "failed", repeats=False, git=False, facts=False), id="prompts and failures alone"),
    pytest.param(Want("none", "none", repeats=False, git=False, facts=False), id="prompts alone"),
    pytest.param(Want("none", "failed", repeats=True, git=True, facts=False), id="calls that may matter"),
]

# Words that the search looks for, where they mean nothing: in texts, and as keys and values of tool input.
_TRAPS = (
    '"is_error":true',
    '{"type":"user","message":{"role":"user","content":"no"}}',
    '"type":"tool_use","id":"toolu_1"',
    '},{"type":"text","text":"x"',
    '}],"stop_reason":',
    ',"cwd":"/denied","sessionId":"s","version":"1"}',
    "No response requested.",
    "[Request interrupted by user]",
    "git checkout -- .",
    "\\",
    '\\"',
    "\0",
    "\u2028",
    "é日本😀",
)
_texts = st.lists(st.sampled_from(_TRAPS) | st.text(max_size=8), max_size=3).map(" ".join)
_nested = st.recursive(
    st.booleans() | st.integers(-9, 9) | _texts,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "is_error", "cwd", "command", "content", "id"]), inner, max_size=3)
    ),
    max_leaves=4,
)
_tool_input = st.dictionaries(st.sampled_from(["command", "description", "file_path", "type"]), _texts, max_size=3)


_TRAP_ID = '","type":"user","x":"' + "-" * 16  # as long as an id when its quotes are not escaped


def _make_id(number: int) -> str:
    """Return an id as long as the program's: then the bytes around it are where the reader looks for them."""
    return f"{number:08d}-aaaa-4bbb-8ccc-000000000000"


def _conversation(draw: st.DrawFn, number: int, body: dict[str, Any]) -> dict[str, Any]:
    """Return a record of the conversation in the order of keys that 2.1.332 writes."""
    head = {
        "parentUuid": draw(st.sampled_from([_make_id(number)] * 6 + [None, f"p{number}", _TRAP_ID])),
        "isSidechain": draw(st.sampled_from([False] * 9 + [True])),
    }
    identity = {
        "uuid": draw(st.sampled_from([_make_id(number)] * 6 + [f"u{number}", _TRAP_ID])),
        "timestamp": f"2026-11-30T09:00:{number % 60:02d}.000Z",
    }
    if draw(st.integers(0, 15)) == 0:
        del identity["timestamp"]
    place = {
        "cwd": draw(st.sampled_from(["/home/dev/project"] * 6 + ["/home/dev/other", "C:\\x"])),
        "sessionId": "s1",
        "version": "2.1.332",
        "gitBranch": draw(st.sampled_from(["main"] * 5 + ['odd"branch', "{"])),
    }
    return head | body | identity | place


@st.composite
def _records(draw: st.DrawFn, number: int) -> dict[str, Any]:
    call_id = f"toolu_{draw(st.integers(0, 4)):0{draw(st.sampled_from([24, 24, 24, 1]))}d}"
    kind = draw(st.sampled_from(["prompt", "call", "result", "text", "thinking", "system", "attachment", "state"]))
    text = draw(_texts)
    if kind == "state":
        name = draw(st.sampled_from(["mode", "last-prompt", "api-request-blob", "brand-new"]))
        return {"type": name, "content": draw(_nested), "sessionId": "s1"}
    if kind == "attachment":
        name = draw(st.sampled_from(["date", "queued_command", "hook_success"]))
        return _conversation(draw, number, {"attachment": {"type": name, "prompt": text}, "type": "attachment"})
    if kind == "system":
        name = draw(st.sampled_from(["turn_duration", "local_command", "stop_hook_summary"]))
        return _conversation(draw, number, {"type": "system", "subtype": name, "content": text})
    if kind == "prompt":
        content: Any = draw(st.just(text) | st.just([{"type": "text", "text": text}]))
        marks = draw(st.sampled_from([{}, {"promptSource": "typed"}, {"isMeta": True}, {"promptSource": "system"}]))
        body = {"promptId": "x", "type": "user", "message": {"role": "user", "content": content}}
        return _conversation(draw, number, body | marks)
    if kind == "result":
        block = {"tool_use_id": call_id, "type": "tool_result", "content": draw(st.just(text) | st.just(draw(_nested)))}
        if draw(st.booleans()):
            block["is_error"] = draw(st.booleans())
        body = {"promptId": "x", "type": "user", "message": {"role": "user", "content": [block]}}
        return _conversation(draw, number, body | {"toolUseResult": draw(_nested)})
    block = {
        "call": {
            "type": "tool_use",
            "id": call_id,
            "name": draw(st.sampled_from(["Bash", "Read"])),
            "input": draw(_tool_input),
        },
        "text": {"type": "text", "text": text},
        "thinking": {"type": "thinking", "thinking": text},
    }[kind]
    more = [{"type": "text", "text": "second"}] if draw(st.integers(0, 9)) == 0 else []
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": draw(st.sampled_from(["m1", "m2", "<synthetic>"])),
    }
    message |= {"content": [block, *more], "stop_reason": "tool_use"}
    return _conversation(draw, number, {"message": message, "type": "assistant"})


@st.composite
def _lines(draw: st.DrawFn, number: int) -> bytes:
    """Return a line as the program writes it, or as it never would."""
    record = draw(_records(number))
    writer = draw(
        st.sampled_from(["program"] * 6 + ["spaces", "shuffled", "escaped", "crlf", "broken", "text", "utf16"])
    )
    if writer == "shuffled":
        keys = list(record)
        random.Random(draw(st.integers(0, 99))).shuffle(keys)
        record = {key: record[key] for key in keys}
    separators = (", ", ": ") if writer == "spaces" else (",", ":")
    line = json.dumps(record, separators=separators, ensure_ascii=writer == "escaped").encode("utf-8", "surrogatepass")
    match writer:
        case "crlf":
            return line + b"\r"
        case "broken":
            cut = draw(st.integers(0, len(line)))
            return line[:cut] + line[cut + 1 :]
        case "text":
            return draw(st.sampled_from([b"", b"not json", b"{", b"{}", b"[1]", b"{broken}", b'{"type":"mode",}']))
        case "utf16":
            return line.replace(b"a", b"\xff\xfe", 1)
        case _:
            return line


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    count = draw(st.integers(0, 12))
    data = b"".join(draw(_lines(number)) + b"\n" for number in range(count))
    return data + draw(st.sampled_from([b"", b'{"type":"user"', b"{}"]))


def read(path: Path, want: Want, parses_all: bool) -> tuple[list[Entry], dict[str, Any]]:
    tally = Tally()
    with FileLog(Listed("claude-code", "s1", str(path), 0, 0)) as log:
        reading = Reading(log, Resume(), tally, want, parses_all)
        entries = [entry for offset, block in log.blocks(0) for entry in reading.take_block(offset, block)]
        entries += reading.finish()
    told = {name: getattr(tally, name) for name in Tally.__slots__ if name != "resume"}
    if not want.facts:
        del told["calls"], told["unknown"]
    return entries, told | {"end": tally.resume.offset}


# One byte is missing, and what is left is another record; found by chance.
_BROKEN_TYPE = (
    b'{"parentUuid":null,"isSidechain":false,"message":{"id":"m","type":"message","role":"assistant","model":"m1",'
    b'"content":[{"type":"text","text":"a"}],"stop_reason":"x"},"type":"assistnt","uuid":"u1"}\n'
    b'{"parentUuid":null,"isSidechain":false,"attachment":{"type":"date","prompt":"x"},"type":"attchment","uuid":"u2"}\n'
)


# A line whose type is not seen, and one that opens with a type: counting the types alone takes one for the other.
_MASKED_TYPE = (
    b'{"parentUuid":null,"isSidechain":false,"type":user","message":{"role":"user","content":"a"},"uuid":"u1"}\n'
    b'{"type":"user","uuid":"u2","message":{"role":"user","content":[{"type":"tool_result","content":"b"}]}}\n'
)


_MASKED_SPACES = (
    b'{"type":"attachment","parentUuid":"p1","attachment":{"type":"date"},"isSidechain":false,"uuid":"u1"}\n'
    b'{"parentUuid": "p2", "isSidechain": false, "type": "user", "message": {"content": "a"}, "uuid": "u2"}\n'
)

# A type among a tool's input, and words that were queued: counted together they are as many as the records.
_MASKED_QUEUE = (
    b'{"parentUuid":"p1","isSidechain":false,"attachment":{"type":"queued_command","prompt":"no, use tabs",'
    b'"commandMode":"prompt"},"type":"attachment","uuid":"u1"}\n'
    b'{"parentUuid":"u1","isSidechain":false,"message":{"role":"assistant","content":[{"type":"tool_use","id":"t1",'
    b'"name":"Add","input":{"row":{"type":"user"}}}]},"type":"assistant","uuid":"u2"}\n'
)


@pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not here")
@pytest.mark.parametrize("want", WANTS)
def test_recorded_logs_read_alike_both_ways(want: Want) -> None:
    for path in RECORDED:
        assert read(path, want, parses_all=False) == read(path, want, parses_all=True), path


@pytest.mark.parametrize("want", WANTS)
@given(data=logs())
@example(data=b"")
@example(data=_BROKEN_TYPE)
@example(data=_MASKED_TYPE)
@example(data=_MASKED_SPACES)
@example(data=_MASKED_QUEUE)
@example(data=b'{"parentUuid":}\n{"parentUuid":1}\n')
@settings(max_examples=60)
def test_made_up_logs_read_alike_both_ways(want: Want, data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / f"made-up-{hash(want)}.jsonl"
    path.write_bytes(data)

    assert read(path, want, parses_all=False) == read(path, want, parses_all=True)


@pytest.mark.slow
@pytest.mark.parametrize("want", WANTS)
@given(data=logs())
@settings(max_examples=1700 if os.environ.get("TELLBACK_MANY") else 170)
def test_many_made_up_logs_read_alike(want: Want, data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzzed-{hash(want)}.jsonl"
    path.write_bytes(data)

    assert read(path, want, parses_all=False) == read(path, want, parses_all=True)


@pytest.mark.parametrize("want", WANTS)
def test_lines_longer_than_a_block_read_alike(want: Want, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_BLOCK", 300)
    monkeypatch.setattr(lines, "_STEP", 200)
    for path in RECORDED[:12]:
        assert read(path, want, parses_all=False) == read(path, want, parses_all=True)


def test_most_lines_of_a_recorded_log_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    if not RECORDED:
        pytest.skip("the recorded sessions are not here")
    parsed: list[bytes] = []
    real = claude_reading.parse_line
    monkeypatch.setattr(claude_reading, "parse_line", lambda line: (parsed.append(line), real(line))[1])

    count = sum(read(path, Want("last", "failed", git=False), parses_all=False)[1]["entries"] for path in RECORDED)

    assert len(parsed) < count / 3
