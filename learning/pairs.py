"""What was and what should be, both as texts: from a correction's own words, or from the edit that followed it (O-4).

Only a pair that stands there is returned, never one that would have to be made up: the patterns of refinement rest on
exact texts, and a wrong pair is worse than none.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..sessions.entry import Entry

_LONGEST = 500  # characters of one side; longer ones are whole files, not corrections

_QUOTED = r"[`\"'“‘「『](?P<{0}>[^`\"'”’」』\n]{{1,200}})[`\"'”’」』]"
_WORD = r"(?P<{0}>[\w./:@#+*$%=<>-]*[\w/*>)]+)"


def _side(name: str) -> str:
    return f"(?:{_QUOTED.format(name + '_q')}|{_WORD.format(name + '_w')})"


# Each names the right one `new` and the wrong one `old`; tried in order, the first that finds both decides.
_FORMS = tuple(
    re.compile(form.format(new=_side("new"), old=_side("old")), re.IGNORECASE)
    for form in (
        (r"\b(?:use|using|should (?:use|be)|must be|want|meant|it'?s|is|called|named)\s+{new}\s*,?"
        r"\s+(?:and\s+)?not\s+{old}"),
        r"\b(?:use|prefer|want)\s+{new}\s+(?:instead of|rather than|over)\s+{old}",
        r"\binstead of\s+{old}\s*,?\s+(?:please\s+)?(?:use|write|call|run|it should be)\s+{new}",
        (r"\b(?:don'?t|do not|never)\s+(?:use|call|run|write)\s+{old}\s*[,;.]?"
        r"\s*(?:but\s+)?(?:use|call|run|write)\s+{new}"),
        r"\b(?:replace|change|rename)\s+{old}\s+(?:with|by|to|into)\s+{new}",
        r"\bnot\s+{old}\s*[,;.]?\s*(?:but|use|it should be|it'?s)\s+{new}",
        r"(?:用|使用|改用|应该是|应该用|要用|改成)\s*{new}\s*[,，]?\s*(?:而不是|不是|不要用|别用|不用)\s*{old}",
        r"(?:不要用|别用|不用|不是)\s*{old}\s*[,，;；]?\s*(?:要用|用|改用|而是|应该是|是)\s*{new}",
        r"把\s*{old}\s*(?:改成|换成|改为|替换成)\s*{new}",
    )
)  # fmt: skip


class Pair(NamedTuple):
    """A text that was wrong and the one that is right."""

    original: str
    corrected: str


def find_pair(words: str) -> Pair | None:
    """Return the pair that the words of a correction name; ``None`` when they do not name both sides."""
    found = cut_pair(words)
    return found[0] if found else None


def cut_pair(words: str) -> tuple[Pair, str] | None:
    """Return the pair that *words* name, and what they say besides."""
    for form in _FORMS:
        if match := form.search(words):
            original = match["old_q"] or match["old_w"]
            corrected = match["new_q"] or match["new_w"]
            if original and corrected and original.lower() != corrected.lower():
                return Pair(original, corrected), f"{words[: match.start()]} {words[match.end() :]}"
    return None


def find_edited_pair(before: Sequence[Entry], after: Sequence[Entry]) -> Pair | None:
    """Return what an agent wrote before a correction and what it made of that very text after it.

    Args:
        before: the entries of the turn that was corrected; after: those of the turn that answers the correction.
    """
    written = [edit for entry in before if entry.kind == "edit" for edit in entry.edits]
    pairs = [
        Pair(later.before, later.after)
        for entry in after
        if entry.kind == "edit"
        for later in entry.edits
        if later.before
        and later.before != later.after
        and max(len(later.before), len(later.after)) <= _LONGEST
        and any(earlier.path == later.path and later.before in earlier.after for earlier in written)
    ]
    return pairs[0] if len(pairs) == 1 else None  # several edits: nobody can say which one the words meant
