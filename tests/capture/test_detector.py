"""What is heard in a message, and what is not."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.capture.detector import Context, judge, may_hold_signal
from tellback.capture.tables import default_tables

MESSAGES = [
    json.loads(line) for line in Path(__file__).with_name("messages.jsonl").read_text(encoding="utf-8").splitlines()
]
TABLES = default_tables()
POINTS = ("report", "write", "strict")

DOCUMENTED_CORRECTIONS = (
    "that's wrong",
    "that's incorrect",
    "actually it's the gross amount",
    "it should be grouped by week",
    "the column is client_ref not client_id",
    "that number should be 318",
    "you used the wrong join",
    "the total is off by one",
    "returns are overcounted",
    "you undercounted the refunds",
    "users are double-counted",
    "that join is wrong",
    "you're missing a filter",
    "you forgot to exclude test accounts",
)
DOCUMENTED_LEARNINGS = (
    "next time check the copy first",
    "always use the staging bucket",
    "never use floats for money",
    "prefer httpx over requests",
    "the convention here is snake_case",
    "our team uses conventional commits",
    "don't forget to bump the version whenever you add a column",
    "a better approach would be to freeze the clock, do it that way in future",
    "going forward, ask before you install anything",
    "remember that the tariff table is in cents",
)


def label(text: str, context: Context | None = None) -> str:
    return judge(text, context, tables=TABLES).label


@pytest.mark.parametrize("text", DOCUMENTED_CORRECTIONS)
def test_the_documents_corrections_are_heard(text: str) -> None:
    assert label(text) == "correction"


@pytest.mark.parametrize("text", DOCUMENTED_LEARNINGS)
def test_the_documents_learnings_are_heard(text: str) -> None:
    assert label(text) == "learning"


@pytest.mark.parametrize(
    "text", ["that's right", "exactly", "perfect", "good analysis", "looks good", "LGTM", "Perfect!"]
)
def test_the_documents_praise_is_heard(text: str) -> None:
    assert label(text) == "positive"


@pytest.mark.parametrize("text", [*DOCUMENTED_CORRECTIONS, *DOCUMENTED_LEARNINGS])
def test_a_documented_phrase_reaches_tier_one(text: str) -> None:
    assert may_hold_signal(text.encode(), TABLES.anchors())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("still blank on my phone", id="a fix that did not work"),
        pytest.param("nothing changed, same error", id="no effect"),
        pytest.param("I meant the other column", id="meant"),
        pytest.param("why did you delete the fixtures?", id="a rhetorical question"),
        pytest.param("no, don't touch the tests", id="no"),
        pytest.param("Actually, do it with a queue", id="actually and a command"),
        pytest.param("No, use the second sheet instead", id="no and instead"),
        pytest.param("do not change the schema, ask me first", id="do not, ask me first"),
        pytest.param("undo your last change", id="undo"),
        pytest.param("it works, but the header is gone", id="praise and a defect"),
        pytest.param("that’s not what I asked for", id="a curly apostrophe"),
        pytest.param("it doens't work", id="a slip in a key word"),
        pytest.param("the button is stil brokne", id="another slip"),
        pytest.param("还是报同样的错", id="Chinese"),
        pytest.param("不对，应该按周汇总", id="Chinese, no"),
        pytest.param("まだ同じエラーが出ます", id="Japanese"),
        pytest.param("아직도 같은 오류가 나요", id="Korean"),
        pytest.param("sigue saliendo el mismo error", id="Spanish"),
        pytest.param("geht immer noch nicht", id="German"),
        pytest.param("ça ne marche toujours pas", id="French"),
        pytest.param("continua dando o mesmo erro", id="Portuguese"),
        pytest.param("опять та же ошибка", id="Russian"),
        pytest.param("这个 button 还是不 work", id="two languages at once"),
    ],
)
def test_a_correction_is_heard(text: str) -> None:
    assert label(text) == "correction"


@pytest.mark.parametrize(
    "text",
    [
        *("that doesn't look right", "not working great now", "not much better", "I don't love it"),
        *("不太好", "不是很好", "页面显示不出来了", "不能再改了，记住"),
        *("うまくいきませんでした", "正常に表示されません", "이제 잘 안 됩니다", "제대로 되지 않아요"),
        *("no quedó bien", "no es perfecto", "sieht nicht gut aus", "ce n'est pas parfait", "não ficou bom"),
        *("теперь не работает", "non funziona"),
    ],
)
def test_praise_that_is_denied_is_no_praise(text: str) -> None:
    assert label(text) != "positive"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("from now on run the formatter before you commit", id="from now on"),
        pytest.param("以后提交前先跑一遍测试", id="Chinese"),
        pytest.param("今後はコミットメッセージを英語で書いてください", id="Japanese"),
        pytest.param("앞으로는 변수 이름을 영어로만 지어 주세요", id="Korean"),
        pytest.param("A partir de ahora responde siempre en español", id="Spanish"),
        pytest.param("Bitte ab jetzt immer zuerst den Plan zeigen", id="German"),
        pytest.param("Désormais, lance les tests avant chaque commit", id="French"),
        pytest.param("Daqui pra frente use sempre aspas simples", id="Portuguese"),
        pytest.param("впредь всегда сначала показывай план", id="Russian"),
        pytest.param("add to AGENTS.md that the fixtures are made by hand", id="a rules file"),
        pytest.param("put into `.cursor/rules/style.mdc` that we never abbreviate names", id="a rules file as code"),
        pytest.param("請記住這個規則：提交前先跑測試", id="traditional Chinese"),
    ],
)
def test_a_rule_for_later_is_a_learning(text: str) -> None:
    assert label(text) == "learning"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("add a search box to the vendors page", id="a task"),
        pytest.param("what does the undo button do in this editor?", id="a question with undo"),
        pytest.param("is this correct?", id="correct in a question"),
        pytest.param("please correct the typo in line 4", id="correct as a verb (X-4)"),
        pytest.param("rename wrong_count to error_count", id="wrong inside a name"),
        pytest.param("yes, go ahead", id="permission"),
        pytest.param("option B please", id="a choice"),
        pytest.param("how does this work?", id="work in a question"),
        pytest.param("never mind", id="never that is no rule"),
        pytest.param("the API must always return JSON", id="always about the software"),
        pytest.param("好的，继续", id="Chinese permission (X-3)"),
        pytest.param("可以加一个搜索框吗", id="Chinese question (X-3)"),
        pytest.param("continue", id="continue"),
        pytest.param("", id="nothing"),
        pytest.param("```\nthe total is wrong\n```", id="code alone"),
        pytest.param("/model opus", id="a slash command"),
        pytest.param("a" * 30, id="one letter"),
        pytest.param("a" * 5_000, id="one letter for long"),
        pytest.param("sdkjfhskdjfh skdjfhsk", id="a hand on the keyboard"),
        pytest.param("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", id="a hash"),
        pytest.param("bm90aGluZyBvZiB0aGlzIGlzIGEgd29yZA==" * 9, id="base64"),
    ],
)
def test_what_judges_nothing_gives_none(text: str) -> None:
    assert label(text) == "none"


@pytest.mark.parametrize("message", [m for m in MESSAGES if m["kind"] == "injected"], ids=lambda m: m["id"])
def test_machine_text_is_never_heard(message: dict[str, str]) -> None:
    for context in (None, Context(answer="Done, all fixed! ✅")):
        assert label(message["text"], context) == "none"


def test_what_the_hook_hears_has_passed_tier_zero() -> None:
    for message in MESSAGES:
        text = message["text"]
        if judge(text, tables=TABLES, point="report", in_hook=True).label != "none":
            assert may_hold_signal(text.encode(), TABLES.anchors()), text


def test_the_hook_hears_what_the_sweep_hears_where_tier_zero_lets_it_through() -> None:
    for message in MESSAGES[::3]:
        text = message["text"]
        if may_hold_signal(text.encode(), TABLES.anchors()):
            assert judge(text, tables=TABLES, in_hook=True).label == judge(text, tables=TABLES).label


def test_most_messages_that_hold_nothing_end_at_tier_zero() -> None:
    nothing = [m["text"] for m in MESSAGES if m["label"] == "none"]

    passed = sum(may_hold_signal(text.encode(), TABLES.anchors()) for text in nothing)

    assert passed < 0.6 * len(nothing)  # of real messages a third; these were written to be hard


def test_a_surer_point_never_says_more() -> None:
    for message in MESSAGES[::4]:
        labels = [judge(message["text"], tables=TABLES, point=point).label for point in POINTS]
        assert labels[0] != "none" or labels == ["none"] * 3
        assert labels[1] != "none" or labels[2] == "none"


def test_a_short_failure_after_a_claim_of_success_is_a_correction() -> None:
    claimed = Context(answer="I fixed the export, it should work now. ✅")
    asked = Context(answer="Which status code should the endpoint return?")

    assert judge("404", claimed, tables=TABLES).label == "correction"
    assert judge("404", asked, tables=TABLES).confidence < judge("404", claimed, tables=TABLES).confidence


@pytest.mark.parametrize("before", ["refusal", "interrupt"])
@pytest.mark.parametrize(
    "text", ["Actually, pick another name", "No, write the third page instead", "leave the folder alone, ask me first"]
)
def test_words_that_stop_the_agent_are_a_correction(before: str, text: str) -> None:
    stopped = Context(answer="I will write the second page now.", before=before)

    assert label(text, stopped) == "correction"


def test_no_to_a_question_is_an_answer() -> None:
    assert label("no, the second one", Context(answer="Shall I change the first file?")) == "none"


def test_the_same_long_text_sent_again_and_again_is_a_template() -> None:
    text = "This is wrong, you forgot the tests. " * 8

    assert label(text, Context(answer="Done.", earlier=(text, text))) == "none"


def test_a_verdict_explains_itself() -> None:
    verdict = judge("no, the column is client_ref not client_id", tables=TABLES)

    assert verdict.leaning == "correction"
    assert 0.5 < verdict.confidence <= 1
    assert {"en.no_comma", "n-grams"} <= {name for name, _ in verdict.explain()}
    assert [abs(weight) for _, weight in verdict.explain()] == sorted(
        (abs(w) for _, w in verdict.explain()), reverse=True
    )


@pytest.mark.parametrize(
    ("text", "friction"),
    [
        pytest.param("太慢了", True, id="R-9, slow"),
        pytest.param("怎么还在搞", True, id="R-9, still at it"),
        pytest.param("还没好", True, id="R-9, not ready (X-3)"),
        pytest.param("how long will this take?", True, id="how long"),
        pytest.param("are you done yet?", True, id="done yet"),
        pytest.param("still running??", True, id="still running"),
        pytest.param("it's been 20 minutes, any news?", True, id="minutes"),
        pytest.param("wie lange dauert das noch?", True, id="German"),
        pytest.param("还没写完的部分列一下，还没有完整的文档", False, id="Chinese, not yet whole"),
        pytest.param("how long is a session kept?", False, id="how long in the product"),
        pytest.param("add a slow query log", False, id="slow in a task"),
        pytest.param("perfect, thanks", False, id="praise"),
    ],
)
def test_urging_is_friction(text: str, friction: bool) -> None:
    assert judge(text, tables=TABLES).friction is friction


@pytest.mark.parametrize(
    ("text", "also"),
    [
        pytest.param("revert that please", "revert", id="revert"),
        pytest.param("better, but the labels overlap", "partial", id="partial"),
        pytest.param("I meant the other column", "clarify", id="clarify"),
        pytest.param("why did you delete the fixtures?", "complaint", id="complaint"),
        pytest.param("wrong column, use net_total", "rejection", id="rejection"),
    ],
)
def test_a_correction_has_a_finer_kind(text: str, also: str) -> None:
    assert judge(text, tables=TABLES).also == also


@pytest.mark.parametrize(
    ("text", "category"),
    [
        pytest.param("Always start the y axis at zero for bar charts", "Visualization Insights", id="charts"),
        pytest.param("never SELECT * against the warehouse", "Query Techniques", id="queries"),
        pytest.param("from now on, short answers", "Stakeholder Preferences", id="answers"),
        pytest.param("our fiscal year starts in October, always use that", "Business Context", id="business"),
        pytest.param("next time run the linter before you commit", "Methodology Notes", id="the rest"),
    ],
)
def test_a_learning_has_a_category(text: str, category: str) -> None:
    verdict = judge(text, tables=TABLES)

    assert (verdict.label, verdict.learning_category) == ("learning", category)


def test_the_own_worded_corpus_is_heard_and_tells_little() -> None:
    """Fitted on: this guards against breaking something, it is no measure of how well the detector hears."""
    right = sum(label(m["text"]) == m["label"] for m in MESSAGES if not m["ambiguous"])

    assert right > 0.9 * sum(not m["ambiguous"] for m in MESSAGES)


def test_fresh_praise_and_learnings_are_heard() -> None:
    """Written without a look at what the detector says; no part of the training."""
    lines = Path(__file__).with_name("fresh.jsonl").read_text(encoding="utf-8").splitlines()
    fresh = [json.loads(line) for line in lines]

    for wanted in ("learning", "positive"):
        texts = [row["text"] for row in fresh if row["label"] == wanted]
        assert sum(label(text) == wanted for text in texts) > 0.8 * len(texts)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.none() | st.text(max_size=100))
def test_any_text_is_judged(text: str, answer: str | None) -> None:
    verdict = judge(text, Context(answer=answer), tables=TABLES)

    assert verdict.label in ("correction", "learning", "positive", "none")
    assert 0 <= verdict.confidence <= 1
    assert judge(text, Context(answer=answer), tables=TABLES).explain() == verdict.explain()


@pytest.mark.parametrize("text", ["\ud800 is wrong", "İ no, wrong", "no\x00, wrong", "x" * 200_000 + " wrong"])
def test_odd_text_does_no_harm(text: str) -> None:
    judge(text, tables=TABLES, in_hook=True)
    judge(text, Context(answer=text), tables=TABLES)
