"""The phrase lists of the documents, as rows of the cue table: sink, kind, anchors, pattern (O-2, X-2 to X-4).

A phrase counts for a sink only when that sink's list has it. They are a minimum: what a hit is worth is fitted like
every other cue, for on real messages two of three hits of these lists are wrong.
Sinks: A outcome keywords, C the three lists of `.knowledge`, R the recorder's rules, S flag phrases of a digest.
"""

# A negated or longer word is no acceptance: the guards stand in front of the listed word.
_NO = r"(?<!not )(?<!n't )(?<!no )(?<!never )"
_不 = r"(?<![不没沒别未])"

PHRASES: tuple[tuple[str, str, str, str], ...] = (
    ("A", "rejection", "wrong incorrect thats right", r"\b(?:wrong|incorrect|not right|not correct|that's not)\b"),
    ("A", "rejection_no", "no", r"(?:^|[.!?\n] ?)no,"),
    ("A", "rejection_zh", "不对 错了", r"不对|错了"),
    ("A", "redo", "again redo", r"\btry again\b|\bredo\b"),
    ("A", "redo_zh", "重新来 换个方案", r"重新来|换个方案"),
    ("A", "acceptance", "lgtm looks correct", rf"\blgtm\b|{_NO}\blooks good\b|(?<!please ){_NO}(?<!can you )(?<!to )\bcorrect\b(?! the\b| it\b| this\b| that\b)"),
    ("A", "acceptance_zh", "好 可以 对的", rf"(?:^|[，。！,.!\s])好(?:的|了|啊|吧)?(?:$|[，。！,.!\s])|{_不}可以(?!吗|么|不|[？?])|{_不}对的"),
    ("C", "thats_wrong", "wrong incorrect", r"\bthat(?:'s| is) (?:wrong|incorrect)\b"),
    ("C", "actually_its", "actually", r"\bactually,? (?:it's|it is|its)\b"),
    ("C", "it_should_be", "should", r"\bit should be\b"),
    ("C", "column_is", "column", r"\bthe column is \S+,? (?:and )?not\b"),
    ("C", "number_should", "number", r"\bthat number should\b"),
    ("C", "used_the_wrong", "wrong", r"\byou used the wrong\b"),
    ("C", "off_by", "off", r"\boff by\b"),
    ("C", "counted", "overcounted undercounted doublecounted counted", r"\b(?:over-?|under-?|double[- ]?)counted\b"),
    ("C", "join_is_wrong", "join", r"\bthat join is wrong\b"),
    ("C", "missing_filter", "missing", r"\bmissing a filter\b"),
    ("C", "forgot_to_exclude", "forgot", r"\bforgot to exclude\b"),
    ("C", "next_time", "next", r"\bnext time\b"),
    ("C", "always_use", "always", r"\balways use\b"),
    ("C", "never_use", "never", r"\bnever use\b"),
    ("C", "prefer_over", "prefer", r"\bprefer \S+(?: \S+){0,4} over\b"),
    ("C", "convention_here", "convention", r"\bthe convention here is\b"),
    ("C", "our_team_uses", "team", r"\bour team uses\b"),
    ("C", "dont_forget", "forget", r"\bdon't forget to\b"),
    ("C", "better_approach", "better", r"\ba better approach would be\b"),
    ("C", "going_forward", "forward", r"\bgoing forward\b"),
    ("C", "remember_that", "remember", r"\bremember that\b"),
    ("C", "positive", "right exactly perfect analysis looks", rf"{_NO}\bthat's right\b|{_NO}\bexactly\b|{_NO}\bperfect\b|\bgood analysis\b|{_NO}\blooks good\b"),
    ("R", "use_not", "而不是 不对", r"用[^。\n]{1,30}而不是"),
    ("R", "you_should", "你应该", r"你应该(?:这样)?"),
    ("R", "problem_is", "问题出在 试试", r"问题出在|试试"),
    ("R", "urged", "太慢了 怎么还在搞 还没好", r"太慢了|怎么还在搞|还没好"),
    ("S", "flag", "still doesnt wrong why again", r"\bstill failing\b|\bdoesn't work\b|\bwrong\b|\bwhy did you\b|\bagain\b"),
)  # fmt: skip
