"""How one user turn is read by default: our detector, and the document's rules where it is silent."""

from ..capture.detector import Context, Tables, judge
from .document import Reaction, Reading, find_dimension, read_message
from .outcomes import ReadTurn, UserTurn

_KINDS: dict[str, Reaction] = {"redo": "redo", "revert": "revert", "partial": "partial"}


def make_read_turn(tables: Tables) -> ReadTurn:
    """Return the default reading: the detector with the agent's text before as context, at the point ``report``."""

    def read(turn: UserTurn) -> Reading:
        verdict = judge(turn.text, Context(answer=turn.answer, is_first=False), tables=tables)
        if verdict.label == "correction":
            kind = verdict.also.partition("+")[0]
            told = next((point.dimension for point in verdict.points if point.dimension), None)
            return Reading(_KINDS.get(kind, "rejection"), told or find_dimension(turn.text))
        if verdict.label == "positive":
            return Reading("explicit", None)
        return read_message(turn.text)

    return read


def read_by_document(turn: UserTurn) -> Reading:
    """Read a turn by the document's tables alone (``--classifier document``)."""
    return read_message(turn.text)
