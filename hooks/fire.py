"""What a hook does: payload in, turn, policy, capture or trigger, one line of news, the answer out. Hot.

The one door to a harness: whatever happens the process ends with 0, nothing on stderr, and on stdout nothing or the
one answer that the harness expects. What few calls need is imported where it is needed: each module costs.
"""

import sys
import time

from ..capture.anchors import may_hold_signal
from ..core.append import nt_or_posix, write_once
from ..core.news import News, append_news, hide_place, start_news
from ..core.wire import dump_json, load_object
from ..sweep.stamp import GRACE_S, OVERDUE, is_due, read_stamp
from .deadline import end_after, leave
from .gate import find_settings, judge_turn
from .stdin import cut_to_head, read_stdin
from .table import load_family, tell_harness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import Turn
    from .installed import Installed
    from .settings import HookSettings

IDLE_S = 1.0


def main(argument: str, installed: "Installed") -> None:
    """Serve one hook call on the standard streams and end the process."""
    try:
        serve(argument, installed)
    except BaseException as error:  # the door to the harness: nothing passes it
        leave_note(installed, argument, error)
    leave(0)


def serve(argument: str, installed: "Installed") -> None:
    """Read stdin, do what the turn asks for, write the answer."""
    streams = (sys.stdin, sys.stdout)  # None where the harness closed one: then 0 or 1 is some other file
    data, is_whole = read_stdin(0, IDLE_S) if streams[0] is not None else (b"", True)
    end_after(installed.packed["prompt_s"])
    answer = handle(data, is_whole, argument, installed, time.time())
    if answer and streams[1] is not None:
        write_once(1, answer)


def handle(data: bytes, is_whole: bool, argument: str, installed: "Installed", now: float) -> bytes:
    """Do what one payload asks for and return what to print; its news are written whatever happens on the way."""
    news = News(now, argument)
    answer = b""
    turn = None
    try:
        payload = load_object(data if is_whole else cut_to_head(data))
        family = load_family(tell_harness(payload, argument))
        turn = family.read_turn(payload, now)
        news = start_news(turn, argument)
        note_store(news, installed)
        shown, told = take_turn(turn, is_whole, news, installed)
        if told:
            from .answer import make_answer

            members = make_answer(turn.harness, turn.event, shown, told)
            answer = dump_json(members) if members else b""
    except Exception as error:  # a door: the news must still be written
        news.outcome = "failed" if news.event else "unreadable" if is_whole else "too long"
        leave_note(installed, f"{news.harness} {news.event}".rstrip(), error)
    except KeyboardInterrupt:  # the time is up
        from .out_of_time import leave_to_sweep

        news = leave_to_sweep(turn, news, data if is_whole else cut_to_head(data), is_whole, installed)
    append_news(installed.places, news)
    return answer


def take_turn(turn: "Turn", is_whole: bool, news: News, installed: "Installed") -> "tuple[str, str]":
    """Judge, capture or trigger; what came of it goes to *news*; returns what to show the person and tell the model."""
    settings = find_settings(installed)
    word = judge_turn(turn, settings, installed)
    if word != "ok":
        news.outcome = word
    if settings is None or word in ("disabled", "denied"):
        hide_place(news)
        return "", ""
    shown = told = ""
    if turn.event == "prompt":
        if word == "ok":
            shown = take_prompt(turn, is_whole, news, settings, installed)
            told = add_question(shown, turn, settings, installed)
        launch_overdue(turn, settings, installed)
    elif turn.event in ("turn_end", "session_end"):
        end_after(settings.turn_end_s)
        news.outcome = launch_due(turn, settings, installed)
    elif turn.event == "session_start" and word == "ok" and turn.is_person and settings.brief:
        from ..core.ready import read_brief

        told = read_brief(turn.project, installed.places)
    return shown, told


def add_question(text: str, turn: "Turn", settings: "HookSettings", installed: "Installed") -> str:
    """Return *text* with the question that a sweep laid ready for this session, asked with this prompt and no other."""
    path = f"{installed.places.cache}/ready/{turn.session_id}"
    if not turn.is_person or not settings.is_capturing or not nt_or_posix.access(path, 0):
        return text
    from ..core.ready import take_question
    from .answer import takes_context

    if not takes_context(turn.harness):
        return text  # it stays for `tellback record --list-pending`
    return f"{text}\n{take_question(turn.session_id, installed.places)}".strip()


def take_prompt(turn: "Turn", is_whole: bool, news: News, settings: "HookSettings", installed: "Installed") -> str:
    """Capture what a prompt says of the work; a prompt that surely says nothing costs no more than the look."""
    if not is_whole:
        news.outcome = "too long"  # the sweep reads it in the session's log
    elif not settings.is_capturing:
        news.outcome = "disabled"
    elif not turn.is_person:
        news.outcome = "machine"
    elif may_say_something(turn.prompt, installed):
        from .prompt import judge_prompt

        return judge_prompt(turn, news, settings, installed)
    else:
        news.verdict = "none"
    return ""


def may_say_something(prompt: str, installed: "Installed") -> bool:
    """Whether tier 0 lets *prompt* pass."""
    if not prompt.isascii():
        installed.tables.load_pieces()
    return may_hold_signal(prompt.encode(), installed.tables)


def launch_due(turn: "Turn", settings: "HookSettings", installed: "Installed") -> str:
    """Launch a sweep at a turn's end when one is due; say what was done."""
    soonest_s = min(settings.quiet_s, settings.push_budget_s + GRACE_S)
    if not is_due(read_stamp(installed.places), turn.at, soonest_s):
        return "throttled"
    from ..sweep.trigger import Order, trigger

    rare = installed.tables.load("rare")
    order = Order(rare["sweep_argv"], rare["environment"], settings.quiet_s, settings.push_budget_s)
    return trigger(installed.places, turn.at, order)


def launch_overdue(turn: "Turn", settings: "HookSettings", installed: "Installed") -> None:
    """Launch a sweep at a prompt when none was for long: no turn ends where the person interrupts every time."""
    last_started_at = read_stamp(installed.places)
    since = installed.installed_at if last_started_at is None else last_started_at
    if is_due(since, turn.at, OVERDUE * settings.quiet_s):
        launch_due(turn, settings, installed)


def note_store(news: News, installed: "Installed") -> None:
    """Tell doctor when the harness keeps its sessions elsewhere than at install: hooks must not follow a variable."""
    name, recorded = installed.stores.get(news.harness, ("", ""))
    value = _read_variable(name) if name else ""
    if value != recorded:
        news.note = f"{name}={value[:1000]}"


def _read_variable(name: str) -> str:
    if sys.platform == "win32":
        return nt_or_posix.environ.get(name, "")
    return nt_or_posix.environ.get(name.encode(), b"").decode("utf-8", "replace")


def leave_note(installed: "Installed", call: str, problem: "BaseException | str") -> None:
    """Leave a line for doctor; its own failures are swallowed."""
    from .notes import append_note, describe

    words = problem if isinstance(problem, str) else describe(problem)
    append_note(installed.places, f"{call} {words}")
