"""``tellback review``: decide about proposals, unplaced corrections and unsure learnings."""

import sys
from pathlib import Path

import click

from ..core.errors import TellbackError
from ..core.escape import show_line
from ..core.paths import find_places
from ..sweep.due import run_due_sweep
from .result import Result, run
from .review_item import Item
from .review_items import accept, list_items, reject
from .review_learnings import put_off, undo_mark


@click.command("review")
@click.option("--list", "is_list", is_flag=True, help="Only show what waits.")
@click.option("--accept", "accepted", metavar="ID", help="Say yes to this one.")
@click.option("--reject", "rejected", metavar="ID", help="Say no to this one.")
@click.option("--later", metavar="ID", help="Leave this one; a learning that was not used rests as long again.")
@click.option(
    "--undo", "undone", metavar="ID", help="Let a learning that is marked as replaced or retired stand again."
)
@click.option("--skill", help="With --accept: which skill a correction is about.")
@click.option("--text", help="With --accept: a learning in better words.")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project; default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --list, --accept or --reject.")
def command(
    is_list: bool,
    accepted: str | None,
    rejected: str | None,
    later: str | None,
    undone: str | None,
    skill: str | None,
    text: str | None,
    project: Path,
    as_json: bool,
) -> None:
    """Walk through what waits for your decision.

    That is changes of skills, corrections without a skill, unsure learnings, learnings that others may replace or that
    nobody used for long. On a terminal a screen opens. --list, --accept, --reject and --later do the same without it.
    """
    if is_list + sum(ident is not None for ident in (accepted, rejected, later, undone)) > 1:
        raise click.UsageError("give one of --list, --accept, --reject, --later and --undo")
    folder = project.resolve()

    def act() -> Result:
        if undone is not None:
            return _done(undo_mark(undone, folder), undone)
        if accepted is None and rejected is None and later is None:
            run_due_sweep(find_places())
        items = list_items(folder)
        if accepted is not None:
            return _done(accept(_find(items, accepted), folder, skill=skill, text=text), accepted)
        if rejected is not None:
            return _done(reject(_find(items, rejected)), rejected)
        if later is not None:
            return _done(put_off(_find(items, later)), later)
        if is_list or as_json or not items:
            return _show(items)
        return _open_screen(items, folder)

    run(act, as_json)


def _find(items: list[Item], ident: str) -> Item:
    item = next((item for item in items if item.id == ident), None)
    if item is None:
        raise TellbackError(f"nothing waits under {ident}", hint="see `tellback review --list`")
    return item


def _done(text: str, ident: str) -> Result:
    return Result({"id": ident, "done": text}, show_line(text))


def _show(items: list[Item]) -> Result:
    text = "\n\n".join(map(render_item, items)) or "Nothing waits for a decision."
    return Result({"items": [item.to_json() for item in items]}, text)


def render_item(item: Item) -> str:
    """Return an item as plain text: what it is, what would change, and the evidence."""
    lines = [f"{item.id}  {item.kind}: {show_line(item.title)}"]
    lines += [f"  - {show_line(c.original)}\n  + {show_line(c.suggested)}" for c in item.changes]
    if item.text:
        lines.append(f"  “{show_line(item.text)}”")
    if item.choices:
        lines.append(f"  one of: {', '.join(map(show_line, item.choices))}")
    return "\n".join([*lines, *(f"  {show_line(sentence)}" for sentence in item.evidence)])


def _open_screen(items: list[Item], project: Path) -> Result:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TellbackError("the review needs a terminal", hint="use --list, --accept ID and --reject ID")
    try:
        from .review_screen import review
    except ImportError:
        raise TellbackError(
            "the review screen needs Textual",
            hint="run: pip install 'tellback[review]', or use --list, --accept and --reject",
        ) from None
    decided = review(items, project)
    return Result({"decided": decided}, f"{decided} decided, {len(items) - decided} left for later.")
