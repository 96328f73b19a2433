"""OpenCode's rows as the lines of a log: one record a message, then one a part, of fields that never change again.

A record holds only what is final once its row is complete (S-113): OpenCode goes on to rewrite rows, with summaries,
compaction times and costs, and an offset into this log must stay where it is. So neither the fields nor their order may
change between releases of Tellback without the watermarks being thrown away.
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Protocol

import orjson

from .opencode_records import UNFINISHED
from .sqlite_copy import LONGEST_VALUE, Database
from .values import as_list, as_object, as_text, parse_line


class Head(NamedTuple):
    """A message's id and what it is, in the order of the log."""

    id: str
    is_assistant: bool


class Layout(Protocol):
    """How a version keeps a session's messages."""

    def fits(self, database: Database) -> bool:
        """Whether the database has the tables and columns of this version."""
        ...

    def heads(self, database: Database, session_id: str) -> Iterator[Head]:
        """Yield the messages in the order of the log."""
        ...

    def records(self, database: Database, message_id: str) -> tuple[list[dict[str, Any]], bool]:
        """Return a message's records, and whether it is complete."""
        ...


class Layout1:
    """Version 1: tables ``message`` and ``part``."""

    def fits(self, database: Database) -> bool:
        """Whether the database has the tables and columns of this version."""
        messages = {"id", "session_id", "time_created", "data"} <= database.columns("message")
        return messages and {"id", "message_id", "data"} <= database.columns("part")

    def heads(self, database: Database, session_id: str) -> Iterator[Head]:
        """Yield the messages in the order of the log."""
        query = f"SELECT id, {_short('data')} FROM message WHERE session_id = ? ORDER BY time_created, id"
        for row in database.rows(query, session_id):
            yield Head(_text(row[0]), (_parse(row[1]) or {}).get("role") == "assistant")

    def records(self, database: Database, message_id: str) -> tuple[list[dict[str, Any]], bool]:
        """Return a message's records, and whether it is complete (S-114)."""
        message = _parse(
            next(database.rows(f"SELECT {_short('data')} FROM message WHERE id = ?", message_id), [None])[0]
        )
        if message is None:
            return [_unparsed(message_id)], True
        role = as_text(message.get("role"))
        parts: list[dict[str, Any]] = []
        is_finished = True
        for row in database.rows(f"SELECT id, {_short('data')} FROM part WHERE message_id = ? ORDER BY id", message_id):
            part = _parse(row[1])
            is_finished = is_finished and as_text(as_object((part or {}).get("state")).get("status")) not in UNFINISHED
            parts.append(_unparsed(_text(row[0])) if part is None else _part_record(_text(row[0]), role, part))
        is_complete = bool(parts) if role == "user" else is_finished and "completed" in as_object(message.get("time"))
        return [_message_record(message_id, role, message), *parts], is_complete


class Layout2:
    """Version 2, and the newer engine of 1.18: table ``session_message``, and ``session_part`` where there is one."""

    def fits(self, database: Database) -> bool:
        """Whether the database has the tables and columns of this version."""
        return {"id", "session_id", "type", "seq", "data"} <= database.columns("session_message")

    def heads(self, database: Database, session_id: str) -> Iterator[Head]:
        """Yield the messages in the order of the log."""
        query = "SELECT id, type FROM session_message WHERE session_id = ? ORDER BY seq, id"
        for row in database.rows(query, session_id):
            yield Head(_text(row[0]), _text(row[1]) == "assistant")

    def records(self, database: Database, message_id: str) -> tuple[list[dict[str, Any]], bool]:
        """Return a message's records, and whether it is complete (S-121)."""
        query = f"SELECT type, {_short('data')} FROM session_message WHERE id = ?"
        found = next(database.rows(query, message_id), (b"", None))
        kind, message = _text(found[0]), _parse(found[1])
        if message is None:
            return [_unparsed(message_id)], True
        content = [_content_record(as_object(part)) for part in as_list(message.get("content"))]
        parts = list(self._parts(database, message_id))
        states = [as_text(as_object(part.get("state")).get("status")) for part in [*content, *parts]]
        is_complete = kind != "assistant" or (
            "completed" in as_object(message.get("time")) and not UNFINISHED.intersection(states)
        )
        record = {
            "kind": "message",
            "id": message_id,
            "type": kind,
            "time": _pick(as_object(message.get("time")), "created", "completed"),
            **_pick(message, "text", "outcome", "error", "directory", "location"),
            "model": as_text(as_object(message.get("model")).get("id")),
            "content": content,
        }
        return [record, *parts], is_complete

    def _parts(self, database: Database, message_id: str) -> Iterator[dict[str, Any]]:
        if {"id", "message_id", "data"} <= database.columns("session_part"):
            query = f"SELECT id, {_short('data')} FROM session_part WHERE message_id = ? ORDER BY id"
            for number, row in enumerate(database.rows(query, message_id)):
                part = _parse(row[1])
                name = f"{message_id}/{number}"
                yield {**_content_record(part), "kind": "part", "span": name} if part else _unparsed(name)


def _message_record(message_id: str, role: str, message: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"kind": "message", "id": message_id, "role": role}
    record["time"] = _pick(as_object(message.get("time")), "created", "completed")
    if role == "user":
        return record
    record["cwd"] = as_text(as_object(message.get("path")).get("cwd"))
    record["model"] = as_text(message.get("modelID"))
    record["error"] = as_text(as_object(message.get("error")).get("name"))
    record["summary"] = message.get("summary") is True
    return record


def _part_record(part_id: str, role: str, part: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"kind": "part", "id": part_id, "role": role, "type": as_text(part.get("type"))}
    if record["type"] == "text":
        return record | _pick(part, "text", "synthetic", "ignored")
    if record["type"] == "tool":
        state = as_object(part.get("state"))
        record |= _pick(part, "tool", "callID")
        record["state"] = _pick(state, "status", "input", "output", "error")
        record["state"]["time"] = _pick(as_object(state.get("time")), "start", "end")
        record["state"]["metadata"] = _pick(as_object(state.get("metadata")), "exit")
    return record


def _content_record(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a message of version 2; a file that a tool returned comes without its bytes."""
    record = _pick(part, "type", "id", "name", "text")
    if part.get("type") == "tool":
        state = as_object(part.get("state"))
        kept = _pick(state, "status", "input", "output", "error")
        kept["content"] = [_pick(as_object(p), "type", "text", "name", "mime") for p in as_list(state.get("content"))]
        for name in ("metadata", "structured"):
            kept[name] = _pick(as_object(state.get(name)), "exit")
        record["state"] = kept
        record["time"] = _pick(as_object(part.get("time")), "created", "ran", "completed")
    return record


def _pick(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value[name] for name in names if name in value}


def _short(column: Literal["data"]) -> str:
    return f"CASE WHEN length({column}) <= {LONGEST_VALUE} THEN {column} END"


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _parse(value: Any) -> dict[str, Any] | None:
    """Return a stored JSON object; ``None`` for anything else, a value that is too long included."""
    return parse_line(value) if isinstance(value, bytes) else None


def _unparsed(row_id: str) -> dict[str, Any]:
    """Return the record of a row that holds no JSON object: it is counted, and ends no log."""
    return {"kind": "unparsed", "id": row_id}


def encode_lines(records: list[dict[str, Any]]) -> list[bytes]:
    """Return the records as lines without newline."""
    return [orjson.dumps(record) for record in records]
