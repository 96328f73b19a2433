"""The database is made, migrated in one go after a copy, and never touched when it is newer."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tellback.core import db as db_module
from tellback.core.db import MIGRATIONS, StateError, database_path, open_db, read_version, split_statements, transaction
from tellback.core.shapes import Places

NEWEST = MIGRATIONS[-1][0]


def test_a_new_database_has_all_tables_and_is_for_its_owner_only(places: Places) -> None:
    before = os.umask(0)
    try:
        db = open_db(places)
    finally:
        os.umask(before)

    tables = {row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {"watermarks", "captures"} <= tables
    assert read_version(db) == NEWEST
    if sys.platform != "win32":
        assert stat.S_IMODE(database_path(places).stat().st_mode) == 0o600
        assert stat.S_IMODE(Path(places.data).stat().st_mode) == 0o700
    assert os.listdir(places.data) == ["tellback.db"], "no copy of nothing, no journal left"
    db.close()


def test_the_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _ in MIGRATIONS] == list(range(1, NEWEST + 1))


def test_a_newer_database_is_refused_by_its_version_and_not_touched(places: Places) -> None:
    open_db(places).close()
    raw = sqlite3.connect(database_path(places))
    raw.execute(f"PRAGMA user_version = {NEWEST + 7}")
    raw.close()
    before = database_path(places).read_bytes()

    with pytest.raises(StateError, match=rf"version {NEWEST + 7}.*newer.*up to {NEWEST}"):
        open_db(places)

    assert database_path(places).read_bytes() == before


def test_an_older_database_is_copied_and_then_migrated(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    db = open_db(places)
    db.execute(
        "INSERT INTO watermarks (harness, session_id, path, size, first_line_sha256) VALUES ('h', 's', 'p', 1, '')"
    )
    db.close()
    script = "CREATE TABLE later (x TEXT);\nINSERT INTO later VALUES ('a;b');\n"
    monkeypatch.setattr(db_module, "MIGRATIONS", [*MIGRATIONS, (NEWEST + 1, script)])

    db = open_db(places)

    assert read_version(db) == NEWEST + 1
    assert [tuple(row) for row in db.execute("SELECT x FROM later")] == [("a;b",)]
    assert db.execute("SELECT count(*) FROM watermarks").fetchone()[0] == 1
    db.close()
    copy = sqlite3.connect(f"{database_path(places)}.{NEWEST}")
    assert copy.execute("PRAGMA user_version").fetchone()[0] == NEWEST
    assert copy.execute("SELECT count(*) FROM watermarks").fetchone()[0] == 1
    copy.close()


def test_a_migration_that_fails_leaves_the_database_as_it_was(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    open_db(places).close()
    script = "CREATE TABLE later (x);\nCREATE TABLE later (x);\n"
    monkeypatch.setattr(db_module, "MIGRATIONS", [*MIGRATIONS, (NEWEST + 1, script)])

    with pytest.raises(StateError, match="later already exists"):
        open_db(places)

    monkeypatch.undo()
    raw = sqlite3.connect(database_path(places))
    assert raw.execute("PRAGMA user_version").fetchone()[0] == NEWEST
    assert raw.execute("SELECT count(*) FROM sqlite_master WHERE name = 'later'").fetchone()[0] == 0
    raw.close()


def test_many_first_openings_at_once_make_one_database(places: Places) -> None:
    code = """
import sys
from tellback.core.db import open_db, read_version
from tellback.core.shapes import Places
sys.stdin.readline()
print(read_version(open_db(Places(*[sys.argv[1]] * 4))))
"""
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", code, places.data], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("\n")
        opener.stdin.flush()

    assert [opener.communicate(timeout=60)[0] for opener in openers] == [f"{NEWEST}\n"] * 4


def test_a_transaction_is_all_or_nothing(places: Places) -> None:
    db = open_db(places)
    insert = "INSERT INTO watermarks (harness, session_id, path, size, first_line_sha256) VALUES (?, 's', 'p', 1, '')"

    def insert_and_fail() -> None:
        with transaction(db):
            db.execute(insert, ("h",))
            raise KeyError

    with pytest.raises(KeyError):
        insert_and_fail()
    with transaction(db):
        db.execute(insert, ("g",))

    assert [row["harness"] for row in db.execute("SELECT harness FROM watermarks")] == ["g"]
    db.close()


def test_a_file_that_is_no_database_is_refused_and_kept(places: Places) -> None:
    path = database_path(places)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a database, but somebody's words" * 100)

    with pytest.raises(StateError, match="not a database"):
        open_db(places)

    assert path.read_bytes() == b"not a database, but somebody's words" * 100


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_link_in_its_place_is_refused(places: Places, tmp_path: Path) -> None:
    path = database_path(places)
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StateError, match="cannot be opened") as caught:
        open_db(places)

    assert "tellback doctor" in str(caught.value.hint)
    assert "Errno" not in str(caught.value)
    assert not (tmp_path / "elsewhere").exists()


def test_statements_are_split_where_they_end_and_nowhere_else() -> None:
    script = "CREATE TABLE a (x TEXT DEFAULT ';');\n-- a remark; with a semicolon\nCREATE TABLE b (\n  x TEXT\n);\n"

    statements = list(split_statements(script))

    assert len(statements) == 2
    assert statements[1].startswith("-- a remark")
