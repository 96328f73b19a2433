"""One learning put as a bullet under its heading in ``.knowledge/learnings/index.md``, all other bytes as they were."""

from ..core.digest import hash_text
from .folder import Folder
from .heard import NO_ID, Outcome
from .parts import open_part
from .quote import one_line
from .settle import find_standing, remember, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.place import Where
    from ..core.shapes import Places
    from .heard import Heard
    from .keys import Standing

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


def keep_learnings(
    heard: "Heard", where: "Where", places: "Places", wait_s: float, limit_bytes: int = LIMIT_BYTES
) -> Outcome:
    """Put each point under its heading in ``learnings/index.md`` unless it is there.

    Raises:
        OSError: nothing was kept; the queue can have it.
    """
    folder = open_part(where, LEARNINGS)
    try:
        lock = folder.take_lock(LOCK, wait_s)
        try:
            return add_learnings(folder, heard, places, limit_bytes)
        finally:
            folder.free_lock(lock)
    finally:
        folder.close()


def add_learnings(folder: Folder, heard: "Heard", places: "Places", limit_bytes: int) -> Outcome:
    """Put each point under its heading; the lock is held.

    Raises:
        OSError: nothing was kept.
    """
    text = (folder.read(INDEX, limit_bytes) or b"").decode("utf-8", "surrogateescape")
    known: dict[int, tuple[Standing, str]] = {}
    new: dict[int, str] = {}
    for number, point in heard.points:
        standing, ident = find_standing(places, heard, number)
        bullet = bullet_text(point.text, heard.date)
        if standing != "new":
            known[number] = (standing, ident)
        elif has_bullet(text, point.text):  # today's may be what a killed capture wrote; an older one was said before
            known[number] = ("unclaimed" if bullet in text else "repeat", NO_ID)
        else:
            text = add_bullet(text, heard.category, bullet)
            new[number] = NO_ID
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > limit_bytes:
        raise OSError(f"{folder.path}/{INDEX} is too long to be rewritten here")
    if new:
        folder.replace(INDEX, data)
        for number in new:
            remember(places, heard, number, NO_ID)
    return settle(known, new, heard, places, folder.path)


def bullet_text(learning: str, date: str) -> str:
    """Return the bullet of the documented form, one Markdown line without its end."""
    return f"- {one_line(learning)} (source: user feedback, {date})"


def make_ident(learning: str) -> str:
    """Return the key of a learning's words, 12 hexadecimal digits, however their white space runs."""
    return hash_text("learning", one_line(learning))


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
