"""What was already heard: one short line per entry in small files below ``<data>/keys/``, found in constant time.

A key stands for some words in a session: hash of (session, hash of the prompt, number of the point). The same key
under the same prompt id is a hook that fired twice; under another one the person said it again. Session ids are unique
everywhere, so one store serves all projects, and a prompt that reaches two hooks with different folders is one.
"""

import time

from ..core.digest import hash_text
from .folder import Folder, make_private, open_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.shapes import Places, Turn

    Standing = Literal["new", "double", "repeat", "unclaimed"]

NO_EVENT = "-"
QUEUED = "?"
NO_ID = "-"
_BUCKET_DIGITS = 2
_DOUBLE_S = 60
_SAME_MOMENT_S = 2


class Known:
    """One line of a bucket: under which prompt id, when (UTC seconds) and as which entry a key was heard.

    ``event`` is ``-`` when there was no prompt id, ``at`` 0 when the line was healed from the log's own comment.
    ``ident`` is the entry's id, ``?`` while it waits in the queue, ``-`` for what has no id.
    """

    __slots__ = ("at", "event", "ident")

    def __init__(self, event: str, at: int, ident: str) -> None:
        self.event = event
        self.at = at
        self.ident = ident


def key_of(session: str, prompt_hash: str, point: int) -> str:
    """Return the key of one point of a prompt, 12 hexadecimal digits."""
    return hash_text(session, prompt_hash, str(point))


def moment_key(prompt_hash: str, point: int) -> str:
    """Return the key of the words alone, by which a fork's copy of a prompt is recognised by its time."""
    return hash_text("moment", prompt_hash, str(point))


def uuid_key(uuid: str, point: int) -> str:
    """Return the key of one entry of a session log, the same in every fork of it."""
    return hash_text("uuid", uuid, str(point))


class Heard:
    """Who said something, when, and how it is known again.

    Attributes:
        event: what tells one firing from another: the hash of the prompt id, ``-`` when there is none.
        date: the local day it was said on, ``YYYY-MM-DD``.
        is_late: read from the session log by a sweep; then ``uuid`` is that log entry's own id, ``""`` if it has none.
    """

    __slots__ = ("at", "date", "event", "is_late", "project", "prompt_hash", "prompt_id", "session", "uuid")

    def __init__(self, turn: "Turn", prompt_hash: str, is_late: bool, uuid: str) -> None:
        self.session = turn.session_id
        self.prompt_id = turn.prompt_id or uuid
        self.event = hash_text(self.prompt_id) if self.prompt_id else NO_EVENT
        self.prompt_hash = prompt_hash
        self.project = turn.project
        self.at = turn.at
        self.date = time.strftime("%Y-%m-%d", time.localtime(turn.at))
        self.is_late = is_late
        self.uuid = uuid

    def key(self, point: int) -> str:
        return key_of(self.session, self.prompt_hash, point)

    def keys(self, point: int) -> list[str]:
        """Return every key that later tells the same words of the same moment."""
        keys = [self.key(point), moment_key(self.prompt_hash, point)]
        return [*keys, uuid_key(self.uuid, point)] if self.uuid else keys


def find_standing(places: "Places", heard: Heard, point: int) -> "tuple[Standing, str]":
    """Return whether a point was heard before, and the id of its entry (``?`` queued, ``-`` none)."""
    known = find_known(places, heard.key(point))
    standing = judge_known(known, heard.event, heard.at)
    if heard.is_late and standing in ("new", "repeat"):
        if heard.uuid and (copies := find_known(places, uuid_key(heard.uuid, point))):
            return "double", copies[-1].ident
        if is_same_moment(copies := find_known(places, moment_key(heard.prompt_hash, point)), heard.at):
            return "double", copies[-1].ident
    return standing, known[-1].ident if known else NO_ID


def find_known(places: "Places", key: str) -> list[Known]:
    """Return all lines about *key*; unreadable ones are left out."""
    try:
        folder = _open_store(places, create=False)
    except OSError:
        return []
    try:
        data = folder.read(key[:_BUCKET_DIGITS])
    except OSError:
        return []
    finally:
        folder.close()
    if not data or key.encode() not in data:
        return []
    lines = [line.split(" ") for line in data.decode("ascii", "replace").split("\n") if line.startswith(key)]
    return [Known(line[1], int(line[2]), line[3]) for line in lines if len(line) == 4 and line[2].isdecimal()]


def record_keys(places: "Places", keys: list[str], event: str, at: float, ident: str) -> None:
    """Remember that all of *keys* were heard under *event*; one write a key."""
    folder = _open_store(places, create=True)
    try:
        for key in keys:
            folder.append(key[:_BUCKET_DIGITS], f"{key} {event} {int(at)} {ident}".encode())
    finally:
        folder.close()


def judge_known(known: list[Known], event: str, at: float) -> "Standing":
    """Say what hearing a key again means.

    Without a prompt id on either side, 60 seconds tell a double firing from a repeat. ``unclaimed``: the entry is in
    the log, but whoever wrote it was killed before it could say so; the next to ask is its author's second firing.
    """
    if not known:
        return "new"
    if event != NO_EVENT and any(line.event == event for line in known):
        return "double"
    if any(NO_EVENT in (event, line.event) and abs(at - line.at) < _DOUBLE_S for line in known):
        return "double"
    return "unclaimed" if all(line.at == 0 for line in known) else "repeat"


def is_same_moment(known: list[Known], at: float) -> bool:
    """Whether the words were heard at that very time, in whatever session: a fork copies them with their time."""
    return any(line.at and abs(at - line.at) <= _SAME_MOMENT_S for line in known)


def _open_store(places: "Places", create: bool) -> Folder:
    path = f"{places.data}/keys"
    return make_private(path) if create else open_top(path, 0o600)
