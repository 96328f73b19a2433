"""``tellback sessions``: the sessions of every harness on this machine, listed, digested, marked."""

import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

import click

from ..core.config import load, make_policy
from ..core.db import open_db
from ..core.duration import parse_since
from ..core.errors import TellbackError
from ..core.paths import find_places
from ..core.scrub import ScrubRules
from ..core.scrub_own import make_scrub_rules
from ..sessions.gate import Gatekeeper
from ..sessions.marking import mark
from ..sessions.reader import AnyReader
from ..sessions.refs import Ref, canonical_harness, parse_ref
from ..sessions.run import Run, order_waiting
from ..sessions.selection import Selection, read_selection, save_selection
from ..sessions.survey import Session, StoreView, Surveyor
from ..sessions.table import READERS
from ..sessions.told import Teller, tell_selection
from ..sessions.watermarks import OUTCOMES, read_watermarks
from .progress import show_progress
from .result import Result, run
from .sessions_text import render_digest, render_list, render_status
from .since import SINCE


class Harness(click.ParamType[str]):
    """The name of a harness with a reader, or another name that people use for it."""

    name = "H"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the canonical name."""
        name = canonical_harness(str(value))
        if name not in READERS:
            self.fail(f"{value!r} is none of {', '.join(READERS)}", param, ctx)
        return name


class RefType(click.ParamType[Ref]):
    """A session as ``sessions list`` shows it."""

    name = "REF"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Ref:
        """Return the session."""
        try:
            ref = value if isinstance(value, Ref) else parse_ref(str(value))
        except TellbackError as error:
            self.fail(f"{error}; {error.hint}", param, ctx)
        if ref.harness not in READERS:
            self.fail(f"{ref.harness!r} is none of {', '.join(READERS)}", param, ctx)
        return ref


HARNESS = Harness()
REF = RefType()
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("sessions", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """List the sessions of every harness on this machine, digest them, mark them as triaged."""


@command.command("list")
@click.option("--harness", type=HARNESS, help="Only this harness.")
@click.option("--since", type=SINCE, help="Only sessions whose last entry is not older: a time, or a span like 7d.")
@click.option("--unprocessed", is_flag=True, help="Only new and changed sessions.")
@click.option("--subagents", is_flag=True, help="The logs of sub-agents too.")
@JSON
def list_command(harness: str | None, since: float | None, unprocessed: bool, subagents: bool, as_json: bool) -> None:
    """List sessions with their state."""
    run(lambda: _with_desk(lambda desk: _list(desk, harness, since, unprocessed, subagents)), as_json)


@command.command("digest")
@click.argument("refs", nargs=-1, type=REF)
@click.option("--unprocessed", is_flag=True, help="All new and changed sessions, the oldest last entry first.")
@click.option("--harness", type=HARNESS, help="With --unprocessed: only this harness.")
@click.option("--limit", type=click.IntRange(min=0), default=0, help="With --unprocessed: at most N, 0 for all.")
@click.option("--allow-unknown-project", is_flag=True, help="Also sessions that record no working directory.")
@JSON
def digest_command(
    refs: tuple[Ref, ...],
    unprocessed: bool,
    harness: str | None,
    limit: int,
    allow_unknown_project: bool,
    as_json: bool,
) -> None:
    """Say what happened in sessions: prompts, failed calls, interrupts, denials, repeats; bounded and scrubbed."""
    if bool(refs) == unprocessed:
        raise click.UsageError("name sessions, or give --unprocessed")
    if refs and (harness or limit):
        raise click.UsageError("--harness and --limit go with --unprocessed")
    run(lambda: _with_desk(lambda desk: _digest(desk, refs, harness, limit, allow_unknown_project)), as_json)


@command.command("mark")
@click.argument("refs", nargs=-1, required=True, type=REF)
@click.option("--outcome", type=click.Choice(OUTCOMES), required=True, help="What the triage came to.")
@click.option("--ref", "uids", multiple=True, metavar="UID", help="The uid of a report that was filed; repeatable.")
@JSON
def mark_command(refs: tuple[Ref, ...], outcome: Any, uids: tuple[str, ...], as_json: bool) -> None:
    """Mark digested sessions as triaged, up to where their digest ended; all of them or none."""
    run(lambda: _with_desk(lambda desk: _mark(desk, refs, outcome, uids)), as_json)


@command.command("status")
@click.option("--set-selection", is_flag=True, help="Save the following as the processor's selection first.")
@click.option(
    "--harness", "harnesses", multiple=True, type=HARNESS, help="With --set-selection: a harness; repeatable."
)
@click.option("--since", default="", help="With --set-selection: kept as written.")
@click.option("--limit", type=click.IntRange(min=0), default=0, help="With --set-selection: at most N, 0 for all.")
@JSON
def status_command(set_selection: bool, harnesses: tuple[str, ...], since: str, limit: int, as_json: bool) -> None:
    """Show each harness's store, how many sessions have which state, and the saved selection."""
    if not set_selection and (harnesses or since or limit):
        raise click.UsageError("--harness, --since and --limit go with --set-selection")
    if since:
        try:
            parse_since(since, time.time())
        except TellbackError as error:
            raise click.BadParameter(str(error), param_hint="--since") from None
    chosen = Selection(harnesses, since, limit) if set_selection else None
    run(lambda: _with_desk(lambda desk: _status(desk, chosen)), as_json)


class Desk:
    """What every one of these commands needs, opened once: database, policy, scrub rules."""

    def __init__(self, db: sqlite3.Connection, keeper: Gatekeeper, rules: ScrubRules) -> None:
        self.db = db
        self.keeper = keeper
        self.rules = rules
        self.teller = Teller(rules)

    def survey(self, readers: Iterable[AnyReader], subagents: bool = False) -> list[StoreView]:
        """Go through the stores of *readers*, with a bar when it takes long."""
        with show_progress(True) as tell:
            surveyor = Surveyor(self.db, self.keeper, read_watermarks(self.db), tell, subagents)
            return [surveyor.look_at(reader) for reader in readers]


def _with_desk(act: Callable[[Desk], Result]) -> Result:
    places = find_places()
    loaded = load(places)
    rules = make_scrub_rules(loaded.settings)
    with closing(open_db(places)) as db:
        return act(Desk(db, Gatekeeper(make_policy(loaded)), rules))


def _list(desk: Desk, harness: str | None, since: float | None, unprocessed: bool, subagents: bool) -> Result:
    views = desk.survey([READERS[harness]] if harness else READERS.values(), subagents)
    sessions = [session for view in views for session in view.sessions]
    if since is not None:
        sessions = [session for session in sessions if (session.ended_at or float("-inf")) >= since]
    if unprocessed:
        sessions = [session for session in sessions if session.state in ("new", "changed")]
    told = [desk.teller.tell_session(session) for session in sessions]
    stores = [desk.teller.tell_store(view) for view in views]
    return Result({"sessions": told, "stores": stores}, render_list(told), _tell_stores(desk, views, harness))


def _tell_stores(desk: Desk, views: list[StoreView], harness: str | None) -> tuple[str, ...]:
    """Return a line for each problem and each store that cannot be read; an absent one counts when named (S-141)."""
    lines: list[str] = []
    for view in views:
        listing = view.listing
        if listing.state in ("unreadable", "unsupported-format") or (listing.state == "absent" and harness):
            reason = listing.reason or listing.location
            lines.append(f"{view.harness}: the store is {listing.state}: {desk.teller.clean(reason)}")
        lines += [f"{view.harness}: {problem}" for problem in desk.teller.tell_problems(view)]
    return tuple(lines)


def _digest(desk: Desk, refs: tuple[Ref, ...], harness: str | None, limit: int, allow_unknown: bool) -> Result:
    made = Run(desk.db, READERS, desk.keeper, desk.rules, time.time())
    if refs:
        names = dict.fromkeys(ref.harness for ref in refs)
        found = _by_ref(desk.survey((READERS[name] for name in names), subagents=True))
        for ref in dict.fromkeys(refs):
            if ref in found:
                made.take(found[ref], allow_unknown)
            else:
                made.refuse_missing(ref)
    else:
        views = desk.survey([READERS[harness]] if harness else READERS.values())
        waiting = order_waiting((session for view in views for session in view.sessions), allow_unknown)
        for session in waiting[: limit or None]:
            made.take(session, allow_unknown)
    data = made.data()
    exit_code = 1 if made.refusals and not made.sessions else 0
    return Result(data, render_digest(data), exit_code=exit_code)


def _by_ref(views: list[StoreView]) -> dict[Ref, Session]:
    return {session.ref: session for view in views for session in view.sessions}


def _mark(desk: Desk, refs: tuple[Ref, ...], outcome: Any, uids: tuple[str, ...]) -> Result:
    marked = list(dict.fromkeys(refs))
    mark(desk.db, marked, outcome, list(uids), time.time())
    names = [desk.teller.clean(str(ref)) for ref in marked]
    data = {"marked": names, "outcome": outcome, "uids": list(uids)}
    return Result(data, "\n".join(f"{name} marked: {outcome}" for name in names))


def _status(desk: Desk, chosen: Selection | None) -> Result:
    if chosen is not None:
        save_selection(desk.db, chosen)
    stores = [desk.teller.tell_store(view) for view in desk.survey(READERS.values())]
    data = {"stores": stores, "selection": tell_selection(read_selection(desk.db))}
    return Result(data, render_status(data))
