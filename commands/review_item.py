"""One thing that waits for a person's decision."""

from typing import Any, Literal, NamedTuple

from ..learning.refinement import Change

Kind = Literal["proposal", "attribution", "learning", "succession", "unused"]


class Item(NamedTuple):
    """One thing to decide.

    Attributes:
        id: names it in ``--accept``, ``--reject`` and ``--later``.
        kind: a change of a skill, a correction without a skill, a learning that was not sure enough to be kept, one
            that another may replace, one that was not used for long.
        title: one line.
        evidence: the sentences behind it, with session and day.
        changes: what would be replaced by what, in a skill or of two learnings.
        choices: for an attribution: the skills that it may be about.
        text: of a learning: its words; those of an unsure one may be edited.
        folder: that holds the learnings which it is about; idents: theirs, the older one first.
    """

    id: str
    kind: Kind
    title: str
    evidence: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    choices: tuple[str, ...] = ()
    text: str = ""
    folder: str = ""
    idents: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what ``--list --json`` prints."""
        return self._asdict() | {"changes": [change.to_json() for change in self.changes]}
