"""Prompts with a phrase that tells of trouble (S-174). The table's order is the priority; pure."""

import re

# The phrase as it is reported, and how it is found: as whole words, without case, straight and curly apostrophes alike.
PHRASES: tuple[tuple[str, str], ...] = (
    ("still failing", r"still fail(?:s|ing)?"),
    ("doesn't work", r"(?:does|do|did)(?:n't| not) work"),
    ("wrong", r"wrong(?:ly)?"),
    ("why did you", r"why (?:did|do|would|are) you"),
    ("still broken", r"still (?:broken|not working)"),
    ("not working", r"(?:not|isn't|aren't|stopped) working"),
    ("I told you", r"i (?:already )?(?:told|asked) you"),
    ("incorrect", r"incorrect(?:ly)?"),
    ("again", r"again"),
)
_FINDERS = tuple((phrase, re.compile(rf"\b{pattern}\b", re.IGNORECASE)) for phrase, pattern in PHRASES)
_LONGEST = 32_768  # characters of a prompt that are looked at


def find_phrase(prompt: str) -> str:
    """Return the first phrase of the table that *prompt* holds, as the table names it; ``""`` when none."""
    text = prompt[:_LONGEST].replace("\u2019", "'")
    return next((phrase for phrase, finder in _FINDERS if finder.search(text)), "")
