"""Codex: ``<codex home>/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`` and ``<codex home>/archived_sessions/``.

Seen: 0.171.0 (``exec`` and terminal, plain tools and code mode, refusals, interrupts, resume, compaction,
sub-agents, skills named with ``$`` and read by the agent); the forms of earlier releases (``event_msg`` prompts,
``*_end`` events, results as JSON) are read as documented. Not read: the ``history_base`` prefix of a paginated
rollout, reasoning, what a compaction keeps.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.paths import find_home, read_dir_variable
from . import codex_records as records
from .codex_reading import Reading, RolloutLog
from .entry import EVERYTHING, Entry, Resume, Tally, Want
from .lines import FileLog
from .metadata import MetadataError, read_first_line
from .reader import Gate, Listed, Listing, LogError, Problem, clip_ns, find_odd_name
from .tallying import note_time
from .values import as_folder, parse_line, parse_time
from .zstd_log import ZSTD_MISSING, ZstdLog, has_zstd, read_zstd_first_line

HARNESS = "codex"
LABEL = "codex-rollout"
VERSIONS_SEEN = ("0.171.0",)
HAS_ENTRIES = True

_NAME = re.compile(r"rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(.+?)\.jsonl(\.zst)?")
_LONGEST_META = 1 << 20  # bytes of the first line (S-91)

# Lines of state and of what the model was sent, by how Codex begins a line: they hold no word, call or result, and
# are most of a rollout's bytes.
_IDLE_LINE = re.compile(
    rb'\{"timestamp":"([^"\\]{1,40})",(?:"ordinal":\d{1,12},)?"type":"(?:'
    rb'world_state"|token_usage_record"|compacted"'
    rb'|event_msg","payload":\{"type":"(?:token_count|thread_settings_applied|agent_reasoning|exec_command_output_delta'
    rb'|task_complete|item_completed","thread_id":"[^"\\]{1,80}","turn_id":"[^"\\]{1,80}","item":\{"type":"Reasoning)"'
    rb'|response_item","payload":\{"type":"(?:message|reasoning|additional_tools)")'
)
_SKILL_OPENING = b'"text":"<skill>\\n<name>'  # the one such line that tells something: a skill that the person named


def find_store() -> Path:
    """Return Codex's home: ``$CODEX_HOME``, else ``~/.codex``."""
    return read_dir_variable("CODEX_HOME") or find_home() / ".codex"


def list_sessions(store: Path, subagents: bool = False) -> Listing:
    """List ``sessions/*/*/*`` and ``archived_sessions``; an id in both is listed from ``sessions`` (S-95).

    Sub-agents' rollouts lie among the others: only the first line tells them, so ``read_gate`` does.
    """
    del subagents
    if not store.is_dir():
        return Listing(str(store), "absent")
    problems: list[Problem] = []
    found: dict[str, Listed] = {}
    for folder, depth in (("sessions", 3), ("archived_sessions", 0)):
        for entry in _find_rollouts(os.path.join(store, folder), depth, problems):
            listed = _list_rollout(entry, problems)
            if listed is None:
                continue
            first = found.setdefault(listed.session_id, listed)
            if first is not listed:
                problems.append(
                    Problem(entry.path, f"is not read: session {listed.session_id} is also in {first.path}")
                )
    return Listing(str(store), "ok", "", tuple(found.values()), tuple(problems))


def _find_rollouts(folder: str, depth: int, problems: list[Problem]) -> Iterator[os.DirEntry[str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        problems.append(Problem(folder, f"cannot be listed: {error.strerror}"))
        return
    for entry in entries:
        if depth and entry.is_dir(follow_symlinks=False):
            yield from _find_rollouts(entry.path, depth - 1, problems)
        elif not depth and _NAME.fullmatch(entry.name):
            yield entry


def _list_rollout(entry: os.DirEntry[str], problems: list[Problem]) -> Listed | None:
    name = _NAME.fullmatch(entry.name)
    if odd := find_odd_name(entry.path):
        problems.append(odd)
        return None
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError as error:
        problems.append(Problem(entry.path, f"cannot be read: {error.strerror}"))
        return None
    if name is None or entry.is_dir(follow_symlinks=False):
        return None
    unsupported = ZSTD_MISSING if name[2] and not has_zstd() else ""
    return Listed(HARNESS, name[1], entry.path, found.st_size, clip_ns(found.st_mtime_ns), unsupported)


def read_gate(listed: Listed) -> Gate:
    """Return the folder and the parent that the first line records; nothing behind its newline is read (S-91)."""
    try:
        if listed.path.endswith(".zst"):
            line = read_zstd_first_line(listed.path, _LONGEST_META)
        else:
            line = read_first_line(listed.path, _LONGEST_META)
    except MetadataError as error:
        return Gate(unknown=str(error))
    meta = records.find_meta(parse_line(line))
    if meta is None:
        return Gate(unknown="the first line is not session_meta")
    cwd = as_folder(meta.get("cwd"))
    return Gate(dirs=(cwd,) if cwd else (), parent=records.find_parent(meta), is_of_log=True)


def open_log(listed: Listed) -> RolloutLog:
    """Open the rollout; a compressed one through zstandard.

    Raises:
        LogError: it cannot be opened, or is compressed and zstandard is not installed.
    """
    if not listed.path.endswith(".zst"):
        return FileLog(listed)
    if not has_zstd():
        raise LogError(ZSTD_MISSING, "unsupported-format")
    return ZstdLog(listed)


def read_entries(log: RolloutLog, resume: Resume, tally: Tally, want: Want = EVERYTHING) -> Iterator[Entry]:
    """Yield the entries of *log* from ``resume`` on and fill *tally*.

    Raises:
        LogError: the log changed while it was read.
    """
    reading = Reading(log, resume, tally, want)
    stamp: Any = None  # of the last line; times are parsed where they are told, not line by line
    for offset, line in log.lines(resume.offset):
        if (idle := _IDLE_LINE.match(line)) and line.endswith(b"}") and _SKILL_OPENING not in line:
            stamp = idle[1].decode("ascii", "replace")
        else:
            record = parse_line(line)
            if record is None or not isinstance(record.get("payload"), dict):
                tally.unparsed += 1
                continue
            stamp = record.get("timestamp") or stamp
            yield from reading.take(record, offset, offset + len(line) + 1)
        tally.entries += 1
        if tally.started_at is None:
            note_time(tally, parse_time(stamp))
    note_time(tally, parse_time(stamp))
    yield from reading.finish()
