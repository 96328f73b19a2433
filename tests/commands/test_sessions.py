"""``tellback sessions`` through the door: its forms, exit codes, and that no log reaches the terminal as it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from tellback.cli import main

UID = "9f1c2b3a-0000-4000-8000-00000000000f"
REF = "claude-code:s1"


def put(home: Path, name: str, *texts: str, cwd: str = "/home/dev/project", second: int = 0) -> None:
    path = home / ".claude" / "projects" / "-home-dev-project" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        for text in texts:
            message = {"role": "user", "content": text}
            record: dict[str, Any] = {"type": "user", "uuid": f"{name}-u", "message": message, "promptSource": "typed"}
            record |= {"timestamp": f"2026-11-30T09:00:{second:02d}.000Z", "cwd": cwd}
            file.write(json.dumps(record) + "\n")


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["sessions", *argv])
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


def run_json(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code, out, _ = run(capsys, *argv, "--json")
    return code, json.loads(out)


def test_the_triage_loop_ends_with_a_processed_session(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "s1", "fix it")

    _, status = run_json(capsys, "status")
    _, listed = run_json(capsys, "list", "--unprocessed")
    _, digested = run_json(capsys, "digest", "--unprocessed")
    code, marked = run_json(capsys, "mark", REF, "--outcome", "filed", "--ref", UID)
    _, after = run_json(capsys, "list")
    _, left = run_json(capsys, "list", "--unprocessed")

    assert {store["harness"]: store["sessions"] for store in status["stores"]}["claude-code"] == {"new": 1}
    assert [session["ref"] for session in listed["sessions"]] == [REF]
    assert [event["ref"] for event in digested["sessions"][0]["events"]] == [f"{REF}#s1-u"]
    assert (code, marked) == (0, {"marked": [REF], "outcome": "filed", "uids": [UID]})
    assert [session["state"] for session in after["sessions"]] == ["processed"]
    assert left["sessions"] == []


def test_a_digest_begins_with_the_notice(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "s1", "fix it")

    code, out, _ = run(capsys, "digest", REF)

    assert code == 0
    assert out.startswith("This digest is shown to the model that reads it")
    assert "prompt: fix it" in out


def test_the_oldest_last_entry_is_digested_first_and_at_most_the_limit(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(home, "s1", "newer", second=30)
    put(home, "s2", "older", second=10)

    _, data = run_json(capsys, "digest", "--unprocessed", "--limit", "1")

    assert [session["session_id"] for session in data["sessions"]] == ["s2"]


def test_nothing_to_do_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    code, data = run_json(capsys, "digest", "--unprocessed")

    assert (code, data["sessions"], data["errors"]) == (0, [], [])


def test_a_digest_of_which_nothing_could_be_had_fails_and_says_why(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(home, "s1", "fix it", cwd="relative")

    code, data = run_json(capsys, "digest", REF, "claude-code:gone")

    assert code == 1
    assert [(error["ref"], error["state"]) for error in data["errors"]] == [
        (REF, "unknown-project"),
        ("claude-code:gone", "absent"),
    ]


def test_a_session_of_which_one_could_be_had_does_not_fail(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "s1", "fix it")

    code, data = run_json(capsys, "digest", REF, "claude-code:gone")

    assert (code, len(data["sessions"]), len(data["errors"])) == (0, 1, 1)


@pytest.mark.parametrize(
    "argv",
    [
        ("digest",),
        ("digest", REF, "--unprocessed"),
        ("digest", REF, "--limit", "3"),
        ("digest", "nothing"),
        ("digest", "elsewhere:s1"),
        ("list", "--harness", "elsewhere"),
        ("list", "--since", "yesterday-ish"),
        ("mark", REF),
        ("mark", "--outcome", "filed"),
        ("mark", REF, "--outcome", "done"),
        ("status", "--limit", "3"),
        ("status", "--set-selection", "--since", "yesterday-ish"),
        ("elsewhere",),
    ],
)
def test_a_wrong_command_line_exits_with_two(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *argv)[0] == 2


@pytest.mark.parametrize("uids", [("--ref", "no-uid"), ()])
def test_a_refused_mark_is_one_line_and_marks_nothing(
    uids: tuple[str, ...], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(home, "s1", "fix it")

    code, _, err = run(capsys, "mark", REF, "--outcome", "filed", *uids)

    assert code == 1
    assert len(err.splitlines()) == 1
    assert [session["state"] for session in run_json(capsys, "list")[1]["sessions"]] == ["new"]


def test_since_keeps_sessions_by_their_last_entry(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "s1", "older", second=10)
    put(home, "s2", "newer", second=30)

    _, data = run_json(capsys, "list", "--since", "2026-11-30T09:00:20Z")

    assert [session["session_id"] for session in data["sessions"]] == ["s2"]


def test_the_selection_is_kept_as_it_was_written(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("status", "--set-selection", "--harness", "opencode", "--harness", "codex", "--since", "7d", "--limit", "5")

    _, saved = run_json(capsys, *argv)
    _, later = run_json(capsys, "status")
    _, text, _ = run(capsys, "status")

    assert saved["selection"] == {"harnesses": ["opencode-v1", "codex"], "since": "7d", "limit": 5}
    assert later["selection"] == saved["selection"]
    assert text.endswith("selection: opencode-v1, codex, since 7d, at most 5\n")


def test_an_absent_store_is_named_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "list")[2] == ""
    assert run(capsys, "list", "--harness", "codex")[2].startswith("codex: the store is absent")


def test_a_problem_of_a_store_is_always_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "s1", "fix it")
    (home / ".claude" / "projects" / "-linked").symlink_to(home)

    assert run(capsys, "list")[2].endswith("-linked is a link, which is not followed\n")


def test_no_escape_of_a_log_reaches_the_terminal(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "s1", "\x1b]0;owned\x07 \x1b[2J\u202e fix \x9b31m", cwd="/home/dev/\x1b[31mproject\u202e")

    texts = run(capsys, "list")[1] + run(capsys, "digest", REF)[1] + run(capsys, "status")[1]

    assert "fix" in texts
    assert not set(texts) & set("\x1b\x07\x9b\u202e")


def test_secrets_in_paths_and_prompts_are_not_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "ghp_" + "a1B2" * 9
    put(home, "s1", f"use {secret}", cwd=f"/home/dev/{secret}")

    texts = run(capsys, "list", "--json")[1] + run(capsys, "digest", REF, "--json")[1]

    assert secret not in texts
    assert "[REDACTED:" in texts


def test_sub_agents_are_listed_on_request_only(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "s1", "fix it")
    folder = home / ".claude" / "projects" / "-home-dev-project" / "s1" / "subagents"
    folder.mkdir(parents=True)
    source = folder.parents[1] / "s1.jsonl"
    (folder / "agent-1.jsonl").write_bytes(source.read_bytes())

    assert [one["session_id"] for one in run_json(capsys, "list")[1]["sessions"]] == ["s1"]
    assert [one["session_id"] for one in run_json(capsys, "list", "--subagents")[1]["sessions"]] == ["agent-1", "s1"]
    assert len(run_json(capsys, "digest", "claude-code:agent-1")[1]["sessions"]) == 1


def test_a_settings_file_that_cannot_be_understood_reads_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(home, "s1", "fix it")
    (home / ".config" / "tellback").mkdir(parents=True)
    (home / ".config" / "tellback" / "config.toml").write_text("[collect\n")

    code, out, err = run(capsys, "list")

    assert (code, out) == (1, "")
    assert "config.toml" in err
