"""News: the one line that every hook call leaves in ``<cache>/news.jsonl``. Hot.

It is proof that a hook fired, a count of failures, a pointer to the transcript and the sign that a session has
something new. It holds no text of the person: a prompt is its hash. Empty members are left out.
"""

from .append import append_line, make_private_folder
from .wire import dump_json, is_array, load_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .shapes import Places, Turn


MEMBERS = (
    "at",
    "event",
    "harness",
    "hash",
    "ids",
    "learned",
    "note",
    "outcome",
    "project",
    "prompt_id",
    "roots",
    "session",
    "transcript",
    "verdict",
    "via",
)


class News:
    """One hook call as it is told to sweep, log and doctor.

    Attributes:
        at: UTC seconds.
        harness: the real one; ``via``: the one whose hook was called, ``""`` when it is the same. Both set means that
            one harness runs the other's hooks too.
        event: ours (``prompt``, ``turn_end`` ...); ``""`` when the payload could not be read.
        session: the harness's id; ``prompt_id``: of this prompt; ``""`` when the payload had none.
        hash: short hash of the scrubbed prompt; ``""`` for other events.
        verdict: the detector's label, ``none`` for a prompt without a signal; ``""`` when nothing was judged.
        outcome: what came of it. For a judged prompt what capture says (``logged``, ``repeat``, ``double``,
            ``queued``, ``nothing``, ``failed``); else why it was not judged (``machine``, ``disabled``, ``denied``,
            ``paused``, ``too long``, ``unreadable``, ``out of time``) or what a turn's end did (``launched``,
            ``throttled`` ...).
        ids: entries written or counted, ``CORR-001``; learned: the keys of learnings, which have no id.
        transcript: absolute path of the session log; ``project``: absolute folder; ``roots``: further workspace roots.
        note: for doctor, for example a store variable that differs from the installed one.
    """

    __slots__ = MEMBERS

    def __init__(self, at: float, harness: str) -> None:
        self.at = at
        self.harness = harness
        self.via = self.event = self.session = self.prompt_id = self.hash = ""
        self.verdict = self.outcome = self.transcript = self.project = self.note = ""
        self.ids: tuple[str, ...] = ()
        self.learned: tuple[str, ...] = ()
        self.roots: tuple[str, ...] = ()


def news_path(places: "Places") -> str:
    """Return where the news are."""
    return places.cache + "/news.jsonl"


def start_news(turn: "Turn", via: str) -> News:
    """Return the news of *turn* as far as it is known before anything was decided."""
    news = News(turn.at, turn.harness)
    news.via = via if via != turn.harness else ""
    news.event = turn.event
    news.session = turn.session_id
    news.prompt_id = turn.prompt_id
    news.transcript = turn.transcript
    news.project = turn.project
    news.roots = turn.roots if len(turn.roots) > 1 else ()
    return news


def hide_place(news: News) -> None:
    """Take out what a project that must not be listened to gives away: that a hook fired is all that stays."""
    news.session = news.prompt_id = news.hash = news.transcript = news.project = ""
    news.roots = ()


def append_news(places: "Places", news: News) -> None:
    """Append *news* with one write; the cache folder is made when it is missing.

    Raises:
        OSError: the line was not written.
    """
    members: dict[str, object] = {"at": round(news.at, 3)}
    for name in MEMBERS:
        if name != "at" and (value := getattr(news, name)):
            members[name] = value
    line = dump_json(members)
    try:
        append_line(news_path(places), line)
    except FileNotFoundError:
        make_private_folder(places.cache)
        append_line(news_path(places), line)


def parse_news(line: bytes) -> "News | None":
    """Return the news on one *line*; ``None`` for a line that is none (torn, of another kind, wrong types)."""
    try:
        members = load_object(line)
    except ValueError:
        return None
    at, harness = members.get("at"), members.get("harness")
    if isinstance(at, bool) or not isinstance(at, (int, float)) or not isinstance(harness, str):
        return None
    news = News(float(at), harness)
    for name in MEMBERS:
        value = members.get(name)
        if name in ("ids", "learned", "roots"):
            setattr(news, name, _as_texts(value))
        elif name != "at" and isinstance(value, str):
            setattr(news, name, value)
    return news


def _as_texts(value: "Any") -> "tuple[str, ...]":
    return tuple(value) if is_array(value) and all(isinstance(item, str) for item in value) else ()
