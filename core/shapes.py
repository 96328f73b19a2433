"""The shapes that the hot path carries from room to room.

Plain classes with ``__slots__``: importing ``typing`` for a ``NamedTuple`` costs more than a whole idle start of
Python, ``dataclasses`` nearly two. The log reader's ``Entry`` is a ``NamedTuple`` and so is in ``sessions/entry.py``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    EventKind = Literal["prompt", "tool_failed", "turn_end", "session_end", "session_start", "other"]


class Turn:
    """What one hook call says, whatever harness sent it.

    Attributes:
        harness: the real one, told from the payload and not from the hook's argument (``claude-code``, ``cursor`` ...).
        event: ours, not the harness's word for it.
        session_id: the harness's id of the session; ``""`` when the payload has none.
        prompt_id: the harness's id of this very prompt (``prompt_id``, ``generation_id``); ``""`` when it has none.
        project: absolute folder that the session works in; ``""`` when unknown.
        cwd: the reported working directory; ``""`` when unknown.
        roots: all workspace roots that the payload names (Cursor can have several).
        prompt: the message as delivered; ``""`` for other events.
        is_person: whether a person typed it: false for sub-agents and for machine text sent as a prompt.
        transcript: absolute path of the session log; ``""`` when unknown.
        at: UTC seconds.
    """

    __slots__ = (
        "at",
        "cwd",
        "event",
        "harness",
        "is_person",
        "project",
        "prompt",
        "prompt_id",
        "roots",
        "session_id",
        "transcript",
    )

    def __init__(self, harness: str, event: "EventKind", at: float) -> None:
        self.harness = harness
        self.event: EventKind = event
        self.at = at
        self.session_id = ""
        self.prompt_id = ""
        self.project = ""
        self.cwd = ""
        self.roots: tuple[str, ...] = ()
        self.prompt = ""
        self.is_person = True
        self.transcript = ""


class Places:
    """Tellback's own folders and the home they belong to; absolute paths.

    Install records them, for a hook and the sweep that it launches take no directory from the environment.
    """

    __slots__ = ("cache", "config", "data", "home")

    def __init__(self, home: str, data: str, cache: str, config: str) -> None:
        self.home = home
        self.data = data
        self.cache = cache
        self.config = config
