"""Prepare the detector's tables once: patterns frozen, anchors inverted, the model unpacked; cold.

``prepare`` returns one value of plain types for ``marshal``: install writes it beside the hook, commands and the sweep
use it in memory.
"""

import json
from functools import lru_cache
from importlib import resources
from typing import Any

from ..core.prepared import freeze
from . import lexicon, rules, strip_rules
from .anchors import prepare_anchors
from .detector import Tables

_ERROR_WORD = r"(?i)error|exception|failed|failure|traceback|undefined|cannot |错误|失败|エラー|panic|fatal|denied|not found|invalid"
_SENTENCE = r"[.!?]+(?=\s|$)|[。！？]+|\n+"
_CODE = r"(?s)```\w*\n?(.*?)(?:```|\Z)|`([^`\n]+)`"
# marks of the context that are crossed with the message's features
_CROSSING = ("known", "first", "claimed", "claim_only", "asked", "asks", "stopped", "code_end", "try_it", "options")


class _Patterns:
    """Numbers for patterns, the same pattern once."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], int] = {}

    def number(self, pattern: str) -> int:
        return self.rows.setdefault((pattern, 0), len(self.rows))


def read_model() -> dict[str, Any]:
    """Return the fitted model: ``weights``, ``grams`` (one byte table a label), scales, thresholds, anchors."""
    data = resources.files(__package__ or "tellback.capture").joinpath("model.dat").read_bytes()
    head, _, tail = data.partition(b"\n")
    model: dict[str, Any] = json.loads(head)
    size = model["slots"]
    model["grams"] = tuple(tail[k * size : (k + 1) * size] for k in range(3))
    return model


def prepare(model: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return everything that ``Tables`` needs, of types that ``marshal`` can write."""
    model = read_model() if model is None else model
    patterns = _Patterns()
    prepared: dict[str, Any] = {
        **_prepare_strip(patterns),
        **_prepare_cues(patterns),
        **_prepare_lexicon(patterns),
        **_prepare_model(model),
    }
    prepared["names"] = tuple(prepared)
    prepared["patterns"] = freeze(list(patterns.rows))
    return prepared


@lru_cache(maxsize=1)
def default_tables() -> Tables:
    """Return the tables that commands and the sweep share."""
    return Tables(prepare())


def _prepare_strip(patterns: _Patterns) -> dict[str, Any]:
    names = [step.name for step in strip_rules.STEPS]
    return {
        "steps": [(patterns.number(step.pattern), step.needles, step.put) for step in strip_rules.STEPS],
        "blocks": names.index("inline code"),
        "machine_openings": strip_rules.MACHINE_OPENINGS,
    }


def _prepare_cues(patterns: _Patterns) -> dict[str, Any]:
    words: dict[bytes, list[int]] = {}
    pieces: dict[str, list[int]] = {}
    always: list[int] = []
    for number, cue in enumerate(rules.CUES):
        if not cue.anchors:
            always.append(number)
        for anchor in cue.anchors:
            if anchor.isascii():
                words.setdefault(anchor.encode(), []).append(number)
            else:
                pieces.setdefault(anchor, []).append(number)
    return {
        "cues": [(cue.name, cue.family, patterns.number(cue.pattern)) for cue in rules.CUES],
        "words": {word: tuple(numbers) for word, numbers in words.items()},
        "pieces": [(piece, tuple(numbers)) for piece, numbers in pieces.items()],
        "always": tuple(always),
        "slips": {slip.encode(): word for slip, word in find_slips().items()},
        "word_number": patterns.number(r"[a-z0-9']+"),
        "sentence_number": patterns.number(_SENTENCE),
        "error_number": patterns.number(_ERROR_WORD),
        "answer_cues": [(name, patterns.number(pattern)) for name, pattern in rules.ANSWER_CUES],
        "crossing": frozenset(_CROSSING),
    }


def _prepare_lexicon(patterns: _Patterns) -> dict[str, Any]:
    def rows(table: tuple[tuple[str, str], ...]) -> list[tuple[str, int]]:
        return [(word, patterns.number(pattern) if pattern else -1) for word, pattern in table]

    single = {
        "sql": lexicon.SQL, "sql_after": lexicon.SQL_AFTER, "sql_before": lexicon.SQL_BEFORE, "code": _CODE,
        "prevented": lexicon.PREVENTED, "borders": lexicon.BORDERS, "run_on": lexicon.RUN_ON_LIST,
        "sentences": lexicon.SENTENCES, "connectives": lexicon.CONNECTIVES, "causes": lexicon.CAUSES,
        "good": lexicon.GOOD_PIECE, "heading": lexicon.LIST_HEADING,
    }  # fmt: skip
    return {
        "severities": rows(lexicon.SEVERITIES),
        "categories": rows(lexicon.CATEGORIES),
        "dimensions": rows(lexicon.DIMENSIONS),
        "learning_categories": rows(lexicon.LEARNING_CATEGORIES),
        "fixes": [patterns.number(pattern) for pattern in lexicon.FIXES],
        "table_names": [patterns.number(pattern) for pattern in lexicon.TABLES],
        "numbers": {name: patterns.number(pattern) for name, pattern in single.items()},
    }


def _prepare_model(model: dict[str, Any]) -> dict[str, Any]:
    return {
        "weights": {name: tuple(row) for name, row in model["weights"].items()},
        "grams": model["grams"],
        "model": {key: model[key] for key in ("unit", "gram_unit", "bias", "calibration", "thresholds")},
        **prepare_anchors(model["anchors"]),
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
