"""The stages in their order; a sweep runs each once."""

from ..work import Stage
from .brief import brief
from .heal import heal_indexes
from .late import take_late
from .learn import learn
from .learned import settle
from .prune import prune
from .queue import write_waiting

# The queue twice: entries of hooks get ids before the final verdicts, late ones that had to wait after them.
STAGES: tuple[tuple[str, Stage], ...] = (
    ("queue", write_waiting),
    ("late", take_late),
    ("queue", write_waiting),
    ("heal", heal_indexes),
    ("learn", learn),
    ("learnings", settle),
    ("brief", brief),
    ("prune", prune),
)
