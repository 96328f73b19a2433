"""The prepared tables: what the hook loads says the same as the plain sources."""

import ast
import json
import marshal
import re
from pathlib import Path

import pytest

from tellback.capture import (
    cues_en,
    cues_europe,
    cues_ja_ko,
    cues_zh,
    features,
    grams,
    lexicon,
    piece_words,
    rules,
    strip_rules,
)
from tellback.capture.detector import Tables, find_weights, judge
from tellback.capture.needles import find_needles
from tellback.capture.tables import default_tables, find_slips, prepare, read_model

MESSAGES = [
    json.loads(line) for line in (Path(__file__).with_name("messages.jsonl")).read_text(encoding="utf-8").splitlines()
]
TEXTS = [message["text"] for message in MESSAGES]


def test_the_tables_survive_marshal_and_say_the_same() -> None:
    tables = Tables(marshal.loads(marshal.dumps(prepare())))

    for text in TEXTS[::12]:
        one, other = judge(text, tables=tables), judge(text, tables=default_tables())
        assert (one.label, one.confidence, one.explain()) == (other.label, other.confidence, other.explain())


def test_a_frozen_pattern_matches_like_its_source() -> None:
    tables = default_tables()

    numbers = memoryview(tables.part("cue_patterns")).cast("H")
    for cue, number in zip(rules.CUES, numbers, strict=True):
        pattern = re.compile(cue.pattern)
        for text in TEXTS[::60]:
            mine, plain = tables.pattern(number).search(text.lower()), pattern.search(text.lower())
            assert (mine and mine.span()) == (plain and plain.span()), cue.name


def test_a_cue_is_told_by_its_name_and_family_and_where_it_stands() -> None:
    tables = default_tables()
    for text in TEXTS[::40]:
        low = text.lower()
        found = [(cue, match) for cue in rules.CUES if (match := re.search(cue.pattern, low))]

        told = tables.find_cues(range(len(rules.CUES)), low)

        assert told == [(cue.name, cue.family, match.start(), match.end()) for cue, match in found]


def test_every_anchor_is_found_with_its_cues() -> None:
    tables = default_tables()
    anchors = {anchor for cue in rules.CUES for anchor in cue.anchors if anchor.isascii()}

    for anchor in anchors:
        wanted = [number for number, cue in enumerate(rules.CUES) if anchor in cue.anchors]
        assert tables.look_up(anchor.encode()) == (wanted, b""), anchor
    assert tables.look_up(b"stil") == ((), b"still")
    assert tables.look_up(b"abracadabra") == tables.look_up("é".encode()) == ((), b"")


def test_every_weight_of_the_model_is_found() -> None:
    tables = default_tables()
    for mode in ("text", "context"):
        model = tables.model(mode == "context")
        for name, row in read_model()["modes"][mode]["weights"].items():
            assert find_weights(name, model) == tuple(row), name
        assert find_weights("f:nothing", model) is None


def _all_patterns() -> list[str]:
    tables = (lexicon.SEVERITIES, lexicon.CATEGORIES, lexicon.DIMENSIONS, lexicon.LEARNING_CATEGORIES)
    named = [pattern for table in tables for _, pattern in table if pattern]
    single = [lexicon.SQL, lexicon.PREVENTED, lexicon.GOOD_PIECE, lexicon.LIST_HEADING, piece_words.COUNTED]
    return [cue.pattern for cue in rules.CUES] + named + list(lexicon.FIXES) + list(lexicon.TABLES) + single


def test_a_text_without_a_needle_never_matches() -> None:
    tables = default_tables()
    for source, number in _number_patterns():
        pattern = re.compile(source)
        for text in TEXTS[::40]:
            for sought in (text, text.lower()):
                if not tables.may_match(number, sought):
                    assert pattern.search(sought) is None, source


def _number_patterns() -> list[tuple[str, int]]:
    """Return every pattern that is searched, with its number, as the tables count them."""
    numbers = {marshal.loads(packed)[2][0]: number for number, packed in enumerate(prepare()["patterns"])}
    return [(source, numbers[source]) for source in _all_patterns()]


@pytest.mark.parametrize(
    ("pattern", "needles"),
    [
        pytest.param("still(?: not| yet)", [("", "still not|still yet")], id="all texts of a short stretch"),
        pytest.param(r"\b(?:this|that)\b", [("that this", "")], id="whole words"),
        pytest.param(r"\bthis", [("", "this")], id="the beginning of a word"),
        pytest.param(r"this \w+\W+is\b", [("is", ""), ("", "this ")], id="a word behind what is none"),
        pytest.param(r"(?<!\w)this(?!\w)", [("this", "")], id="guarded on both sides"),
        pytest.param("不对|\\bwrong\\b", [("wrong", "不对")], id="a word or a piece"),
        pytest.param("(?:foo|bar)+baz", [("", "baz"), ("", "bar|foo")], id="either, once at least"),
        pytest.param("(?:foo)?bar", [("", "bar|foobar")], id="what may be missing"),
        pytest.param(r"\w+", [], id="anything will do"),
        pytest.param(r"(?:foo|\d)", [], id="one branch without a literal frees the others"),
        pytest.param("(?i)Foo", [("", "foo")], id="in lower case where case does not matter"),
        pytest.param("(?i:foo)", [], id="not where only a part is blind to case"),
    ],
)
def test_needles_are_what_cannot_be_missing(pattern: str, needles: list[tuple[str, str]]) -> None:
    found = find_needles(pattern)[0]

    assert [
        (words.decode(), "|".join([*pieces, *wide.split("\n")]).strip("|")) for words, pieces, wide in found
    ] == needles


def test_names_of_cues_are_unique() -> None:
    names = [f"{cue.name} {cue.family}" for cue in rules.CUES]

    assert len(set(names)) == len(names)


def test_every_anchor_is_a_word_that_can_be_found() -> None:
    for cue in rules.CUES:
        for anchor in cue.anchors:
            assert anchor == anchor.lower(), cue.name
            assert not anchor.isascii() or re.fullmatch(r"[a-z0-9_]+", anchor), (cue.name, anchor)


def test_every_language_has_the_families_that_matter() -> None:
    needed = {"no_effect", "neg_open", "you_did", "why", "defect", "revert", "rule", "praise", "task", "question"}

    for language in ("en", "zh", "ja", "ko", "es", "de", "fr", "pt", "ru"):
        families = {cue.family for cue in rules.CUES if cue.name.startswith(f"{language}.")}
        assert needed <= families, language


def test_a_slip_never_hides_a_key_word_or_a_real_word() -> None:
    slips = find_slips()

    assert slips["stil"] == "still"
    assert slips["wroking"] == "working"
    assert not {"still", "works", "token", "great", "ever", "this"} & set(slips)


def test_the_model_names_only_features_that_can_occur() -> None:
    names = {f"c:{cue.name}" for cue in rules.CUES}

    for mode in ("text", "context"):
        fitted = read_model()["modes"][mode]
        assert {name for name in fitted["weights"] if name.startswith("c:")} <= names
        assert len(fitted["grams"]) == sum(grams.SIZES)


def test_the_model_file_stays_small_and_holds_no_text() -> None:
    path = Path(features.__file__).with_name("model.dat")
    head = path.read_bytes().split(b"\n", 1)[0].decode("ascii")

    assert path.stat().st_size < 200_000
    assert not [text for text in TEXTS if len(text) > 30 and json.dumps(text)[1:-1] in head]


def test_borders_grow_from_report_to_strict() -> None:
    for fitted in read_model()["modes"].values():
        report, write, strict = (fitted["thresholds"][point] for point in ("report", "write", "strict"))
        assert all(0 < a <= b <= c < 1 for a, b, c in zip(report, write, strict, strict=True))


def test_a_hot_module_imports_nothing_dear() -> None:
    cheap = {
        "marshal",
        "math",
        "binascii",
        "_codecs",
        "sys",
        "typing",
        "re",
        "collections.abc",
    }  # the last three for checkers only
    folder = Path(features.__file__).parent
    for name in ("detector", "strip", "features", "points"):
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in top:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if isinstance(node, ast.Import) or not node.level:
                assert set(names) <= cheap - {"typing", "re", "collections.abc"}, name


def test_the_sources_of_cues_are_all_in_the_table() -> None:
    sources = [cues_en.ROWS, cues_zh.ROWS, cues_ja_ko.JA, cues_ja_ko.KO, cues_europe.ES, cues_europe.DE, cues_europe.FR,
               cues_europe.PT, cues_europe.IT, cues_europe.RU]  # fmt: skip
    listed = sum(not cue.family.startswith("doc_") for cue in rules.CUES)

    assert sum(map(len, sources)) == listed
    assert len(strip_rules.STEPS) == len({step.name for step in strip_rules.STEPS})
