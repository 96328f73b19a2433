"""``tellback eval``: how well the detector hears the messages of a labelled file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..capture.detector import LABELS
from ..capture.scoring import Judged, Report, Score, Share, judge_records, make_report
from ..capture.tables import default_tables
from ..core.errors import TellbackError
from .result import Result, run

if TYPE_CHECKING:
    from ..capture.detector import OperatingPoint

_LABELS = (*LABELS, "none")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--by-lang", is_flag=True, help="Tell the scores of each language, too.")
@click.option("--errors", "shown", type=click.IntRange(min=0), default=0, metavar="N", help="Show N wrong verdicts.")
@click.option("--text-alone", is_flag=True, help="Do not look at the agent's turn before, as a hook does.")
@click.option("--clear", is_flag=True, help="Leave out the messages on which careful readers could differ.")
@click.option(
    "--point", type=click.Choice(["report", "write", "strict"]), default="report", help="How sure a verdict must be."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    file: Path, by_lang: bool, shown: int, text_alone: bool, clear: bool, point: "OperatingPoint", as_json: bool
) -> None:
    """Score the detector on FILE: one JSON object a line with text, label and, if known, prev_assistant."""
    run(lambda: evaluate(file, by_lang, shown, text_alone, clear, point), as_json)


def evaluate(
    file: Path, by_lang: bool, shown: int, text_alone: bool, clear: bool, point: "OperatingPoint" = "report"
) -> Result:
    """Judge every message of *file* and return its scores."""
    records = [record for record in read_labelled(file) if not (clear and record.get("ambiguous"))]
    judged, seconds = judge_records(records, default_tables(), point, text_alone)
    report = make_report(judged, seconds)
    data = {"file": str(file), "point": point, "text_alone": text_alone, **_report_data(report)}
    lines = [f"{report.messages} messages, operating point {point}{', text alone' if text_alone else ''}", ""]
    lines += _report_lines(report)
    if by_lang:
        parts = _by_language(judged)
        data["by_lang"] = {lang: [_score_data(score) for score in part.scores] for lang, part in parts.items()}
        for lang, part in parts.items():
            lines += ["", f"{lang}: {part.messages} messages", *map(_score_line, part.scores)]
    if shown:
        data["errors"] = [_error_data(row) for row in report.errors[:shown]]
        lines += ["", f"{len(report.errors)} wrong verdicts", *map(_error_line, report.errors[:shown])]
    return Result(data=data, text="\n".join(lines))


def read_labelled(file: Path) -> list[dict[str, Any]]:
    """Return the records of a labelled file.

    Raises:
        TellbackError: it cannot be read, or a line is no record with a text and a known label.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TellbackError(
            f"{file} cannot be read: {error}", hint="give a file with one JSON object a line"
        ) from error
    records: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            records.append(_parse_record(line, f"{file} line {number}"))
    if not records:
        raise TellbackError(f"{file} holds no labelled message", hint="give a file with one JSON object a line")
    return records


def _parse_record(line: str, where: str) -> dict[str, Any]:
    try:
        record: Any = json.loads(line)
    except ValueError as error:
        raise TellbackError(f"{where} is not valid JSON") from error
    if not isinstance(record, dict) or not isinstance(record.get("text"), str) or record.get("label") not in _LABELS:  # pyright: ignore[reportUnknownMemberType]
        raise TellbackError(f"{where} has no text, or a label that is none of {', '.join(_LABELS)}")
    return record  # pyright: ignore[reportUnknownVariableType]


def _by_language(judged: list[Judged]) -> dict[str, Report]:
    found: dict[str, list[Judged]] = {}
    for row in judged:
        found.setdefault(str(row.record.get("lang") or "?"), []).append(row)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return {lang: make_report(part, 0.0) for lang, part in ordered}


def _report_lines(report: Report) -> list[str]:
    splits = report.splits
    lines = [f"{'':12}{'precision':>22}{'recall':>22}{'F1':>22}   right/said/true"]
    lines += [_score_line(score) for score in report.scores]
    lines += [_score_line(report.friction), "", f"macro F1 of the labels that occur: {report.macro_f1:.3f}"]
    lines.append(
        f"points: {splits['several_exact']} of {splits['several']} messages with several points have the exact number, "
        f"{splits['single_cut']} of {splits['single']} single ones are cut"
    )
    lines.append("confidence, and how often the likeliest label was right:")
    lines += [
        f"  from {low:.1f}: {count:5} messages, mean {mean:.2f}, right {right:.2f}"
        for low, count, mean, right in report.calibration
    ]
    lines.append(f"time: {report.ms_per_message:.2f} ms a message")
    return lines


def _share_text(share: Share) -> str:
    return "-" if share.value is None else f"{share.value:.3f} [{share.low:.2f}-{share.high:.2f}]"


def _score_line(score: Score) -> str:
    parts = (score.precision, score.recall, score.f1)
    return (
        f"{score.label:12}"
        + "".join(f"{_share_text(part):>22}" for part in parts)
        + f"   {score.right}/{score.said}/{score.true}"
    )


def _score_data(score: Score) -> dict[str, Any]:
    parts = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    return {
        "label": score.label,
        "right": score.right,
        "said": score.said,
        "true": score.true,
        **{name: None if part.value is None else round(part.value, 4) for name, part in parts.items()},
        **{f"{name}_interval": [round(part.low, 4), round(part.high, 4)] for name, part in parts.items()},
    }


def _report_data(report: Report) -> dict[str, Any]:
    return {
        "messages": report.messages,
        "scores": [_score_data(score) for score in report.scores],
        "friction": _score_data(report.friction),
        "macro_f1": round(report.macro_f1, 4),
        "splits": report.splits,
        "calibration": [
            {"from": low, "messages": count, "confidence": round(mean, 4), "right": round(right, 4)}
            for low, count, mean, right in report.calibration
        ],
        "ms_per_message": round(report.ms_per_message, 4),
    }


def _error_data(row: Judged) -> dict[str, Any]:
    verdict = row.verdict
    return {
        "id": row.record.get("id"),
        "label": row.record["label"],
        "said": verdict.label,
        "leaning": verdict.leaning,
        "confidence": verdict.confidence,
        "cues": verdict.explain(),
        "text": row.record["text"],
    }


def _error_line(row: Judged) -> str:
    verdict = row.verdict
    text = " ".join(row.record["text"].split())
    printable = "".join(char if char.isprintable() else "?" for char in text[:120])
    cues = ", ".join(f"{name} {weight:+.1f}" for name, weight in verdict.explain()[:3])
    said = f"{row.record['label']} heard as {verdict.label} ({verdict.leaning} {verdict.confidence:.2f}; {cues})"
    return f"  {said}: {printable}"
