"""How grave a point is, where it belongs, what it asks for: rows of word and pattern, first match wins unless said.

Cold table behind ``points.py``; patterns run on lower case unless they start with ``(?i)``, which run on the text as
written. Sources: C-14 to C-18, C-21, C-26, A-46 to A-52, with the words that people were seen to use.
"""

SEVERITIES: tuple[tuple[str, str], ...] = (
    (
        "critical",
        r"\b(?:stakeholders?|board|executives?|leadership|clients?|customers?|ceo|cfo|cto|investors?|auditors?|press)\b[^.\n]{0,60}"
        r"\b(?:saw|seen|see|got|received|has|have|already|noticed|complain\w*|reading|presented|sent|asked)\b|"
        r"\b(?:presented|sent|shipped|mailed|emailed|went out|published|shown|shared) (?:\w+ ){0,4}?(?:to|with) (?:\w+ ){0,3}?"
        r"(?:stakeholders?|board|executives?|leadership|clients?|customers?|ceo|cfo|investors?|users|public|press)\b|"
        r"\b(?:stakeholders?|the board|executives?|leadership)\b|\bpresented\b|\bsent to\b|\bin production\b[^.\n]{0,30}\b(?:delet\w+|lost|down)\b|"
        r"\b(?:data ?loss|leak(?:ed|s|ing)?|secrets?|passwords?|credentials?|api keys?|tokens?)\b[^.\n]{0,40}\b(?:leak\w*|commit\w*|expos\w*|log\w*|"
        r"public|plain ?text|push\w*|print\w*|repo)\b|\b(?:dropped|deleted|wiped|overwrote|lost) (?:\w+ ){0,3}?(?:prod\w*|database|data|table|backups?|customers?)\b|"
        r"\binjection\b|\bvulnerab\w+|老板|客户|董事|领导|已经发(?:给|出)|泄露|泄漏|密钥|顧客|役員|고객|clientes|kunden|vorstand|clients|клиент",
    ),
    (
        "high",
        r"\b(?:numbers?|totals?|figures?|counts?|sums?|revenue|amounts?|over-?counted|under-?counted|double[- ]?count\w*|off by|joins?|percent\w*|"
        r"average|doubled|twice|crash\w*|broke|broken|down|500s?|404s?|blank|empty|corrupt\w*|lost|fails?|failing|build|login|deploy\w*)\b|"
        r"数字|总数|总额|金额|合计|数量|崩溃|报错|白屏|挂了|登录不|打不开|空的|翻倍|数値|合計|落ち|エラー|합계|숫자|오류|suma|totales|error|roto|"
        r"summe|zahlen|kaputt|chiffres|total|somme|cass[eé]|erreur|soma|quebr|сумм|числ|слома|ошибк|пада",
    ),
    (
        "low",
        r"\b(?:labels?|titles?|formats?|formatting|typos?|spelling|naming|names?|renamed?|colou?rs?|fonts?|icons?|padding|margins?|align\w*|"
        r"spacing|wording|indent\w*|capital\w*|comments?|emojis?|legend|too (?:big|small|large|long|short|dark|bright|wide|narrow)|ugly|"
        r"cent(?:er|re)d?|headers?|headings?|tone|quotes|tabs|spaces)\b|命名|格式|拼写|标题|颜色|字体|图标|对齐|间距|样式|文案|错别字|太[大小长短]|"
        r"名前|色|書式|誤字|색|이름|글꼴|color|t[ií]tulo|etiqueta|farbe|titel|schrift|couleur|titre|cor\b|t[ií]tulo|цвет|назван|шрифт|заголов",
    ),
    ("medium", r""),
)

CATEGORIES: tuple[tuple[str, str], ...] = (
    ("join_error", r"\bjoin(?:s|ed|ing)?\b|(?:左|右|内|外)?关联|连表|join|결합|조인|結合|verkn[uü]pf|jointure|jun[cç][aã]o|uni[oó]n"),
    ("filter_missing", r"\bfilter(?:s|ed|ing)?\b|\bexclu(?:de|des|ded|ding|sion)\b|\bwhere clause\b|\btest (?:accounts?|users?|orders?)\b|过滤|筛选|排除|剔除|除外|フィルタ|필터|제외|filtr|exclu|фильтр|исключ|ausschlie"),
    ("metric_definition", r"\bmetrics?\b|\bdefin(?:e|ed|es|ition|itions)\b|\bformulas?\b|\bkpis?\b|\bchurn\b|\bconversion\b|\bnet revenue\b|\bgross\b|\bmargin\b|指标|口径|定义|公式|毛利|指標|定義|지표|정의|m[eé]trica|kennzahl|d[eé]fini|метрик|определен"),
    ("date_range", r"\bdates?\b|\bmonth(?:s|ly)?\b|\bquarters?\b|\branges?\b|\btime ?zones?\b|\butc\b|\bfiscal\b|\byears?\b|\bweek(?:s|ly)?\b|\bdays? (?:early|late|off)\b|日期|月份|季度|时区|年份|上个月|本月|期間|日付|月|날짜|기간|fecha|mes\b|trimestre|datum|monat|quartal|zeitraum|mois|дат[аы]|месяц|квартал|период"),
    ("aggregation", r"\b(?:over|under|double)[- ]?count\w*|\bsum(?:s|med|ming)?\b|\baverages?\b|\bmean\b|\bmedian\b|\bgroup(?:ed|ing)? by\b|\bper (?:user|customer|row|day|week|month|order)\b|\btotals?\b|求和|平均|汇总|合计|分组|重复计算|重复统计|合計|集計|합계|평균|promedio|sumar?\b|durchschnitt|moyenne|somme|m[eé]dia|средн|сумм"),
    ("schema", r"\bcolumns?\b|\btables?\b|\bschemas?\b|\bdata ?types?\b|\btype\b|\bprimary key\b|\bforeign key\b|\bfield names?\b|字段|列|表(?!示|现|达|单|格|头|面|情)|数据类型|カラム|テーブル|列|型|컬럼|테이블|columna|tabla|spalte|tabelle|colonne|coluna|tabela|столб|таблиц|колонк"),
    ("logic", r"\bconditions?\b|\blogic\b|\bif\b|\bloops?\b|\bbranch(?:es)?\b|\balgorithm\b|\border(?:ing)?\b|\bsort(?:s|ed|ing)?\b|\binverted\b|\breversed?\b|\bcalculat\w+|\bnull\b|\bedge case\b|\bcase[- ](?:in)?sensitive\b|\balways\b|\bnever\b|逻辑|条件|判断|排序|顺序|算法|循环|反了|ロジック|条件|順|로직|조건|순서|정렬|l[oó]gica|orden|logik|reihenfolge|logique|ordre|l[oó]gica|ordem|логик|услови|сортир|порядок"),
)  # fmt: skip

# Every row that matches counts; a phrase of several words beats a word, more hits beat fewer, then the order.
DIMENSIONS: tuple[tuple[str, str], ...] = (
    ("trigger_quality", r"\bwrong skill\b|\bshould(?:n't| not) (?:have )?trigger\w*|\bno skill\b|\b(?:didn't|don't) (?:need|want) (?:the|that|a) skill\b|不该触发|不應觸發|用错(?:了)?技能"),
    ("security", r"\bsecurity\b|\bsecrets?\b|\btokens?\b|\bcredentials?\b|\bpasswords?\b|\bapi keys?\b|\bvulnerab\w+|\binjection\b|密钥|密码|泄露|安全漏洞"),
    ("coverage", r"\bmissing\b|\bforgot(?:ten)?\b|\bincomplete\b|\bmissed\b|\bleft out\b|\bomitted\b|\bskipped\b|\bnot all\b|\bonly (?:half|one|some|part|the first)\b|\bwhat about\b|\bthere(?:'s| is| are) no\b|\bdidn't (?:include|add|cover|handle|finish)\b|\bhaven't (?:added|included|done)\b|缺少|缺了|漏了|漏掉|遗漏|忘了|忘记|少了|没加|没写|没有(?:加|写|包含|处理)|抜け|足りな|忘れ|漏れ|빠졌|누락|빠뜨|falta|fehl(?:t|en)|vergessen|manqu|oubli|falt(?:a|ou)|esqueceu|забыл|не хватает|пропущ"),
    ("efficiency", r"\bslow(?:er|ly)?\b|\bverbose\b|\btoo long\b|\bwordy\b|\bunnecessary\b|\boverkill\b|\bover-?(?:engineer|complicat)\w+|\bredundant\b|\btoo (?:complex|complicated|much)\b|\bsimpler\b|\bwast(?:e|ing|ed)\b|\btakes (?:forever|too|ages)\b|太慢|冗余|太复杂|啰嗦|多余|没必要|太长|遅|冗長|느리|장황|lent[oa]|langsam|lent\b|медлен|долго"),
    ("reliability", r"\bagain\b|\binconsistent\b|\bstill\b|\bsame (?:error|issue|problem|thing|result)\b|\bkeeps?\b|\bnot work(?:ing)?\b|\b(?:doesn't|didn't|don't|won't|isn't) work(?:ing)?\b|\bnothing (?:changed|happen\w*)\b|\bno (?:change|effect|difference)\b|\bcrash\w*|\bbroke\b|\bbroken\b|\bfail(?:s|ed|ing)?\b|\berrors?\b|\bnot fixed\b|\bregress\w*|\bstopped working\b|\bsometimes\b|\bevery time\b|\b(?:404|500|403)s?\b|\bwhy did\b|重复|不稳定|还是|仍然|依然|又(?:报|出|不|没|是)|报错|失败|没变化|没效果|没反应|没用|不生效|崩|まだ|また|エラー|直って|変わ(?:ら|って)|아직|여전히|또|오류|sigue|todav[ií]a|otra vez|error|immer noch|schon wieder|funktioniert nicht|geht nicht|toujours|encore|marche pas|ainda|continua|de novo|erro|опять|вс[её] (?:ещ[её]|равно)|снова|не работает|ошибк"),
    ("accuracy", r"\bnaming\b|\bformat\b|\bstyle\b|\btypos?\b|\bwrong\b|\bincorrect\b|\bnot right\b|\bshould (?:be|use)\b|命名|格式|拼写|不对|错了|应该"),
)  # fmt: skip

LEARNING_CATEGORIES: tuple[tuple[str, str], ...] = (
    ("Visualization Insights", r"\b(?:charts?|plots?|axis|axes|graphs?|bars?|pie|colou?rs?|legends?|dashboards?|heatmaps?|histograms?|tooltips?)\b|图表|坐标|颜色|柱状|饼图|折线|蓝色|グラフ|図|色|차트|그래프|gr[aá]fic|diagramm|farbe|graphique|couleur|cor\b|график|цвет"),
    ("Query Techniques", r"\b(?:sql|quer(?:y|ies)|select|joins?|ctes?|subquer\w+|group by|partition\w*|approx_\w+|window functions?|qualify|warehouse|index(?:es)?|where clause|left join)\b|查询|关联|子查询|分区|索引|大表|クエリ|쿼리|consulta|abfrage|requ[eê]te|запрос"),
    ("Stakeholder Preferences", r"\b(?:answers?|respond|repl(?:y|ies)|short|shorter|brief|concise|ask (?:me|before|first)|don't ask|asking|permission|confirm|in (?:english|german|french|spanish|chinese|japanese)|emojis?|cfo|ceo|cto|board|manager|boss|stakeholders?|wants?|likes?|hates?|reads?|tell me|show me|explain|for me|tone|bullet points?|summar\w+)\b|回答|回复|中文|英文|跟我|告诉我|先问|只看|老板|[\u4e00-\u9fff]总|日本語|英語|回答|답변|한국어|보고|responde|respuestas|antworte|antworten|zeig|frag|r[eé]ponds|r[eé]ponse|responda|respostas|отвечай|ответ|показывай|спрашивай"),
    ("Business Context", r"\b(?:fiscal|quarters?|revenue|customers?|business|company|org|margin|active user|means?|counts? as|region|office|department|bookings?|subscri\w+|churn|arr|mrr|contract|we call|stands for|refers to)\b|公司|业务|客户|财年|季度|口径|大区|包含|会社|会計|年度|顧客|うち|회사|회계|고객|empresa|trimestre|cliente|firma|kund|gesch[aä]fts|entreprise|exercice|компани|клиент|квартал|финансов"),
    ("Data Patterns", r"\b(?:data|tables?|columns?|rows?|nulls?|ids?|duplicates?|sensors?|records?|values?|timestamps?|utc|archive|events?|invoices?|orders?|negative|quantit\w+|cents|units?|snapshots?)\b|数据|字段|表(?!名|头)|列|行|归档|重复|空值|データ|テーブル|列|데이터|테이블|컬럼|datos|tabla|columna|daten|tabelle|spalte|donn[eé]es|colonne|dados|tabela|данны|таблиц|столб|копейк"),
    ("Methodology Notes", r""),
)  # fmt: skip

# What the person says is right (C-20), never more than stands there. Group 1 is the fix; run on the text as written.
# A full stop within a name (`setup.py`) ends nothing.
_END = r"(?=[;!?。；！？\n)]|[.](?:\s|$)|,? (?:not|instead|rather|because|since|as|but|and not)\b|，|、|$)"
_CLAUSE_END = r"(?=[;,\n]|[.](?:\s|$)|$)"
FIXES: tuple[str, ...] = (
    r"(?i)\buse\s+(.{1,60}?)(?=,? (?:instead|not|rather)\b|[;!\n]|[.](?:\s|$)|$)",
    r"(?i)\b(?:should(?:'ve| have)?|must|has to|have to|needs to|ought to|supposed to) (?:be|been|read|say|point to|go to|use)\s+(?!able|possible|fine|ok|careful|there|a problem)(.{1,80}?)" + _END,
    r"(?i)\b(?:it(?:'s| is)|that(?:'s| is)|the \w+(?: \w+)? is|they(?:'re| are)|we (?:use|work with|want)|i (?:want(?:ed)?|meant|need(?:ed)?|said|asked for))\s+(?!wrong|incorrect|not\b)([^:;\n]{1,60}?),?\s+(?:and )?not\b",
    r"(?i)\bnot\s+[^.,;\n]{1,40}?,?\s+but\s+(.{1,60}?)" + _END,
    r"(?i)\b(?:want|change it to|make it|switch to|go with|set it to|call it|rename (?:it|them) to)\s+(.{1,60}?)(?:,? (?:instead of|rather than|not)\b.*|" + _END + ")",
    r"(?i)\b(\S.{0,40}?)\s+(?:instead of|rather than)\s+\S",
    r"(?i)\bi meant\s+(.{1,60}?)" + _END,
    r"应该(?:是|用|为|按|改成|改为|写成|叫)\s*([^，。；！\n]{1,40})",
    r"我(?:要|说|指|想要|需要)的是\s*([^，。；！\n]{1,40})",
    r"(?:改成|改为|换成|改用)\s*([^，。；！\n]{1,40})",
    r"用\s*([^，。；！\n]{1,30}?)(?:，|,)?\s*(?:而不是|不要用|别用|不是)",
    r"(?:不是|不要用?|别用)[^，。\n]{1,30}[，,]\s*(?:而)?(?:是|要用|用)\s*([^，。；！\n]{1,40})",
    r"(?:では|じゃ)なく(?:て)?[、,]?\s*([^、。\n]{1,40}?)(?:です|だ|に|を|で|。|$)",
    r"(?:아니라|말고)\s*([^.,\n]{1,40}?)(?:입니다|이에요|예요|으로|로|를|을|야|[.,]|$)",
    r"(?i)\b(?:debe(?:r[ií]a)? ser|tiene que ser)\s+(.{1,60}?)" + _CLAUSE_END,
    r"(?i)\bsondern\s+(.{1,60}?)" + _CLAUSE_END,
    r"(?i)\b(?:doit|devrait) [eê]tre\s+(.{1,60}?)" + _CLAUSE_END,
    r"(?i)\b(?:deve(?:ria)? ser|tem que ser|era para ser)\s+(.{1,60}?)" + _CLAUSE_END,
    r"(?i)(?:должн[аоы]?|надо|нужно) (?:быть|использовать)?\s*(.{1,60}?)" + _CLAUSE_END,
)  # fmt: skip

# Names of tables: only from SQL, or an identifier that the message itself calls a table.
TABLES: tuple[str, ...] = (
    r"(?i)\b(?:from|join|into|update|truncate table|drop table|alter table)\s+[`\"\[]?([a-z_]\w*(?:\.\w+)*)",
    r"(?i)[`'\"]([a-z_]\w*(?:\.\w+)*)[`'\"] table\b",
    r"(?i)\btables? [`'\"]([a-z_]\w*(?:\.\w+)*)[`'\"]",
    r"(?i)\b(?:the )?((?:[a-z]\w*\.)?[a-z][a-z0-9]*_\w+) table\b",
    r"(?i)\btable (?:called |named )?((?:[a-z]\w*\.)?[a-z][a-z0-9]*_\w+)\b",
    r"(?i)[`']?([a-z]\w*_\w+)[`']?\s*(?:这张|这个)?表",
)  # fmt: skip

SQL = r"(?is)\b(?:select\b.+?\bfrom\b|insert\s+into\b|update\s+\w+\s+set\b|delete\s+from\b|with\s+\w+\s+as\s*\(|create\s+(?:table|view)\b|(?:left|right|inner|full|cross)\s+join\b|where\s+\w+\s*(?:=|<|>|in\b|is\b|like\b)|group\s+by\s+\w+)"
SQL_AFTER = r"(?i)\b(?:should be|should read|use|correct(?:ed)?(?: version)?(?: is)?|instead|must be|right one|change (?:it )?to|need|like this|rather)\b|应该|改成|正确|换成|べき|正しい"
SQL_BEFORE = r"(?i)\b(?:you (?:wrote|used|have|put|did|gave)|wrong|your (?:query|sql)|this (?:query|join) is|not|instead of|incorrect)\b|你(?:写|用)的?|错"
PREVENTED = r"(?i)\b(?:would have been (?:caught|prevented|avoided) (?:by|if|with) |(?:could|can) be (?:caught|prevented|avoided) by |next time,? |to avoid this,? |from now on,? )([^.\n]{4,160})|下次(?:记得|要|先|请)?([^。\n]{3,80})|以后(?:要|请|记得|都)?([^。\n]{3,80})"

# What is no point, and what stands before points.
GOOD_PIECE = r"(?i)^\W*(?:the )?(?:rest|everything else|others?|\w+(?: \w+)?) (?:is|are|looks?|works?) (?:fine|good|ok(?:ay)?|great|correct|perfect|right)\W*$|^\W*(?:thanks?|thank you|thx|please fix|pls fix|fix (?:it|this|these|them|that)|can you fix.*|good|great|nice|ok)\W*$|其(?:他|余)(?:都)?(?:没问题|正常|可以|好)|谢谢"
LIST_HEADING = r"(?i)\b(?:issues?|problems?|bugs?|things|errors?|points|mistakes|notes|findings|corrections|changes|wrong|broken|fix(?:es)?|tested|feedback|comments|not good)\b|问题|错误|如下|几点|問題|문제|problemas|fehler|probleme|probl[eè]mes|ошибк|проблем"
