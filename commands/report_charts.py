"""The charts of the report's page, drawn by matplotlib (extra ``report``), each one SVG without script or link."""

import io
import warnings
from collections.abc import Sequence
from math import nan
from typing import Any

from ..core.errors import TellbackError
from ..learning.report import Group

try:
    import matplotlib
    from matplotlib.figure import Figure
except ImportError as error:
    raise TellbackError(
        "the page's charts need matplotlib, which is not installed", hint="run `pip install 'tellback[report]'`"
    ) from error

_library: Any = matplotlib  # its own types are partly unknown

_INK, _RATE, _BAND = "#334155", "#b4530a", "#fde3c8"
_WIDTH, _HEIGHT = 6.4, 2.3  # inches
_STYLE = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "tellback",  # the same figures give the same bytes
    "text.parse_math": False,  # a dollar sign is one
    "font.size": 9,
    "text.color": _INK,
    "lines.linewidth": 1.2,
    "axes.edgecolor": "#cbd5e1",
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _INK,
    "ytick.color": _INK,
}


def draw_rates(groups: Sequence[Group], labels: Sequence[str], is_course: bool) -> bytes:
    """Draw the rate of each group, in order, with its 95 % interval; groups without events are gaps.

    Args:
        is_course: join the rates by a line: the groups follow each other in time, without overlapping.
    """
    told = [(place, group) for place, group in enumerate(groups) if group["sample_size"]]
    places = [place for place, _ in told]
    rates = [group["correction_rate"] for _, group in told]
    below = [max(0.0, group["correction_rate"] - group["interval"][0]) for _, group in told]
    above = [max(0.0, group["interval"][1] - group["correction_rate"]) for _, group in told]

    def draw(axes: Any) -> None:
        axes.errorbar(places, rates, yerr=[below, above], fmt="none", ecolor=_BAND, elinewidth=9)
        axes.plot(places, rates, "o", color=_RATE, markersize=4, clip_on=False)
        if is_course:
            axes.plot([group["correction_rate"] if group["sample_size"] else nan for group in groups], color=_RATE)
        axes.set_xticks(range(len(groups)), labels)
        axes.set_xlim(-0.5, len(groups) - 0.5)
        axes.set_ylim(0, 1)
        axes.set_ylabel("correction rate")
        for place, group in told:
            axes.annotate(
                f"n={group['sample_size']}", (place, 1), ha="center", va="bottom", fontsize=7, annotation_clip=False
            )

    return _draw(draw)


def draw_counts(counts: dict[str, int]) -> bytes:
    """Draw how often each dimension was the matter, the most frequent on top."""
    names = list(counts)

    def draw(axes: Any) -> None:
        axes.barh(range(len(names)), list(counts.values()), color=_RATE, height=0.6)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("corrections and partials")

    return _draw(draw, 0.8 + 0.3 * len(names))


def _draw(draw: Any, height: float = _HEIGHT) -> bytes:
    """Return the SVG of one figure; a letter that its font lacks is the browser's matter, not a warning's."""
    with _library.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure: Any = Figure(figsize=(_WIDTH, height), layout="constrained")
        draw(figure.add_subplot())
        svg = io.BytesIO()
        figure.savefig(svg, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return svg.getvalue()
