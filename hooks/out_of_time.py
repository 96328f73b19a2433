"""When a hook's time is up: a prompt that is not decided yet goes to the queue, for a sweep to judge and write. Hot.

Whatever the hook was doing was broken off between any two steps; its files are as after a kill. What it wrote all the
same is known by its key, so the sweep writes nothing twice.
"""

import sys

from ..core.news import News, hide_place, start_news

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import Turn
    from .installed import Installed
    from .settings import HookSettings


def leave_to_sweep(turn: "Turn | None", news: News, data: bytes, is_whole: bool, installed: "Installed") -> News:
    """Queue the prompt unless it is decided or may not be heard; return the news with what was done.

    Args:
        turn: what was read of the payload *data*; ``None`` when not even that was done.
        is_whole: *data* is all that the harness sent.
    """
    forget_unfinished_modules()
    from .fire import leave_note

    try:
        if turn is None or not news.event:
            turn = read_again(data, news)
            news = start_news(turn, news.harness)
        if not news.outcome and news.verdict != "none":
            news.outcome = "out of time"
            finish_turn(turn, is_whole, news, installed)
        leave_note(installed, f"{news.harness} {news.event}", "out of time")
    except Exception as error:  # a door: the news must still be written
        hide_place(news)  # it may be one that must not be named
        leave_note(installed, f"{news.harness} {news.event}".rstrip(), error)
    return news


def read_again(data: bytes, news: News) -> "Turn":
    """Return the turn of a payload that was broken off while it was read; *news* holds time and argument."""
    from ..core.wire import load_object
    from .table import load_family, tell_harness

    payload = load_object(data)
    return load_family(tell_harness(payload, news.harness)).read_turn(payload, news.at)


def finish_turn(turn: "Turn", is_whole: bool, news: News, installed: "Installed") -> None:
    """Ask again what may be asked at any time (settings, rules, pause, tier 0), and queue a prompt that passes."""
    from .fire import may_say_something
    from .gate import find_settings, judge_turn

    settings = find_settings(installed)
    word = judge_turn(turn, settings, installed)
    if settings is None or word != "ok":
        news.outcome = word
        if word != "paused":
            hide_place(news)
    elif turn.event == "prompt" and turn.is_person and is_whole and settings.is_capturing:
        if may_say_something(turn.prompt, installed):
            queue_prompt(turn, news, settings, installed)
        else:
            news.verdict, news.outcome = "none", ""


def queue_prompt(turn: "Turn", news: News, settings: "HookSettings", installed: "Installed") -> None:
    """Queue the scrubbed prompt."""
    from ..capture.queue import QUEUE, append_waiting, prompt_fields
    from ..core.digest import hash_prompt
    from ..core.scrub import ScrubRules, cut_middle, scrub
    from .shelf import open_scrub

    prompt = scrub(cut_middle(turn.prompt), ScrubRules(settings.scrub or open_scrub(installed.tables)))
    news.hash = hash_prompt(prompt)
    append_waiting(installed.places, QUEUE, prompt_fields(turn, prompt, news.hash, settings.point, settings.dataset))
    news.verdict, news.outcome = "", "queued"


def forget_unfinished_modules() -> None:
    """Let modules be imported anew whose import was broken off: one that is whole hangs on its package."""
    for name, module in list(sys.modules.items()):
        package, _, leaf = name.rpartition(".")
        is_ours = package.startswith("tellback") and not hasattr(module, "__path__")
        if is_ours and not hasattr(sys.modules.get(package), leaf):
            del sys.modules[name]
