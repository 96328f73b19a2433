"""The user's rules on folders, judged from values alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellback.core.policy import Policy, Restriction, encode_folder, judge_encoded, judge_path

LINUX, MAC = False, True


def deny(*paths: str, folds_case: bool = LINUX) -> Policy:
    return Policy(deny_paths=paths, folds_case=folds_case)


def opt_in(*paths: str, folds_case: bool = LINUX) -> Policy:
    return Policy(opt_in_paths=paths, opt_in_only=True, folds_case=folds_case)


@pytest.mark.parametrize(
    ("policy", "folder", "judgement"),
    [
        pytest.param(Policy(), "/a", "ok", id="no rules"),
        pytest.param(Policy(disabled=True), "/a", "disabled", id="switched off"),
        pytest.param(Policy(disabled=True, deny_paths=("/a",)), "/a", "disabled", id="disabled before denied"),
        pytest.param(deny("/a/b"), "/a/b", "denied", id="the entry itself"),
        pytest.param(deny("/a/b"), "/a/b/c/d", "denied", id="below the entry"),
        pytest.param(deny("/a/b/"), "/a/b", "denied", id="an entry with a slash at its end"),
        pytest.param(deny("/a/b"), "/a/b/", "denied", id="a folder with a slash at its end"),
        pytest.param(deny("/a//b/."), "/a/b", "denied", id="an untidy entry"),
        pytest.param(deny("/a/b"), "/a/x/../b/c", "denied", id="a way around"),
        pytest.param(deny("/a/b"), "/a", "ok", id="above the entry"),
        pytest.param(deny("/a/b"), "/a/bc", "ok", id="a sibling that begins alike"),
        pytest.param(deny("/a/b"), "/A/B", "ok", id="other case on Linux"),
        pytest.param(deny("/a/Straße", folds_case=MAC), "/A/STRASSE/x", "denied", id="other case on macOS"),
        pytest.param(deny("/"), "/a", "denied", id="the root holds every folder"),
        pytest.param(deny("C:\\"), "D:\\x", "denied", id="a drive's root holds every folder"),
        pytest.param(deny("C:\\Jobs", folds_case=MAC), "c:/jobs/x", "denied", id="Windows paths"),
        pytest.param(deny("/a:"), "/b", "ok", id="a folder that looks like a drive"),
        pytest.param(deny("/a"), "", "ok", id="an unknown folder is in no entry"),
        pytest.param(opt_in("/a"), "/a/x", "ok", id="opted in"),
        pytest.param(opt_in("/a"), "/b", "denied", id="not opted in"),
        pytest.param(opt_in(), "/b", "denied", id="nothing opted in"),
        pytest.param(opt_in("/a"), "", "denied", id="an unknown folder is not opted in"),
        pytest.param(opt_in("/"), "/b", "ok", id="everything opted in"),
        pytest.param(Policy(opt_in_paths=("/a",)), "/b", "ok", id="opt_in_paths without opt_in_only"),
        pytest.param(Policy(False, ("/a/x",), ("/a",), True, LINUX), "/a/x", "denied", id="denied within opted in"),
    ],
)
def test_a_folder_is_judged(policy: Policy, folder: str, judgement: str) -> None:
    assert judge_path(policy, folder) == judgement


def test_either_spelling_of_a_folder_can_be_denied_and_either_can_be_opted_in() -> None:
    assert judge_path(deny("/real"), "/link/x", "/real/x") == "denied"
    assert judge_path(deny("/link"), "/link/x", "/real/x") == "denied"
    assert judge_path(opt_in("/real"), "/link/x", "/real/x") == "ok"
    assert judge_path(opt_in("/link"), "/link/x", "/real/x") == "ok"


def test_a_repository_only_restricts() -> None:
    assert judge_path(Policy(), "/a", restriction=Restriction(disabled=True)) == "disabled"
    assert judge_path(deny("/a"), "/a", restriction=Restriction(disabled=False)) == "denied"
    assert judge_path(Policy(disabled=True), "/a", restriction=Restriction(disabled=False)) == "disabled"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/dev/My Prøject_v1.2", "-home-dev-My-Pr-ject-v1-2"),
        ("/日本", "---"),
        ("/a/\N{GRINNING FACE}", "-a---"),
        ("C:\\Users\\x", "C--Users-x"),
    ],
)
def test_a_folder_is_encoded_as_claude_code_does(folder: str, name: str) -> None:
    assert encode_folder(folder) == name


LONG = "/a/" + "b" * 300


@pytest.mark.parametrize(
    ("policy", "name", "judgement"),
    [
        pytest.param(deny("/a/b"), "-a-b", "denied", id="the entry itself"),
        pytest.param(deny("/a/b"), "-a-b-c", "denied", id="below it, or the sibling /a/b-c"),
        pytest.param(deny("/a/b"), "-a-bc", "ok", id="a sibling that begins alike"),
        pytest.param(deny("/a/b"), "-a", "ok", id="above the entry"),
        pytest.param(deny("/A/b", folds_case=MAC), "-a-B-c", "denied", id="other case on macOS"),
        pytest.param(deny("/"), "-x", "denied", id="the root"),
        pytest.param(deny(LONG), encode_folder(LONG)[:200] + "-1x2y3z", "denied", id="a name cut at 200"),
        pytest.param(deny("/a"), encode_folder(LONG)[:200] + "-1x2y3z", "denied", id="a cut name below the entry"),
        pytest.param(opt_in("/a/b"), "-a-b-c", "ok", id="opted in, to be judged again"),
        pytest.param(opt_in("/a/b"), "-a-c", "denied", id="not opted in"),
        pytest.param(Policy(disabled=True), "-a", "disabled", id="switched off"),
    ],
)
def test_an_encoded_folder_is_judged_before_its_sessions_are_opened(policy: Policy, name: str, judgement: str) -> None:
    assert judge_encoded(policy, name) == judgement


PARTS = st.lists(
    st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1, max_size=80)
)


def _encode_and_cut(folder: str) -> str:
    name = encode_folder(folder)
    return name if len(name) <= 200 else name[:200] + "-abc123"


@given(PARTS, PARTS)
def test_the_encoded_gate_never_lets_a_denied_folder_through(entry: list[str], below: list[str]) -> None:
    folder, policy = "/" + "/".join(entry), deny("/" + "/".join(entry))
    inside = "/" + "/".join([*entry, *below])
    if "." in entry or ".." in entry or ".." in below or "." in below:
        return  # no launch folder has these once it is resolved

    assert judge_path(policy, inside) == "denied"
    assert judge_encoded(policy, _encode_and_cut(inside)) == "denied"
    assert judge_encoded(opt_in(folder), _encode_and_cut(inside)) == "ok"
