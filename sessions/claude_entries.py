"""The entries that a record of a Claude Code log becomes."""

from typing import Any

from . import claude_records as records
from .entry import Call, Entry, Kind, Origin
from .values import as_folder, as_text, parse_time


def begin_entry(
    record: dict[str, Any], offset: int, end: int, kind: Kind, text: str = "", origin: Origin = "", skill: str = ""
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
        None,
        origin,
        skill,
    )


def begin_call(record: dict[str, Any], offset: int, end: int, call: Call) -> Entry:
    """Return the entry of a call that *record* makes, open."""
    if call.tool != "Skill":
        return begin_entry(record, offset, end, "tool_call")._replace(call=call)
    skill, arguments = as_text(call.input.get("skill")), as_text(call.input.get("args"))
    return begin_entry(record, offset, end, "skill_call", arguments, "agent", skill)._replace(call=call)


def complete_call(entry: Entry, call: Call, outcome: records.Outcome, end: int) -> Entry:
    """Return the entry of *call* with its result, which stands in the line that ends at *end*."""
    call = call._replace(
        status=outcome.status, exit_code=outcome.exit_code, result=outcome.result, denied_by=outcome.denied_by
    )
    edits = records.find_edits(call) if call.status == "ok" else ()
    return entry._replace(call=call, end=end, edits=edits, kind="edit" if edits else entry.kind)
