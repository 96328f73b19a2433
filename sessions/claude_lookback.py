"""What the lines of a Claude Code log said that were passed over, looked up backwards when it turns out to matter."""

from typing import Any

from . import claude_records as records
from .claude_entries import begin_entry
from .claude_shapes import ASSISTANT, TEXT
from .entry import Entry
from .lines import FileLog
from .needles import find
from .values import parse_line, parse_time


def find_text(log: FileLog, start: int, before: int, is_subagent: bool) -> Entry | None:
    """Return the assistant's last text between two offsets."""
    for offset, line in log.lines_with(TEXT, before, before - start):
        record = _parse_said(line)
        if record.get("isSidechain") is True and not is_subagent:
            continue
        if text := records.find_answer(record):
            return begin_entry(record, offset, offset + len(line) + 1, "assistant_text", text)
    return None


def find_last_model(log: FileLog, start: int) -> str:
    """Return the model that the last record from *start* on names; ``""`` when none does."""
    lines = log.lines_with(ASSISTANT, log.complete_bytes, log.complete_bytes - start)
    return next((model for _, line in lines if (model := records.find_model(_parse_said(line)))), "")


def _parse_said(line: bytes) -> dict[str, Any]:
    """Return the record of the model that *line* holds; ``{}`` for any other."""
    record = (parse_line(line) or {}) if find(line, ASSISTANT, 0, len(line)) >= 0 else {}
    return record if record.get("type") == "assistant" else {}


def find_last_time(log: FileLog, start: int, last_at: int) -> float | None:
    """Return the time of the last record from *start* on that has one; the last record stands at *last_at*."""
    last = _time_of(log.line_at(last_at))
    if last is None:
        for _, line in log.lines(start):
            at = _time_of(line)
            last = last if at is None else at
    return last


def _time_of(line: bytes) -> float | None:
    record = parse_line(line) or {}
    return parse_time(record.get("timestamp")) if record.get("type") in records.CONVERSATION_TYPES else None
