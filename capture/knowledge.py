"""Keep what a turn says in ``.knowledge``: exactly once, in constant time, and never lost.

Under one lock per ``corrections`` folder: read the index; what the log holds beyond it is adopted (whole entries) or
set aside (the torn rest of a killed write); is the key known? append with one write; remember the keys; replace the
index; only then acknowledge. A kill between any two steps leaves a state that the next capture reads the same way.
What cannot be done at once goes to the queue, which the sweep writes (``slow.py``).

Hot, with the modules that it leads to: ``heard``, ``corrections``, ``learnings``, ``ledger``, ``log``, ``index``,
``keys``, ``settle``, ``queue``, ``parts``, ``folder`` and ``quote``.
"""

from .corrections import keep_corrections
from .heard import QUEUED, Heard, Outcome
from .settle import find_standing, remember, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.place import Where
    from ..core.shapes import Places, Turn
    from .detector import Verdict
    from .keys import Standing

LOCK_WAIT_S = 0.8


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
        prompt_hash: ``hash_prompt`` of the scrubbed prompt, the same in hook and sweep.
        dataset: the active dataset, for the entry's field.
        is_late: said by a sweep that reads the session log; *uuid* is then that log entry's own id.
        wait_s: how long the lock may be waited for.
    """
    if verdict.label == "positive":
        return Outcome("nothing", ack="Thanks!" if acknowledge else "")
    if verdict.label == "none" or not verdict.points:
        return Outcome("nothing")
    heard = Heard(turn, prompt_hash)
    heard.label, heard.points = verdict.label, list(enumerate(verdict.points))
    heard.category = verdict.learning_category or "Methodology Notes"
    heard.dataset, heard.is_late, heard.uuid = dataset, is_late, uuid
    heard.prompt_id = heard.prompt_id or uuid
    try:
        outcome = keep(heard, where, places, wait_s)
    except (OSError, ValueError) as error:  # ValueError: a path that no system takes
        outcome = _put_off(heard, where, places, str(error))
    if heard.label == "learning":
        from .learnings import make_ident

        outcome.learned = [make_ident(point.text) for _, point in heard.points]
    outcome.ack = _ack(outcome, verdict.label) if acknowledge else ""
    return outcome


def keep(heard: Heard, where: "Where", places: "Places", wait_s: float) -> Outcome:
    """Keep corrections in the log, learnings in their list.

    Raises:
        OSError: nothing was kept; the queue can have it.
    """
    if heard.label == "correction":
        return keep_corrections(heard, where, places, wait_s)
    from .learnings import keep_learnings  # a correction, the commoner case, loads none of it

    return keep_learnings(heard, where, places, wait_s)


def _put_off(heard: Heard, where: "Where", places: "Places", why: str) -> Outcome:
    """Put what could not be kept at once into the queue."""
    from .queue import QUEUE, append_waiting, queue_fields

    known: dict[int, tuple[Standing, str]] = {}
    new: dict[int, str] = {}
    try:
        for number, point in heard.points:
            standing, ident = find_standing(places, heard, number)
            if standing == "new":
                append_waiting(places, QUEUE, queue_fields(heard, number, point, where, why))
                new[number] = QUEUED
                remember(places, heard, number, QUEUED)
            else:
                known[number] = (standing, ident)
        return settle(known, new, heard, places, where.folder)
    except (OSError, ValueError):
        return Outcome("queued" if new else "failed")


def _ack(outcome: Outcome, label: str) -> str:
    """Return the documented line for what became of a correction or a learning."""
    if outcome.kind == "queued" or (outcome.kind == "repeat" and label == "correction" and not outcome.ids):
        return "Got it, noted."
    if outcome.kind not in ("logged", "repeat"):
        return ""
    if label == "learning":
        return "Noted for future analyses."
    return f"Got it, logged as {', '.join(outcome.ids)}{' (said before)' if outcome.kind == 'repeat' else ''}."
