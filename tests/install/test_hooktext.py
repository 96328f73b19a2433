import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tellback.install.command import is_our_command
from tellback.install.hooktext import add_hooks, find_hooks, is_switched_off, remove_hooks
from tellback.install.jsonspans import JsonError, load_value, parse_spans
from tellback.install.table import HARNESSES

_spec = importlib.util.spec_from_file_location("odd_settings", Path(__file__).with_name("odd_settings.py"))
assert _spec
assert _spec.loader
odd = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(odd)

CLAUDE, CURSOR = HARNESSES["claude-code"], HARNESSES["cursor"]
OURS = "[ -x /py ] && [ -f /d/tellback/hook/fire.py ] || exit 0; exec /py -I -S /d/tellback/hook/fire.py claude-code"
FORMER = OURS.replace("/py", "/old/py")

few = hypothesis_settings(max_examples=60)
TEXTS = st.sampled_from([CLAUDE, CURSOR]).flatmap(
    lambda harness: st.tuples(st.just(harness), odd.settings_texts(tuple(harness.events), harness.is_grouped))
)


def value_of(text: str) -> Any:
    return load_value(text, parse_spans(text))


def add(text: str, harness: Any = CLAUDE) -> str:
    return add_hooks(text, harness, OURS, is_our_command).text


@given(TEXTS)
@few
def test_taking_the_hooks_out_again_gives_back_what_the_file_said(case: tuple[Any, str]) -> None:
    harness, text = case

    edited = add_hooks(text, harness, OURS, is_our_command)
    back = remove_hooks(edited.text, harness, is_our_command, edited.made)

    assert value_of(back) == value_of(text)
    assert find_hooks(back, harness, is_our_command) == []


@given(TEXTS, st.sampled_from([None, 2, "\t"]))
@few
def test_a_file_that_its_program_wrote_anew_meanwhile_loses_our_hooks_alone(
    case: tuple[Any, str], indent: str | int | None
) -> None:
    harness, text = case
    edited = add_hooks(text, harness, OURS, is_our_command)
    value = value_of(edited.text)
    value["permissions"] = {"allow": ["Bash(ls)"]}
    value["hooks"][next(iter(harness.events))].append({"matcher": "late"})

    back = remove_hooks(json.dumps(value, indent=indent), harness, is_our_command, edited.made)

    expected = value_of(text)
    expected["permissions"] = {"allow": ["Bash(ls)"]}
    expected.setdefault("hooks", {}).setdefault(next(iter(harness.events)), []).append({"matcher": "late"})
    without_version = {key: each for key, each in value_of(back).items() if key not in harness.preset}
    assert without_version == expected


@given(TEXTS)
@few
def test_a_second_install_changes_nothing(case: tuple[Any, str]) -> None:
    harness, text = case

    once = add(text, harness)

    assert add(once, harness) == once


@given(TEXTS)
@few
def test_every_event_gets_our_hook_once_and_the_rest_of_the_file_stays(case: tuple[Any, str]) -> None:
    harness, text = case

    after = add(text, harness)

    assert sorted(found.event for found in find_hooks(after, harness, is_our_command)) == sorted(harness.events)
    former, now = value_of(text), value_of(after)
    kept = {key: now[key] for key in former if key != "hooks"}
    assert kept == {key: former[key] for key in kept}
    for event, groups in former.get("hooks", {}).items():
        assert now["hooks"][event][: len(groups)] == groups
    assert after.count("\r\n") == after.count("\n") or "\r\n" not in text
    assert after.endswith(text[parse_spans(text).end :])
    assert list(now)[: len(former)] == list(former)


@given(TEXTS)
@few
def test_a_file_without_hooks_only_gains_one_piece_of_text(case: tuple[Any, str]) -> None:
    harness, text = case
    assume(value_of(text) and not {"hooks", "version"} & set(value_of(text)))

    after = add(text, harness)

    same = next((at for at, (one, other) in enumerate(zip(text, after, strict=False)) if one != other), len(text))
    assert len(after) > len(text)
    assert after.endswith(text[same:])


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param('{"hooks": null}', 1, 11, id="hooks null"),
        pytest.param('{\n "hooks": []\n}', 2, 11, id="hooks an array"),
        pytest.param('{"hooks": "x"}', 1, 11, id="hooks a text"),
        pytest.param('{"hooks": {"Stop": null}}', 1, 20, id="an event null"),
        pytest.param('{"hooks": {"Stop": {"hooks": []}}}', 1, 20, id="an event an object"),
        pytest.param("[]", 1, 1, id="an array"),
        pytest.param('"x"', 1, 1, id="a text"),
        pytest.param('{"hooks": {}, "hooks": {}}', 1, 15, id="hooks twice"),
        pytest.param('{"hooks": {"Stop": [], "Stop": []}}', 1, 24, id="an event twice"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(JsonError) as caught:
        add(text)

    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", " \r\n\t"])
def test_an_empty_file_is_written_anew(text: str) -> None:
    after = add(text)

    assert set(value_of(after)["hooks"]) == set(CLAUDE.events)
    assert after.startswith("\ufeff") == text.startswith("\ufeff")


def test_a_new_cursor_file_says_its_version() -> None:
    assert value_of(add("", CURSOR))["version"] == 1


def test_a_version_that_is_there_stays() -> None:
    text = '{"version": 2, "hooks": {}}'

    after = add(text, CURSOR)

    assert value_of(after)["version"] == 2
    assert remove_hooks(after, CURSOR, is_our_command, None) == '{"version": 2}'


def test_our_hook_in_a_group_of_others_goes_alone() -> None:
    others = {"type": "command", "command": "theirs"}
    text = json.dumps(
        {"hooks": {"Stop": [{"hooks": [others, {"type": "command", "command": OURS}], "x": 1}]}}, indent=2
    )

    assert value_of(remove_hooks(text, CLAUDE, is_our_command, None)) == {
        "hooks": {"Stop": [{"hooks": [others], "x": 1}]}
    }


def test_a_hook_of_a_former_version_is_pointed_anew_where_it_stands() -> None:
    text = json.dumps({"hooks": {"Stop": [{"matcher": "", "hooks": [{"command": FORMER, "timeout": 9, "mine": 1}]}]}})

    stop = value_of(add(text))["hooks"]["Stop"]

    assert stop == [{"matcher": "", "hooks": [{"command": OURS, "timeout": 9, "mine": 1}]}]


def test_a_hook_that_is_there_twice_is_kept_once() -> None:
    group = {"hooks": [{"type": "command", "command": OURS}, {"type": "command", "command": FORMER}]}
    text = json.dumps({"hooks": {"Stop": [group, group], "PreToolUse": [group]}})

    found = find_hooks(add(text), CLAUDE, is_our_command)

    assert sorted(each.event for each in found) == sorted(CLAUDE.events)


def test_containers_of_the_person_stay_although_they_are_empty() -> None:
    text = '{\n  "hooks": {\n    "Stop": []\n  }\n}\n'
    edited = add_hooks(text, CLAUDE, OURS, is_our_command)

    assert remove_hooks(edited.text, CLAUDE, is_our_command, edited.made) == text


def test_a_one_line_file_stays_on_one_line() -> None:
    assert "\n" not in add('{"model":"opus"}')


def test_tabs_and_windows_line_ends_are_used_where_the_file_has_them() -> None:
    after = add('{\r\n\t"model": "opus"\r\n}')

    assert after.startswith('{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"UserPromptSubmit": [\r\n\t\t\t{\r\n')
    assert not after.endswith("\n")


@pytest.mark.parametrize(
    ("text", "is_off"),
    [
        ('{"disableAllHooks": true}', True),
        ('{"disableAllHooks": false}', False),
        ('{"disableAllHooks": "true"}', False),
        ("{}", False),
        ("", False),
    ],
)
def test_the_switch_for_all_hooks_is_seen(text: str, is_off: bool) -> None:
    assert is_switched_off(text, CLAUDE) is is_off


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(OURS, id="as written today"),
        pytest.param("/py -I -S '/a b/tellback/hook/fire.py' cursor", id="quoted whole"),
        pytest.param("/py -I -S '/it'\"'\"'s/tellback/hook/fire.py' cursor", id="quoted with a quote"),
        pytest.param(r'"C:\py.exe" -I -S "C:\Users\a\AppData\Local\tellback\hook\fire.py" cursor', id="Windows"),
    ],
)
def test_our_command_is_known(command: str) -> None:
    assert is_our_command(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "tellback",
        "/x/hook/fire.py",
        "/x/mytellback/hook/fire.py",
        "/x/tellback/hook/fire.pyc",
        "cat tellback hook fire.py",
    ],
)
def test_another_command_is_not_taken_for_ours(command: str) -> None:
    assert not is_our_command(command)
