"""The text of ``.knowledge/learnings/index.md``: one bullet put under its heading, every other byte as it was."""

from .quote import one_line

LEARNING_CATEGORIES = (
    "Data Patterns",
    "Query Techniques",
    "Business Context",
    "Stakeholder Preferences",
    "Visualization Insights",
    "Methodology Notes",
)
LEARNINGS = "learnings"
INDEX, LOCK = "index.md", "index.md.lock"
LIMIT_BYTES = 256 * 1024
_HEADING = "### "


def bullet_text(learning: str, date: str) -> str:
    """Return the bullet of the documented form, one Markdown line without its end."""
    return f"- {one_line(learning)} (source: user feedback, {date})"


def has_bullet(text: str, learning: str) -> bool:
    """Whether the file has this learning already, of whatever date."""
    return f"- {one_line(learning)} (source: user feedback, " in text


def add_bullet(text: str, category: str, bullet: str) -> str:
    """Return *text* with *bullet* as the last line of the section of *category*.

    The heading is found by its name whatever its number. A missing one is added at the end; an empty text gets all six.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    if not text.strip("\ufeff \r\n"):
        text += "# Learnings" + end + "".join([f"{end}{_heading(name)}{end}" for name in LEARNING_CATEGORIES])
    if not text.endswith("\n"):
        text += end
    lines = text.split("\n")[:-1]  # a carriage return stays with its line
    start = _find_heading(lines, category)
    if start < 0:
        return f"{text}{end}{_heading(category)}{end}{end}{bullet}{end}"
    last = _last_of_section(lines, start)
    gap = end if last == start else ""
    return (
        "".join([f"{line}\n" for line in lines[: last + 1]])
        + f"{gap}{bullet}{end}"
        + "".join([f"{line}\n" for line in lines[last + 1 :]])
    )


def _heading(category: str) -> str:
    return f"{_HEADING}{LEARNING_CATEGORIES.index(category) + 1}. {category}"


def _find_heading(lines: list[str], category: str) -> int:
    """Return the line of ``### N. Category``, -1 when there is none; a heading inside a code fence is none."""
    in_fence = False
    for number, line in enumerate(lines):
        if line.startswith(("```", "~~~")):
            in_fence = not in_fence
        elif not in_fence and line.startswith(_HEADING) and _title(line) == category.casefold():
            return number
    return -1


def _title(line: str) -> str:
    number, dot, title = line[len(_HEADING) :].partition(".")
    return (title if dot and number.strip().isdecimal() else line[len(_HEADING) :]).strip().casefold()


def _last_of_section(lines: list[str], start: int) -> int:
    """Return the last line with text before the next heading of this level or above."""
    last = start
    in_fence = False
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not in_fence and line.startswith(("# ", "## ", _HEADING)):
            break
        if line.startswith(("```", "~~~")):
            in_fence = not in_fence
        if line.strip():
            last = number
    return last
