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

# What the end of the agent's turn shows; patterns run on its last 600 characters in lower case.
ANSWER_CUES: tuple[tuple[str, str], ...] = (
    (
        "claimed",
        r"✅|🎉|🚀|\b(?:done|fixed|completed?|implemented|resolved|updated|added|created|removed|works?|working|ready|"
        r"success\w*|committed|pushed|now (?:\w+ ){0,3}?(?:shows?|has|have|uses?|works?|be|correctly|properly)|should now|"
        r"all tests pass\w*|passing|passed)\b|完成|修复|已(?:经|成功|更新|修改|添加|删除|实现|解决)|现在(?:应该|可以|会|已)|成功|"
        r"完了|修正(?:し|され)|できるように|なりました|しました|готово|исправ|теперь|добавлен|listo|ahora|corregid|"
        r"fertig|behoben|erledigt|jetzt|termin[eé]|corrig[eé]|maintenant|pronto|agora|완료|수정했|이제",
    ),
    (
        "try_it",
        r"\b(?:try|test|refresh|restart|reload|check|run|open|verify|let me know|see if|rebuild)\b|试|刷新|重启|重新|运行|测试|"
        r"確認|試し|再起動|prueba|teste|essaye|проверь|попробуй",
    ),
    ("asked", r"[?？][\s*_`\"')）」\u2600-\ufe0f\U0001f000-\U0001faff]*\Z"),
    (
        "asks",
        r"\b(?:would you like|do you want|want me to|shall i|should i|which (?:one|option|approach|do|would)|let me know (?:which|"
        r"if you(?:'d| would) like|your|how you)|prefer|please (?:provide|confirm|share|choose|tell)|can you (?:provide|share|confirm))"
        r"|你(?:希望|想|需要|觉得)|请(?:问|确认|提供|告诉|选择)|是否|どちら|でしょうか|よろしい|ますか|quieres|desea|möchtest|"
        r"soll ich|souhaite|voulez|veux-tu|quer que|deseja|хотите|хочешь",
    ),
    ("options", r"\b(?:option|choice|approach) (?:[1-9a-d]\b)|\n\s*(?:\*\*)?(?:[1-3]|[a-c])[.)]|方案[一二123ab]"),
    ("code_end", r"```\s*\Z|\n[+-] |\+\+\+|@@"),
    ("cancelled", r"\b(?:cancell?ed|interrupted|rejected|denied)\b\W*\Z"),
    ("plans", r"\b(?:let me|i'll|i will|i'm going to|let's|next step|i can|we can|first,? )\b|让我|我(?:将|会|来)|接下来|ましょう|します"),
    ("error_seen", r"\b(?:error|failed|failure|exception|issue|problem|bug)\b|错误|失败|问题|报错|エラー|ошибк"),
    ("sorry", r"\b(?:sorry|apologi[sz]e|you're (?:absolutely )?right|i see the (?:issue|problem)|my mistake)\b|抱歉|对不起|您?你?说得对|申し訳"),
    ("explains", r"\b(?:because|means|this is|explanation|summary|overview|in short|the reason|therefore)\b|因为|总结|所以|说明|つまり"),
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
