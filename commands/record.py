"""``tellback record``: the recorder's door for the per-turn checklist, and for settling whose a correction was (R)."""

from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..core.config import load_settings
from ..core.db import open_db, transaction
from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.keys import Settings
from ..core.paths import find_claude_config, find_places
from ..core.scrub import scrub
from ..core.scrub_own import make_scrub_rules
from ..learning.ledger import Attribution, list_attributions, settle_attribution
from ..learning.questions import withdraw_question
from ..learning.scanner import NOT_RECOGNISED, is_recognised
from ..learning.signals import Said, append_signals, make_signals
from ..learning.where import find_skill_store, find_skill_stores
from .result import Result, run

_KINDS = ("repeated_operation", "user_urged", "guessed_step")
_NONE = "none"


class Told(NamedTuple):
    """What the checklist says of one signal."""

    skill: str | None
    corrected: bool
    friction: str | None
    scenario: str
    correction: tuple[str, ...]
    detail: str
    intent: str
    problem: str
    words: str


@click.command("record")
@click.option("--corrected", is_flag=True, help="The person gave concrete guidance.")
@click.option("--friction", type=click.Choice(_KINDS), help="The skill's description fell short.")
@click.option("--skill", help="The skill that it is about; with --resolve also `none`.")
@click.option("--scenario", default="", help="The task in one sentence.")
@click.option("--correction", multiple=True, help="The guidance; once for each independent point.")
@click.option("--detail", default="", help="What was unclear, and how you got through.")
@click.option("--intent", default="", help="What the person wanted first.")
@click.option("--problem", default="", help="What you did that caused it.")
@click.option("--input", "words", default="", help="The person's latest words.")
@click.option("--resolve", metavar="ID", help="Say whose a pending correction is, with --skill.")
@click.option("--list-pending", is_flag=True, help="Show the corrections whose skill is not clear.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(resolve: str | None, list_pending: bool, as_json: bool, **told: Any) -> None:
    """Record that a skill was corrected or fell short; nothing of the skill itself is changed."""
    of = Told(**told)
    if list_pending + (resolve is not None) + (of.corrected or of.friction is not None) != 1:
        raise click.UsageError("give one of --corrected, --friction, --resolve and --list-pending")
    if of.corrected and of.friction:
        raise click.UsageError("a signal is either --corrected or --friction")
    if resolve is not None and not of.skill:
        raise click.UsageError("--resolve needs --skill (or `--skill none`)")

    def act() -> Result:
        if list_pending:
            return _list_pending()
        return resolve_attribution(resolve, str(of.skill)) if resolve is not None else _record(of)

    run(act, as_json)


def _record(told: Told) -> Result:
    if not told.skill:
        raise TellbackError("刚才的问题属于哪个 skill？ (which skill is it about?)", hint="say so with --skill")
    settings = load_settings(find_places())
    rules = make_scrub_rules(settings)
    # Two signals of one second are told apart by these words, so they must not be empty.
    words = told.words or told.detail or "\n".join(told.correction)
    frame = Said(
        *(scrub(text, rules) for text in (told.scenario, told.intent, told.problem, words)),
        friction_type=told.friction,  # pyright: ignore[reportArgumentType]
        friction_detail=scrub(told.detail, rules) if told.friction else None,
    )
    points = [scrub(point, rules) for point in told.correction] or [frame.words]
    said = [frame] if told.friction else [frame._replace(correction=point) for point in points]
    return _write(told.skill, Path.cwd(), said, datetime.now(timezone.utc), settings)


def _write(skill: str, project: Path, said: list[Said], at: datetime, settings: Settings, harness: str = "") -> Result:
    """Append the signals, look whether they are found, and confirm corrections; friction is silent (R-29)."""
    store = find_skill_store(skill, find_skill_stores(project, settings, harness))
    path = store.path_of(skill)
    if not path.is_file():
        raise TellbackError(f"there is no skill {skill!r} here, so nothing was recorded")
    signals = make_signals(skill, path.read_bytes(), said, at)
    append_signals(path.parent, signals)
    data = {"skill": skill, "signals": [signal["signal_id"] for signal in signals]}
    if not is_recognised(skill, store.folder, [find_claude_config() / "skills"]):
        return Result(data | {"recognised": False}, messages=(NOT_RECOGNISED,), exit_code=1)
    is_corrected = any(one.friction_type is None for one in said)
    text = f"已记录 {show_line(skill)} 的 corrected 信号" if is_corrected else ""
    return Result(data | {"recognised": True}, text)


def resolve_attribution(ident: str, skill: str) -> Result:
    """Record a pending correction for *skill*, or for none of its candidates with ``none``.

    Raises:
        TellbackError: none waits under this id, or there is no such skill.
    """
    places = find_places()
    with closing(open_db(places)) as db:
        waiting = next((one for one in list_attributions(db) if one.id == ident), None)
        if waiting is None:
            raise TellbackError(f"no correction waits under {ident}", hint="see `tellback record --list-pending`")
        if skill == _NONE:
            result = Result({"id": ident, "skill": None}, "It is about none of them; nothing was recorded.")
        else:
            at = datetime.fromtimestamp(waiting.at, timezone.utc)
            settings = load_settings(places)
            result = _write(skill, Path(waiting.project), list(waiting.said), at, settings, waiting.harness)
        with transaction(db):
            settle_attribution(db, ident, "" if skill == _NONE else skill)
        withdraw_question(db, places, waiting.session, ident)
    return result


def _list_pending() -> Result:
    with closing(open_db(find_places())) as db:
        waiting = list_attributions(db)
    data = {"pending": [{"id": one.id, "at": one.at, "candidates": list(one.candidates)} for one in waiting]}
    text = "\n".join(map(_tell, waiting)) or "No correction waits for its skill."
    return Result(data, text)


def _tell(waiting: Attribution) -> str:
    at = datetime.fromtimestamp(waiting.at).strftime("%Y-%m-%d %H:%M")
    words = waiting.said[0].words if waiting.said else ""
    return f"{waiting.id}  {at}  {' or '.join(map(show_line, waiting.candidates))}: {show_line(words)[:120]}"
