"""Was Tellback paused when something was said? A pause holds for what the sweep finds later, too."""

import math
import os
import sqlite3

from ..core.pause import pause_path, read_pause_end
from ..core.shapes import Places
from ..sessions.prompts import Prompt
from .captures import find_last_outcome


def was_paused(places: Places, db: sqlite3.Connection, prompt: Prompt) -> bool:
    """Whether *prompt* was typed during a pause.

    The pause file tells of the last pause: it was written when that began and holds when it ends. Of earlier ones the
    hooks' news tell; words that fire no hook follow the last prompt that did.
    """
    if prompt.at is None:
        return False
    began_at, until = read_pause_span(places)
    if began_at <= prompt.at < until:
        return True
    return prompt.origin == "refusal" and find_last_outcome(db, prompt.at) == "paused"


def read_pause_span(places: Places) -> tuple[float, float]:
    """Return when the last pause began and ends, in UTC seconds; one that cannot be read holds, as it does in hooks."""
    try:
        began_at = os.lstat(pause_path(places)).st_mtime
    except FileNotFoundError:
        return math.inf, -math.inf
    until = read_pause_end(places)
    return began_at, -math.inf if until is None else until
