"""Secrets that are known by what stands beside them: names, headers, addresses, command lines, sentences. Cold."""

import re

from .scrub_parts import BLANK, START, Row

# --- names ---------------------------------------------------------------------------------------------------------

_ABROAD = (
    "contraseña", "passwort", "kennwort", "mot de passe", "senha", "пароль", "密码", "密碼", "口令", "パスワード",
    "비밀번호",
)  # fmt: skip
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "pwd", "_pass", *_ABROAD)
_SECRETS = ("secret", "token", "密钥", "key")
_KEYS = (
    "api", "access", "secret", "private", "auth", "account", "encryption", "signing", "master", "service", "consumer",
    "deploy", "license", "webhook", "storage", "subscription", "sharedaccess",
)  # fmt: skip
_A_KEY = f"(?:{'|'.join(f'(?<={word}{gap})' for word in _KEYS for gap in ('', '[_ -]'))})key"  # no primary_key
_LAST = r"(?:[_-]?(?:key|value|base|base64|b64|prod|production|live|test|dev|staging|old|new|[0-9]{1,3}))?"
_PASSWORD = f"(?:{'|'.join(_PASSWORDS)}){_LAST}"
_SECRET = f"(?:secret|token|密钥|{_A_KEY}){_LAST}"

_CLOSE = r"(?:\\?[\"'`]\]?)?"  # the name's own quote: "name": or env["NAME"] =
_TYPE = rf":{BLANK}{{0,2}}(?:str|string|optional\[str\]|str{BLANK}?\|{BLANK}?none){BLANK}{{0,2}}="
_SIGN = rf"{_CLOSE}{BLANK}{{0,4}}(?:{_TYPE}|:=|=>|={{1,3}}|:|：|＝){BLANK}{{0,4}}"

# --- values --------------------------------------------------------------------------------------------------------

_NOT_CODE = r"(?![A-Za-z_][A-Za-z0-9_]{0,60}(?:\(|\[(?!REDACTED:)|\?\.|\.[A-Za-z_]|::|->|\{))"
_NOT_A_RANGE = r"(?![0-9]{1,3}(?:-|\.\.)[0-9]{1,3}(?![A-Za-z0-9]))"
_NOT_A_NUMBER = r"(?![0-9][0-9.,:]{0,14}[a-z%]{0,2}(?:[^A-Za-z0-9_.\-]|\.?$|\.\s))"
_NO_PLAIN_WORD = r"(?=[A-Za-z_.\-/]{0,64}(?:[0-9]|[!@#$%^*+~&?=][A-Za-z0-9]))"
_TEXT = r"[^\s\"'`,;&<>(){}\[\]\\|]"
_ASCII = r"[A-Za-z0-9!#$%&*+./:=?@^_~-]"


def _quoted(least: int) -> str:
    """Return the pattern of a quoted value without blanks, at least so long; ``\\"`` is JSON within JSON."""
    many = f"{{{least},512}}"
    return (
        rf"[bruf]{{0,2}}(?:\\\"([^\"\\\s]{many})\\\"|\"((?:[^\"\\\s]|\\[^\s]){many})\""
        rf"|'((?:[^'\\\s]|\\[^\s]){many})'|`([^`\s]{many})`)"
    )


_QUOTED_WORDS = r"(?:\"([^\"\r\n]{1,512})\"|'([^'\r\n]{1,512})')"
_ENDS = r"(?=\.?(?:[\s;&\"'|]|$))"
_SAID = (
    r"[\"'`“「]?(?!(?:base|sha|md|utf|bcrypt|argon|pbkdf|aes|oauth|http|v)[-_]?[0-9])"
    r"(?=[A-Za-z_.\-!#$%&*+@]{0,64}[0-9])(?=[0-9_.\-!#$%&*+@]{0,64}[A-Za-z])"
)

# --- rows ----------------------------------------------------------------------------------------------------------

ADDRESSES: tuple[Row, ...] = (
    # the password in scheme://user:password@host; no scan crosses a "/", so none meets another's start
    Row("url-credentials", ("://",), r"://[^\s/:@\"'<>\[]{0,256}:(?![$<{*\[]|%[sd(])([^\s/\"'<>]{1,512})@"),
    Row("url-credentials", ("://",), r"://(?=[A-Za-z_-]{0,40}[0-9])([A-Za-z0-9_-]{20,256})@"),
    Row("url-credentials", ("jdbc:oracle:",), r"jdbc:oracle:[a-z]{2,10}:[^\s/@]{1,64}/([^\s/@]{1,256})@"),
)

_SESSION_COOKIES = ("jsessionid", "phpsessid", "asp.net_sessionid", "sessionid", "session_id", "connect.sid")

HEADERS: tuple[Row, ...] = (
    Row(
        "authorization",
        ("authorization",),
        rf"authorization{_CLOSE}{BLANK}{{0,3}}[:=]{BLANK}{{0,3}}\\?[\"'`]?(?:basic|token|apikey|digest|negotiate)"
        rf"{BLANK}{{1,3}}(?=(?-i:.[a-z+/=_-]{{0,80}}[A-Z0-9]))([^\s\"'`,;\\]{{6,}})",
        re.I,
    ),
    Row(
        "bearer-token",
        ("bearer",),
        rf"{START}bearer{BLANK}{{1,3}}(?=[A-Za-z._~+/=-]{{0,80}}[0-9])([A-Za-z0-9._~+/=-]{{12,}})",
        re.I,
    ),
    Row(
        "cookie",
        ("cookie",),
        rf"cookie{_CLOSE}{BLANK}{{0,3}}[:=]{BLANK}{{0,3}}\\?[\"'`]?"
        r"(?!\[REDACTED:)([A-Za-z0-9_.$%-]{1,100}=[^\s;,\"'`\\]{4,}(?:;[ \t]{0,2}[^\s;,\"'`\\]{1,4096})*)",
        re.I,
    ),
    Row(
        "cookie",
        (*_SESSION_COOKIES, "__secure-", "__host-"),
        rf"{START}(?:{'|'.join(map(re.escape, _SESSION_COOKIES))}|__(?:secure|host)-[a-z0-9_-]{{1,64}})"
        r"=(?=[a-z._%:-]{0,80}[0-9])([^\s;,\"'`&\[]{12,})",
        re.I,
    ),
    Row("password", ('"auth"',), rf"\"auth\"{BLANK}{{0,3}}:{BLANK}{{0,3}}\"([A-Za-z0-9+/=]{{12,}})\""),
)

_FLAGS = "(?:password|passwd|passphrase|secret|token|(?:api|access|secret|auth|private)-key)"

COMMANDS: tuple[Row, ...] = (
    Row(
        "password",
        ("--",),
        rf"--(?:[a-z][a-z-]{{0,30}}?-)?{_FLAGS}{BLANK}{{1,3}}"
        rf"(?:{_quoted(3)}|{_NOT_CODE}{_NO_PLAIN_WORD}({_TEXT}{{4,512}}))",
        re.I,
        way="named",
    ),
    # neither scan goes past the next such command, so none meets another's start
    Row(
        "password",
        ("curl ",),
        r"curl (?:(?!curl )[^\n|;]){0,300}?(?:-u|--user)[ =]{0,2}[\"']?[^\s:\"']{1,64}:([^\s\"']{1,256})",
        way="set",
    ),
    Row(
        "password",
        ("mysql",),
        r"mysql(?:(?!mysql)[^\n|;]){0,200}? -p[\"']?([^\s\"'\[-][^\s\"']{2,256})",
        way="set",
    ),
    Row("password", ("sshpass",), rf"sshpass{BLANK}{{1,3}}-p{BLANK}{{0,3}}[\"']?([^\s\"']{{1,256}})", way="set"),
    Row("password", ("login ",), rf"login{BLANK}{{1,3}}\S{{1,64}}\s{{1,3}}password\s{{1,3}}(\S{{1,256}})", way="set"),
    Row("npm-token", (":_auth", ":_password"), rf":_(?:auth|password){BLANK}?={BLANK}?([^\s\"']{{6,}})", way="set"),
    Row("private-key", ("key-data",), rf"key-data[\"']?:{BLANK}{{0,4}}[\"']?([A-Za-z0-9+/=]{{40,}})"),
)

_PASSWORDS_IN_CAPS = ("PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "PWD", "_PASS")
_TO_BLANK = r"[^\s\"'`;&|)\[][^\s\"'`;&|)]{0,511}"

ASSIGNMENTS: tuple[Row, ...] = (
    # NAME=value as in a shell or an .env file: any value that is no placeholder
    Row(
        "password",
        _PASSWORDS_IN_CAPS,
        rf"(?:{'|'.join(_PASSWORDS_IN_CAPS)})(?i:{_LAST})=(?:{_QUOTED_WORDS}|(?![/~.])({_TO_BLANK}))",
        way="set",
    ),
    Row(
        "secret",
        ("SECRET", "TOKEN", "KEY"),
        rf"(?:SECRET|TOKEN|{_A_KEY.upper()})(?i:{_LAST})=(?:{_QUOTED_WORDS}|{_NOT_A_NUMBER}{_NOT_CODE}({_TO_BLANK}))",
        way="set",
    ),
    # name: value, name = "value" as in a config file or code: a value in quotes, or one that is no plain word
    Row(
        "password",
        _PASSWORDS,
        rf"{_PASSWORD}{_SIGN}(?:{_quoted(3)}|(?!/){_NOT_A_RANGE}{_NOT_CODE}{_NO_PLAIN_WORD}({_TEXT}{{4,512}}))",
        re.I,
        way="named",
    ),
    Row(
        "secret",
        _SECRETS,
        rf"{_SECRET}{_SIGN}(?:{_quoted(6)}|{_NOT_A_NUMBER}{_NOT_CODE}{_NO_PLAIN_WORD}({_TEXT}{{6,512}}))",
        re.I,
        way="named",
    ),
    # letters only: a value when "=" is tight and no bracket or comma of a call follows
    Row("password", _PASSWORDS, rf"{_PASSWORD}=([A-Za-z_-]{{3,128}}){_ENDS}", re.I, way="named"),
    Row("secret", _SECRETS, rf"{_SECRET}=([A-Za-z_-]{{6,128}}){_ENDS}", re.I, way="named"),
)

_IS = rf"(?:{BLANK}{{1,3}}(?:is|was|to|ist|es|est|é){BLANK}{{1,3}}|{BLANK}?(?:是|为|為|は|는){BLANK}?)"
_NO_STOP = r"[A-Za-z0-9#$%&*+=@^_~-]"  # the sentence's full stop is not the secret's

SENTENCES: tuple[Row, ...] = (
    Row("password", _PASSWORDS, rf"{_PASSWORD}{_IS}{_SAID}({_ASCII}{{5,127}}{_NO_STOP})", re.I, way="named"),
    Row("secret", _SECRETS, rf"{_SECRET}{_IS}{_SAID}({_ASCII}{{15,255}}{_NO_STOP})", re.I, way="named"),
)
