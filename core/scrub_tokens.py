"""Secrets that are known by their own look, whatever stands around them. Cold."""

import re

from .scrub_parts import END, RUN_START, START, Row

_DIGIT_NEAR = r"(?=[A-Za-z_-]{0,80}[0-9])"  # no word of prose has one

# What vendors put before their tokens: kind, prefixes, what follows them.
_PREFIXED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("private-key", ("AGE-SECRET-KEY-1",), r"[A-Z0-9]{50,}"),
    ("aws-key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}" + END),
    ("gcp-key", ("AIza",), r"[A-Za-z0-9_-]{32,}"),
    ("google-oauth", ("ya29.",), r"[A-Za-z0-9_.-]{20,}"),
    ("google-oauth", ("GOCSPX-",), r"[A-Za-z0-9_-]{20,}"),
    ("google-oauth", ("1//0",), r"[A-Za-z0-9_-]{30,}"),
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9_]{30,}"),
    ("github-token", ("github_pat_",), r"[A-Za-z0-9_]{22,}"),
    ("gitlab-token", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-"), r"[A-Za-z0-9_.-]{18,}"),
    ("gitlab-token", ("glagent-", "gloas-", "glsoat-", "glffct-"), r"[A-Za-z0-9_.-]{18,}"),
    ("forge-token", ("ATBB", "ATATT3", "ATCTT3"), r"[A-Za-z0-9_=-]{24,}"),
    ("anthropic-key", ("sk-ant-",), r"[A-Za-z0-9_-]{16,}"),
    ("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), r"[A-Za-z0-9_-]{16,}"),
    ("api-key", ("sk-or-v1-", "sk-lf-"), r"[A-Za-z0-9_-]{16,}"),
    ("api-key", ("sk-",), _DIGIT_NEAR + r"[A-Za-z0-9]{20,}"),
    (
        "api-key",
        ("gsk_", "xai-", "pplx-", "tvly-", "r8_", "fw_", "csk-", "nvapi-"),
        _DIGIT_NEAR + r"[A-Za-z0-9_-]{20,}",
    ),
    ("api-key", ("lsv2_pt_", "lsv2_sk_", "lin_api_", "figd_", "ntn_"), r"[A-Za-z0-9_-]{20,}"),
    ("api-key", ("dop_v1_", "doo_v1_", "dor_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "dapi"), r"[a-f0-9]{32,}"),
    ("api-key", ("hvs.", "hvb.", "hvr.", "dp.pt.", "dp.st."), r"[A-Za-z0-9_-]{20,}"),
    ("api-key", ("glsa_", "glc_", "sntrys_", "sntryu_", "NRAK-", "PMAK-", "dckr_pat_"), r"[A-Za-z0-9_=+/-]{20,}"),
    ("api-key", ("rubygems_", "sbp_", "nfp_", "pscale_tkn_", "pscale_pw_", "pul-"), r"[A-Za-z0-9]{32,}"),
    ("npm-token", ("npm_",), r"[A-Za-z0-9]{36,}"),
    ("pypi-token", ("pypi-AgE",), r"[A-Za-z0-9_-]{16,}"),
    ("pypi-token", ("pypi-",), _DIGIT_NEAR + r"[A-Za-z0-9_-]{50,}"),
    ("huggingface-token", ("hf_", "api_org_"), r"[A-Za-z0-9]{30,}"),
    ("sendgrid-key", ("SG.",), r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}"),
    ("mail-key", ("key-",), r"[a-f0-9]{32}" + END),
    ("twilio-key", ("SK",), r"[a-f0-9]{32}" + END),
    (
        "slack-token",
        ("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
        r"[A-Za-z0-9%+/=-]{10,}",
    ),
    ("slack-token", ("xapp-", "xoxe.xox"), r"[A-Za-z0-9-]{14,}"),
    ("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[A-Za-z0-9]{10,}"),
    ("stripe-key", ("whsec_",), r"[A-Za-z0-9+/=]{20,}"),
)

TOKENS: tuple[Row, ...] = (
    Row(
        "private-key",
        ("-----BEGIN ",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----)[\s\S]){1,16384}-----END [A-Z0-9 ]{0,50}-----"
        # its end was cut away: what still looks like a key's lines
        r"|(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,100})*(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/]{1,15}={1,2})?)",
    ),
    Row("slack-token", ("hooks.slack.com/",), r"hooks\.slack\.com/[a-z]{1,20}/([A-Za-z0-9/_-]{20,})", way="word"),
    Row("discord-token", ("/api/webhooks/",), r"/api/webhooks/[0-9]{5,25}/([A-Za-z0-9_-]{20,})", way="word"),
    Row(
        "discord-token",
        ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"),  # a number in base64, as every bot token begins
        RUN_START + r"[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}",
        way="word",
    ),
    Row("telegram-token", (":AA",), r"(?<=[0-9]{8}):(AA[A-Za-z0-9_-]{30,})", way="word"),
    Row("jwt", ("eyJ",), RUN_START + r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,3}", way="word"),
    Row("azure-key", ("sig=",), r"(?<=[?&;])sig=([A-Za-z0-9%/+=_-]{20,})", way="word"),
    Row(
        "azure-key",
        ("q~",),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}",
        way="anywhere",
    ),
    *(
        Row(kind, prefixes, f"{START}(?:{'|'.join(map(re.escape, prefixes))}){rest}", way="word")
        for kind, prefixes, rest in _PREFIXED
    ),
)
