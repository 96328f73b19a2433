"""``tellback capture``: what Tellback hears in a message, by hand."""

import sys
import time
import uuid
from pathlib import Path
from typing import Any, TextIO

import click

from ..capture.detector import Verdict, judge
from ..capture.knowledge import Outcome, capture_turn
from ..capture.tables import default_tables
from ..core.digest import hash_prompt
from ..core.escape import show_line
from ..core.news import append_news, start_news
from ..core.paths import find_places
from ..core.place import find_knowledge
from ..core.scrub import scrub
from ..core.shapes import Places, Turn
from ..sweep.listening import Listening
from .result import Result, run

# By hand there is no harness; the news say who called.
HARNESS = "tellback"


@click.command("capture")
@click.argument("message", required=False)
@click.option("--cwd", type=click.Path(path_type=Path), default=".", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Write nothing; show the verdict and the cues behind it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(message: str | None, cwd: Path, dry_run: bool, as_json: bool) -> None:
    """Keep what MESSAGE (or stdin) says, as a hook does, and print the acknowledgement."""
    text = _read_stdin() if message is None else message
    run(lambda: _capture(text, str(cwd.resolve()), dry_run), as_json)


def _read_stdin() -> str:
    """Return what comes on stdin; ``""`` when it is closed."""
    stdin: TextIO | None = sys.stdin
    return stdin.buffer.read().decode(errors="replace") if stdin else ""


def _capture(text: str, project: str, is_dry: bool) -> Result:
    places = find_places()
    listening = Listening(places)
    scrubbed = scrub(text, listening.scrub_rules)
    verdict = judge(scrubbed, None, tables=default_tables(), point=listening.settings.capture_point)
    if is_dry:
        return Result({"verdict": _as_json(verdict)}, _describe(verdict))
    if listening.judge_folder(project) != "ok":
        reason = f"{show_line(project)} is switched off; `tellback doctor` says by what"
        return Result({"verdict": _as_json(verdict), "outcome": "disabled", "ids": []}, messages=(reason,))
    outcome = _keep(places, listening.settings.capture_dataset, project, scrubbed, verdict)
    data = {"verdict": _as_json(verdict), "outcome": outcome.kind, "ids": outcome.ids, "ack": outcome.ack}
    return Result(data, outcome.ack)


def _keep(places: Places, dataset: str | None, project: str, scrubbed: str, verdict: Verdict) -> Outcome:
    turn = Turn(HARNESS, "prompt", time.time())
    turn.prompt_id = str(uuid.uuid4())
    turn.project = turn.cwd = project
    turn.prompt = scrubbed
    prompt_hash = hash_prompt(scrubbed)
    where = find_knowledge(project, places)
    outcome = capture_turn(turn, verdict, where, places, prompt_hash=prompt_hash, dataset=dataset)
    news = start_news(turn, HARNESS)
    news.hash, news.verdict = prompt_hash, verdict.label
    news.outcome, news.ids, news.learned = outcome.kind, tuple(outcome.ids), tuple(outcome.learned)
    append_news(places, news)
    return outcome


def _as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "label": verdict.label,
        "also": verdict.also,
        "leaning": verdict.leaning,
        "confidence": round(verdict.confidence, 4),
        "cues": [{"cue": name, "weight": round(weight, 4)} for name, weight in verdict.explain()],
        "points": [{name: getattr(point, name) for name in point.__slots__} for point in verdict.points],
        "learning_category": verdict.learning_category,
        "friction": verdict.friction,
        "own": verdict.own,
    }


def _describe(verdict: Verdict) -> str:
    """Return the verdict for a person: what was heard, how surely, by which cues."""
    head = f"{verdict.label}  ({verdict.leaning} {verdict.confidence:.2f}, {verdict.also})"
    lines = [head, *[f"  {weight:+.2f}  {show_line(name)}" for name, weight in verdict.explain()]]
    for number, point in enumerate(verdict.points, 1):
        lines.append(f"  point {number}: {point.severity}, {point.category}: {show_line(point.text)}")
        if point.fix:
            lines.append(f"    fix: {show_line(point.fix)}")
    return "\n".join(lines)
