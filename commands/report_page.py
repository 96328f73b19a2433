"""The report as one page of HTML that needs nothing else: no script, no network, every text escaped.

The charts are images within the page, so that nothing in them can be more than a picture; below each stand the
sentences that it counts.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape

from ..core.escape import show_line
from ..learning.metrics import Rate
from ..learning.report import NOT_ENOUGH, Group, Report, Sentence, SkillReport
from .report_charts import draw_counts, draw_rates
from .report_text import draw_sparkline, name_group, show_interval, show_rate

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1e293b; background: #fff; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 3rem; border-bottom: 1px solid #cbd5e1; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
table { border-collapse: collapse; width: 100%; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #e2e8f0; vertical-align: top; }
th { font-weight: 600; white-space: nowrap; } .figure { font-variant-numeric: tabular-nums; white-space: nowrap; }
img { max-width: 100%; height: auto; display: block; }
details { margin: .25rem 0 1rem; } summary { cursor: pointer; color: #475569; }
q { overflow-wrap: anywhere; } li { margin: .3rem 0; } .faint { color: #64748b; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; img-src data:; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
_HEAD = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tellback: skills and their corrections</title>
<style>{_STYLE}</style>
</head>
<body>
"""
_EXPLANATION = (
    "The rate is corrections plus half the partials, divided by the calls that somebody reacted to; "
    "the range beside it holds the true rate with 95 % confidence."
)


def render_page(report: Report) -> str:
    """Return the page.

    Raises:
        TellbackError: the chart library is not installed.
    """
    skills = report["skills"]
    parts = [
        _HEAD,
        "<h1>How often people correct each skill</h1>",
        f'<p class="faint">{_tell_range(report)}</p>',
        f"<p>{_EXPLANATION}</p>",
        _render_table(skills, report["min_invocations"]) if skills else "<p>No skill was called yet.</p>",
        _render_dead(report["dead"]),
        *(_render_skill(number, of) for number, of in enumerate(skills)),
        "</body>\n</html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _tell_range(report: Report) -> str:
    since = f", calls after {_text(report['since'][:16])}" if report["since"] else ""
    until = f", calls up to {_text(report['until'][:16])}" if report["until"] else ""
    return f"Computed {_text(report['computed_at'][:16])} UTC{since}{until}"


def _render_table(skills: Sequence[SkillReport], least: int) -> str:
    titles = ("skill", "rate", "95 %", "events", "calls", "trend", "12 weeks", "wrong choice")
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    rows = "\n".join(_render_row(number, of, least) for number, of in enumerate(skills))
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'


def _render_row(number: int, of: SkillReport, least: int) -> str:
    trend = of["trend_word"] if of["trend_word"] == NOT_ENOUGH else f"{of['trend_word']} {of['trend']['trend']:+.2f}"
    cells = (
        show_rate(of),
        show_interval(of),
        str(of["sample_size"]) if of["sufficient_data"] else f"{of['sample_size']} of {least}",
        "" if of["calls"] is None else str(of["calls"]),
        trend,
        draw_sparkline(of["weeks"]),
        str(of["wrong_choices"] or ""),
    )
    name = f'<th scope="row"><a href="#skill-{number}">{_text(of["skill_id"])}</a></th>'
    return f"<tr>{name}" + "".join(f'<td class="figure">{_text(cell)}</td>' for cell in cells) + "</tr>"


def _render_dead(dead: Sequence[str] | None) -> str:
    if not dead:
        return ""
    return f"<h3>Installed, never called</h3>\n<p>{', '.join(map(_text, dead))}</p>"


def _render_skill(number: int, of: SkillReport) -> str:
    parts = [f'<h2 id="skill-{number}">{_text(of["skill_id"])}</h2>', f"<p>{_tell_rate(of)}</p>"]
    if of["sample_size"]:
        parts += [*_render_weeks(of), *_render_hotspots(of), *_render_versions(of)]
        parts += [*_render_groups("By model", of["models"]), *_render_groups("By harness", of["harnesses"])]
    return "\n".join(parts)


def _tell_rate(of: SkillReport) -> str:
    text = f"Corrected {of['corrections']}, partly {of['partials']}, accepted {of['acceptances']}: {_tell(of)}."
    if of["before"] is not None:
        text += f" Before: {_tell(of['before'])}."
    if of["wrong_choices"]:
        text += (
            f" {of['wrong_choices']} of them say that the wrong skill was chosen; "
            f"when it was the right one: {_tell(of['rightly_chosen'])}."
        )
    text += "".join(f" Refined {line}." for line in of["effects"])
    return _text(text)


def _tell(of: Rate) -> str:
    if not of["sample_size"]:
        return "no events"
    rate = f"rate {of['correction_rate']:.2f} ({show_interval(of)}) of {of['sample_size']}"
    return rate if of["sufficient_data"] else f"{rate}, {NOT_ENOUGH}"


def _render_weeks(of: SkillReport) -> Iterable[str]:
    labels = [week["key"][5:] for week in of["weeks"]]
    chart = draw_rates(of["weeks"], labels, is_course=True)
    yield _render_figure("Rate by week, with its 95 % interval", chart, of["sentences"])


def _render_hotspots(of: SkillReport) -> Iterable[str]:
    if of["hotspots"]:
        behind = [one for one in of["sentences"] if one["dimension"] in of["hotspots"]]
        yield _render_figure("What it is corrected for", draw_counts(of["hotspots"]), behind, by="dimension")


def _render_versions(of: SkillReport) -> Iterable[str]:
    if len(of["versions"]) > 1:
        names = [name_group(group["key"]) for group in of["versions"]]
        chart = draw_rates(of["versions"], names, is_course=False)
        yield _render_figure("Rate by version of the skill, oldest first", chart, of["sentences"], by="version")


def _render_groups(title: str, groups: Sequence[Group]) -> Iterable[str]:
    if len(groups) > 1:
        rows = "".join(f"<li>{_text(name_group(group['key']))}: {_text(_tell(group))}</li>" for group in groups)
        yield f"<h3>{title}</h3>\n<ul>{rows}</ul>"


def _render_figure(title: str, svg: bytes, sentences: Sequence[Sentence], by: str = "week") -> str:
    image = base64.b64encode(svg).decode()
    alt = escape(title, quote=True)
    items = "\n".join(_render_sentence(one, by) for one in sentences)
    behind = f"<ul>\n{items}\n</ul>" if items else "<p>Nobody corrected anything.</p>"
    return (
        f'<h3>{_text(title)}</h3>\n<img alt="{alt}" src="data:image/svg+xml;base64,{image}">\n'
        f"<details><summary>What was said ({len(sentences)})</summary>\n{behind}\n</details>"
    )


def _render_sentence(one: Sentence, by: str) -> str:
    key = {"week": f"week to {one['week']}", "dimension": one["dimension"], "version": name_group(one["version"])}[by]
    words = f"<q>{_text(one['text'])}</q>" if one["text"] else "(words not kept)"
    what = one["correction_type"] or one["outcome"]
    return f'<li><span class="faint">{_text(one["at"][:10])}, {_text(key)}, {_text(what)}:</span> {words}</li>'


def _text(text: str) -> str:
    return escape(show_line(text))
