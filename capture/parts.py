"""``.knowledge`` and the folders in it, opened safely and made when they are missing."""

import sys

from ..core.append import nt_or_posix as os
from ..core.place import KNOWLEDGE
from .folder import Folder, UnsafeError, make_private, open_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.place import Where

_IGNORE = b"*\n"  # words are not committed by accident; docs/knowledge.md tells how to share them
_ATTRIBUTES = b"corrections/log.yaml merge=union eol=lf\n"


def open_part(where: "Where", name: str) -> Folder:
    """Open ``.knowledge/<name>``, made when it is missing.

    Raises:
        UnsafeError: a part of it is a link or not this user's, or root works in somebody else's folder.
    """
    if where.reason == "foreign" and sys.platform != "win32" and os.geteuid() == 0:
        raise UnsafeError(f"{where.folder}: root does not write for a folder of another user at once")
    top = open_top(where.folder, 0o666) if where.in_project else make_private(where.folder)
    try:
        knowledge = _open_knowledge(top, where)
    finally:
        top.close()
    try:
        return knowledge.enter(name, create=True)
    finally:
        knowledge.close()


def _open_knowledge(top: Folder, where: "Where") -> Folder:
    try:
        return top.enter(KNOWLEDGE)
    except FileNotFoundError:
        if not where.in_project:
            return top.enter(KNOWLEDGE, create=True)
    _make_unshared(top)
    return top.enter(KNOWLEDGE)


def _make_unshared(top: Folder) -> None:
    """Make ``.knowledge`` with its ``.gitignore`` in one step: words must never lie there without it."""
    draft_name = f".knowledge-{os.getpid()}.tellback"
    draft = top.enter(draft_name, create=True)
    try:
        draft.write_new(".gitignore", _IGNORE)
        draft.write_new(".gitattributes", _ATTRIBUTES)
    finally:
        draft.close()
    try:
        top.rename(draft_name, KNOWLEDGE)
    except OSError:  # another capture was faster, or somebody put something else there: opening it will tell
        draft = top.enter(draft_name)
        draft.remove(".gitignore")
        draft.remove(".gitattributes")
        draft.close()
        top.remove_folder(draft_name)
