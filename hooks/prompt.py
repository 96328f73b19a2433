"""What is done with a prompt that may hold a signal: judge it, and if it holds one, keep it. Hot, loaded only then."""

from ..capture.detector import Tables, judge
from ..capture.strip import is_machine_text
from .shelf import open_detector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.news import News
    from ..core.shapes import Turn
    from .installed import Installed
    from .settings import HookSettings


def judge_prompt(turn: "Turn", news: "News", settings: "HookSettings", installed: "Installed") -> str:
    """Keep what *turn* says of the work, note in *news* what came of it, and return the acknowledgement."""
    tables = Tables(open_detector(installed.tables))
    if is_machine_text(turn.prompt, turn.harness, tables=tables):
        news.outcome = "machine"
        return ""
    verdict = judge(turn.prompt, tables=tables, point=settings.point)  # tier 0 let it through already
    news.verdict = verdict.label
    if verdict.label == "none":
        return ""
    from .keep import keep_verdict

    return keep_verdict(turn, verdict, tables, news, settings, installed)
