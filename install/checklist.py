"""R's per-turn checklist as one marked block in a project's AGENTS.md or CLAUDE.md, for harnesses without hooks (X-59).

The rest of the file stays byte for byte: the block comes last, behind as many line ends as its mark says were put
there, and taking it out gives back what was before.
"""

import os
import re
from pathlib import Path
from typing import NamedTuple

from ..core.errors import TellbackError
from ..core.files import read_snapshot, replace_if_unchanged

NAMES = ("AGENTS.md", "CLAUDE.md")
_TRIES = 3

_BLOCK = """<!-- tellback checklist begin {ends} -->
## After each answer (Tellback)

Check the last turn once, silently; most turns need nothing.

- The person gave concrete guidance on what a skill made ("no, use X", "it should be Y"): run
  `tellback record --corrected --skill NAME --input "their words" --correction "the point"`, with one `--correction`
  for each independent point, and `--scenario`, `--intent` and `--problem` in a sentence each.
- Several skills were used in the last three turns and it is unclear which one is meant: ask first,
  "刚才的问题属于哪个 skill？ (Which skill was that about?)", and record then.
- A skill left a step open and you guessed, an operation had to be repeated, or the person urged and the work still got
  done: run `tellback record --friction guessed_step --skill NAME --detail "what was unclear, and how you got through"`
  (or `repeated_operation`, `user_urged`) and say nothing about it.
- Record, and change no file of the skill. If the person wants it changed at once, answer:
  此修改需要走 skill-optimizer 流程。信号已记录，可使用 optimize <skill名> 触发优化管线。
<!-- tellback checklist end -->
"""
_FOUND = re.compile(rb"<!-- tellback checklist begin (\d) -->\r?\n.*?<!-- tellback checklist end -->\r?\n?", re.DOTALL)
_BEGIN = b"<!-- tellback checklist begin"


class Changed(NamedTuple):
    """What became of one file."""

    path: Path
    is_changed: bool


def add_block(data: bytes) -> bytes:
    """Return *data* with the block as its end, or with the block that it has brought up to date in its place.

    Raises:
        ValueError: a block begins and does not end.
    """
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    if found := _find(data):
        return data[: found.start()] + _make_block(int(found[1]), newline) + data[found.end() :]
    ends = 0 if not data else 1 if data.endswith(b"\n") else 2
    return data + newline * ends + _make_block(ends, newline)


def remove_block(data: bytes) -> bytes:
    """Return *data* without the block and the line ends that came with it.

    Raises:
        ValueError: a block begins and does not end.
    """
    found = _find(data)
    if found is None:
        return data
    before = data[: found.start()]
    newline = b"\r\n" if b"\r\n" in found[0] else b"\n"
    for _ in range(int(found[1])):
        before = before.removesuffix(newline)
    return before + data[found.end() :]


def _make_block(ends: int, newline: bytes) -> bytes:
    return _BLOCK.format(ends=ends).encode().replace(b"\n", newline)


def _find(data: bytes) -> "re.Match[bytes] | None":
    found = _FOUND.search(data)
    if found is None and _BEGIN in data:
        raise ValueError("a checklist of Tellback's begins and does not end")
    return found


def find_files(project: Path) -> list[Path]:
    """Return the files that agents read in *project*, one that links to another once; AGENTS.md when there is none."""
    there = {os.path.realpath(project / name): project / name for name in reversed(NAMES) if (project / name).exists()}
    return sorted(there.values()) or [project / NAMES[0]]


def add_checklist(project: Path, dry_run: bool = False) -> list[Changed]:
    """Put the block into the project's files.

    Raises:
        TellbackError: *project* is no folder, or a file cannot be read, understood or written.
    """
    if not project.is_dir():
        raise TellbackError(f"{project} is no folder", hint="name the project's folder")
    return [_edit(path, is_added=True, dry_run=dry_run) for path in find_files(project)]


def remove_checklist(project: Path, dry_run: bool = False) -> list[Changed]:
    """Take the block out again; a file that has nothing else goes with it.

    Raises:
        TellbackError: a file cannot be read, understood or written.
    """
    return [_edit(path, is_added=False, dry_run=dry_run) for path in find_files(project) if path.exists()]


def _edit(path: Path, is_added: bool, dry_run: bool) -> Changed:
    for _ in range(_TRIES):
        try:
            snapshot = read_snapshot(path)
            before = snapshot.data or b""
            after = add_block(before) if is_added else remove_block(before)
            if after == before or dry_run:
                return Changed(path, after != before)
            if not after:
                snapshot.path.unlink()
                return Changed(path, True)
            if replace_if_unchanged(snapshot, after, mode=0o644 if snapshot.data is None else None):
                return Changed(path, True)
        except ValueError as error:  # noqa: PERF203 - three tries
            raise TellbackError(f"{path}: {error}", hint="remove what is left of it by hand") from error
        except OSError as error:
            raise TellbackError(f"{path}: {error.strerror}") from error
    raise TellbackError(f"{path} changes all the time", hint="try again")
