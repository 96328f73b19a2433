"""What a hook shows and a sweep laid ready for it: a question to ask once, a brief for a session's start. Hot.

A question lies in ``<cache>/ready/<session id>``: whoever removes the file asks it, so of two hooks that fire for one
prompt one does. A brief lies in ``<data>/briefs/<hash of the project's root>.txt`` and stays.
"""

from .append import nt_or_posix, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shapes import Places

MAX_BYTES = 1536  # of what is shown, whatever a file holds


def question_path(session: str, places: "Places") -> str:
    """Return where the question of a session lies or would lie; ``""`` for an id that is no plain file name."""
    return f"{places.cache}/ready/{session}" if session.replace("-", "").replace("_", "").isalnum() else ""


def take_question(session: str, places: "Places") -> str:
    """Return the question of a session and take it away; ``""`` when there is none, or another hook took it."""
    path = question_path(session, places)
    if not path or not nt_or_posix.access(path, 0):  # the usual case, at half the price of an exception
        return ""
    try:
        text = read_start(path)
        nt_or_posix.unlink(path)
    except OSError:
        return ""
    return text


def brief_path(root: str, places: "Places") -> str:
    """Return where the brief of the project of *root* lies or would lie."""
    from .digest import hash_text

    return f"{places.data}/briefs/{hash_text(root)}.txt"


def read_brief(project: str, places: "Places") -> str:
    """Return the brief of the project that a session works in; ``""`` when there is none."""
    from .place import find_knowledge

    where = find_knowledge(project, places)
    try:
        return read_start(brief_path(where.folder if where.in_project else project, places))
    except OSError:
        return ""


def read_start(path: str) -> str:
    """Return the text of a file of ours, at most ``MAX_BYTES`` of it, whole characters.

    Raises:
        OSError: it cannot be read, is a link, or is not a regular file.
    """
    fd = open_regular(path, nt_or_posix.O_RDONLY)
    try:
        return nt_or_posix.read(fd, MAX_BYTES).decode("utf-8", "ignore").strip()
    finally:
        nt_or_posix.close(fd)
