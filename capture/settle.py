"""Whether a point was heard before, and what follows when it was."""

from .heard import NO_ID, QUEUED, Outcome
from .keys import find_known, is_same_moment, judge_known, record_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import Places
    from .heard import Heard
    from .keys import Known, Standing


def find_standing(places: "Places", heard: "Heard", number: int) -> "tuple[Standing, str]":
    """Return whether a point was heard before, and the id of its entry (``?`` queued, ``-`` none)."""
    known = _find(places, heard, heard.key(number))
    standing = judge_known(known, heard.event(), heard.at)
    if heard.is_late and standing in ("new", "repeat"):
        copies = _find(places, heard, heard.uuid_key(number)) if heard.uuid else []
        if not copies:
            copies = _find(places, heard, heard.moment_key(number))
            copies = copies if is_same_moment(copies, heard.at) else []
        if copies:
            return "double", copies[-1].ident
    return standing, known[-1].ident if known else NO_ID


def remember(places: "Places", heard: "Heard", number: int, ident: str) -> None:
    """Record a point under every key that later tells the same words of the same moment."""
    keys = [heard.key(number), heard.moment_key(number)]
    if heard.uuid:
        keys.append(heard.uuid_key(number))
    record_keys(places, keys, heard.event(), heard.at, ident)


def settle(
    known: "dict[int, tuple[Standing, str]]", new: dict[int, str], heard: "Heard", places: "Places", folder: str
) -> Outcome:
    """Remember and count the points that were said before, and sum up the turn: its best point decides.

    Raises:
        OSError: a repeat could not be counted.
    """
    for number, (standing, ident) in known.items():
        if standing == "repeat":
            from .queue import REPEATS, append_waiting, repeat_fields  # what is new needs none of it

            append_waiting(places, REPEATS, repeat_fields(number, ident, heard, folder))
        if standing != "double":
            remember(places, heard, number, ident)
        elif heard.is_late and heard.uuid and not find_known(places, heard.uuid_key(number)):
            record_keys(places, [heard.uuid_key(number)], heard.event(), heard.at, ident)
    standings = {standing for standing, _ in known.values()}
    idents = [*new.values(), *[ident for standing, ident in known.values() if standing != "double" or not new]]
    ids = list(dict.fromkeys([ident for ident in idents if ident not in (NO_ID, QUEUED)]))
    if new or "unclaimed" in standings:
        return Outcome("queued" if QUEUED in new.values() else "logged", ids)
    return Outcome("repeat" if "repeat" in standings else "double", ids)


def _find(places: "Places", heard: "Heard", key: str) -> "list[Known]":
    known = find_known(places, key)
    return [line for line in known if line.ident != QUEUED] if heard.is_queued else known
