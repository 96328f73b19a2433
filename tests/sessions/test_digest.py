"""The digest of a session: what it holds, its caps, and that it goes on from where it stopped."""

import json
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tellback.core.scrub import default_rules
from tellback.sessions.digest import EXCERPT_BYTES, SESSION_BYTES, SUMMARY_BYTES, Digester, cut_bytes
from tellback.sessions.entry import Call, Entry, Tally
from tellback.sessions.flags import find_phrase
from tellback.sessions.own import is_own_call
from tellback.sessions.refs import Ref

REF = Ref("claude-code", "s1")


def prompt(number: int, text: str) -> Entry:
    return Entry(number * 100, number * 100 + 99, f"u{number}", 1796029200.0 + number, "/p", "", "prompt", text)


def failed(number: int, command: str, status: Any = "error", result: str = "", end: int | None = None) -> Entry:
    call = Call(f"t{number}", "Bash", {"command": command}, command, status, None, result)
    end = end if end is not None else number * 100 + 199
    return Entry(number * 100, end, f"u{number}", None, "/p", "m", "tool_call", call=call)


def digest(entries: list[Entry], cap: int = SESSION_BYTES) -> tuple[dict[str, Any], int | None]:
    digester = Digester(REF, default_rules(), 0)
    for entry in entries:
        digester.take(entry)
    made = digester.digest(Tally(), cap)
    return made.data, made.covered


def test_a_prompt_is_told_by_its_first_line_that_is_not_empty() -> None:
    data, _ = digest([prompt(1, "\n\n  fix it\nplease")])

    assert data["events"] == [
        {
            "span": "u1",
            "ref": "claude-code:s1#u1",
            "at": "2026-11-30T09:00:01.000Z",
            "type": "prompt",
            "summary": "fix it",
        }
    ]


def test_a_failed_call_is_told_with_its_exit_code() -> None:
    data, _ = digest([failed(1, "make test", result="Exit code 3\n1 failed")])

    (event,) = data["events"]
    assert event.pop("args_digest") == digest([failed(2, "make test")])[0]["events"][0]["args_digest"]
    assert event == {
        "span": "u1",
        "ref": "claude-code:s1#u1",
        "at": None,
        "type": "tool_call",
        "tool": "Bash",
        "status": "error",
        "error_class": "exit",
        "exit_code": 3,
        "excerpt": "Exit code 3\n1 failed",
        "self": False,
    }


@pytest.mark.parametrize(
    ("status", "kind"), [("error", "tool_error"), ("denied", "denied"), ("interrupted", "interrupted")]
)
def test_a_call_without_an_exit_code_has_its_status_s_class(status: str, kind: str) -> None:
    data, _ = digest([failed(1, "make", status)])

    assert data["events"][0]["error_class"] == kind
    assert data["denials"] == (["u1"] if status == "denied" else [])


def test_a_repeat_of_a_failed_call_is_a_retry_even_when_it_succeeds() -> None:
    data, _ = digest([failed(1, "make"), failed(2, "ls", "ok"), failed(3, "make", "ok"), failed(4, "make")])

    assert [(retry["span"], retry["of_span"]) for retry in data["retries"]] == [("u3", "u1"), ("u4", "u1")]
    assert [event["span"] for event in data["events"]] == ["u1", "u4"]


def test_a_call_that_comes_again_counts_as_it_came_last() -> None:
    data, _ = digest([failed(1, "make"), failed(1, "make", "interrupted"), failed(2, "x"), failed(2, "x", "ok")])

    assert [event["status"] for event in data["events"]] == ["interrupted"]
    assert data["counts"]["tool_errors"] == 0


def test_events_stand_in_the_order_of_the_log() -> None:
    data, _ = digest([prompt(2, "second"), failed(1, "slow", end=900)])

    assert [event["span"] for event in data["events"]] == ["u1", "u2"]


def test_secrets_are_taken_out_before_a_text_is_cut() -> None:
    secret = "ghp_" + "a1B2" * 9
    data, _ = digest([prompt(1, "x" * (SUMMARY_BYTES - 10) + " " + secret), failed(2, "make", result=secret)])

    assert "ghp_" not in json.dumps(data)
    assert data["events"][1]["excerpt"].startswith("[REDACTED:")


def test_the_same_command_with_another_secret_has_the_same_digest() -> None:
    first, second = (f"curl -H 'Authorization: Bearer ghp_{letter * 36}'" for letter in "ab")
    events = digest([failed(1, first), failed(2, second)])[0]["events"]

    assert events[0]["args_digest"] == events[1]["args_digest"]


@pytest.mark.parametrize(
    ("text", "most", "cut"), [("abc", 3, "abc"), ("abcd", 3, "abc"), ("aé", 2, "a"), ("日本", 4, "日")]
)
def test_a_cut_falls_between_characters(text: str, most: int, cut: str) -> None:
    assert cut_bytes(text, most) == cut


@given(texts=st.lists(st.text(max_size=400), max_size=6))
@example(texts=["é" * 200, "\ud800"])
def test_no_digest_holds_more_than_its_caps(texts: list[str]) -> None:
    entries = [prompt(n, text) if n % 2 else failed(n, text, result=text) for n, text in enumerate(texts, 1)]

    data, _ = digest(entries)

    assert all(len(event.get("summary", "").encode()) <= SUMMARY_BYTES for event in data["events"])
    assert all(len(event.get("excerpt", "").encode()) <= EXCERPT_BYTES for event in data["events"])


def walk(entries: list[Entry], cap: int) -> Iterator[dict[str, Any]]:
    """Digest again and again, each time from where the watermark was set, until everything is covered."""
    covered: int | None = 0
    while covered is not None:
        data, after = digest([entry for entry in entries if entry.end > covered], cap)
        assert len(orjson.dumps(data)) <= cap
        assert after is None or after > covered
        covered = after
        yield data


@given(sizes=st.lists(st.integers(1, 300), max_size=30), cap=st.integers(1200, 3000))
def test_a_digest_over_its_cap_goes_on_and_reports_each_event_once(sizes: list[int], cap: int) -> None:
    entries = [prompt(number, "x" * size) for number, size in enumerate(sizes, 1)]

    told = [event["span"] for data in walk(entries, cap) for event in data["events"]]

    assert told == [entry.span for entry in entries]


@given(counts=st.lists(st.integers(1, 9), min_size=1, max_size=6), cap=st.integers(1200, 3000))
def test_a_line_that_completes_more_than_fits_does_not_hold_the_digest_up(counts: list[int], cap: int) -> None:
    entries: list[Entry] = []
    for line, count in enumerate(counts, 1):
        entries += [failed(line * 10 + n, f"c{n}", result="x" * 100, end=line * 5000) for n in range(count)]

    made = list(walk(entries, cap))
    told = [event["span"] for data in made for event in data["events"]]

    assert len(told) == len(set(told))
    assert len(told) + sum(data.get("omitted", 0) for data in made) == len(entries)


def test_metadata_of_any_length_leaves_room_for_events() -> None:
    digester, tally = Digester(Ref("claude-code", "s" * 255), default_rules(), 0), Tally()
    tally.cwds, tally.cwd, tally.model = ["/p" * 90_000], "/q" * 90_000, "m" * 90_000
    digester.take(prompt(1, "fix it"))

    made = digester.digest(tally)

    assert len(orjson.dumps(made.data)) <= SESSION_BYTES
    assert len(made.data["events"]) == 1


def test_an_event_larger_than_the_cap_is_left_out_and_counted() -> None:
    entry = prompt(1, "fix it")._replace(span="u" * 90_000)

    data, covered = digest([entry, prompt(2, "and that")])

    assert (data["events"], data["omitted"], data["truncated"]) == ([], 1, True)
    assert covered == entry.end


def test_a_log_of_any_length_does_not_fill_the_memory() -> None:
    digester = Digester(REF, default_rules(), 0)
    for number in range(1, 4000):
        digester.take(prompt(number, f"{number} " + "x" * 150))

    made = digester.digest(Tally())

    assert made.data["counts"]["prompts"] == 3999
    assert made.data["truncated"]
    assert len(digester._items) < 1500


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("It is STILL FAILING", "still failing"),
        ("this doesn\u2019t work", "doesn't work"),
        ("that is wrong", "wrong"),
        ("Why did you do that", "why did you"),
        ("do it again", "again"),
        ("the wrongful one", ""),
        ("play it against them", ""),
        ("thanks, fine", ""),
    ],
)
def test_phrases_of_trouble(text: str, phrase: str) -> None:
    assert find_phrase(text) == phrase


@pytest.mark.parametrize(
    ("tool", "command", "is_own"),
    [
        ("Bash", "tellback sessions list", True),
        ("Bash", "cd x && HOME=/y env A='b c' sudo tellback log", True),
        ("Bash", "time command /usr/local/bin/tellback log", True),
        ("mcp__tellback__sessions_list", "", True),
        ("Bash", "grep tellback README.md", False),
        ("Bash", "make test; echo tellback", False),
        ("Bash", "./tellback-old log", False),
        ("Bash", "", False),
    ],
)
def test_which_calls_are_tellback_s_own(tool: str, command: str, is_own: bool) -> None:
    assert is_own_call(tool, command) is is_own


def test_a_command_of_any_length_is_looked_at_in_bounded_time() -> None:
    assert not is_own_call("Bash", "A=" * 200_000 + " tellback")
