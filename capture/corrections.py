"""One prompt's corrections put into ``.knowledge/corrections``: log, keys, index, in that order, under one lock."""

from .heard import Outcome
from .ledger import LOCK, Ledger
from .parts import open_part
from .settle import remember, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.place import Where
    from ..core.shapes import Places
    from .heard import Heard

CORRECTIONS = "corrections"


def keep_corrections(heard: "Heard", where: "Where", places: "Places", wait_s: float) -> Outcome:
    """Put each point into the log unless it is there.

    Raises:
        OSError: nothing was kept; the queue can have it.
    """
    folder = open_part(where, CORRECTIONS)
    try:
        lock = folder.take_lock(LOCK, wait_s)
        try:
            ledger = Ledger(folder, places)
            try:
                return commit(ledger, heard)
            finally:
                ledger.close()
        finally:
            folder.free_lock(lock)
    finally:
        folder.close()


def commit(ledger: Ledger, heard: "Heard") -> Outcome:
    """Append what is new, count it, and settle what is not; the lock is held.

    Raises:
        OSError: nothing was kept.
    """
    standings = {number: ledger.standing(heard, number) for number, _ in heard.points}
    new = [(number, point) for number, point in heard.points if standings[number][0] == "new"]
    idents = dict(zip([number for number, _ in new], ledger.append(new, heard) if new else [], strict=True))
    # The entries are in the log. What fails from here on is healed by the next capture, which finds them there.
    try:
        for number, ident in idents.items():
            remember(ledger.places, heard, number, ident)
        ledger.save_index()
    except OSError:
        if not new:
            raise
    known = {number: standing for number, standing in standings.items() if number not in idents}
    return settle(known, idents, heard, ledger.places, ledger.folder.path)
