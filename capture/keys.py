"""What was already heard: one short line per entry in small files below ``<data>/keys/``, found in constant time.

A key stands for some words in a session: hash of (session, hash of the prompt, number of the point). The same key
under the same prompt id is a hook that fired twice; under another one the person said it again. Session ids are unique
everywhere, so one store serves all projects, and a prompt that reaches two hooks with different folders is one.
"""

from .folder import Folder, make_private, open_top
from .heard import NO_EVENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.shapes import Places

    Standing = Literal["new", "double", "repeat", "unclaimed"]

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
