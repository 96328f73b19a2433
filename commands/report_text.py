"""The report as a person reads it in a terminal."""

import io
import shutil
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..core.escape import show_line
from ..learning.metrics import Rate
from ..learning.report import NOT_ENOUGH, Group, Report, SkillReport

PLAIN_WIDTH = 160
_BARS = "▁▂▃▄▅▆▇█"
_NO_EVENTS = "·"
_SENTENCES = 3  # shown of one skill when it is asked for by name
_LENGTH = 120  # characters of one sentence
_SHORT_HASH = 8


def render_report(report: Report) -> str:
    """Return the report; nothing in a text can steer the terminal."""
    skills = report["skills"]
    parts = [_render_table(skills, report["min_invocations"])] if skills else ["No skill was called yet."]
    parts += [text for of in skills if (text := _render_detail(of, is_only=len(skills) == 1))]
    if report["dead"]:
        parts.append("Installed, never called: " + ", ".join(map(show_line, report["dead"])))
    return "\n\n".join(parts)


def _render_table(skills: Sequence[SkillReport], least: int) -> str:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("skill", "rate", "95 %", "n", "calls", "trend", "weeks", "wrong choice", "corrected for"):
        table.add_column(title, no_wrap=title in ("rate", "95 %", "weeks"))
    for of in skills:
        table.add_row(*(Text(show_line(cell)) for cell in _cells(of, least)))
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else PLAIN_WIDTH
    text = io.StringIO()
    Console(file=text, width=width, force_terminal=is_terminal, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _cells(of: SkillReport, least: int) -> tuple[str, ...]:
    return (
        of["skill_id"],
        show_rate(of),
        show_interval(of),
        str(of["sample_size"]) if of["sufficient_data"] else f"{of['sample_size']} of {least}",
        "-" if of["calls"] is None else str(of["calls"]),
        of["trend_word"] if of["trend_word"] == NOT_ENOUGH else f"{of['trend_word']} {of['trend']['trend']:+.2f}",
        draw_sparkline(of["weeks"]),
        str(of["wrong_choices"] or ""),
        ", ".join(f"{name} {count}" for name, count in of["hotspots"].items()),
    )


def show_rate(of: Rate) -> str:
    """Return the rate with two decimals, or that there are too few events for one."""
    return f"{of['correction_rate']:.2f}" if of["sufficient_data"] else NOT_ENOUGH


def show_interval(of: Rate) -> str:
    """Return the 95 % interval; ``""`` without any event."""
    low, high = of["interval"]
    return f"{low:.2f}-{high:.2f}" if of["sample_size"] else ""


def draw_sparkline(weeks: Sequence[Group]) -> str:
    """Return one bar a week, its height the rate from 0 to 1; a dot for a week without events."""
    return "".join(
        _BARS[min(int(week["correction_rate"] * len(_BARS)), len(_BARS) - 1)] if week["sample_size"] else _NO_EVENTS
        for week in weeks
    )


def _render_detail(of: SkillReport, is_only: bool) -> str:
    """Return what the table has no room for; ``""`` when there is nothing of the kind."""
    lines: list[str] = []
    if of["before"] is not None:
        lines.append(f"  before {_show_group(of['before'])}, since then {_show_group(of)}")
    if of["wrong_choices"]:
        lines.append(f"  when it was the right skill {_show_group(of['rightly_chosen'])}")
    for title, groups in (("version", of["versions"]), ("model", of["models"]), ("harness", of["harnesses"])):
        if len(groups) > 1:
            lines += [f"  {title} {name_group(group['key'])}: {_show_group(group)}" for group in groups]
    lines += [f"  refined {show_line(line)}" for line in of["effects"]]
    if is_only:
        lines += [
            f"  {one['at'][:10]} {one['outcome']}, {show_line(one['dimension'])}: “{show_line(one['text'])[:_LENGTH]}”"
            for one in of["sentences"][:_SENTENCES]
            if one["text"]
        ]
    return "\n".join([show_line(of["skill_id"]), *lines]) if lines else ""


def _show_group(of: Rate) -> str:
    low, high = of["interval"]
    enough = "" if of["sufficient_data"] else f", {NOT_ENOUGH}"
    return f"{of['correction_rate']:.2f} ({low:.2f}-{high:.2f}, n={of['sample_size']}{enough})"


def name_group(key: str) -> str:
    """Return a name for a person: a version by the beginning of its hash."""
    is_hash = len(key) == 64 and all(c in "0123456789abcdef" for c in key)
    return (key[:_SHORT_HASH] if is_hash else show_line(key)) or "unknown"
