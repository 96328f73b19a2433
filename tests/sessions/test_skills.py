"""What each harness's log shows of skills and custom commands, as the real programs write it (docs/skills.md)."""

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tellback.sessions import codex, copilot, gemini_cli, opencode_v1, sqlite_copy
from tellback.sessions.entry import Entry, Tally
from tellback.sessions.reader import AnyReader, Listed

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"
Read = Callable[..., tuple[list[Entry], Tally]]
CheckCuts = Callable[[AnyReader, Listed, bytes, list[int]], None]

GREET = "/home/dev/.codex/skills/greet/SKILL.md"


def lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def tell(entries: list[Entry]) -> list[tuple[str, str, str]]:
    """Return kind, skill and words or command of what matters to a skill's outcome."""
    kinds = ("prompt", "skill_call", "tool_call")
    return [(e.kind, e.skill, e.call.command if e.call else e.text) for e in entries if e.kind in kinds]


# Codex


def rollout(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload}


def said(text: str, ident: str = "m1") -> dict[str, Any]:
    return rollout(
        "event_msg", type="item_completed", item={"type": "UserMessage", "id": ident, "content": [{"text": text}]}
    )


def named(*skills: str, role: str = "user") -> dict[str, Any]:
    texts = [
        f"<skill>\n<name>{skill}</name>\n<path>/p/{skill}/SKILL.md</path>\nSay hello.\n</skill>" for skill in skills
    ]
    content = [{"type": "input_text", "text": text} for text in texts]
    return rollout("response_item", type="message", id=f"msg_{skills[0]}", role=role, content=content)


def ran(call_id: str, command: str, exit_code: int = 0) -> list[dict[str, Any]]:
    arguments = json.dumps({"cmd": command})
    text = f"Process exited with code {exit_code}\nOutput:\n"
    return [
        rollout("response_item", type="function_call", name="exec_command", call_id=call_id, arguments=arguments),
        rollout("response_item", type="function_call_output", call_id=call_id, output=text),
    ]


def write_rollout(folder: Path, *records: dict[str, Any]) -> Listed:
    path = folder / "sessions" / "2026" / "11" / "30" / "rollout-2026-11-30T10-00-00-s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(rollout("session_meta", id="s1", cwd="/p", source="cli"), *records))
    return codex.list_sessions(folder).sessions[0]


def test_a_skill_that_a_codex_prompt_names_is_called_after_its_words(tmp_path: Path, read: Read) -> None:
    listed = write_rollout(
        tmp_path, said("$greet Ada"), named("greet"), said("use $greet and $bye", "m2"), named("greet", "bye")
    )

    entries, _ = read(codex, listed)

    assert tell(entries) == [
        ("prompt", "", "$greet Ada"),
        ("skill_call", "greet", ""),
        ("prompt", "", "use $greet and $bye"),
        ("skill_call", "greet", ""),
        ("skill_call", "bye", ""),
    ]
    assert [e.span for e in entries if e.kind == "skill_call"] == ["msg_greet", "msg_greet", "msg_greet/1"]
    assert {e.origin for e in entries if e.kind == "skill_call"} == {"typed"}


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(named("greet", role="assistant"), id="the agent quotes one"),
        pytest.param(named("greet", role="developer"), id="an instruction holds one"),
        pytest.param(said("<skill>\n<name>greet</name>\n"), id="a person pastes one"),
        pytest.param(
            rollout("response_item", type="message", role="user", content="x"), id="a message of another shape"
        ),
    ],
)
def test_a_text_that_only_looks_like_a_named_skill_calls_none(
    tmp_path: Path, read: Read, record: dict[str, Any]
) -> None:
    entries, _ = read(codex, write_rollout(tmp_path, record))

    assert [e.skill for e in entries if e.kind == "skill_call"] == []


@pytest.mark.parametrize(
    ("command", "skill"),
    [
        pytest.param(f"cat {GREET}", "greet", id="whole"),
        pytest.param(f"sed -n '1,200p' {GREET}", "greet", id="in part"),
        pytest.param(f"cd /p && /bin/cat '{GREET}' | head -50", "greet", id="quoted, after another command"),
        pytest.param("cat .agents/skills/deploy/SKILL.md", "deploy", id="the project's"),
        pytest.param("cat /home/dev/.codex/skills/.system/imagegen/SKILL.md", "imagegen", id="Codex's own"),
        pytest.param("head -5 /home/dev/.codex/plugins/cache/acme/1/skills/lint/SKILL.md", "lint", id="a plugin's"),
        pytest.param(f"cat notes.txt > {GREET}", "", id="written"),
        pytest.param(f"sed -i s/a/b/ {GREET}", "", id="changed in place"),
        pytest.param(f"ls -l {GREET}", "", id="only listed"),
        pytest.param(f"cat {GREET}.bak", "", id="another file"),
        pytest.param("cat skills/greet/SKILL.md", "", id="a skill that is being written, outside of any root"),
        pytest.param("rg --files | grep SKILL.md", "", id="looked for"),
        pytest.param("cat .codex/" + "skills/" * 100_000 + "x", "", id="a path made to take long"),
        pytest.param("cat .codex/SKILL.md .agents/skills/SKILL.md", "", id="no skill's folder"),
    ],
)
def test_a_codex_agent_calls_a_skill_by_reading_its_file(tmp_path: Path, read: Read, command: str, skill: str) -> None:
    entries, _ = read(codex, write_rollout(tmp_path, said("hello"), *ran("c1", command)))

    (call,) = [e for e in entries if e.call]
    assert (call.kind, call.skill) == (("skill_call", skill) if skill else ("tool_call", ""))


def test_to_read_a_skill_again_in_its_turn_or_in_vain_is_no_further_call(tmp_path: Path, read: Read) -> None:
    again = ran("c2", f"sed -n '200,400p' {GREET}")
    records = [said("one"), *ran("c1", f"cat {GREET}"), *again, said("two", "m2"), *ran("c3", f"cat {GREET}")]
    failed = [said("three", "m3"), *ran("c4", f"cat {GREET}", exit_code=1), said("$greet", "m4"), named("greet")]

    entries, _ = read(codex, write_rollout(tmp_path, *records, *failed, *ran("c5", f"cat {GREET}")))

    assert [e.kind for e in entries if e.call] == ["skill_call", "tool_call", "skill_call", "tool_call", "tool_call"]


# Copilot CLI

_ids = iter(range(10**9))


def event(event_type: str, **data: Any) -> dict[str, Any]:
    return {"type": event_type, "data": data, "id": f"e{next(_ids)}", "timestamp": "2026-11-30T10:00:00.000Z"}


def write_events(folder: Path, *records: dict[str, Any]) -> Listed:
    (folder / "s1").mkdir(parents=True, exist_ok=True)
    start = event("session.start", context={"cwd": "/p"})
    (folder / "s1" / "events.jsonl").write_bytes(lines(start, *records))
    return copilot.list_sessions(folder).sessions[0]


def test_a_skill_typed_in_copilot_is_called_after_its_words(tmp_path: Path, read: Read) -> None:
    entries, _ = read(
        copilot,
        write_events(
            tmp_path,
            event("skill.invoked", name="greet", trigger="user-invoked", path="/s/greet/SKILL.md"),
            event("user.message", content="/greet Ada"),
            event("user.message", content="/greet Bob"),  # `copilot -p` sends it as it is
            event("skill.invoked_ref", name="bye", trigger="user-invoked"),
            event("hook.start", x=1),
            event("user.message", content="/bye"),
            event("skill.invoked", name="deploy", trigger="agent-invoked"),  # told by its tool call already
            event("user.message", content="/deploy now"),
            event("skill.invoked", name="lint", trigger="user-invoked"),
            event("user.message", content="something else"),
        ),
    )

    assert tell(entries) == [
        ("prompt", "", "/greet Ada"),
        ("skill_call", "greet", "Ada"),
        ("prompt", "", "/greet Bob"),
        ("prompt", "", "/bye"),
        ("skill_call", "bye", ""),
        ("prompt", "", "/deploy now"),
        ("prompt", "", "something else"),
    ]


# OpenCode


@pytest.fixture
def own_scratch(tmp_path: Path) -> Iterator[None]:
    sqlite_copy.set_scratch(str(tmp_path / "data"))
    yield
    sqlite_copy.close_copies()


SCHEMA = """
CREATE TABLE session (id text, parent_id text, directory text, time_updated integer);
CREATE TABLE message (id text, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text, message_id text, session_id text, data text);
INSERT INTO session VALUES ('s1', NULL, '/p', 1);
"""
BODY = (
    "Say hello to the person.\n\n\nBase directory for this skill: /p/.opencode/skill/greet\n"
    "Relative paths in this skill (e.g., scripts/, references/) are relative to this base directory.\n\n"
)


def write_messages(folder: Path, *texts: str) -> Listed:
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / "opencode.db")) as db, db:
        db.executescript(SCHEMA)
        for number, text in enumerate(texts):
            message = json.dumps({"role": "user", "time": {"created": number}})
            part = json.dumps({"type": "text", "text": text})
            db.execute("INSERT INTO message VALUES (?, 's1', ?, ?, ?)", (f"m{number}", number, number, message))
            db.execute("INSERT INTO part VALUES (?, ?, 's1', ?)", (f"p{number}", f"m{number}", part))
    return opencode_v1.list_sessions(folder).sessions[0]


@pytest.mark.usefixtures("own_scratch")
def test_the_text_of_a_skill_typed_in_opencode_is_no_prompt(tmp_path: Path, read: Read) -> None:
    listed = write_messages(tmp_path / "oc", BODY + "Ada", BODY + '"Bob"', BODY.rstrip(), "Shout this: hello")

    entries, _ = read(opencode_v1, listed)

    assert tell(entries) == [
        ("skill_call", "greet", "Ada"),
        ("skill_call", "greet", "Bob"),
        ("skill_call", "greet", ""),
        ("prompt", "", "Shout this: hello"),  # a custom command's text, which nothing tells from typed words
    ]


# Gemini CLI


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded sessions are not here")
@pytest.mark.parametrize(
    ("recorded", "skills"),
    [
        pytest.param("skill", [("greet", "agent"), ("shout", "typed")], id="called, and a command"),
        pytest.param("tui-slash", [("shout", "typed"), ("greet", "typed")], id="typed, both"),
    ],
)
def test_recorded_gemini_sessions_tell_their_skills_once(
    read: Read, recorded: str, skills: list[tuple[str, str]]
) -> None:
    store = FIXTURES / "gemini-cli" / recorded / "home" / ".gemini" / "tmp"

    entries, _ = read(gemini_cli, gemini_cli.list_sessions(store).sessions[0])

    assert [(e.skill, e.origin) for e in entries if e.kind == "skill_call"] == skills


# All


ROLLOUT_PIECES = [
    said("$greet"), named("greet"), named("greet", "bye"), *ran("c1", f"cat {GREET}"), *ran("c2", f"cat {GREET}"),
    *ran("c3", "cat .agents/skills/bye/SKILL.md", 1),
]  # fmt: skip
EVENT_PIECES = [
    event("skill.invoked", name="greet", trigger="user-invoked"), event("user.message", content="/greet Ada"),
    event("user.message", content="hello"), event("skill.invoked", name="bye", trigger="agent-invoked"),
]  # fmt: skip
Cuts = st.lists(st.integers(0, 3000), max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(ROLLOUT_PIECES), max_size=12), Cuts)
@example([ran("c1", f"cat {GREET}")[0], named("greet")], [319])
def test_any_cuts_of_a_rollout_tell_the_same_skills(
    check_cuts: CheckCuts, pieces: list[dict[str, Any]], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        listed = write_rollout(Path(folder), *pieces)
        data = Path(listed.path).read_bytes()

        check_cuts(codex, listed, data, [min(cut, len(data)) for cut in cuts])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(EVENT_PIECES), max_size=12), Cuts)
def test_any_cuts_of_events_tell_the_same_skills(
    check_cuts: CheckCuts, pieces: list[dict[str, Any]], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        listed = write_events(Path(folder), *pieces)
        data = Path(listed.path).read_bytes()

        check_cuts(copilot, listed, data, [min(cut, len(data)) for cut in cuts])
