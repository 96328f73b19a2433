"""Keep what a prompt says of the work: scrubbed, once, acknowledged. Hot, loaded only for a prompt with a signal."""

from ..capture.detector import judge
from ..capture.knowledge import capture_turn
from ..core.digest import hash_prompt
from ..core.place import find_knowledge
from ..core.scrub import ScrubRules, cut_middle, scrub
from .shelf import open_scrub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..capture.detector import Tables, Verdict
    from ..core.news import News
    from ..core.shapes import Turn
    from .installed import Installed
    from .settings import HookSettings


def keep_verdict(
    turn: "Turn", verdict: "Verdict", tables: "Tables", news: "News", settings: "HookSettings", installed: "Installed"
) -> str:
    """Keep *verdict*, note in *news* what came of it, and return the acknowledgement.

    Secrets go before anything is cut, hashed or stored: a prompt that held one is judged again without it.
    """
    prompt = scrub(cut_middle(turn.prompt), ScrubRules(settings.scrub or open_scrub(installed.tables)))
    if prompt != turn.prompt:
        verdict = judge(prompt, tables=tables, point=settings.point, in_hook=True)
        news.verdict = verdict.label
    news.hash = hash_prompt(prompt)
    outcome = capture_turn(
        turn,
        verdict,
        find_knowledge(turn.project, installed.places),
        installed.places,
        prompt_hash=news.hash,
        dataset=settings.dataset,
        acknowledge=settings.acknowledge,
    )
    news.outcome, news.ids, news.learned = outcome.kind, tuple(outcome.ids), tuple(outcome.learned)
    return outcome.ack
