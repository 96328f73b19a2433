"""What is done with a prompt that may hold a signal: scrub, judge, keep, acknowledge. Hot, loaded only then."""

import gc

from ..capture.detector import Tables, judge
from ..capture.knowledge import capture_turn
from ..capture.strip import is_machine_text
from ..core.digest import short_hash
from ..core.place import find_knowledge
from ..core.scrub import ScrubRules, scrub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.news import News
    from ..core.shapes import Turn
    from .installed import Installed
    from .settings import HookSettings


def keep_prompt(turn: "Turn", news: "News", settings: "HookSettings", installed: "Installed") -> str:
    """Keep what *turn* says of the work, note in *news* what came of it, and return the acknowledgement."""
    gc.disable()  # this process ends in milliseconds: nothing is worth collecting
    tables = Tables(installed.tables.load("detector"))
    if is_machine_text(turn.prompt, turn.harness, tables=tables):
        news.outcome = "machine"
        return ""
    rules = ScrubRules(settings.scrub or installed.tables.load("scrub"))
    prompt = scrub(turn.prompt, rules)  # before anything is cut or hashed
    news.hash = short_hash(prompt.encode())
    verdict = judge(prompt, None, tables=tables, point=settings.point, in_hook=True)
    news.verdict = verdict.label
    where = find_knowledge(turn.project, installed.places)
    outcome = capture_turn(
        turn,
        verdict,
        where,
        installed.places,
        prompt_hash=news.hash,
        dataset=settings.dataset,
        acknowledge=settings.acknowledge,
    )
    news.outcome, news.ids = outcome.kind, tuple(outcome.ids)
    return outcome.ack
