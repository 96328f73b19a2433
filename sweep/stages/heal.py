"""Let every index agree with its log: a hook killed behind its append leaves the counting to the next capture."""

from ...capture.ledger import OddShapeError
from ...capture.slow import heal_index
from ...core.place import find_knowledge
from ..work import Work

# News are kept as long; a hook that was killed with its news, in a project without others, waits for the next capture.
RECENT_S = 7 * 86_400


def heal_indexes(work: Work) -> dict[str, int]:
    """Look at the log of every project that a hook told of lately: a few system calls each."""
    rows = work.db.execute("SELECT DISTINCT project FROM captures WHERE at >= ?", (work.now - RECENT_S,)).fetchall()
    folders = {find_knowledge(str(project), work.places, may_create=False).folder: str(project) for (project,) in rows}
    words = [_heal(work, project) for project in folders.values()]
    return {word: words.count(word) for word in ("healed", "cannot be read") if word in words}


def _heal(work: Work, project: str) -> str:
    where = find_knowledge(project, work.places, may_create=False)
    try:
        return "healed" if heal_index(where, work.places, work.patience.wait_s(where.folder)) else "right"
    except OddShapeError:
        return "odd"  # its next entry comes through the queue, and that counts everything
    except OSError as error:
        work.patience.note(where.folder, error)
        return "cannot be read"  # links, other people's files, read-only: doctor tells it in that project
