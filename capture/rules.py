"""The detector's one table of cues: every language, the documents' phrases, what the agent's answer shows, typos.

Cold: `tables.prepare` compiles it. A row says what to look for and where it is worth looking; what it weighs is fitted
by `bench/detector/train.py` and lies in `model.dat`.
"""

from typing import NamedTuple

from . import cues_en, cues_europe, cues_ja_ko, cues_zh
from .phrases import PHRASES


class Cue(NamedTuple):
    """One thing to hear.

    Attributes:
        name: shown in a verdict, ``<language or document>.<name>``.
        family: cues of a family mean the same in every language.
        anchors: the pattern is tried only when one is there: ASCII words whole, without apostrophes; others as pieces.
            None at all: always tried.
        pattern: on the person's own words, lower case.
    """

    name: str
    family: str
    anchors: tuple[str, ...]
    pattern: str


_LANGUAGES = (
    ("en", cues_en.ROWS),
    ("zh", cues_zh.ROWS),
    ("ja", cues_ja_ko.JA),
    ("ko", cues_ja_ko.KO),
    ("es", cues_europe.ES),
    ("de", cues_europe.DE),
    ("fr", cues_europe.FR),
    ("pt", cues_europe.PT),
    ("it", cues_europe.IT),
    ("ru", cues_europe.RU),
)


def _language_cues() -> list[Cue]:
    return [
        Cue(f"{language}.{name}", family, tuple(anchors.split()), pattern)
        for language, rows in _LANGUAGES
        for family, name, anchors, pattern in rows
    ]


def _document_cues() -> list[Cue]:
    return [
        Cue(f"{sink}.{kind}", f"doc_{sink}", tuple(anchors.split()), pattern)
        for sink, kind, anchors, pattern in PHRASES
    ]


CUES: tuple[Cue, ...] = (*_language_cues(), *_document_cues())

# What the last 600 characters of the agent's answer show, in lower case: name, whole words, pieces.
ANSWER_CUES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "claimed",
        "done fixed complete completed implemented resolved updated added created removed works working ready success successful "
        "successfully committed pushed passing passed correctly properly listo ahora fertig behoben erledigt jetzt maintenant "
        "pronto agora gotowe teraz",
        ("✅", "🎉", "🚀", "完成", "修复", "已经", "已成功", "已更新", "已修改", "已添加", "已删除", "已实现", "已解决", "现在应该", "现在可以",
         "成功", "完了", "修正し", "修正され", "できるように", "なりました", "しました", "готово", "исправ", "теперь", "добавлен", "terminé",
         "corrigé", "완료", "수정했", "이제", "should now"),
    ),
    (
        "try_it",
        "try test refresh restart reload check verify rebuild prueba teste testa essaye",
        ("试", "刷新", "重启", "重新", "运行", "测试", "確認", "試し", "再起動", "проверь", "попробуй", "let me know if", "run `"),
    ),
    (
        "asks",
        "prefer möchtest souhaites voulez quieres deseas queres хотите",
        ("would you like", "do you want", "want me to", "shall i", "should i", "which option", "which one", "which approach",
         "let me know which", "if you'd like", "let me know how you", "please provide", "please confirm", "please share",
         "你希望", "你想", "你需要", "你觉得", "您希望", "请问", "请确认", "请提供", "请告诉", "是否", "どちら", "でしょうか", "よろしい", "ますか",
         "soll ich", "veux-tu", "quer que", "хочешь"),
    ),
    ("options", "", ("option 1", "option 2", "option a", "option b", "\n1.", "\n2.", "\n**1", "方案一", "方案1", "方案a", "\n- a")),
    ("plans", "", ("let me ", "i'll ", "i will ", "i'm going to", "let's ", "next step", "i can ", "让我", "我将", "我会", "接下来", "ましょう")),
    ("error_seen", "error errors failed failure exception issue problem bug", ("错误", "失败", "问题", "报错", "エラー", "ошибк")),
    ("sorry", "sorry apologies apologize", ("you're right", "you're absolutely right", "i see the issue", "i see the problem", "抱歉", "对不起", "说得对", "申し訳")),
    ("explains", "because therefore summary overview", ("in short", "the reason", "因为", "总结", "所以", "说明", "つまり")),
)  # fmt: skip

# Words that a slip of the finger must not hide, and real words that a slip would make of them.
KEY_WORDS: tuple[str, ...] = (
    "still", "doesn't", "didn't", "isn't", "wasn't", "shouldn't", "couldn't", "aren't", "haven't", "working", "works",
    "worked", "broken", "wrong", "missing", "instead", "should", "again", "forgot", "forgotten", "revert", "actually",
    "because", "nothing", "changed", "change", "error", "errors", "failed", "failing", "incorrect", "correct", "perfect",
    "great", "awesome", "excellent", "always", "never", "remember", "thanks", "thank", "looks", "please", "remove", "delete",
    "screen", "duplicate", "appears", "showing", "display", "displayed", "overlapping", "problem", "different", "exactly",
    "without", "through", "before", "original", "previous", "completely", "disappeared", "expected", "supposed", "mistake",
    "useless", "annoying", "beautiful", "brilliant", "finally", "fixed", "resolved", "convention", "whenever", "everything",
    "anymore", "another", "button", "seems", "already", "asked", "meant", "wanted", "ignored", "removed", "deleted", "added",
)  # fmt: skip
REAL_WORDS: frozenset[str] = frozenset(
    [
        "sill",
        "till",
        "stil",
        "steel",
        "ever",
        "very",
        "here",
        "great",
        "grate",
        "wring",
        "wrung",
        "thank",
        "think",
        "tank",
        "shank",
        "chance",
        "charge",
        "hange",
        "chanced",
        "charged",
        "rror",
        "rors",
        "war",
        "works",
        "words",
        "work",
        "woks",
        "worked",
        "corked",
        "forked",
        "broke",
        "broker",
        "token",
        "agin",
        "gain",
        "aging",
        "gin",
        "fogot",
        "forget",
        "should",
        "shoud",
        "could",
        "would",
        "look",
        "books",
        "looks",
        "hooks",
        "cooks",
        "please",
        "leas",
        "lease",
        "pleas",
        "remove",
        "remote",
        "removed",
        "retry",
        "reverts",
        "invert",
        "never",
        "fever",
        "lever",
        "nerve",
        "sever",
        "neer",
        "mever",
        "wever",
        "asked",
        "aske",
        "masked",
        "tasked",
        "basked",
        "mean",
        "meat",
        "meants",
        "want",
        "wated",
        "waned",
        "button",
        "buttons",
        "bottom",
        "seems",
        "seem",
        "seams",
        "sees",
        "added",
        "aded",
        "dded",
        "padded",
        "delete",
        "deleted",
        "elete",
        "fixe",
        "fixed",
        "mixed",
        "screen",
        "screes",
        "screened",
        "change",
        "hanged",
        "fail",
        "filed",
        "failed",
        "tailed",
        "sailed",
        "filing",
        "falling",
        "failing",
        "sailing",
        "felling",
        "thanks",
        "tanks",
        "tanks",
        "thins",
        "with-out",
        "other",
        "anther",
        "finally",
        "finaly",
        "finely",
        "final",
        "exact",
        "exacty",
        "display",
        "displays",
        "before",
        "be",
        "fore",
        "error",
        "terror",
        "his",
        "this",
        "is",
        "it",
        "as",
        "has",
        "was",
        "saw",
        "sa",
        "again",
        "always",
        "all",
        "ways",
        "alway",
        "appear",
        "appears",
        "pears",
        "pleased",
        "original",
        "originals",
        "aways",
        "ways",
        "lays",
        "previous",
        "forgo",
        "forgot",
        "for",
        "got",
        "noting",
        "nothing",
        "not",
        "thing",
        "showing",
        "shoeing",
        "sowing",
        "slowing",
        "owing",
        "stowing",
        "working",
        "woking",
        "wording",
        "workings",
        "looks",
        "loos",
        "locks",
        "looks",
        "perfect",
        "perfects",
        "prefect",
        "correct",
        "corrects",
        "collect",
        "coret",
        "useless",
        "uses",
    ]
)
SPELLINGS: dict[str, str] = {
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't",
    "werent": "weren't", "cant": "can't", "wont": "won't", "shouldnt": "shouldn't", "wouldnt": "wouldn't",
    "couldnt": "couldn't", "havent": "haven't", "hasnt": "hasn't", "hadnt": "hadn't", "im": "i'm", "ive": "i've",
    "thats": "that's", "youre": "you're", "youve": "you've", "whats": "what's", "theres": "there's", "lets": "let's",
    "wheres": "where's", "u": "you", "ur": "your", "pls": "please", "plz": "please", "wat": "what",
    "nothign": "nothing", "wehn": "when", "teh": "the", "hte": "the", "adn": "and", "taht": "that", "tihs": "this",
    "wth": "wtf", "shouldve": "should've", "shoudl": "should", "shoud": "should", "cuz": "because", "bc": "because",
    "dosent": "doesn't", "dosnt": "doesn't", "doens't": "doesn't", "doest": "doesn't", "dosen't": "doesn't",
    "didint": "didn't", "didnot": "didn't", "doesnot": "doesn't", "isint": "isn't", "sth": "something", "smth": "something",
    "stil": "still", "stll": "still", "sitll": "still", "agian": "again", "agin": "again", "wroking": "working",
    "borken": "broken", "worng": "wrong", "wrog": "wrong", "realy": "really", "thx": "thanks", "tnx": "thanks",
    "perfct": "perfect", "gr8": "great", "becuase": "because", "insted": "instead", "intead": "instead",
    "exacty": "exactly", "finaly": "finally", "alway": "always", "rember": "remember", "rememebr": "remember",
}  # fmt: skip
