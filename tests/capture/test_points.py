"""A correction parted into points, each with what the message tells of it and no more."""

import json
import re
from pathlib import Path

import pytest

from tellback.capture import piece_words, strip
from tellback.capture.detector import judge
from tellback.capture.pieces import may_be_joined, may_be_listed_as
from tellback.capture.points import Point
from tellback.capture.split import split
from tellback.capture.tables import default_tables

TABLES = default_tables()


def points(text: str) -> list[Point]:
    verdict = judge(text, tables=TABLES)
    assert verdict.label == "correction", text
    return verdict.points


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param(
            "three things: 1) the header is misaligned 2) you left a debug print 3) the price still shows 4 decimals",
            ["the header is misaligned", "you left a debug print", "the price still shows 4 decimals"],
            id="numbers within a line",
        ),
        pytest.param(
            "- totals row is missing\n- dates should be dd.mm.yyyy\n- you used the staging db, need prod",
            ["totals row is missing", "dates should be dd.mm.yyyy", "you used the staging db, need prod"],
            id="a list",
        ),
        pytest.param(
            "有三个问题：1、表头没对齐；2、导出是空的；3、时间少了八小时",
            ["表头没对齐", "导出是空的", "时间少了八小时"],
            id="a Chinese list",
        ),
        pytest.param(
            "A few issues: the headline mixes EUR and USD; page 3 repeats page 2; and the name is wrong.",
            ["the headline mixes EUR and USD", "page 3 repeats page 2", "the name is wrong."],
            id="semicolons behind a heading",
        ),
        pytest.param(
            "The filter drops archived projects, it shouldn't. Also the export button downloads an empty file.",
            ["The filter drops archived projects, it shouldn't.", "the export button downloads an empty file."],
            id="also",
        ),
        pytest.param(
            "sound keeps playing when closed. second: pause does not toggle. also volume resets to 100",
            ["sound keeps playing when closed.", "pause does not toggle.", "volume resets to 100"],
            id="second, also",
        ),
        pytest.param(
            "Still broken:\n- the login fails\n  the log says nothing\n- search ignores case\n\nplease test it first",
            ["the login fails\n  the log says nothing", "search ignores case"],
            id="what stands further in goes with its item, what comes behind a list with none",
        ),
        pytest.param(
            "ok tested it.\n1. rotating loses the draft\n2. the sound is wrong\nthe rest is fine",
            ["rotating loses the draft", "the sound is wrong"],
            id="praise behind a list",
        ),
        pytest.param(
            "按钮颜色不对。另外导出的表格没有表头。", ["按钮颜色不对。", "导出的表格没有表头。"], id="Chinese also"
        ),
    ],
)
def test_independent_points_part(text: str, pieces: list[str]) -> None:
    assert [point.text for point in points(text)] == pieces


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("you changed the type, so nothing renders", id="a consequence"),
        pytest.param("the total is wrong because you count cancelled orders", id="a cause"),
        pytest.param("nope. still getting the 403 after your change", id="no, and what is wrong"),
        pytest.param("it's not working. same stack trace as before", id="the same thing twice"),
        pytest.param("your regex also matches empty strings", id="also inside a clause"),
        pytest.param("still broken. can you please fix it?", id="and a request to fix it"),
        pytest.param("wrong column, use net_total", id="a fault and its fix"),
        pytest.param(
            "No, that is wrong. The total must use order_date, not ship_date.", id="a verdict and its subject"
        ),
        pytest.param("不对。应该按周汇总，不是按月", id="a Chinese verdict and its subject"),
        pytest.param("- that is wrong\n- \x07 \x00\n- 404 !", id="items without a word"),
        pytest.param("no, that's wrong:\n1.\n2.\n3.", id="marks without items"),
        pytest.param(
            "I clicked save, got the toast, went back and the record was not there, that's wrong", id="a story"
        ),
    ],
)
def test_one_point_stays_whole(text: str) -> None:
    assert [point.text for point in points(text)] == [text]


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        pytest.param("the board already saw this figure and it is wrong", "critical", id="seen by the board"),
        pytest.param("you leaked the api key into the public repo, that's wrong", "critical", id="a secret"),
        pytest.param("the total is wrong", "high", id="a wrong number"),
        pytest.param("you used the wrong filter", "medium", id="a filter"),
        pytest.param("the label is wrong, it should say net", "low", id="a label"),
        pytest.param("why did you do it that way? I said no", "medium", id="the rest"),
    ],
)
def test_severity(text: str, severity: str) -> None:
    assert points(text)[0].severity == severity


@pytest.mark.parametrize(
    ("text", "category"),
    [
        pytest.param("that join is wrong", "join_error", id="join"),
        pytest.param("you forgot to exclude test accounts", "filter_missing", id="filter"),
        pytest.param("wrong definition of churn, you used the old one", "metric_definition", id="metric"),
        pytest.param("you used the wrong month", "date_range", id="date"),
        pytest.param("users are double-counted, that's wrong", "aggregation", id="aggregation"),
        pytest.param("the column is client_ref not client_id", "schema", id="schema"),
        pytest.param("the condition is wrong, you inverted it", "logic", id="logic"),
        pytest.param("that's not what I asked for", "other", id="other"),
    ],
)
def test_category(text: str, category: str) -> None:
    assert points(text)[0].category == category


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        pytest.param("wrong skill, I only wanted a summary", "trigger_quality", id="the wrong skill"),
        pytest.param("you forgot two of the five files", "coverage", id="something missing"),
        pytest.param("still the same error", "reliability", id="failed again"),
        pytest.param("too verbose, that's not what I asked for", "efficiency", id="wordy"),
        pytest.param("you committed the credentials, that's wrong", "security", id="secrets"),
        pytest.param("wrong name, it should be orders", "accuracy", id="wrong content"),
        pytest.param("undo that", None, id="a plain undo"),
    ],
)
def test_dimension(text: str, dimension: str | None) -> None:
    assert points(text)[0].dimension == dimension


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        pytest.param("the column is client_ref not client_id", "client_ref", id="X not Y"),
        pytest.param("that's wrong, it should be sorted by date.", "sorted by date", id="should be"),
        pytest.param("wrong library, use dayjs instead of moment", "dayjs", id="use X instead of Y"),
        pytest.param("不对，应该是按周汇总", "按周汇总", id="Chinese"),
        pytest.param("Nein, nicht nach Monat, sondern nach Woche", "nach Woche", id="German"),
        pytest.param("that's wrong", None, id="not stated"),
        pytest.param("still broken", None, id="not stated either"),
        pytest.param("why did you delete the fixtures?", None, id="a complaint"),
        pytest.param("it should be pyproject.toml, not setup.py", "pyproject.toml", id="a dot within a name"),
        pytest.param("wrong, it must be 3.14.", "3.14", id="a dot within a number"),
        pytest.param("No, that's wrong: use order_date, not ship_date.", "order_date", id="wrong is not what it is"),
        pytest.param("eso debe ser total_neto, no bruto", "total_neto", id="a clause in Spanish"),
    ],
)
def test_a_fix_is_told_only_when_it_is_stated(text: str, fix: str | None) -> None:
    assert points(text)[0].fix == fix


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        pytest.param("wrong table, it's in the `order_items` table", ["order_items"], id="called a table"),
        pytest.param(
            "that's wrong: `SELECT a FROM orders JOIN refunds USING (id)`", ["orders", "refunds"], id="in SQL"
        ),
        pytest.param("you took it from the wrong folder", [], id="from is an English word"),
        pytest.param("`user_id` is wrong", [], id="a column is no table"),
    ],
)
def test_tables_come_from_code_and_names_only(text: str, tables: list[str]) -> None:
    assert points(text)[0].tables == tables


def test_sql_stands_where_the_message_puts_it() -> None:
    text = "wrong: you wrote `SELECT sum(x) FROM a` but it should be `SELECT sum(y) FROM a`"

    point = points(text)[0]

    assert (point.sql_before, point.sql_after) == ("SELECT sum(x) FROM a", "SELECT sum(y) FROM a")


def test_code_that_is_no_sql_is_not_taken_for_it() -> None:
    point = points("wrong: you wrote `x = 1` but it should be `x = 2`")[0]

    assert (point.sql_before, point.sql_after, point.tables) == (None, None, [])


def test_every_point_stands_in_the_message() -> None:
    text = "login works now, thanks. but signup is broken since your change, and the reset mail still fails"

    assert all(point.text in text for point in points(text))


def test_messages_written_before_the_splitter_part_nearly_as_often_as_the_docs_say() -> None:
    """They were written before the splitter was; the figures guard against breakage and say little of real messages."""
    lines = Path(__file__).with_name("points.jsonl").read_text(encoding="utf-8").splitlines()
    told = [(row["n_points"], len(split(own_words(row["text"]), TABLES))) for row in map(json.loads, lines)]

    assert sum(true == said for true, said in told if true > 1) >= 22
    assert sum(said > 1 for true, said in told if true == 1) <= 2


def own_words(text: str) -> str:
    return strip.own_words(text, tables=TABLES, keep_inline=True)


@pytest.mark.parametrize("text", ["", " \n\t ", "...", "- \n- \n- ", "\x00\x07", "， 。 ；", "1. 2. 3. 4."])
def test_what_holds_no_word_has_no_point(text: str) -> None:
    assert split(text, TABLES) == []


def test_a_document_is_no_list_of_points() -> None:
    text = "Issues:\n" + "\n".join(f"- page {number} is wrong" for number in range(30))

    assert split(text, TABLES) == [text]


@pytest.mark.parametrize("unit", ["， ", "，", "! ", "!", "\n- ", "1) a ", " and ", ". ", "also the ", "…", "(", "x, "])
def test_a_long_run_of_signs_is_read_once(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tellback.capture import pieces

    read: list[int] = []

    def count(text: str) -> bool:
        read.append(len(text))
        return has_word(text)

    has_word = pieces.has_word
    monkeypatch.setattr(pieces, "has_word", count)

    text = unit * (60_000 // len(unit))
    split(text, TABLES)

    assert sum(read) <= 2 * len(text)


def test_what_is_looked_at_before_the_patterns_of_a_piece_passes_over_nothing_that_they_match() -> None:
    joined, listed = re.compile(piece_words.OPENING), re.compile(piece_words.MARK)
    openings = [
        *piece_words.OPENING_WORDS,
        "on top of that",
        "First of all",
        "AYRICA",
        "d'abord",
        "& so",
        "(+ x",
        "ещё",
    ]
    texts = [f"{sign}{word}{end} it" for word in openings for sign in ("", "- ", "... ") for end in ("", ",", ":")]
    for line in (Path(__file__).parent / "points.jsonl").read_text("utf-8").splitlines():
        text = json.loads(line)["text"]
        texts += [text[match.start() :][:60] for match in re.finditer(r"\b|\W", text)]

    for text in texts:
        match = joined.match(text)
        assert may_be_joined(text, TABLES) or match is None or not match.lastindex, text
        assert may_be_listed_as(text) or listed.match(text) is None, text
    assert not may_be_joined("The total is wrong", TABLES)
    assert not may_be_listed_as("The total is wrong")
