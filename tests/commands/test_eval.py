"""``tellback eval``: scores of a labelled file, as text and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tellback.capture.scoring import wilson
from tellback.cli import main
from tellback.commands.eval import evaluate

RECORDS: list[dict[str, Any]] = [
    {"text": "no, the column is client_ref not client_id", "label": "correction", "lang": "en", "n_points": 1},
    {"text": "still the same error", "label": "correction", "lang": "en", "n_points": 1, "prev_assistant": "Fixed! ✅"},
    {"text": "还是报同样的错", "label": "correction", "lang": "zh", "n_points": 1},
    {"text": "- totals row is missing\n- you used the staging db, need prod", "label": "correction", "n_points": 2},
    {"text": "from now on always run the tests before you commit", "label": "learning", "lang": "en"},
    {"text": "perfect, thanks", "label": "positive", "lang": "en"},
    {"text": "add a search box to the page", "label": "none", "lang": "en"},
    {"text": "perfect, thanks a lot", "label": "none", "lang": "en", "ambiguous": True},
]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in RECORDS) + "\n\n", encoding="utf-8")
    return path


def score_of(data: dict[str, Any], label: str) -> dict[str, Any]:
    return next(score for score in data["scores"] if score["label"] == label)


def test_precision_and_recall_are_counted_by_label(labelled: Path) -> None:
    data = evaluate(labelled, False, 0, False, False).data

    positive = score_of(data, "positive")
    assert (positive["right"], positive["said"], positive["true"]) == (1, 2, 1)
    assert (positive["precision"], positive["recall"]) == (0.5, 1.0)
    assert score_of(data, "correction")["recall"] == 1.0
    assert data["splits"] == {"several": 1, "several_exact": 1, "single": 3, "single_cut": 0}


def test_doubtful_messages_can_be_left_out(labelled: Path) -> None:
    data = evaluate(labelled, False, 0, False, True).data

    assert data["messages"] == len(RECORDS) - 1
    assert score_of(data, "positive")["precision"] == 1.0


def test_the_command_prints_a_table_and_the_errors(labelled: Path) -> None:
    result = CliRunner().invoke(main, ["eval", str(labelled), "--by-lang", "--errors", "3"])

    assert result.exit_code == 0
    assert "macro F1" in result.output
    assert "zh: 1 messages" in result.output
    assert "none heard as positive" in result.output
    assert "ms a message" in result.output


def test_json_is_one_object_with_intervals(labelled: Path) -> None:
    result = CliRunner().invoke(main, ["eval", str(labelled), "--json", "--text-alone", "--point", "write"])

    data = json.loads(result.output)
    low, high = score_of(data, "correction")["recall_interval"]
    assert data["text_alone"] is True
    assert data["point"] == "write"
    assert 0 <= low <= score_of(data, "correction")["recall"] <= high <= 1


def test_the_same_file_gives_the_same_scores(labelled: Path) -> None:
    one, other = (evaluate(labelled, True, 0, False, False).data for _ in range(2))

    assert {**one, "ms_per_message": 0} == {**other, "ms_per_message": 0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "holds no labelled message", id="empty"),
        pytest.param("not json\n", "line 1 is not valid JSON", id="not JSON"),
        pytest.param('{"text": "x", "label": "bug"}\n', "line 1 has no text, or a label", id="an unknown label"),
        pytest.param('{"label": "none"}\n', "line 1 has no text", id="no text"),
    ],
)
def test_a_file_that_is_not_labelled_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text(content, encoding="utf-8")

    result = CliRunner().invoke(main, ["eval", str(path)])

    assert result.exit_code == 1
    assert message in result.output


def test_a_file_that_is_not_there_is_told_of_and_a_wrong_flag_is_2(tmp_path: Path, labelled: Path) -> None:
    assert CliRunner().invoke(main, ["eval", str(tmp_path / "none.jsonl")]).exit_code == 1
    assert CliRunner().invoke(main, ["eval", str(labelled), "--errors", "-1"]).exit_code == 2


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        pytest.param(8, 10, 0.49, 0.943, id="as in the textbook"),
        pytest.param(0, 10, 0.0, 0.278, id="none of ten"),
        pytest.param(10, 10, 0.722, 1.0, id="all of ten"),
    ],
)
def test_wilson_intervals(hits: int, total: int, low: float, high: float) -> None:
    share = wilson(hits, total)

    assert (round(share.low, 3), round(share.high, 3)) == (low, high)


def test_no_case_has_no_share() -> None:
    assert wilson(0, 0).value is None
