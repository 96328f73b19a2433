r"""The shape of a scrub row and the pieces that rows share. Cold.

How to read a row: the pattern is tried exactly where one of its anchors begins (so ``key`` looks back at what stands
before it) or, for the few rows marked ``anywhere``, over the whole text once an anchor is in it. The secret is the last
group that matched, or else the whole match.

How to write one:

- A failing attempt costs a bounded number of steps: bound every repeat that something must follow.
- A secret begins at the start of a word and takes its word to the end; then no mark opens a new word's start, and
  scrubbing twice changes nothing.
- Every row has its case in the tests' table of secrets, and what it must leave alone in the other one.
"""

import re
from typing import Literal, NamedTuple

# at: where an anchor begins. word: the same, when some word of the text has LONG_WORD characters or more.
# set: at, and a PLACEHOLDER as value is left alone. named: set, and a value that SHOWN knows is left alone too.
# anywhere: over the whole text once an anchor is in it. own: over the whole text, but for the marks in it.
Way = Literal["at", "word", "set", "named", "anywhere", "own"]


class Row(NamedTuple):
    """One kind of secret.

    Attributes:
        kind: the class in ``[REDACTED:<class>]``.
        anchors: literal texts; in lower case when the pattern ignores case or is tried anywhere.
        flags: those of ``re``.
        way: how it is tried, see ``Way``.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    flags: int = 0
    way: Way = "at"


# An escaped newline or tab (``\n`` as two characters, JSON within JSON) is a word's start too.
START = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
RUN_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
END = r"(?![A-Za-z0-9_])"
BLANK = r"[ \t]"

# Behind a name these give nothing away: variables, marks, paths, dots ...
_PLACEHOLDER = (
    r"\$|<|%[A-Za-z({]|\{|\*\*|••|\.\.\.|…|!(?:vault|secret|env|ref|sub)\b"
    r"|\[REDACTED:[a-z0-9-]{1,40}\](?:[\s\"'`,;&)}\]\\@]|$)"
    r"|(?-i:~?\.{0,2}/[a-z._-]{1,40}/)"
    r"|(?:sk|pk|rk|gh[a-z]|hf|xox[a-z])[_-][a-z0-9_-]{0,16}(?:\.\.\.|…)"
    r"|x{3,40}(?![A-Za-z0-9_])|(?:your|insert|enter|replace|example)[_-]"
    r"|(?:none|null|true|false)(?![A-Za-z0-9_-])"
)
PLACEHOLDER = Row("", (), _PLACEHOLDER, re.I)
# ... and, outside a shell's NAME=value, other names and the words that prose, code or a schema puts there.
SHOWN = Row(
    "",
    (),
    rf"{_PLACEHOLDER}|(?:(?:[a-z]{{1,20}}_){{0,4}}(?:password|passwd|pwd|token|api_?key|key)|(?:[a-z]{{1,20}}_){{1,4}}secret)"
    r"(?![A-Za-z0-9_])"
    r"|(?:nil|undefined|required|optional|str|string|text|bytes|number|boolean|any|missing|invalid|expired|incorrect"
    r"|wrong|empty|unset|hidden|masked|redacted|revoked|denied|default|todo|tbd|here|changed"
    r"|(?:u?int|float)[0-9]{0,2}(?:array)?|base64|base32|sha-?[0-9]{1,3}|md5|utf-?(?:8|16)|oauth2?|bcrypt|scrypt"
    r"|argon2[a-z]{0,2}|[hr]s256|ed25519|jwt|uuid[0-9]?|v[0-9]{1,2})(?![A-Za-z0-9_-])",
    re.I,
)
