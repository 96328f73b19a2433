"""What is to be kept, with who said it and when, and what became of it."""

import time

from ..core.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.shapes import Turn
    from .points import Point

    OutcomeKind = Literal["logged", "repeat", "double", "queued", "nothing", "failed"]

NO_EVENT = "-"  # a prompt without an id
NO_ID = "-"  # kept without an id of its own: a learning
QUEUED = "?"  # no id yet
_YEAR_5000 = 1e11


class Heard:
    """The points of one prompt, their texts scrubbed, and how they are known again.

    Attributes:
        label: ``correction`` or ``learning``; ``category``: the learning's.
        points: each with its number in the prompt.
        dataset: the active dataset, for the entry's field.
        prompt_hash: short hash of the whole scrubbed prompt.
        date: the local day it was said on, ``YYYY-MM-DD``; ``at``: UTC seconds.
        is_late: read from the session log by a sweep; then ``uuid`` is that log entry's own id, ``""`` if it has none.
        is_queued: it waits in the queue and is to be written now; that it waits is then no sign that it was heard.
    """

    __slots__ = (
        "_event",
        "_keys",
        "at",
        "category",
        "dataset",
        "date",
        "is_late",
        "is_queued",
        "label",
        "points",
        "project",
        "prompt_hash",
        "prompt_id",
        "session",
        "uuid",
    )

    def __init__(self, turn: "Turn", prompt_hash: str) -> None:
        self.session = turn.session_id
        self.project = turn.project
        # A session log can say any time; one that no calendar has is now.
        self.at = turn.at if 0 <= turn.at < _YEAR_5000 else time.time()
        self.date = time.strftime("%Y-%m-%d", time.localtime(self.at))
        self.label = self.category = ""
        self.points: list[tuple[int, Point]] = []
        self.dataset: str | None = None
        self.prompt_hash = prompt_hash
        self.prompt_id = turn.prompt_id
        self.uuid = ""
        self.is_late = self.is_queued = False
        self._event = ""
        self._keys: dict[int, str] = {}

    def event(self) -> str:
        """Return what tells one firing from another: the hash of the prompt id, ``-`` when there is none."""
        if not self._event:
            self._event = hash_text(self.prompt_id) if self.prompt_id else NO_EVENT
        return self._event

    def key(self, number: int) -> str:
        """Return the key of one point, 12 hexadecimal digits: these words in this session."""
        if number not in self._keys:
            self._keys[number] = hash_text(self.session, self.prompt_hash, str(number))
        return self._keys[number]

    def moment_key(self, number: int) -> str:
        """Return the key of the words alone, by which a fork's copy of a prompt is recognised at its time."""
        return hash_text("moment", self.prompt_hash, str(number))

    def uuid_key(self, number: int) -> str:
        """Return the key of the session log's entry, the same in every fork of it."""
        return hash_text("uuid", self.uuid, str(number))


class Outcome:
    """What became of a turn.

    Attributes:
        kind: ``logged``, ``repeat`` (said before, counted), ``double`` (the same firing again, ignored), ``queued``,
            ``nothing`` (no signal, or praise, of which no file is written), ``failed`` (not even the queue took it).
        ids: the entries' ids, for a repeat those of the first time; empty for learnings and what is queued.
        learned: the keys of the learnings, by their words.
        ack: the one line for the person; ``""`` when there is nothing to say or acknowledgement is switched off.
    """

    __slots__ = ("ack", "ids", "kind", "learned")

    def __init__(self, kind: "OutcomeKind", ids: "list[str] | None" = None, ack: str = "") -> None:
        self.kind: OutcomeKind = kind
        self.ids = ids or []
        self.learned: list[str] = []
        self.ack = ack
