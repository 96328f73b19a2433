"""Cut a message down to what the person said; hot, so no ``re``: the compiled steps come in with the tables.

What is cut, and in which order, is the table in ``strip_rules.py``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .detector import Tables

    Steps = list[tuple[int, tuple[str, ...], str]]

LONG_WORD = 60  # characters without a blank that are no word of any language
_HEAD, _TAIL = 5000, 3000  # characters of a long message that are looked at


def _unquote(text: str, harness: str) -> str:
    """OpenCode's ``run`` stores the prompt inside one pair of double quotes."""
    if harness.startswith("opencode") and len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    return text


def _clip(text: str) -> str:
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def own_words(text: str, harness: str = "", *, tables: "Tables | None" = None, keep_inline: bool = False) -> str:
    """Return the person's own words in *text*; what was cut inside a sentence leaves a ``…``.

    Of a very long message only both ends are read. ``""`` when nothing of the person's is left.
    *keep_inline* cuts blocks and lines only: code, quotations and paths inside a sentence stay as written.
    """
    if tables is None:
        from .tables import default_tables

        tables = default_tables()
    text = _clip(_unquote(text, harness))
    steps: Steps = tables.part("steps")
    for number, needles, put in steps[: tables.part("blocks")] if keep_inline else steps:
        for needle in needles:
            if needle in text:
                text = tables.pattern(number).sub(put, text)
                break
        if not needles and _has_long_word(text):
            text = tables.pattern(number).sub(put, text)
    return text.strip()


def _has_long_word(text: str) -> bool:
    return max(map(len, text.split()), default=0) >= LONG_WORD


def is_machine_text(text: str, harness: str = "", *, tables: "Tables | None" = None) -> bool:
    """Whether a client, a hook or another agent wrote *text*: it opens like it, or no word is left without it."""
    if tables is None:
        from .tables import default_tables

        tables = default_tables()
    text = _unquote(text, harness).lstrip("\ufeff \t\r\n")
    openings: str = tables.part("machine_openings")
    if "\t" + text[:2] in openings and text.startswith(tuple(openings[1:].split("\t"))):
        return True
    if not text.startswith(("<", "[")):
        return False
    number, _, put = tables.part("steps")[0]
    return bool(text) and not tables.pattern(number).sub(put, text[:32_000]).strip()
