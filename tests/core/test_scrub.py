"""Secrets go, everything else stays, whatever the text."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellback.core.scrub import ScrubRules, default_rules, prepare_scrub, scrub, scrub_json
from tellback.core.scrub_parts import Row
from tellback.core.scrub_rows import ROWS

RULES = default_rules()

# Made up; taken apart so that no scanner of repositories takes them for real ones.
HEX = "0123456789abcdef"
MIXED = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD4fG6hJ8kL0nP2rS4uV6wX8yZ"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" + "." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq0\n" + MIXED + "\n-----END RSA PRIVATE KEY-----"

# name, class, text with {} where the secret is, secret
SECRETS: list[tuple[str, str, str, str]] = [
    ("a private key", "private-key", "key:\n{}\nend", PEM),
    ("a private key in JSON", "private-key", '"key": "{}"', PEM.replace("\n", "\\n")),
    ("a private key without its end", "private-key", "{}\n", PEM.partition("\n-----END")[0]),
    ("a PGP key", "private-key", "{}", PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK")),
    ("an age key", "private-key", "age: {}", "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2),
    ("a kubeconfig key", "private-key", "client-key-data: {}", "LS0tLS1CRUdJTiBSU0Eg" + MIXED),
    ("a JWT", "jwt", "it said {} and stopped", JWT),
    ("an AWS key id", "aws-key", "use {}, please", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("an AWS session key id", "aws-key", "({})", "ASIA" + "IOSFODNN7EXAMPLE"),
    ("an AWS secret key", "secret", "aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY"),
    (
        "an AWS secret key in the environment",
        "secret",
        "AWS_SECRET_ACCESS_KEY={}",
        "/JalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLE",
    ),
    ("a Google key", "gcp-key", "https://maps.example/?key={}&x=1", "AIza" + MIXED[:35]),
    ("a Google access token", "google-oauth", "{}", "ya29." + MIXED),
    ("a Google client secret", "google-oauth", "{}", "GOCSPX-" + MIXED[:28]),
    ("a Google refresh token", "google-oauth", "refresh {}", "1//0" + MIXED),
    ("an Azure client secret", "azure-key", "secret {} here", "abc8Q~" + MIXED[:34]),
    ("an Azure shared access signature", "azure-key", "https://x.example/c?sv=2022&sig={}", MIXED[:43] + "%3D"),
    ("an Azure connection string", "secret", "AccountName=me;AccountKey={};Endpoint=x", MIXED + "/+" + "=="),
    ("a service bus string", "secret", "SharedAccessKeyName=Root;SharedAccessKey={}", MIXED[:43] + "="),
    ("a GitHub token", "github-token", "git clone with {}", "ghp_" + MIXED[:36]),
    ("a GitHub app token", "github-token", "{}.", "ghs_" + MIXED[:36]),
    ("a fine-grained GitHub token", "github-token", "{}", "github_pat_11ABCDEFG0" + MIXED),
    ("a GitLab token", "gitlab-token", "PRIVATE-TOKEN: {}", "glpat-" + MIXED[:20]),
    ("an Atlassian token", "forge-token", "{}", "ATATT3" + "xFfGF0" + MIXED),
    ("a Bitbucket password", "forge-token", "{}", "ATBB" + MIXED[:32]),
    ("an Anthropic key", "anthropic-key", "export it: {}", "sk-ant-" + "api03-" + MIXED),
    ("an OpenAI key", "openai-key", "{}", "sk-proj-" + MIXED),
    ("an old OpenAI key", "api-key", "{}", "sk-" + MIXED[:48]),
    ("a Groq key", "api-key", "{}", "gsk_" + MIXED[:52]),
    ("an OpenRouter key", "api-key", "{}", "sk-or-v1-" + HEX * 4),
    ("a Databricks token", "api-key", "{}", "dapi" + HEX * 2),
    ("a DigitalOcean token", "api-key", "{}", "dop_v1_" + HEX * 4),
    ("a Vault token", "api-key", "{}", "hvs." + MIXED[:24]),
    ("an npm token", "npm-token", "{}", "npm_" + MIXED[:36]),
    ("an .npmrc line", "npm-token", "//registry.example/:_auth={}", "bWU6aHVudGVyMg=="),
    ("an .npmrc token", "secret", "//registry.example/:_authToken={}", HEX + "-" + HEX),
    ("a PyPI token", "pypi-token", "{}", "pypi-AgEIcHlwaS5vcmc" + MIXED),
    ("a Hugging Face token", "huggingface-token", "login {}", "hf_" + MIXED[:34]),
    ("a SendGrid key", "sendgrid-key", "{}", "SG." + MIXED[:22] + "." + MIXED[:43]),
    ("a Twilio key", "twilio-key", "{}", "SK" + HEX * 2),
    ("a Slack bot token", "slack-token", "{}", "xoxb-" + "123456789012-" + MIXED[:24]),
    ("a Slack webhook", "slack-token", "https://hooks.slack.com/services/{}", "T00000000/B00000000/" + MIXED[:24]),
    ("a Stripe key", "stripe-key", "{}", "sk_" + "live_" + MIXED[:24]),
    ("a Stripe webhook secret", "stripe-key", "{}", "whsec_" + MIXED[:32]),
    ("a Discord bot token", "discord-token", "{}", "MTk4NjIyNDgzNDcxOTI1MjQ4." + "Cl2FMQ." + MIXED[:27]),
    ("a Discord webhook", "discord-token", "https://discord.com/api/webhooks/123456789012345678/{}", MIXED),
    ("a Telegram bot token", "telegram-token", "bot 123456789:{}", "AA" + MIXED[:33]),
    ("a Mailgun key", "mail-key", "{}", "key-" + HEX * 2),
    ("a bearer token", "bearer-token", "Authorization: Bearer {}", MIXED[:20]),
    ("a bearer token in a command", "bearer-token", "curl -H 'authorization: bearer {}' x", "abc123.def-456"),
    ("basic authorization", "authorization", "Authorization: Basic {}", "dXNlcjpwYXNzd29yZA=="),
    ("a header's key", "secret", "X-Api-Key: {}", "a1b2c3d4e5"),
    ("a password in a URL", "url-credentials", "postgres://app:{}@db:5432/x", "s3cr3t"),
    ("a password with an @ in a URL", "url-credentials", "mongodb+srv://app:{}@c0.example/x", "p@ss:w0rd"),
    ("a URL without a user", "url-credentials", "redis://:{}@cache:6379", "hunter2"),
    ("a token as a URL's user", "url-credentials", "https://{}@git.example/x.git", "a1" * 12),
    ("an Oracle string", "url-credentials", "jdbc:oracle:thin:scott/{}@host:1521/x", "tiger"),
    ("a cookie header", "cookie", "Cookie: {}", "theme=dark; sid=a1b2c3d4e5f6; csrf=xyz"),
    ("a cookie being set", "cookie", "set-cookie: {}", "id=a3fWa; Expires=Thu, 21".partition(",")[0]),
    ("a session cookie", "cookie", "it sends JSESSIONID={}; Path=/", "0A1B2C3D4E5F60718293"),
    ("a variable", "password", "DB_PASSWORD={} npm start", "supersecret"),
    ("an exported variable", "password", "export PGPASSWORD='{}'", "two words"),
    ("a variable of few letters", "secret", "API_KEY={}", "abcd"),
    ("an .env line", "secret", "JWT_SECRET={}\nPORT=3000", "keyboard-cat"),
    ("a variable that ends otherwise", "secret", "SECRET_KEY_BASE={}", HEX * 4),
    ("a MySQL password", "password", "MYSQL_PWD={}", "toor"),
    ("a tight assignment", "password", "user=me;password={};timeout=3", "correcthorse"),
    ("an ini line", "password", "password = {}", "hunter2"),
    ("a YAML line", "password", "  db_password: {}", "hunter2"),
    ("a JSON member", "password", '{{"user": "me", "password": "{}"}}', "hunter"),
    ("a JSON member in JSON", "password", '"body": "{{\\"password\\": \\"{}\\"}}"', "hunter2"),
    ("a Python string", "password", "connect(password='{}')", "hunter"),
    ("an environment in Python", "secret", 'os.environ["API_TOKEN"] = "{}"', "abcdef"),
    ("a typed default", "secret", 'api_key: str = "{}"', "a1b2c3d4"),
    ("a PHP array", "password", "'password' => '{}'", "hunter"),
    ("a Go assignment", "secret", 'clientSecret := "{}"', "abcdef-ghijk"),
    ("a query", "secret", "https://x.example/y?access_token={}&z=1", "abcdefgh"),
    ("a colon and a token", "secret", "token: {}", "a1b2c3d4"),
    ("a sentence", "password", "the password is {}, use it", "hunter2"),
    ("a sentence with a full stop", "password", "My password is {}.", "hunter2"),
    ("a German password", "password", "Das Passwort ist {}", "geheim123"),
    ("a Spanish password", "password", "contraseña: {}", "secreto1"),
    ("a Chinese password", "password", "密码是{}，别提交", "hunter2"),
    ("a Chinese password with a colon", "password", "密码：{}", "hunter2"),
    ("a Japanese password", "password", "パスワードは{}です", "hunter2"),
    ("an option", "password", "tool --password {} --verbose", "hunter2"),
    ("an option with a longer name", "password", "tool --db-token {}", "abc123"),
    ("an option with quotes", "password", "tool --api-key '{}'", "abcdef"),
    ("curl's user", "password", "curl -s -u admin:{} https://x", "geheim"),
    ("mysql's password", "password", "mysql -uroot -p{} db", "toor9"),
    ("sshpass", "password", "sshpass -p {} ssh x", "geheim"),
    ("a .netrc line", "password", "machine x login me password {}", "geheim"),
    ("a docker login", "password", '"auths": {{"x": {{"auth": "{}"}}}}', "bWU6aHVudGVyMg=="),
]

HARMLESS = [
    ("an expired token", "the token expired, log in again"),
    ("a missing field", "the password field is missing from the form"),
    ("a rule", "password: must be at least 8 characters"),
    ("a range", "password: 8-64 characters"),
    ("a required field", "password: required"),
    ("a schema", '{"password": "string", "token": "required"}'),
    ("a type", "password: string; token: string | undefined"),
    ("a typed array", "secret: Uint8Array"),
    ("an encoding", "the token is base64 encoded, the password is sha256-hashed"),
    ("a count", "max_tokens=4096 and prompt_tokens: 1500"),
    ("a number of one token", "token: 1500"),
    ("token kinds", "token_type: bearer, token_url=https://x.example/token"),
    ("bearer talk", "send a bearer token, Bearer authentication is on"),
    ("an authorization rule", "Authorization: required for every call"),
    ("a cookie problem", "cookie: the banner does not go away"),
    ("a session variable", "session_id=current_session"),
    ("keyword arguments", "connect(user=user, password=password, token=token)"),
    ("attributes", "client = Client(token=self.token, secret=settings.SECRET_KEY)"),
    ("a call", "token = get_token()\nsecret = read_secret('db')"),
    ("an index", 'token = data["token"]'),
    ("an await", "const token = await getToken()"),
    ("an f-string", 'secret = f"{prefix}"'),
    ("an environment look-up", 'API_KEY=os.environ["API_KEY"]'),
    ("a shell variable", 'export TOKEN=$GITHUB_TOKEN && curl -H "Authorization: Bearer $TOKEN"'),
    ("an action's secret", "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}"),
    ("a template", "password: {{ vault_password }}"),
    ("a placeholder", "API_KEY=<your key>"),
    ("a named placeholder", "OPENAI_API_KEY=your-api-key-here"),
    ("a key cut short", "OPENAI_API_KEY=sk-... and ANTHROPIC_API_KEY='sk-ant-api03-...'"),
    ("crossed out", "PASSWORD=******** TOKEN=xxxx SECRET=..."),
    ("a working folder", "PWD=/home/me/project OLDPWD=/tmp"),
    ("a secret's file", "secret: /run/secrets/db"),
    ("other keys", "primary_key=id, sort_key: name2, foreign_key='user_id1', cache_key=\"abc12345\""),
    ("a keyboard", "keyboard: qwerty1, monkey: 12345, turkey=abc123"),
    ("a secretary", "the secretary: Anna1234567"),
    ("a tokenizer", "tokenizer=AutoTokenizer2, tokens: 15k"),
    ("a pad token", "tokenizer.pad_token = tokenizer.eos_token"),
    ("a password reset", "password_reset_url=https://x.example/reset123"),
    ("a hash's column", "the column is password_hash not pass_hash"),
    ("an input", '<input type="password" name="password" autocomplete="new-password">'),
    ("a commit", "revert 9f2c1e4b7a6d5c8e0f1a2b3c4d5e6f7a8b9c0d1e please"),
    ("a short commit", "it broke in 9f2c1e4"),
    ("a UUID", "session 550e8400-e29b-41d4-a716-446655440000 failed"),
    ("a digest", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    (
        "an integrity line",
        '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGed5FvSg=="',
    ),
    ("a path", "/home/me/projects/token-service/src/secret_manager.py:42"),
    ("a port", "postgres://localhost:5432/db and http://127.0.0.1:8000/x@y"),
    ("a handle in a URL", "https://medium.example/@someone/post-1"),
    ("a git remote", "git@github.com:me/repo.git ssh://git@host.example/x.git"),
    ("a template URL", "postgres://user:${DB_PASSWORD}@host/db"),
    ("a URL's format", 'f"postgres://{user}:{password}@{host}"'),
    ("a CSS class", "sk-circle-fade-dot1 and sk-learn-like-estimators"),
    ("a package", "from sklearn import hf_hub_download_with_progress_bar_and_more"),
    ("an npm variable", "npm_config_registry=https://r.example npm_lifecycle_event"),
    ("a public key", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----"),
    ("a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"),
    ("container users", "docker run -u node:node --user 1000:1000 x"),
    ("an option's name", "pass the --token flag, or --password-file secret1.txt"),
    ("mysql's port", "mysql -P 3306 -h localhost"),
    ("git's porcelain", "git status --porcelain && mkdir -p build1"),
    ("a login prompt", "login page asks for the password twice"),
    ("arithmetic", "a = b; secret == token"),
    ("a comparison", "if token != expected: raise"),
    ("hugs", "xoxo, see you"),
    ("ids", "AC and SK are prefixes, AKIA too"),
    ("Chinese talk", "密码是必填项，token 过期了"),
    ("German talk", "das Passwort ist falsch, der Token fehlt"),
    ("a version", "uses secret 1.2.3 and token v2"),
    ("a log line", "2026-03-01T12:00:00Z INFO token refreshed in 120ms"),
    ("a parser's error", 'SyntaxError: Unexpected token: "}" at line 3'),
    ("an e-mail address", "write to anna@example.com"),
]


@pytest.mark.parametrize(("kind", "text", "secret"), [pytest.param(*row[1:], id=row[0]) for row in SECRETS])
def test_a_secret_is_replaced_by_its_class(kind: str, text: str, secret: str) -> None:
    scrubbed = scrub(text.format(secret), RULES)

    assert scrubbed in (text.format(f"[REDACTED:{kind}]"), text.replace("{}", f"[REDACTED:{kind}]"))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in HARMLESS])
def test_what_is_no_secret_stays(text: str) -> None:
    assert scrub(text, RULES) == text


def test_every_kind_of_secret_has_its_case() -> None:
    assert {row.kind for row in ROWS} == {kind for _, kind, _, _ in SECRETS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.kind} {row.anchors[0]}")
def test_a_row_is_written_as_it_is_read(row: Row) -> None:
    assert all(row.anchors)
    if row.flags or row.way == "anywhere":
        assert [anchor.lower() for anchor in row.anchors] == list(row.anchors)
    assert row.way != "word" or not row.flags, "long words are looked through as they are"
    assert row.way != "named" or row.flags, "prose is written in any case"


def test_only_one_character_grows_when_lowered() -> None:
    growing = [code for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]

    assert growing == [0x130]


def test_a_secret_behind_a_letter_that_grows_is_cut_at_its_place() -> None:
    assert scrub("İİİ password=hunter2!", RULES) == "İİİ password=[REDACTED:password]"


# --- properties ----------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [secret for *_, secret in SECRETS] + [text for _, text in HARMLESS] + [t for _, _, t, _ in SECRETS]
)
GLUE = st.sampled_from(
    [
        "",
        " ",
        "\n",
        "=",
        ": ",
        '"',
        "'",
        "\\n",
        "-",
        "_",
        ".",
        "/",
        "@",
        "://",
        "[REDACTED:",
        "]",
        ";",
        "&",
        "：",
        "密码",
    ]
)
TEXTS = st.lists(st.one_of(WORDS, GLUE, st.text(max_size=6)), max_size=12).map("".join)


@given(TEXTS)
@settings(max_examples=300)
def test_scrubbing_twice_changes_nothing_more(text: str) -> None:
    once = scrub(text, RULES)

    assert scrub(once, RULES) == once


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(scrub(text, RULES), str)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def _names(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _names(inner) for name, inner in value.items()}
    return [_names(inner) for inner in value] if isinstance(value, list) else None


@given(JSON)
@settings(max_examples=100)
def test_json_keeps_its_shape_and_its_members_names(value: Any) -> None:
    before = json.dumps(value)

    scrubbed = scrub_json(value, RULES)

    assert _names(scrubbed) == _names(value)
    assert json.dumps(value) == before, "the value itself is not touched"


def test_json_values_are_judged_with_their_names() -> None:
    value = {"password": "hunter2", "AKIA" + "IOSFODNN7EXAMPLE": [{"note": "token=abc123"}], "token": "expired", "n": 1}

    assert scrub_json(value, RULES) == {
        "password": "[REDACTED:password]",
        "AKIA" + "IOSFODNN7EXAMPLE": [{"note": "token=[REDACTED:secret]"}],
        "token": "expired",
        "n": 1,
    }


def test_deeply_nested_json_is_taken() -> None:
    value: Any = "password=hunter2"
    for _ in range(10_000):
        value = [value]

    scrubbed = scrub_json(value, RULES)

    for _ in range(10_000):
        scrubbed = scrubbed[0]
    assert scrubbed == "password=[REDACTED:password]"


# --- time ----------------------------------------------------------------------------------------------------------

HOSTILE: list[tuple[str, Callable[[int], str]]] = [
    ("beginnings of keys", lambda n: "-----BEGIN PRIVATE KEY-----" * (n // 27)),
    ("half keys", lambda n: "-----BEGIN PRIVATE KEY-----\n" + "A" * n),
    ("key lines", lambda n: ("-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n") * (n // 93)),
    ("dashes", lambda n: "-" * n),
    ("half JWTs", lambda n: "eyJ-" * (n // 4)),
    ("dotted JWTs", lambda n: "eyJaaaaaa." * (n // 10)),
    ("a long JWT without an end", lambda n: "eyJ" + "a" * n),
    ("schemes", lambda n: "://" * (n // 3)),
    ("schemes and colons", lambda n: "a://b:" * (n // 6)),
    ("users", lambda n: "://" + "a" * n),
    ("names", lambda n: "password" * (n // 8)),
    ("names and signs", lambda n: "password=" * (n // 9)),
    ("spaced names", lambda n: "secret = " * (n // 9)),
    ("open quotes", lambda n: 'token="' * (n // 7)),
    ("one long open quote", lambda n: 'token="' + "a" * n),
    ("escaped quotes", lambda n: 'token=\\"' * (n // 8)),
    ("keys", lambda n: "api_key " * (n // 8)),
    ("curls", lambda n: "curl -u " * (n // 8)),
    ("a curl without an end", lambda n: "curl " + "a" * n),
    ("mysqls", lambda n: "mysql " * (n // 6)),
    ("cookies", lambda n: "cookie: a=bbbb;" * (n // 15)),
    ("a cookie without an end", lambda n: "cookie: " + "a" * n),
    ("bearers", lambda n: "bearer " * (n // 7)),
    ("a long bearer", lambda n: "bearer " + "a" * n),
    ("authorizations", lambda n: "authorization: basic " * (n // 21)),
    ("options", lambda n: "--a-" * (n // 4)),
    ("long options", lambda n: "--" + "a-" * (n // 2)),
    ("vendors' prefixes", lambda n: "sk-ant-" * (n // 7)),
    ("short prefixes", lambda n: "sk-" * (n // 3)),
    ("prefixes with letters", lambda n: ("gsk_" + "a" * 30 + " ") * (n // 35)),
    ("SendGrid", lambda n: "SG." * (n // 3)),
    ("Discord", lambda n: "MTk4NjIyNDgzNDcxOTI1MjQ4." * (n // 25)),
    ("Azure", lambda n: "abc8Q~" * (n // 6)),
    ("sentences", lambda n: "password is " * (n // 12)),
    ("logins", lambda n: "login a " * (n // 8)),
    ("marks", lambda n: "[REDACTED:password]" * (n // 19)),
    ("a chain of assignments", lambda n: "password=a1b2=" * (n // 14)),
    ("tokens and names by turns", lambda n: ("token=" + "ghp_" + "a1" * 18 + "-") * (n // 47)),
    ("foreign letters", lambda n: "İ密码是" * (n // 4)),
]


def _time(text: str) -> float:
    started_at = time.process_time()
    scrub(text, RULES)
    return time.process_time() - started_at


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in HOSTILE])
def test_time_grows_with_the_text_and_not_faster(make: Callable[[int], str]) -> None:
    short, long = make(10_000), make(80_000)
    _time(short)

    ratio = min(_time(long) for _ in range(2)) / max(min(_time(short) for _ in range(3)), 0.0005)

    assert ratio < 24, "eight times the text takes eight times the time; quadratic would be 64"


@pytest.mark.slow
@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in HOSTILE])
def test_a_megabyte_made_to_be_slow_takes_seconds_at_most(make: Callable[[int], str]) -> None:
    assert _time(make(1_000_000)) < 8


# --- own patterns, masks, the hook ---------------------------------------------------------------------------------


def test_own_patterns_are_added_and_a_group_marks_the_secret() -> None:
    rules = ScrubRules(prepare_scrub([r"ACME-\d{4}", r"badge (\w+)"]))

    assert scrub("ACME-1234 and badge blue", rules) == "[REDACTED:own] and badge [REDACTED:own]"


@pytest.mark.parametrize("pattern", ["[A-Z]+", "e", ".", "", "a*", r"\w+"])
def test_an_own_pattern_leaves_marks_whole(pattern: str) -> None:
    rules = ScrubRules(prepare_scrub([pattern]))

    once = scrub("password=hunter2 CED", rules)

    assert scrub(once, rules) == once
    assert "[REDACTED:[" not in once


def test_masks_are_optional() -> None:
    text = "anna@example.com on build7.corp.internal (10.2.3.4, 127.0.0.1) and LOKI"
    rules = ScrubRules(prepare_scrub(emails=True, hosts=["loki"]))

    assert scrub(text, RULES) == text
    assert scrub(text, rules) == (
        "[REDACTED:email] on [REDACTED:host] ([REDACTED:host], 127.0.0.1) and [REDACTED:host]"
    )
    assert scrub(scrub(text, rules), rules) == scrub(text, rules)


def test_prepared_rules_can_be_marshalled_and_answer_the_same_without_re() -> None:
    code = """
import marshal, sys
sys.path[:0] = [{folder!r}]
from tellback.core.scrub import ScrubRules, scrub
import tellback.core.prepared
before = set(sys.modules)
rules = ScrubRules(marshal.loads(sys.stdin.buffer.read()))
out = [scrub(text, rules) for text in {texts!r}]
print(repr((out, sorted(set(sys.modules) - before))))
"""
    import marshal
    from pathlib import Path

    import tellback

    texts = [text.replace("{}", secret) for _, _, text, secret in SECRETS]
    folder = Path(tellback.__file__).parent
    script = (
        "import sys; package = type(sys)('tellback'); "
        f"package.__path__ = [{str(folder)!r}]; sys.modules['tellback'] = package\n"
        + code.format(folder=str(folder), texts=texts)
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script],
        input=marshal.dumps(prepare_scrub()),
        capture_output=True,
        check=True,
    )

    out, loaded = eval(run.stdout)
    assert out == [scrub(text, RULES) for text in texts]
    assert loaded == []
