"""Watch the hooks' news, and on demand the session logs, and tell what was heard: a view that stays in front."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from ..core.db import open_db
from ..core.shapes import Places
from ..sweep.captures import Capture, list_captures
from ..sweep.due import run_due_sweep
from ..sweep.news import fetch_news

# How long to wait for the rest of a burst of changes before looking.
SETTLE_S = 0.1
# A look without a sign, for file systems that send none.
LOOK_S = 2.0


class _Bell(FileSystemEventHandler):
    """Rings when one of our files or a session log changes; notes when a log last did."""

    def __init__(self, news: Path) -> None:
        self.rung = threading.Event()
        self.log_changed_at: float | None = None
        self._news = news.name

    def on_any_event(self, event: FileSystemEvent) -> None:
        path = Path(str(event.src_path))
        if event.event_type in ("opened", "closed_no_write"):
            return
        if path.suffix == ".jsonl" and path.name != self._news:
            self.log_changed_at = time.monotonic()
        if path.name == self._news or path.suffix == ".jsonl":
            self.rung.set()


def follow_captures(
    places: Places,
    show: Callable[[list[Capture]], None],
    stores: Sequence[Path] = (),
    quiet_s: float | None = None,
) -> None:
    """Show every capture that is new since now, until Ctrl-C.

    Args:
        stores: folders of session logs; when one of their logs rested for *quiet_s*, a sweep is run.
    """
    cache = Path(places.cache)
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    bell = _Bell(cache / "news.jsonl")
    observer = Observer()
    observer.schedule(bell, str(cache))
    for store in stores:
        if store.is_dir():
            observer.schedule(bell, str(store), recursive=True)
    observer.start()
    last_id = _newest_id(places)
    try:
        while True:
            bell.rung.wait(LOOK_S)
            bell.rung.clear()
            time.sleep(SETTLE_S)
            if _is_quiet(bell, quiet_s):
                bell.log_changed_at = None
                run_due_sweep(places, look_around=True)
            last_id = _show_new(places, last_id, show)
    except KeyboardInterrupt:
        return
    finally:
        observer.stop()
        observer.join()


def _is_quiet(bell: _Bell, quiet_s: float | None) -> bool:
    changed_at = bell.log_changed_at
    return quiet_s is not None and changed_at is not None and time.monotonic() - changed_at >= quiet_s


def _newest_id(places: Places) -> int:
    with closing(open_db(places)) as db:
        return int(db.execute("SELECT coalesce(max(id), 0) FROM captures").fetchone()[0])


def _show_new(places: Places, last_id: int, show: Callable[[list[Capture]], None]) -> int:
    with closing(open_db(places)) as db:
        fetch_news(places, db)
        new = list(list_captures(db, after_id=last_id))
    if new:
        show(new)
    return max([last_id, *[one.id for one in new]])
