"""Words that tell pieces of a message apart; cold tables behind ``pieces.py``.

Words stand in lower case, apostrophes straight. Where blanks do not part words, a table is sought as parts of a piece.
"""

import re

# What a piece opens with, behind a list's mark and words like "and" and "also".
OPENERS: dict[str, str] = {
    "the": "the your my our all some each every both el la los las der die das le les o os as l'on un una une ein eine "
    "um uma bu şu tüm 这个 那个",
    "it": "this that these those it its it's thats that's they he she there theres there's same which es eso esto ello "
    "ça c'est cela isso isto это этот он она они 这 那 它 該 该 それ これ その この 이건 그건",
    "you": "you you're youre you've your tu usted du sie vous você ты вы 你 您",
    "i": "i i'm im i've i'd i'll we we're we've yo nosotros ich wir je j'ai nous eu nós я мы мне у ben 我 咱 나 저",
    "no": "no not don't dont never stop nothing none nobody unable cannot can't cant nor without doesn't doesnt isn't "
    "didn't didnt nein nicht kein keine non ne n'est não nao нет не ни 不 没 沒 别 別 未 무",
    "still": "still again now sigue siguen todavía immer noch toujours encore ainda continua всё ещё опять снова hala "
    "还 還 又 仍 まだ 아직 여전히",
    "do": "please pls remove use make add fix change keep move put delete revert show let let's lets ensure update check "
    "do go try create implement get set give replace leave look see run write read reduce increase take explain just "
    "only must should bitte mach nimm lass por favor quita pon usa pone cambia mete supprime mets enlève tire coloque "
    "убери сделай поставь поменяй 请 請 把 将 將 让 用 改 加 删 应 應 要",
    "ask": "why what how is are can could do does did would where who warum wieso was wie por qué cómo pourquoi comment "
    "est-ce почему зачем как 为什么 怎么 是不是 なぜ 왜",
    "when": "when if once after before while on in at for with during under from where cuando si en wenn falls nach bei "
    "quand lorsque dans quando se ao когда если при в на 当 如果 点击 在",
    "because": "because so therefore hence otherwise then meaning due thus cause cuz since as porque así weil deshalb "
    "denn parce donc car então pois потому поэтому 因为 所以 因此 导致 于是 不然 结果 なので だから 그래서",
    "but": "but however except although pero aber mais mas sondern но а 但 不过 可是 けど 하지만",
    "good": "ok okay yes yeah yep good great nice thanks thank thx better almost cool perfect closer awesome bien "
    "mejor gracias gut besser danke super merci bravo ótimo obrigado obrigada valeu хорошо отлично спасибо 好 很好 "
    "不错 谢谢 哇 ありがとう 좋아요",
}

# A word may stand in several rows: it tells all of them.
WORDS: dict[str, str] = {
    # f: something is wrong with what the piece tells of
    "f": (
        "missing miss misses misaligned overlap overlaps overlapping empty broke broken breaks break wrong "
        "wrongly incorrect cut doesn't doesnt dosen't don't dont didn't didnt isn't isnt aren't arent wasn't "
        "won't wont can't cant cannot couldn't unable slow slower too weird wierd ugly duplicate duplicated "
        "duplicates twice never longer lost loses gone fail fails failed failing crash crashes crashed error "
        "errors still invisible hidden nothing no not without bad badly off stuck disappear disappears "
        "disappeared blank instead bug bugs buggy mess messed messy issue problem unnecessary needless "
        "useless reversed inverted blurry stretched flickers ignored ignores renamed removed deleted forgot "
        "skips swallows drops 404 500 nobody nowhere none nan null undefined falta faltan mal vacío vacía "
        "roto rota no nunca sigue tampoco borraste error errores cortado doble nicht kein keine keinen fehlt "
        "fehlen fehler falsch falsche falsches leer kaputt immer weg gelöscht statt doppelt pas plus jamais "
        "toujours manque manquent faux fausse vide cassé erreur supprimé não nunca errado errada errados "
        "vazio vazia faltam quebrado apagou не нет ошибка ошибки пропал пропала пропали пусто пустой пустая "
        "неверно неправильно сломал удалил değil yok hala çalışmıyor olmuyor hata boş yanlış"
    ),
    # w: somebody wants something done
    "w": (
        "should need needs needed must want wanted have has please pls make remove delete change add fix use "
        "keep move reduce increase replace revert put restore stop drop get rid debe deben debería tiene "
        "quiero quita usa cambia pon muss müssen soll sollen sollte bitte doit doivent faut veux deve deveria "
        "quero должен должна должно надо нужно"
    ),
    # t: it adds to something said before
    "t": ("also too well either neither another other second tampoco también auch aussi également também тоже также"),
    # m: opens a request to look after what was said before; p: may stand before it
    "m": (
        "fix check look debug investigate think try review analyze analyse help sort see test verify "
        "understand find figure revisa arregla mira prüf prüfe schau vérifie regarde corrige veja verifique "
        "посмотри исправь проверь"
    ),
    "p": ("please pls can could would you just now so also and bitte por favor"),
    # g: something is right
    "g": ("fine good great perfect perfectly nice works working better gut bien genial perfecto parfait ótimo хорошо"),
    # v: what a bare verdict is made of, beside faults and openers: it says that something is wrong, and not what
    "v": (
        "right correct asked meant said told wanted want changed change works working work worked true all at a an bit "
        "yet way exactly really quite help helped fixed so to me completely totally lot much like expected supposed good "
        "result error same thing happens happened happening unfortunately sorry sadly hm hmm nope okay be was "
        "funciona funcionando va igual cambia cambió bien correcto pedí eso ist stimmt geht funktioniert richtig gut das "
        "so marche fonctionne bon correct est a ainda funcionou mudou certo работает изменилось то так это çalışmıyor"
    ),
}
WITHIN: dict[str, str] = {
    "f": (
        "不 没 沒 错 錯 少了 缺 失败 失敗 丢 空 乱 消失 卡 太 问题 問題 又 别 別 反了 模糊 变形 报 白屏 删了 ない ません できない 消え 違 おかし 間違 崩れ 重なっ のまま 안 "
        "없 못 잘못 틀렸 틀린 달라"
    ),
    "w": ("应该 應該 需要 要 改 请 請 换 換 加 删 刪 让 してほしい 欲しい べき ください 해야 주세요"),
    "t": ("也 还有 另 も 도"),
    "m": ("检查 修复 看看 看下 看一下 分析 解决 确认 確認して 修正して 直して 확인"),
}

# One possible border: line ends, signs, and words that join.
JOINING = (
    r"also|plus|additionally|furthermore|besides|moreover|on top of that|another (?:thing|issue|problem|bug|one)"
    r"(?: is(?: that)?)?|(?:one|two|a few) (?:more|other) things?|as well as|además|también|por otro lado|tambem|"
    r"außerdem|ausserdem|zudem|ferner|par ailleurs|aussi|de plus|en plus|também|além disso|также|ещё|еще|кроме того|"
    r"к тому же|ayrıca|aynı zamanda"
)
SUBJECTS = (
    r"the|it|you|your|there|i|we|my|when|if|why|on|in|this|that|these|those|all|no|not|please|pls|need|make|remove|"
    r"don't|dont|can|el|la|los|las|der|die|das|le|les|o|a|os|as|no"
)
COUNTING = (
    r"firstly|secondly|thirdly|first of all|first|second|third|lastly|finally|primero|segundo|erstens|zweitens|"
    r"drittens|d'abord|ensuite|enfin|primeiro|во-первых|во-вторых"
)
JOINING_WITHIN = (
    r"另外|还有就是|还有一个|还有|而且|并且|同时|再就是|其次|以及|此外|最后|再者|[二三四]是|第[二三四](?=[，,：:我点個个])|"
    r"また|それと|あと|さらに|そして|그리고|또한|또 "
)
BORDER = (
    r"(?i)(?P<line>\n\s*)|(?P<sentence>[.!]{1,3}[\"')\]]{0,2}(?=\s|$)|[。！]+|\.{2,}|"
    r"(?<=[\w)\"'])\.(?=(?-i:[A-Z])[a-z]|[\u3040-\u9fff]))"
    r"|(?P<question>[?!]{1,3}(?=\s|$)|？+)|(?P<semicolon>[;；])|(?P<comma>,(?=\s))"
    r"|(?P<wide>[，]|,(?=[\u3040-\u9fff])|(?:のと|し|くて|고)[、,])|(?P<and>\s(?:and|y|und|et|e|и|&|\+)(?=\s\w))"
    rf"|(?P<joined>\s(?=(?:{JOINING})\s(?:{SUBJECTS})\b)|(?={JOINING_WITHIN}))"
    r"|(?P<number>(?<=[\s：:；;。，,])(?=\(?\d{1,2}[.)、）]\s?[^\d\s]))"
)
# A list's mark at the begin of a piece; numbers, signs, letters.
MARK = (
    r"(?i)(?:([-*•·・–—+](?=\s|[^\W\d_])|\*\s)|(\(?\d{1,2}[.)、:：）](?!\d)|[①-⑩]|[一二三四五六七八九十][、.]|"
    r"(?:问题|problem|issue|bug)\s?#?\d{1,2}\s?[:：.])|(\(?[a-h][.)](?=\s)))\s*"
)
OPENING = (
    rf"(?i)\W{{0,3}}(?:(and|y|und|et|e|и|ve|&|\+)\s+)?(?:(but|however|pero|aber|mais|mas|но|但是?|不过)\W+)?"
    rf"((?:{JOINING}|{COUNTING})\b[,:]?\s*(?:-\s)?|(?:{JOINING_WITHIN})[，,：:、]?)?"
)
# The first words, of ASCII, of what joins; a dotless i and a plain one are the same to a pattern without case.
OPENING_WORDS = frozenset(
    word for word in re.findall(r"(?:^|[|:(])([^\W\d_]+)", OPENING.replace("ı", "i")) if word.isascii()
)
# How many there are, or what they are, before they come.
COUNTED = (
    r"(?i)\b(?:two|2|three|3|four|4|five|5|few|several|couple(?: of)?|some|many|multiple|these|following) (?:\w+ )?"
    r"(?:things?|issues?|problems?|bugs?|errors?|changes|adjustments|points|notes?|fixes|mistakes)\b|"
    r"[两二三四五几2345][个點点](?:\w{0,3})(?:問題|问题|地方|错误|不具合)|几点|以下|如下|いくつか|"
    r"\b(?:varios|dos|tres|algunos) (?:errores|problemas|cosas)|\b(?:plusieurs|deux|trois) (?:problemes|problèmes|erreurs|choses)|"
    r"\b(?:zwei|drei|mehrere|einige) (?:\w+ )?(?:fehler|probleme|dinge|punkte|sachen)|"
    r"\b(?:dois|três|alguns) (?:erros|problemas)|\b(?:две|три|несколько) (?:ошибк|проблем|вещ)\w*|(?:sorunlar|hatalar)"
)
