"""The short sweep that a command runs before it shows data, so that what was just said is in it."""

from ..core.shapes import Places
from .lastrun import LastRun
from .run import Order, run_sweep

BUDGET_S = 5.0


def run_due_sweep(places: Places, look_around: bool = False) -> LastRun | None:
    """Take what is due, for a few seconds (the rest stays due); ``None`` when another sweep is at it.

    With *look_around* every session log is looked at, not only those that hooks told of.

    Raises:
        TellbackError: the database cannot be used; whoever wants to show what is in it would say the same.
    """
    return run_sweep(places, Order(budget_s=BUDGET_S, look_around=look_around))
