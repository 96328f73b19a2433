"""Keep what a turn says in ``.knowledge``: exactly once, in constant time, and never lost.

Under one lock per ``corrections`` folder: read the index; what the log holds beyond it is adopted (whole entries) or
set aside (the torn rest of a killed write); is the key known? append with one write; remember the keys; replace the
index; only then acknowledge. A kill between any two steps leaves a state that the next capture reads the same way.
What cannot be done at once goes to the queue, which the sweep writes (``slow.py``).

Hot, with ``folder``, ``quote``, ``log``, ``index``, ``keys``, ``corrections``, ``learnings`` and ``queue`` beside it.
"""

import sys

from ..core.append import nt_or_posix as os
from ..core.place import KNOWLEDGE
from .corrections import CORRECTIONS, LOCK, Ledger
from .folder import Folder, UnsafeError, make_private, open_top
from .keys import NO_ID, QUEUED, Heard, find_known, find_standing, record_keys, uuid_key
from .learnings import INDEX as LEARNINGS_FILE
from .learnings import LEARNINGS, LIMIT_BYTES, add_bullet, bullet_text, has_bullet
from .learnings import LOCK as LEARNINGS_LOCK
from .queue import QUEUE, REPEATS, append_waiting, queue_fields, repeat_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.place import Where
    from ..core.shapes import Places, Turn
    from .detector import Point, Verdict
    from .keys import Standing

    OutcomeKind = Literal["logged", "repeat", "double", "queued", "nothing", "failed"]

LOCK_WAIT_S = 0.8
_IGNORE = b"*\n"  # words are not committed by accident; docs/knowledge.md tells how to share them
_ATTRIBUTES = b"corrections/log.yaml merge=union\n"


class Outcome:
    """What became of a turn.

    Attributes:
        kind: ``logged``, ``repeat`` (said before, counted), ``double`` (the same firing again, ignored), ``queued``,
            ``nothing`` (no signal, or praise, of which no file is written), ``failed`` (not even the queue took it).
        ids: the entries' ids, for a repeat those of the first time; empty for learnings and what is queued.
        ack: the one line for the person; ``""`` when there is nothing to say or acknowledgement is switched off.
    """

    __slots__ = ("ack", "ids", "kind")

    def __init__(self, kind: "OutcomeKind", ids: "list[str] | None" = None, ack: str = "") -> None:
        self.kind: OutcomeKind = kind
        self.ids = ids or []
        self.ack = ack


def capture_turn(
    turn: "Turn",
    verdict: "Verdict",
    where: "Where",
    places: "Places",
    *,
    prompt_hash: str,
    dataset: str | None = None,
    acknowledge: bool = True,
    is_late: bool = False,
    uuid: str = "",
    wait_s: float = LOCK_WAIT_S,
) -> Outcome:
    """Keep the points of *verdict*, whose texts are scrubbed already; never raises for what a file system does.

    Args:
        where: from ``find_knowledge``.
        prompt_hash: ``short_hash`` of the scrubbed prompt as UTF-8, the same in hook and sweep.
        dataset: the active dataset, for the entry's field.
        is_late: said by a sweep that reads the session log; *uuid* is then that log entry's own id.
        wait_s: how long the lock may be waited for.
    """
    if verdict.label == "positive":
        return Outcome("nothing", ack="Thanks!" if acknowledge else "")
    if verdict.label == "none" or not verdict.points:
        return Outcome("nothing")
    heard = Heard(turn, prompt_hash, is_late, uuid)
    try:
        outcome = _keep(verdict, heard, where, places, dataset, wait_s)
    except (OSError, ValueError) as error:  # ValueError: a path that no system takes
        outcome = _put_off(verdict, heard, where, places, dataset, str(error))
    outcome.ack = _ack(outcome, verdict.label) if acknowledge else ""
    return outcome


def _keep(
    verdict: "Verdict", heard: "Heard", where: "Where", places: "Places", dataset: str | None, wait_s: float
) -> Outcome:
    points = list(enumerate(verdict.points))
    if verdict.label == "correction":
        return keep_corrections(points, heard, where, places, dataset, wait_s)
    return keep_learnings(points, verdict.learning_category, heard, where, places, wait_s)


def _put_off(
    verdict: "Verdict", heard: "Heard", where: "Where", places: "Places", dataset: str | None, why: str
) -> Outcome:
    """Put what could not be kept at once into the queue."""
    known: dict[int, tuple[Standing, str]] = {}
    new: dict[int, str] = {}
    try:
        for number, point in enumerate(verdict.points):
            standing, ident = find_standing(places, heard, number)
            if standing == "new":
                append_waiting(places, QUEUE, queue_fields(verdict, number, point, heard, where, dataset, why))
                record_keys(places, heard.keys(number), heard.event, heard.at, QUEUED)
                new[number] = QUEUED
            else:
                known[number] = (standing, ident)
        return settle(known, new, heard, places, where.folder)
    except (OSError, ValueError):
        return Outcome("queued" if new else "failed")


def settle(
    known: "dict[int, tuple[Standing, str]]", new: dict[int, str], heard: "Heard", places: "Places", folder: str
) -> Outcome:
    """Remember and count the points that were said before, and sum up the turn: its best point decides.

    Raises:
        OSError: a repeat could not be counted.
    """
    for number, (standing, ident) in known.items():
        if standing == "repeat":
            append_waiting(places, REPEATS, repeat_fields(number, ident, heard, folder))
        if standing != "double":
            record_keys(places, heard.keys(number), heard.event, heard.at, ident)
        elif heard.is_late and heard.uuid and not find_known(places, uuid_key(heard.uuid, number)):
            record_keys(places, [uuid_key(heard.uuid, number)], heard.event, heard.at, ident)
    standings = {standing for standing, _ in known.values()}
    idents = [*new.values(), *[ident for standing, ident in known.values() if standing != "double" or not new]]
    ids = sorted({ident for ident in idents if ident not in (NO_ID, QUEUED)})
    if new or "unclaimed" in standings:
        return Outcome("queued" if QUEUED in new.values() else "logged", ids)
    return Outcome("repeat" if "repeat" in standings else "double", ids)


def _ack(outcome: Outcome, label: str) -> str:
    """Return the documented line for what became of a correction or a learning."""
    if outcome.kind == "queued" or (outcome.kind == "repeat" and label == "correction" and not outcome.ids):
        return "Got it, noted."
    if outcome.kind not in ("logged", "repeat"):
        return ""
    if label == "learning":
        return "Noted for future analyses."
    return f"Got it, logged as {', '.join(outcome.ids)}{' (said before)' if outcome.kind == 'repeat' else ''}."


def keep_corrections(
    points: "list[tuple[int, Point]]",
    heard: "Heard",
    where: "Where",
    places: "Places",
    dataset: str | None,
    wait_s: float,
) -> Outcome:
    """Put each (number, point) into the log unless it is there.

    Raises:
        OSError: nothing was kept; the queue can have it.
    """
    folder = open_part(where, CORRECTIONS)
    try:
        lock = folder.take_lock(LOCK, wait_s)
        try:
            ledger = Ledger(folder, places)
            try:
                return _commit(ledger, points, heard, dataset)
            finally:
                ledger.close()
        finally:
            folder.free_lock(lock)
    finally:
        folder.close()


def keep_learnings(
    points: "list[tuple[int, Point]]", category: str, heard: "Heard", where: "Where", places: "Places", wait_s: float
) -> Outcome:
    """Put each (number, point) under its heading in ``learnings/index.md`` unless it is there.

    Raises:
        OSError: nothing was kept; the queue can have it.
    """
    folder = open_part(where, LEARNINGS)
    try:
        lock = folder.take_lock(LEARNINGS_LOCK, wait_s)
        try:
            return _add_bullets(folder, points, category, heard, places)
        finally:
            folder.free_lock(lock)
    finally:
        folder.close()


def open_part(where: "Where", name: str) -> Folder:
    """Open ``.knowledge/<name>``, made when it is missing.

    Raises:
        UnsafeError: a part of it is a link or not this user's, or root works in somebody else's folder.
    """
    if where.reason == "foreign" and sys.platform != "win32" and os.geteuid() == 0:
        raise UnsafeError(f"{where.folder}: root does not write for a folder of another user at once")
    top = open_top(where.folder, 0o666) if where.in_project else make_private(where.folder)
    try:
        knowledge = _open_knowledge(top, where)
    finally:
        top.close()
    try:
        return knowledge.enter(name, create=True)
    finally:
        knowledge.close()


def _open_knowledge(top: Folder, where: "Where") -> Folder:
    try:
        return top.enter(KNOWLEDGE)
    except FileNotFoundError:
        if not where.in_project:
            return top.enter(KNOWLEDGE, create=True)
    _make_unshared(top)
    return top.enter(KNOWLEDGE)


def _make_unshared(top: Folder) -> None:
    """Make ``.knowledge`` with its ``.gitignore`` in one step: words must never lie there without it."""
    draft_name = f".knowledge-{os.getpid()}.tellback"
    draft = top.enter(draft_name, create=True)
    try:
        draft.write_new(".gitignore", _IGNORE)
        draft.write_new(".gitattributes", _ATTRIBUTES)
    finally:
        draft.close()
    try:
        top.rename(draft_name, KNOWLEDGE)
    except OSError:  # another capture was faster, or somebody put something else there: opening it will tell
        draft = top.enter(draft_name)
        draft.remove(".gitignore")
        draft.remove(".gitattributes")
        draft.close()
        top.remove_folder(draft_name)


def _commit(ledger: Ledger, points: "list[tuple[int, Point]]", heard: "Heard", dataset: str | None) -> Outcome:
    standings = [ledger.standing(heard, number) for number, _ in points]
    new = [point for point, (standing, _) in zip(points, standings, strict=True) if standing == "new"]
    idents = ledger.append(new, heard, dataset) if new else []
    # The entries are in the log. What fails from here on is healed by the next capture, which finds them there.
    with_ids = dict(zip([number for number, _ in new], idents, strict=True))
    try:
        for number, ident in with_ids.items():
            record_keys(ledger.places, heard.keys(number), heard.event, heard.at, ident)
        ledger.save_index()
    except OSError:
        if not new:
            raise
    known = {number: found for (number, _), found in zip(points, standings, strict=True) if found[0] != "new"}
    return settle(known, with_ids, heard, ledger.places, ledger.folder.path)


def _add_bullets(
    folder: Folder, points: "list[tuple[int, Point]]", category: str, heard: "Heard", places: "Places"
) -> Outcome:
    text = (folder.read(LEARNINGS_FILE, LIMIT_BYTES) or b"").decode("utf-8", "surrogateescape")
    known: dict[int, tuple[Standing, str]] = {}
    new: dict[int, str] = {}
    for number, point in points:
        standing, ident = find_standing(places, heard, number)
        if standing == "new" and not has_bullet(text, point.text):
            text = add_bullet(text, category, bullet_text(point.text, heard.date))
            new[number] = NO_ID
        elif standing == "new":  # today's may be what a killed capture wrote; an older one was said before
            known[number] = ("unclaimed" if bullet_text(point.text, heard.date) in text else "repeat", NO_ID)
        else:
            known[number] = (standing, ident)
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > LIMIT_BYTES:
        raise OSError(f"{folder.path}/{LEARNINGS_FILE} is too long to be rewritten in a hook")
    if new:
        folder.replace(LEARNINGS_FILE, data)
        for number in new:
            record_keys(places, heard.keys(number), heard.event, heard.at, NO_ID)
    return settle(known, new, heard, places, folder.path)
