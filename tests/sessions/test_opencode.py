"""OpenCode's databases, of 1.18.33 and in the form that the documents give version 2."""

import json
import lzma
import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tellback.sessions import opencode_v1, opencode_v2, sqlite_copy
from tellback.sessions.entry import Entry, Resume, Tally
from tellback.sessions.reader import LogError

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"
Read = Callable[..., tuple[list[Entry], Tally]]

SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text, time_created integer,
  time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  data text NOT NULL, time_updated integer);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
  time_created integer NOT NULL, data text NOT NULL);
CREATE TABLE account (access_token text);
"""


@pytest.fixture(autouse=True)
def own_scratch(tmp_path: Path) -> Iterator[None]:
    sqlite_copy.set_scratch(str(tmp_path / "data"))
    yield
    sqlite_copy.close_copies()


class Store:
    """A database that grows as OpenCode's does."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "opencode.db"
        self.folder = folder
        self.time = 0
        self.run(SCHEMA)

    def run(self, script: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.executescript(script)

    def put(self, table: str, *values: Any) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)

    def session(self, name: str = "s1", folder: str = "/p", parent: str | None = None) -> None:
        self.put("session", name, parent, folder, "t", 1, 1000)

    def message(self, message_id: str, role: str, session: str = "s1", **data: Any) -> None:
        self.time += 1
        data = {"role": role, "time": {"created": self.time * 1000}} | data
        self.put("message", message_id, session, self.time, json.dumps(data), self.time)

    def part(self, part_id: str, message_id: str, kind: str, session: str = "s1", **data: Any) -> None:
        self.put("part", part_id, message_id, session, json.dumps({"type": kind} | data))

    def user(self, number: int, text: str, **data: Any) -> None:
        self.message(f"m{number}", "user")
        self.part(f"p{number}", f"m{number}", "text", text=text, **data)

    def assistant(self, number: int, *parts: dict[str, Any], completed: bool = True, **data: Any) -> None:
        times = {"created": number, "completed": number + 1} if completed else {"created": number}
        self.message(f"m{number}", "assistant", time=times, modelID="o1", path={"cwd": "/p"}, **data)
        for index, part in enumerate(parts):
            self.part(f"p{number}{index}", f"m{number}", **part)

    def next_message(self, seq: int, kind: str, **data: Any) -> None:
        self.put("session_message", f"n{seq}", "s1", kind, seq, seq, json.dumps(data))


def tool(status: str, name: str = "bash", **state: Any) -> dict[str, Any]:
    state = {"status": status, "input": {"command": "make"}} | state
    return {"kind": "tool", "tool": name, "callID": "c1", "state": state}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "opencode")
    made.session()
    return made


def read_v1(store: Store, read: Read, resume: Resume | None = None) -> tuple[list[Entry], Tally]:
    return read(opencode_v1, opencode_v1.list_sessions(store.folder).sessions[0], resume)


REFUSED = "The user rejected permission to use this specific tool call"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param(tool("completed", metadata={"exit": 0}), ("ok", 0, ""), id="code 0"),
        pytest.param(tool("completed", metadata={"exit": 2}), ("error", 2, ""), id="code 2"),
        pytest.param(tool("completed", metadata={"exit": 1.0}), ("error", 1, ""), id="code 1.0"),
        pytest.param(tool("completed", metadata={"exit": True}), ("ok", None, ""), id="a code that is none"),
        pytest.param(tool("completed"), ("ok", None, ""), id="no code"),
        pytest.param(
            tool("completed", metadata={"exit": None}, output="x\nUser aborted the command\n"),
            ("interrupted", None, ""),
            id="aborted",
        ),
        pytest.param(
            tool("completed", metadata={"exit": None}, output="terminated command after exceeding timeout 1000 ms."),
            ("error", None, ""),
            id="timed out",
        ),
        pytest.param(tool("completed", output="User aborted the command"), ("ok", None, ""), id="quoted"),
        pytest.param(tool("completed", "invalid", output="no such tool"), ("error", None, ""), id="no such tool"),
        pytest.param(tool("error", error="boom"), ("error", None, ""), id="an error"),
        pytest.param(tool("error", error="Tool execution aborted"), ("interrupted", None, ""), id="never ran"),
        pytest.param(tool("error", error=REFUSED + "."), ("denied", None, "person"), id="refused"),
        pytest.param(
            tool("error", error="The user has specified a rule which prevents you from using this specific tool call."),
            ("denied", None, "rule"),
            id="a rule",
        ),
        pytest.param(
            tool("error", error="The user dismissed this question"), ("denied", None, "person"), id="dismissed"
        ),
    ],
)
def test_a_call_ends_as_its_part_says(
    store: Store, read: Read, part: dict[str, Any], expected: tuple[str, int | None, str]
) -> None:
    store.user(1, "make it")
    store.assistant(2, part)

    entries, tally = read_v1(store, read)

    ends = [(e.span, e.call.status, e.call.exit_code, e.call.denied_by) for e in entries if e.call]
    assert ends == [("p20", *expected)]
    assert tally.calls == 1


def test_a_refusal_that_run_made_by_itself_is_nobodys(store: Store, read: Read) -> None:
    store.user(1, '"make it"')
    store.assistant(2, tool("error", error=REFUSED + "."))

    entries, _ = read_v1(store, read)

    assert [(e.text, e.origin) for e in entries if e.kind == "prompt"] == [("make it", "sdk")]
    assert [e.call.denied_by for e in entries if e.call] == ["nobody"]


def test_words_typed_with_a_refusal_are_a_prompt(store: Store, read: Read) -> None:
    store.user(1, "make it")
    store.assistant(2, tool("error", error=REFUSED + " with the following feedback: ask me first"))

    entries, _ = read_v1(store, read)

    assert [(e.text, e.origin) for e in entries if e.kind == "prompt"] == [
        ("make it", "typed"),
        ("ask me first", "refusal"),
    ]


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        pytest.param('"run the tests"', "run the tests", id="as run stores it"),
        pytest.param('"say \\"hi\\""', 'say "hi"', id="quotes inside"),
        pytest.param('"a" and "b"', '"a" and "b"', id="two quoted words"),
        pytest.param("run the tests", "run the tests", id="as the terminal stores it"),
    ],
)
def test_one_pair_of_quotes_around_a_prompt_is_the_programs(store: Store, read: Read, text: str, prompt: str) -> None:
    store.user(1, text)

    assert [e.text for e in read_v1(store, read)[0]] == [prompt]


def test_only_the_persons_text_parts_make_a_prompt(store: Store, read: Read) -> None:
    store.user(1, "fix it")
    store.part("p1b", "m1", "text", text="<file>", synthetic=True)
    store.part("p1c", "m1", "text", text="x", ignored=True)
    store.part("p1d", "m1", "file", url="data:xyz")
    store.message("m2", "user")
    store.part("p2", "m2", "compaction", auto=False)
    store.assistant(3, {"kind": "text", "text": "Summary."}, summary=True)
    store.assistant(4, {"kind": "text", "text": "Done."})

    entries, _ = read_v1(store, read)

    assert [(e.kind, e.span, e.text) for e in entries] == [
        ("prompt", "m1", "fix it"),
        ("assistant_text", "p40", "Done."),
    ]


def test_a_message_that_was_aborted_is_an_interrupt_after_its_calls(store: Store, read: Read) -> None:
    store.user(1, "wait")
    store.assistant(
        2,
        tool("completed", metadata={"exit": None}, output="User aborted the command"),
        error={"name": "MessageAbortedError"},
    )

    entries, _ = read_v1(store, read)

    assert [e.kind for e in entries] == ["prompt", "tool_call", "interrupt"]
    assert [e.offset for e in entries] == sorted(e.offset for e in entries)


def test_edits_and_skills_are_told_from_other_calls(store: Store, read: Read) -> None:
    def made(tool_name: str, **arguments: Any) -> dict[str, Any]:
        return tool("completed", tool_name, input=arguments)

    store.assistant(
        1,
        made("write", filePath="/p/a", content="one"),
        made("edit", filePath="/p/a", oldString="one", newString="two"),
        made("skill", name="greet"),
        made("read", filePath="/p/a"),
    )

    entries, _ = read_v1(store, read)

    assert [(e.kind, e.skill, [tuple(edit) for edit in e.edits]) for e in entries] == [
        ("edit", "", [("/p/a", None, "one")]),
        ("edit", "", [("/p/a", "one", "two")]),
        ("skill_call", "greet", []),
        ("tool_call", "", []),
    ]


@pytest.mark.parametrize(
    ("last", "is_shown"),
    [
        pytest.param(lambda s: s.message("m2", "user"), False, id="a prompt without a part"),
        pytest.param(lambda s: s.assistant(2, completed=False), False, id="an answer that goes on"),
        pytest.param(lambda s: s.assistant(2, tool("running")), False, id="a call that runs"),
        pytest.param(lambda s: s.assistant(2, tool("pending")), False, id="a call that waits"),
        pytest.param(lambda s: s.assistant(2, {"kind": "text", "text": "Done."}), True, id="a whole answer"),
    ],
)
def test_what_is_not_complete_ends_the_log(
    store: Store, read: Read, last: Callable[[Store], None], is_shown: bool
) -> None:
    store.user(1, "one")
    before = read_v1(store, read)[1]
    last(store)
    store.user(3, "queued while the answer runs")

    entries, tally = read_v1(store, read)

    assert [e.text for e in entries if e.kind == "prompt"][1:] == (["queued while the answer runs"] if is_shown else [])
    assert (tally.resume.offset == before.resume.offset) is not is_shown


def test_a_killed_run_does_not_hide_what_follows(store: Store, read: Read) -> None:
    store.user(1, "one")
    store.assistant(2, tool("running"), completed=False)
    store.user(3, "two")
    store.assistant(4, {"kind": "text", "text": "Done."})

    entries, tally = read_v1(store, read)

    assert [(e.kind, e.text or (e.call.status if e.call else "")) for e in entries] == [
        ("prompt", "one"),
        ("tool_call", "open"),
        ("prompt", "two"),
        ("assistant_text", "Done."),
    ]
    assert tally.calls == 1


def test_later_rewrites_move_no_offset(store: Store, read: Read) -> None:
    store.user(1, "one")
    store.assistant(2, tool("completed", output="x", time={"start": 1, "end": 2}))
    listed = opencode_v1.list_sessions(store.folder).sessions[0]
    with opencode_v1.open_log(listed) as log:
        before = list(log.lines(0))

    summarised = {"role": "user", "time": {"created": 1000}, "summary": {"diffs": []}}
    store.put("message", "m1", "s1", 1, json.dumps(summarised), 9)
    rewritten = tool("completed", output="x", time={"start": 1, "end": 2, "compacted": 9}, metadata={"diff": "y"})
    rewritten["type"] = rewritten.pop("kind")
    store.put("part", "p20", "m2", "s1", json.dumps(rewritten))

    with opencode_v1.open_log(listed) as log:
        assert list(log.lines(0)) == before


def test_reading_message_by_message_gives_the_same_entries(store: Store, read: Read) -> None:
    steps: list[Callable[[], None]] = [
        lambda: store.user(1, '"one"'),
        lambda: store.assistant(2, tool("running"), completed=False),
        lambda: store.assistant(2, tool("error", error=REFUSED + "."), {"kind": "text", "text": "No."}),
        lambda: store.user(3, "two"),
        lambda: store.assistant(4, error={"name": "MessageAbortedError"}),
        lambda: store.assistant(5, {"kind": "text", "text": "Done."}),
    ]
    entries, resume, counts = list[Entry](), Resume(), [0, 0]
    for step in steps:
        step()
        part, tally = read_v1(store, read, Resume(resume.offset, json.loads(json.dumps(resume.carry))))
        entries += part
        resume = tally.resume
        counts = [counts[0] + tally.entries, counts[1] + tally.calls]

    whole, tally = read_v1(store, read)

    assert entries == whole
    assert counts == [tally.entries, tally.calls]


def test_a_listing_shows_a_change_that_the_sessions_own_time_does_not(store: Store) -> None:
    store.user(1, "one")
    before = opencode_v1.list_sessions(store.folder).sessions[0]
    store.user(2, "two")
    after = opencode_v1.list_sessions(store.folder).sessions[0]
    store.next_message(1, "user", text="three")
    newest = opencode_v1.list_sessions(store.folder).sessions[0]

    assert len({before.size, after.size, newest.size}) == 3
    assert before.mtime_ns == after.mtime_ns


@pytest.mark.parametrize("updated_ms", [1 << 62, -(1 << 62), "soon", 1.5])
def test_a_time_that_no_session_has_is_listed_as_one_that_a_database_holds(store: Store, updated_ms: object) -> None:
    store.user(1, "one")
    store.put("session", "s1", None, "/p", "t", 1, updated_ms)

    (listed,) = opencode_v1.list_sessions(store.folder).sessions

    assert -(1 << 63) <= listed.mtime_ns < 1 << 63
    assert -(1 << 63) <= listed.size < 1 << 63


def test_child_sessions_are_listed_on_request_alone(store: Store) -> None:
    store.session("s2", parent="s1")

    assert [s.session_id for s in opencode_v1.list_sessions(store.folder).sessions] == ["s1"]
    assert [(s.session_id, s.parent) for s in opencode_v1.list_sessions(store.folder, subagents=True).sessions] == [
        ("s1", ""),
        ("s2", "s1"),
    ]


def test_the_gate_is_the_rows_folder(store: Store) -> None:
    store.session("s2", folder="relative")

    one, two = opencode_v1.list_sessions(store.folder).sessions

    assert opencode_v1.read_gate(one).dirs == ("/p",)
    assert opencode_v1.read_gate(two) == opencode_v1.Gate()
    assert opencode_v1.read_gate(one._replace(session_id="gone")).unknown


def test_an_id_in_two_databases_is_read_from_the_first(store: Store) -> None:
    shutil.copy(store.path, store.folder / "opencode-dev.db")

    listing = opencode_v1.list_sessions(store.folder)

    assert [s.path for s in listing.sessions] == [str(store.path)]
    assert [problem.path for problem in listing.problems] == [str(store.folder / "opencode-dev.db")]


@pytest.mark.parametrize(
    ("spoil", "state"),
    [
        pytest.param(lambda path: path.write_bytes(b"no database" * 100), "unreadable", id="no database"),
        pytest.param(lambda path: path.write_bytes(b""), "unsupported-format", id="empty"),
        pytest.param(lambda path: (path.unlink(), os.mkfifo(path)), "unreadable", id="a FIFO"),
        pytest.param(lambda path: (path.rename(path.parent / "x"), path.symlink_to("x")), "unreadable", id="a link"),
        pytest.param(lambda path: path.unlink(), "absent", id="gone"),
    ],
)
def test_what_is_no_database_gives_the_store_a_state(store: Store, spoil: Callable[[Path], Any], state: str) -> None:
    spoil(store.path)

    assert opencode_v1.list_sessions(store.folder).state == state


def test_a_view_in_the_place_of_a_table_is_not_read(store: Store) -> None:
    store.run("ALTER TABLE session RENAME TO s; CREATE VIEW session AS SELECT * FROM s")

    assert opencode_v1.list_sessions(store.folder).state == "unsupported-format"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xff\xfe", id="no UTF-8"),
        pytest.param("[]", id="an array"),
        pytest.param(7, id="a number"),
        pytest.param("[" * 10_000 + "]" * 10_000, id="deep"),
    ],
)
def test_a_row_that_holds_no_object_is_counted_and_passed_over(store: Store, read: Read, data: Any) -> None:
    store.user(1, "one")
    store.put("part", "p1b", "m1", "s1", data)
    store.put("message", "m2", "s1", 2, data, 2)
    store.user(3, "go on")

    entries, tally = read_v1(store, read)

    assert [e.text for e in entries] == ["one", "go on"]
    assert (tally.entries, tally.unparsed) == (4, 2)


def leave_in_wal(store: Store, write: Callable[[], None]) -> None:
    """Let *write* change the database so that the change stays in its write-ahead log."""
    keeper = sqlite3.connect(store.path)
    keeper.execute("PRAGMA journal_mode=WAL")
    keeper.execute("PRAGMA wal_autocheckpoint=0")
    keeper.execute("SELECT count(*) FROM session").fetchone()
    write()
    for ending in ("", "-wal"):
        shutil.copy(f"{store.path}{ending}", f"{store.path}{ending}.kept")
    keeper.close()
    for ending in ("", "-wal"):
        os.replace(f"{store.path}{ending}.kept", f"{store.path}{ending}")


def test_rows_in_the_write_ahead_log_are_read_and_nothing_is_touched(store: Store, read: Read, tmp_path: Path) -> None:
    leave_in_wal(store, lambda: store.user(1, "only in the log"))
    before = {path.name: path.stat() for path in store.folder.iterdir()}

    entries, _ = read_v1(store, read)

    assert [e.text for e in entries] == ["only in the log"]
    after = {path.name: path.stat() for path in store.folder.iterdir()}
    assert {name: (s.st_size, s.st_mtime_ns) for name, s in after.items()} == {
        name: (s.st_size, s.st_mtime_ns) for name, s in before.items()
    }
    assert list((tmp_path / "data" / "scratch").iterdir()) == []


def test_a_copy_is_for_its_owner_alone(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    leave_in_wal(store, lambda: store.user(1, "one"))
    modes: list[int] = []
    copy_file = sqlite_copy._copy_file

    def watch(source: str, target: Path) -> None:
        copy_file(source, target)
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in (target, target.parent, target.parent.parent))

    monkeypatch.setattr(sqlite_copy, "_copy_file", watch)
    opencode_v1.list_sessions(store.folder)

    assert set(modes) == {0o600, 0o700}


def test_a_copy_is_made_again_when_the_database_has_changed(store: Store, read: Read) -> None:
    leave_in_wal(store, lambda: store.user(1, "one"))
    assert len(read_v1(store, read)[0]) == 1

    leave_in_wal(store, lambda: store.user(2, "two"))

    assert [e.text for e in read_v1(store, read)[0]] == ["one", "two"]


def test_a_database_that_never_rests_is_unreadable(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_in_wal(store, lambda: store.user(1, "one"))
    copy_file = sqlite_copy._copy_file

    def write_meanwhile(source: str, target: Path) -> None:
        copy_file(source, target)
        with open(f"{store.path}-wal", "ab") as log:
            log.write(b"\0")

    monkeypatch.setattr(sqlite_copy, "_copy_file", write_meanwhile)

    with pytest.raises(LogError, match="changed during the read"):
        sqlite_copy.open_database(str(store.path))


@pytest.mark.parametrize(
    ("changes", "is_read"), [pytest.param(1, True, id="once"), pytest.param(9, False, id="on and on")]
)
def test_an_original_that_changes_while_it_is_read_is_read_again_once(
    store: Store, read: Read, monkeypatch: pytest.MonkeyPatch, changes: int, is_read: bool
) -> None:
    store.user(1, "one")
    listed = opencode_v1.list_sessions(store.folder).sessions[0]
    tally = Tally()
    with opencode_v1.open_log(listed) as log:
        answers = iter([True] * changes)
        monkeypatch.setattr(type(log), "has_changed", lambda self: next(answers, False))

        if is_read:
            assert [e.text for e in opencode_v1.read_entries(log, Resume(), tally)] == ["one"]
        else:
            with pytest.raises(LogError, match="changed during the read"):
                list(opencode_v1.read_entries(log, Resume(), tally))
    assert tally.entries == (2 if is_read else 0)


def test_a_writer_at_work_is_never_kept_waiting(store: Store, read: Read) -> None:
    """Hold a write transaction open while reading, and read while one is held."""
    store.user(1, "one")
    writer = sqlite3.connect(store.path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")

    entries, _ = read_v1(store, read)
    writer.execute("INSERT INTO account VALUES ('x')")
    writer.execute("COMMIT")
    writer.close()

    assert [e.text for e in entries] == ["one"]


def test_leftovers_go_at_the_next_start_and_copies_in_use_stay(tmp_path: Path) -> None:
    scratch = tmp_path / "data" / "scratch"
    left, used, young = scratch / "left", scratch / "used", scratch / "young"
    for folder in (left, used, young):
        folder.mkdir(parents=True)
        (folder / "copy.db").write_bytes(b"secret")
    (left / "in-use").touch()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with sqlite_copy._holding(used):
            held.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(10)
    sqlite_copy.remove_leftovers()
    done.set()
    holder.join()

    assert sorted(path.name for path in scratch.iterdir()) == ["used", "young"]


def test_version_2_takes_its_databases_and_version_1_leaves_them(store: Store, read: Read) -> None:
    store.run("CREATE TABLE session_v2 AS SELECT * FROM session")
    store.next_message(1, "user", text="run it", time={"created": 1000})
    done = {"status": "completed", "input": {"command": "make"}, "metadata": {"exit": 2}, "content": [{"text": "no"}]}
    failed = {"status": "error", "error": {"message": "boom"}}
    file = {"status": "completed", "content": [{"type": "file", "url": "data:xyz", "mime": "image/png"}]}
    content = [
        {"type": "text", "text": "I run it."},
        {"type": "tool", "id": "c1", "name": "bash", "state": done},
        {"type": "tool", "id": "c2", "name": "edit", "state": failed},
        {"type": "tool", "id": "c3", "name": "read", "state": file},
    ]
    store.next_message(2, "assistant", content=content, model={"id": "o2"}, time={"created": 2000, "completed": 3000})
    store.next_message(3, "location-switched", directory="/q", time={"created": 3000})
    store.next_message(4, "idle", outcome="interrupted", time={"created": 4000})

    listed = opencode_v2.list_sessions(store.folder).sessions[0]
    entries, tally = read(opencode_v2, listed)

    assert opencode_v1.list_sessions(store.folder).state == "absent"
    assert [(e.kind, e.span, e.call.status if e.call else e.text) for e in entries] == [
        ("prompt", "n1", "run it"),
        ("assistant_text", "n2/0", "I run it."),
        ("tool_call", "n2/1", "error"),
        ("tool_call", "n2/2", "error"),
        ("tool_call", "n2/3", "ok"),
        ("interrupt", "n4", "interrupted"),
    ]
    assert (tally.cwds, tally.model) == (["/p", "/q"], "o2")
    with opencode_v2.open_log(listed) as log:
        assert not any(b"xyz" in line for _, line in log.lines(0))


def test_the_newer_engine_of_version_1_is_read_where_its_rows_lie(store: Store, read: Read) -> None:
    store.next_message(1, "user", text="run it", time={"created": 1000})
    state = {"status": "completed", "input": {"command": "make"}, "structured": {"exit": 3}}
    stopped = {"status": "error", "error": {"type": "unknown", "message": "Tool execution interrupted"}}
    content = [{"type": "tool", "id": f"c{n}", "name": "bash", "state": s} for n, s in enumerate((state, stopped))]
    store.next_message(2, "assistant", content=content, time={"created": 2000, "completed": 3000})
    store.next_message(3, "assistant", content=[], time={"created": 2000})

    entries, _ = read_v1(store, read)

    assert [(e.kind, e.call.status if e.call else "", e.call.exit_code if e.call else None) for e in entries] == [
        ("prompt", "", None),
        ("tool_call", "error", 3),
        ("tool_call", "interrupted", None),
        ("interrupt", "", None),
    ]


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        pytest.param("", "opencode", id="unset"),
        pytest.param("other.db", "opencode/other.db", id="relative"),
        pytest.param("/x/y.db", "/x/y.db", id="absolute"),
    ],
)
def test_the_store_follows_the_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, expected: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("OPENCODE_DB", variable)

    assert opencode_v1.find_store() == tmp_path / expected


def test_a_store_that_is_one_database_is_read_alone(store: Store) -> None:
    shutil.copy(store.path, store.folder / "opencode-dev.db")

    listing = opencode_v1.list_sessions(store.folder / "opencode-dev.db")

    assert [s.path for s in listing.sessions] == [str(store.folder / "opencode-dev.db")]


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded sessions are not here")
@pytest.mark.parametrize("scenario", ["correction", "model-error"])
def test_files_as_the_program_left_them_read_like_the_merged_database(
    tmp_path: Path, read: Read, scenario: str
) -> None:
    folder = tmp_path / "left"
    folder.mkdir()
    for name in ("opencode.db", "opencode.db-wal"):
        packed = FIXTURES / "opencode-v1" / scenario / "as-left" / f"{name}.xz"
        (folder / name).write_bytes(lzma.decompress(packed.read_bytes()))
    merged = opencode_v1.list_sessions(FIXTURES / "opencode-v1" / scenario / "logs").sessions[0]

    left = opencode_v1.list_sessions(folder).sessions[0]

    assert read(opencode_v1, left)[0] == read(opencode_v1, merged)[0]
