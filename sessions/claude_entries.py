"""The entries that a record of a Claude Code log becomes."""

from typing import Any

from . import claude_records as records
from .entry import Call, Entry, Kind, Origin
from .values import as_folder, as_text, parse_time


def begin_entry(
    record: dict[str, Any],
    offset: int,
    end: int,
    kind: Kind,
    text: str = "",
    call: Call | None = None,
    origin: Origin = "",
    skill: str = "",
) -> Entry:
    """Return the entry of *record*, whose line lies from *offset* to *end*."""
    return Entry(
        offset,
        end,
        as_text(record.get("uuid")) or f"L{offset}",
        parse_time(record.get("timestamp")),
        as_folder(record.get("cwd")),
        records.find_model(record),
        kind,
        text,
        call,
        origin,
        skill,
    )


def begin_call(record: dict[str, Any], offset: int, end: int, call: Call) -> Entry:
    """Return the entry of a call that *record* makes, open."""
    if call.tool != "Skill":
        return begin_entry(record, offset, end, "tool_call", "", call)
    skill, arguments = as_text(call.input.get("skill")), as_text(call.input.get("args"))
    return begin_entry(record, offset, end, "skill_call", arguments, call, "agent", skill)


def complete_call(entry: Entry, call: Call, outcome: records.Outcome, end: int) -> Entry:
    """Return the entry of *call* with its result, which stands in the line that ends at *end*."""
    call = Call(call.id, call.tool, call.input, call.command, *outcome[1:])
    edits = records.find_edits(call) if call.status == "ok" else ()
    kind = "edit" if edits else entry.kind
    return Entry(entry.offset, end, *entry[2:6], kind, entry.text, call, entry.origin, entry.skill, edits)
