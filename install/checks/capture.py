"""What was captured, what waits, and whether the project that a person stands in can keep it."""

import json
import os
import re
import sqlite3
import stat
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ...capture.ledger import SCAN_BYTES, to_text
from ...capture.log import scan, split_torn
from ...capture.odd import read_yaml
from ...core.escape import show_line
from ...core.place import KNOWLEDGE, Where, find_knowledge, git_root_at
from .finding import Finding, Site, say_ago

MOST_REASONS = 3
WEEK_S = 7 * 86400.0
LOG_BYTES = 64 << 20
_IDENT = re.compile(rb"^[ ]{0,2}- id: *[\"']?(CORR-[0-9]+)", re.MULTILINE)
_ERRNO = re.compile(r"^\[Errno \d+\] ")
_PARTS = (
    *("corrections", "corrections/log.yaml", "corrections/index.yaml", "corrections/log.yaml.lock"),
    *("learnings", "learnings/index.md", "learnings/index.md.lock"),
)
_REASONS = {
    "no-git-root": "it lies in no Git repository",
    "foreign": "the folder belongs to another user",
    "open": "others may write the folder",
    "home": "it is the home folder itself",
    "root": "it is the root folder",
    "unknown": "the folder cannot be looked at",
}


def check_heard(site: Site) -> list[Finding]:
    """Of the prompts that the session logs show, how many a hook saw and how many the sweep had to find."""
    path = Path(site.places.data) / "tellback.db"
    if not path.exists():
        return []
    query = (
        "SELECT harness, SUM(is_late = 0), SUM(is_late = 1), SUM(label NOT IN ('', 'none')) "
        "FROM captures WHERE at >= ? GROUP BY harness"
    )
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=2)) as db:
            rows = db.execute(query, (site.now - WEEK_S,)).fetchall()
    except sqlite3.Error:
        return []  # the database has a check of its own
    return [_say_heard(harness, int(told), int(late), int(signals)) for harness, told, late, signals in rows]


def check_queue(site: Site) -> list[Finding]:
    """What hooks could not write at once waits for a sweep; what waits long is stuck."""
    path = Path(site.places.data) / "queue.jsonl"
    try:
        lines, written_at = [*filter(None, path.read_bytes().splitlines())], path.stat().st_mtime
    except OSError:
        return [Finding("queue", "ok", "nothing waits", "", {"waiting": 0})]
    count, reasons = len(lines), _list_reasons(lines)
    data = {"path": str(path), "waiting": count, "written_at": written_at, "reasons": reasons}
    if not count:
        return [Finding("queue", "ok", "nothing waits", "", data)]
    noun = "entries wait" if count > 1 else "entry waits"
    why = f" ({'; '.join(reasons[-MOST_REASONS:])})" if reasons else ""
    what = f"{count} {noun} to be written{why}, the last {say_ago(site.now - written_at)}"
    level = "warn" if site.now - written_at > 3600 else "ok"
    return [Finding("queue", level, what, "run `tellback sweep`, which writes them", data)]


def _list_reasons(lines: list[bytes]) -> list[str]:
    """Return why the lines of the queue wait, each reason once, the latest last."""
    reasons: dict[str, None] = {}
    for line in lines:
        with suppress(ValueError, AttributeError):  # torn, or no record: it says no reason
            if why := _ERRNO.sub("", str(json.loads(line).get("why") or "")):
                reasons.pop(why, None)
                reasons[why] = None
    return list(reasons)


def check_hook_log(site: Site) -> list[Finding]:
    """Calls of hooks that failed leave a line each; a harness never shows them."""
    path = Path(site.places.cache) / "hook.log"
    try:
        lines = path.read_bytes().decode("ascii", "replace").splitlines()
        age_s = site.now - path.stat().st_mtime
    except OSError:
        return [Finding("hook log", "ok", "no hook has failed", "", {"lines": 0})]
    data = {"path": str(path), "lines": len(lines), "last": lines[-5:]}
    if not lines or age_s > WEEK_S:
        return [Finding("hook log", "ok", "no hook has failed in the last seven days", "", data)]
    what = f"{len(lines)} failed hook calls in {path}, the last {say_ago(age_s)}: {lines[-1]}"
    return [Finding("hook log", "warn", what, f"if it comes again, report the last lines; `rm {path}` clears it", data)]


def check_notes(site: Site) -> list[Finding]:
    """A harness that keeps its sessions elsewhere than at install is not followed by a hook."""
    notes = {news.note for news in site.news if news.note}
    fix = "set the variable in your shell too and install again, when it is you who set it; else look at who did"
    return [
        Finding("store", "warn", f"hooks were called with {note}, other than at install", fix, {"variable": note})
        for note in sorted(notes)
    ]


def check_knowledge(site: Site) -> list[Finding]:
    """What is said in this folder is kept in a ``.knowledge`` that can be written."""
    where = find_knowledge(str(site.project), site.places)
    folder = Path(where.folder) / KNOWLEDGE
    data: dict[str, Any] = {
        "project": str(site.project),
        "folder": str(folder),
        "in_project": where.in_project,
        "exists": where.exists,
        "reason": where.reason,
    }
    findings = _check_git_file(site.project)
    if wrong := _find_wrong(folder, where):
        what, fix = wrong
        return [*findings, Finding("knowledge", "problem", what, f"{fix}; until then corrections wait", data)]
    if where.in_project:
        state = "is writable" if where.exists else "will be made with the first correction"
        what = f"{folder} {state}"
    else:
        what = f"what is said here is kept in {folder}: {_REASONS.get(where.reason, where.reason)}"
    return [*findings, Finding("knowledge", "ok", what, "", data), *_check_log(folder), *_check_idents(folder)]


def _say_heard(harness: str, told: int, late: int, signals: int) -> Finding:
    data = {"harness": harness, "seen_by_hooks": told, "found_by_sweeps": late, "with_signal": signals}
    what = f"{harness}, seven days: {told} prompts seen by hooks, {late} found in the logs, {signals} with a signal"
    if late > told and late >= 5:
        fix = "look above whether the hooks are registered and fire"
        return Finding("prompts", "warn", f"{what}: most prompts pass the hooks by", fix, data)
    return Finding("prompts", "ok", what, "", data)


def _find_wrong(folder: Path, where: Where) -> tuple[str, str] | None:
    """Return why a ``.knowledge`` cannot be used and what to do; ``None`` when it can, or can be made."""
    for path in (folder, *(folder / part for part in _PARTS)):
        try:
            info = path.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"{path} cannot be looked at: {error.strerror}", f"look at {path.parent}"
        kind, is_right = ("file", stat.S_ISREG) if path.suffix else ("folder", stat.S_ISDIR)
        if stat.S_ISLNK(info.st_mode):
            return f"{path} is a link, which is never followed", f"put a {kind} in its place"
        if not is_right(info.st_mode):
            return f"{path} is no {kind}", "move it away"
        if hasattr(os, "geteuid") and info.st_uid != os.geteuid():
            return f"{path} belongs to another user", f"`chown` it, or put a {kind} of yours in its place"
        if os.name == "posix" and kind == "folder" and info.st_mode & stat.S_IWOTH:
            return f"{path} can be written by everybody", f"`chmod o-w {path}`"
        if not _is_writable(path, info.st_mode):
            return f"{path} is read-only", f"`chmod u+w {path}`, or mount its disk for writing"
    above = folder.parent
    if where.in_project and not where.exists and not _is_writable(above, above.stat().st_mode):
        what = f"{above} is read-only, so that no {KNOWLEDGE} can be made in it"
        return what, f"`chmod u+w {above}`, or mount its disk for writing"
    return None


def _is_writable(path: Path, mode: int) -> bool:
    return bool(mode & stat.S_IWUSR) and os.access(path, os.W_OK)


def _check_log(folder: Path) -> list[Finding]:
    """A log that is no YAML is left alone; what is said meanwhile waits in the queue."""
    log = folder / "corrections" / "log.yaml"
    try:
        with open(log, "rb") as file:
            text = to_text(file.read(SCAN_BYTES + 1))
        if len(text) <= SCAN_BYTES and scan(split_torn(text)[0], is_start=True) is None:
            read_yaml(text)
    except FileNotFoundError:
        return []
    except OSError as error:
        what, fix = f"{log} cannot be added to: {show_line(str(error))}", "mend it by hand; until then corrections wait"
        return [Finding("knowledge", "warn", what, fix, {"log": str(log)})]
    return []


def _check_idents(folder: Path) -> list[Finding]:
    """Ids that stand twice, as a Git merge leaves them: told and never changed."""
    log = folder / "corrections" / "log.yaml"
    try:
        with open(log, "rb") as file:
            counts = Counter(_IDENT.findall(file.read(LOG_BYTES)))
    except OSError:
        return []
    doubled = [ident.decode() for ident, count in counts.items() if count > 1]
    if not doubled:
        return []
    shown = ", ".join(doubled[:10]) + (" ..." if len(doubled) > 10 else "")
    fix = "give the later ones new numbers by hand, when it matters to you"
    return [Finding("ids", "warn", f"{log} has numbers twice: {shown}", fix, {"doubled": doubled})]


def _check_git_file(project: Path) -> list[Finding]:
    """A ``.git`` file that does not lead to a folder which points back is not believed."""
    for folder in (project, *project.parents):
        path = folder / ".git"
        if path.is_symlink() or not path.exists():
            continue
        if not (path.is_file() or path.is_dir()):
            what = f"{path} is neither a file nor a folder; it is not believed"
            return [Finding("git", "warn", what, "remove it, unless you know what it is for", {"file": str(path)})]
        if path.is_file() and not git_root_at(str(folder)):
            what = f"{path} names a folder that does not point back; it is not believed"
            fix = "run `git worktree repair` there, when it is yours"
            return [Finding("git", "warn", what, fix, {"file": str(path)})]
        return []
    return []
