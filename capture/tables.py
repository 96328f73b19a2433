"""Prepare the detector's tables once: patterns frozen, anchors inverted, the model unpacked; cold.

``prepare`` returns one value of plain types for ``marshal``: install writes it beside the hook, commands and the sweep
use it in memory.
"""

import json
import marshal
import zlib
from array import array
from functools import lru_cache
from importlib import resources
from itertools import accumulate
from typing import Any

from ..core.prepared import freeze
from . import lexicon, piece_words, rules, strip_rules
from .anchors import prepare_anchors
from .grams import LONGEST, MASK, SIZES
from .hot_tables import SLOTS, ZERO, Tables, slot_of
from .kept import keep_tables
from .needles import find_needles

_ERROR_WORD = (
    r"(?i)error|exception|failed|failure|traceback|undefined|cannot |panic|fatal|denied|not found|invalid|"
    r"错误|失败|エラー"
)
_SENTENCE = r"[.!?]+(?=\s|$)|[。！？]+|\n+"
_CODE = r"(?s)```\w*\n?(.*?)(?:```|\Z)|`([^`\n]+)`"
# the two judgements: on the text alone, and with what was before it
MODES = ("text", "context")
# marks of the context that are crossed with the message's features
_CROSSING = ("first", "claimed", "asked", "asks", "stopped")


class _Patterns:
    """Numbers for patterns, the same pattern once."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], int] = {}

    def number(self, pattern: str) -> int:
        return self.rows.setdefault((pattern, 0), len(self.rows))


def read_model() -> dict[str, Any]:
    """Return the fitted model: anchors, and for ``text`` and ``context`` the weights, borders and n-gram table."""
    data = resources.files(__package__ or "tellback.capture").joinpath("model.dat").read_bytes()
    head, _, tail = data.partition(b"\n")
    model: dict[str, Any] = json.loads(head)
    for number, mode in enumerate(MODES):
        model["modes"][mode]["grams"] = tail[number * sum(SIZES) : (number + 1) * sum(SIZES)]
    return model


def prepare(model: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return everything that ``Tables`` needs, of types that ``marshal`` can write.

    What a prompt may do without lies packed within: ``patterns`` by number; ``words``, a line each with the cues that
    hang on it or the word that was meant, by first byte; ``lazy`` by name, marshalled with what is used together.
    """
    model = read_model() if model is None else model
    patterns = _Patterns()
    anchors = prepare_anchors(model["anchors"])
    together: tuple[dict[str, Any], ...] = (
        _prepare_strip(patterns),
        _prepare_cues(patterns),
        {"pieces": _prepare_pieces()},
        _prepare_answers(),
        _prepare_lexicon(patterns),
        *_prepare_borders(),
        *({name: part} for name, part in anchors.items()),
        *({f"model_{mode}": _prepare_mode(model, mode)} for mode in MODES),
    )
    lazy = {name: packed for parts in together for packed in (marshal.dumps(parts),) for name in parts}
    grams = {f"grams_{mode}": model["modes"][mode]["grams"] for mode in MODES}
    frozen = freeze(list(patterns.rows))
    return {
        "engine": frozen["engine"],
        "patterns": [
            marshal.dumps((*find_needles(pattern), row))
            for (pattern, _), row in zip(patterns.rows, frozen["rows"], strict=True)
        ],
        "words": _prepare_words(),
        "lazy": {**lazy, **grams, "crc": prepare_crc()},
    }


@lru_cache(maxsize=1)
def default_tables() -> Tables:
    """Return the tables that commands and the sweep share; prepared once, then kept in the cache folder."""
    return Tables(keep_tables(prepare))


def _prepare_strip(patterns: _Patterns) -> dict[str, Any]:
    names = [step.name for step in strip_rules.STEPS]
    return {
        "steps": [(patterns.number(step.pattern), step.needles, step.put) for step in strip_rules.STEPS],
        "blocks": names.index("rules file"),
        "machine_openings": "".join("\t" + opening for opening in strip_rules.MACHINE_OPENINGS),
    }


def _prepare_cues(patterns: _Patterns) -> dict[str, Any]:
    families = list(dict.fromkeys(cue.family for cue in rules.CUES))
    return {
        "cue_names": "".join(cue.name for cue in rules.CUES),
        "cue_ends": array("H", accumulate((len(cue.name) for cue in rules.CUES), initial=0)).tobytes(),
        "cue_families": bytes(families.index(cue.family) for cue in rules.CUES),
        "families": " ".join(families),
        "cue_patterns": array("H", [patterns.number(cue.pattern) for cue in rules.CUES]).tobytes(),
        "always": tuple(number for number, cue in enumerate(rules.CUES) if not cue.anchors),
        "word_number": patterns.number(r"[a-z0-9']+"),
        "sentence_number": patterns.number(_SENTENCE),
        "error_number": patterns.number(_ERROR_WORD),
    }


def _prepare_pieces() -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """Return the anchors that are not ASCII, with their cues, by their first character that is not."""
    pieces: dict[str, dict[str, list[int]]] = {}
    for number, cue in enumerate(rules.CUES):
        for anchor in cue.anchors:
            if not anchor.isascii():
                first = next(character for character in anchor if character >= "\x80")
                pieces.setdefault(first, {}).setdefault(anchor, []).append(number)
    return {first: [(piece, tuple(n)) for piece, n in found.items()] for first, found in pieces.items()}


def _prepare_answers() -> dict[str, Any]:
    answers = [
        (name, frozenset(word.encode() for word in own.split()), found) for name, own, found in rules.ANSWER_CUES
    ]
    return {"answer_cues": answers, "crossing": frozenset(_CROSSING)}


def _prepare_words() -> list[bytes]:
    """Return lines of a word and what hangs on it, by the word's first byte; anchors come before slips."""
    words: dict[str, list[int]] = {}
    for number, cue in enumerate(rules.CUES):
        for anchor in cue.anchors:
            if anchor.isascii():
                words.setdefault(anchor, []).append(number)
    meanings = {slip: b"\0" + meant.encode() for slip, meant in find_slips().items()}
    for word, numbers in words.items():
        meanings[word] = bytes((len(numbers),)) + b"".join(number.to_bytes(2, "little") for number in numbers)
    lines = [b"\n"] * 128
    for word, meaning in meanings.items():
        lines[ord(word[0])] += word.encode() + b" " + meaning + b"\n"
    return lines


def prepare_crc() -> bytes:
    """Return what a byte adds to a slot by its distance to an n-gram's end, then the seed by the n-gram's length.

    Each row is 256 low bytes of a slot, then 256 high ones.
    """
    rows = [
        [zlib.crc32(bytes((byte,)) + bytes(distance)) ^ zlib.crc32(bytes(distance + 1)) for byte in range(256)]
        for distance in range(LONGEST)
    ]
    rows.append([zlib.crc32(bytes(length)) for length in range(256)])
    return b"".join(bytes((code & MASK) >> shift & 0xFF for code in row) for row in rows for shift in (0, 8))


def _prepare_lexicon(patterns: _Patterns) -> dict[str, Any]:
    def rows(table: tuple[tuple[str, str], ...]) -> list[tuple[str, int]]:
        return [(word, patterns.number(pattern) if pattern else -1) for word, pattern in table]

    single = {
        "sql": lexicon.SQL,
        "sql_after": lexicon.SQL_AFTER,
        "sql_before": lexicon.SQL_BEFORE,
        "code": _CODE,
        "prevented": lexicon.PREVENTED,
        "good": lexicon.GOOD_PIECE,
        "heading": lexicon.LIST_HEADING,
        "border": piece_words.BORDER,
        "mark": piece_words.MARK,
        "opening": piece_words.OPENING,
        "counted": piece_words.COUNTED,
    }
    return {
        "severities": rows(lexicon.SEVERITIES),
        "categories": rows(lexicon.CATEGORIES),
        "dimensions": rows(lexicon.DIMENSIONS),
        "learning_categories": rows(lexicon.LEARNING_CATEGORIES),
        "fixes": [patterns.number(pattern) for pattern in lexicon.FIXES],
        "table_names": [patterns.number(pattern) for pattern in lexicon.TABLES],
        "numbers": {name: patterns.number(pattern) for name, pattern in single.items()},
    }


def _prepare_borders() -> tuple[dict[str, Any], ...]:
    """Return what tells pieces apart, what of it only other scripts ask for, and the weights of borders.

    ``piece_words`` and ``wide_words`` are lines of a word, the letters of its rows and its class as an opener, by first
    letter.
    """
    openers = {word: name for name, row in piece_words.OPENERS.items() for word in row.split()}
    letters: dict[str, str] = dict.fromkeys(openers, "")
    for letter, row in piece_words.WORDS.items():
        for word in dict.fromkeys(row.split()):
            letters[word] = letters.get(word, "") + letter
    lines: dict[str, bytes] = {}
    for word, found in letters.items():
        line = f"{word} {found} {openers.get(word, '')}\n".encode()
        lines[word[0]] = lines.get(word[0], b"\n") + line
    joining = f" {' '.join(sorted(piece_words.OPENING_WORDS))} ".encode()
    parts = [(letter, tuple(row.split())) for letter, row in piece_words.WITHIN.items()]
    return (
        {"piece_words": {each: lines[each] for each in lines if each.isascii()}, "joining_words": joining},
        {"wide_words": {each: lines[each] for each in lines if not each.isascii()}, "piece_parts": parts},
        {"border_weights": read_borders()},
    )


def read_borders() -> dict[str, Any]:
    """Return the fitted weights of borders between points, and the score from which a message is parted."""
    path = resources.files(__package__ or "tellback.capture").joinpath("borders.json")
    return json.loads(path.read_text("utf-8"))


def _prepare_mode(model: dict[str, Any], mode: str) -> dict[str, Any]:
    fitted: dict[str, Any] = model["modes"][mode]
    slots = [b"\n"] * SLOTS
    for name, row in fitted["weights"].items():
        values = b"".join((ZERO + weight).to_bytes(2, "big") for weight in row)
        slots[slot_of(name.encode())] += name.encode() + b" " + values + b"\n"
    return {
        **{name: part for name, part in fitted.items() if name != "grams"},
        "unit": model["unit"],
        "weights": b"".join(slots),
        "starts": array("H", accumulate(map(len, slots), initial=0)).tobytes(),
    }


def find_slips() -> dict[str, str]:
    """Return misspelt word (no apostrophes) to key word: neighbours swapped, one letter left out or doubled."""
    slips: dict[str, str] = {}
    for word in rules.KEY_WORDS:
        bare = word.replace("'", "")
        if len(bare) < 5:
            continue
        for at in range(1, len(bare)):
            swapped = bare[: at - 1] + bare[at] + bare[at - 1] + bare[at + 1 :]
            shorter = bare[:at] + bare[at + 1 :]
            doubled = bare[:at] + bare[at] + bare[at:]
            for slip in (swapped, shorter, doubled):
                slips.setdefault(slip, word)
    known = {word.replace("'", "") for word in rules.KEY_WORDS} | rules.REAL_WORDS
    slips = {slip: word for slip, word in slips.items() if slip not in known}
    return {**slips, **{slip.replace("'", ""): word for slip, word in rules.SPELLINGS.items()}}
