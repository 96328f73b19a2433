"""Labelled messages as rows of features: what the training and its cross-validation share."""

import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tellback.capture.detector import Context, Tables
from tellback.capture.features import context_features, observe, text_features
from tellback.capture.grams import label_slots
from tellback.capture.strip import is_machine_text, own_words

LABELS = ("none", "correction", "learning", "positive")


class Row(NamedTuple):
    """One message.

    Attributes:
        group: messages of one owner (real) or of one block of ids (own words) stay together in a fold.
        source: ``real``, ``own`` or ``extra``.
        label: index into ``LABELS``.
        text_names, context_names: features of the message alone, and what the turn before adds (empty: not known).
        slots: n-gram slots for correction, learning and positive.
        is_machine: judged none before any weight is asked.
    """

    record: dict[str, Any]
    group: str
    source: str
    label: int
    text_names: list[str]
    context_names: list[str]
    slots: tuple[list[int], list[int], list[int]]
    is_machine: bool


def read_records(path: Path) -> list[dict[str, Any]]:
    """Read one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def context_of(record: dict[str, Any]) -> Context | None:
    """Return the context that a corpus record tells; ``None`` when the turn before is not given."""
    answer = record.get("prev_assistant")
    if answer is None:
        return None
    return Context(answer=answer, before=record.get("before"), is_first=answer == "")


def _group(record: dict[str, Any], source: str) -> str:
    if "group" in record:
        return str(record["group"])
    number = "".join(char for char in str(record.get("id", "")) if char.isdigit()) or "0"
    return f"{source}{int(number) // 8}"


def make_row(record: dict[str, Any], source: str, tables: Tables) -> Row:
    """Take one message apart exactly as the detector does."""
    text = record["text"]
    own = own_words(text, tables=tables)
    seen = observe(text, own, tables)
    names = text_features(seen)
    context = context_of(record)
    extra = context_features(seen, context, names, tables) if context else []
    return Row(
        record=record,
        group=_group(record, source),
        source=source,
        label=LABELS.index(record["label"]),
        text_names=names,
        context_names=extra,
        slots=tuple(map(sorted, label_slots(own, tables))),  # type: ignore[arg-type]
        is_machine=is_machine_text(text, tables=tables),
    )


def make_rows(paths: Iterable[tuple[str, Path]], tables: Tables) -> list[Row]:
    """Read and take apart every file of (source, path)."""
    return [make_row(record, source, tables) for source, path in paths for record in read_records(path)]


def fold_of(group: str, folds: int) -> int:
    """Return the fold of a group: the same in every run."""
    return zlib.crc32(group.encode()) % folds
