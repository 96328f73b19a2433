"""The sweep: who holds its lock, whether that one is alive, how the last one ended, what it left behind."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock, Timeout

from ...core.config import load_settings
from ...core.errors import TellbackError
from ...core.paths import find_places
from ...core.shapes import Places
from ...sweep.lastrun import read_last_run
from ...sweep.stamp import read_stamp, stamp_path
from .finding import Finding, Site, say_ago

GRACE_S = 300.0  # after its budget a sweep has a minute (S-54), then its own watchdog ends it


def check_lock(site: Site) -> list[Finding]:
    """A lock that is held has a live sweep behind it; a sweep that runs holds the lock."""
    path = Path(site.places.cache) / "push.lock"
    running = list_sweeps(site.places)
    shown = [{"pid": process.pid, "age_s": round(site.now - started_at)} for process, started_at in running]
    data = {"held": _is_held(path), "sweeps": shown}
    longest_s = _read_budget(site) + GRACE_S
    old = [each for each in shown if each["age_s"] > longest_s]
    if old:
        pids = ", ".join(str(each["pid"]) for each in old)
        what = f"a sweep hangs since {say_ago(max(each['age_s'] for each in old))} (process {pids})"
        return [Finding("sweep lock", "problem", what, f"end it: `kill {pids.replace(',', '')}`", data)]
    if data["held"] and not running:
        what = "the sweep's lock is held by no launched sweep: by a command, or in another container with this home"
        return [Finding("sweep lock", "warn", what, "look again in a minute; a lock ends with its process", data)]
    if running and not data["held"]:
        what = f"a sweep runs without the lock (process {running[0][0].pid})"
        return [Finding("sweep lock", "warn", what, "it ends by itself; look again in a minute", data)]
    what = f"a sweep is running (process {running[0][0].pid})" if running else "no sweep is running; the lock is free"
    return [Finding("sweep lock", "ok", what, "", data)]


def check_last_run(site: Site) -> list[Finding]:
    """How the last sweep ended, and whether one is overdue."""
    last = read_last_run(site.places)
    data: dict[str, Any] = {"last_push": last}
    if last is None:
        return [_check_first_run(site, data)]
    state, failure = str(last.get("state")), last.get("failure")
    when = str(last.get("finished_at") or last.get("started_at"))
    failed = [name for name, counts in _list_stages(last) if "failed" in counts]
    if state == "running" and _is_process_alive(last.get("pid")):
        return [Finding("last push", "ok", f"running since {when}", "", data)]
    if state != "finished" or failed:
        told = f"stage {', '.join(failed)}" if failed else state if state != "running" else "killed on the way"
        what = f"the last sweep, {when}, did not end well: {told}{f' ({failure})' if failure else ''}"
        return [Finding("last push", "warn", what, "run `tellback sweep` and look what it says", data)]
    return [Finding("last push", "ok", f"{when}: {_say_counts(last)}", "", data)]


def check_stamp(site: Site) -> list[Finding]:
    """The stamp of the last launch is a time in the past."""
    path = Path(stamp_path(site.places))
    if not path.exists():
        return []
    started_at = read_stamp(site.places)
    if started_at is None or started_at > site.now:
        wrong = "is no time" if started_at is None else "is in the future"
        return [Finding("last launch", "warn", f"{path} {wrong}", "nothing to do: the next turn's end repairs it")]
    return []


def list_sweeps(places: Places) -> list[tuple[psutil.Process, float]]:
    """Return the sweeps of these folders that run, with the start of each in UTC seconds."""
    found: list[tuple[psutil.Process, float]] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if _is_sweep(process.cmdline()) and _is_ours(process) and _is_of(process, places):
                found.append((process, process.create_time()))
    return found


def _read_budget(site: Site) -> float:
    try:
        return load_settings(site.places).sessions_push_budget_s
    except TellbackError:
        return 60.0


def _is_sweep(words: list[str]) -> bool:
    """Whether a command line is ``PY -I -S .../commands/launched.py ...``, or what hooks of before launch."""
    entry = words[3].replace("\\", "/") if len(words) > 3 else ""
    is_entry = words[1:3] == ["-I", "-S"] and entry.endswith("/commands/launched.py")
    return is_entry or words[1:5] == ["-I", "-m", "tellback", "sweep"]


def _is_ours(process: psutil.Process) -> bool:
    return not hasattr(os, "geteuid") or process.uids().real == os.geteuid()


def _is_of(process: psutil.Process, places: Places) -> bool:
    """Whether a sweep works on *places*, by its variables; one that does not show them may."""
    try:
        cache = find_places(process.environ()).cache
    except (psutil.Error, OSError, TellbackError):
        return True
    return os.path.realpath(cache) == os.path.realpath(places.cache)


def _is_held(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with FileLock(path, timeout=0):
            return False
    except Timeout:
        return True
    except (OSError, NotImplementedError):  # no locks on this file system, so nobody holds one
        return False


def _is_process_alive(pid: object) -> bool:
    return isinstance(pid, int) and psutil.pid_exists(pid)


def _check_first_run(site: Site, data: dict[str, Any]) -> Finding:
    ends = [news.at for news in site.news if news.event == "turn_end"]
    if ends and site.now - ends[0] > 3600:
        what = f"no sweep has run, and the first turn ended {say_ago(site.now - ends[0])}"
        return Finding("last push", "warn", what, "run `tellback sweep` and look what it says", data)
    return Finding("last push", "ok", "no sweep has run yet", "", data)


def _list_stages(last: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    stages = last.get("stages")
    return [(str(k), v) for k, v in stages.items() if isinstance(v, dict)] if isinstance(stages, dict) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _say_counts(last: dict[str, Any]) -> str:
    counts = [f"{name} {key} {value}" for name, each in _list_stages(last) for key, value in each.items() if value]
    return ", ".join(counts) or "nothing was to be done"
