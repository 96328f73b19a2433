"""Every command is in the docs with an example that can be run."""

import re
import shlex
from pathlib import Path

import click
import pytest

from tellback.cli import HIDDEN, VERBS, main

DOCS = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
SHOWN = [verb for verb in VERBS if verb not in HIDDEN]


def read_sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def list_examples() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("verb", SHOWN)
def test_every_command_is_in_the_docs_with_an_example(verb: str) -> None:
    assert f"tellback {verb}" in read_sections()[verb]


def test_the_docs_tell_of_no_command_that_is_not_there() -> None:
    assert set(read_sections()) <= set(VERBS)


@pytest.mark.parametrize("example", list_examples())
def test_every_example_is_a_command_line_that_is_understood(example: str) -> None:
    words = shlex.split(example.rpartition("|")[2])
    assert words[0] == "tellback"

    command = main.get_command(click.Context(main), words[1])
    assert command is not None
    parsed = command.make_context(words[1], words[2:])

    assert isinstance(parsed, click.Context)


@pytest.mark.parametrize("verb", SHOWN)
def test_every_option_that_help_shows_is_explained_by_help(verb: str) -> None:
    command = main.get_command(click.Context(main), verb)
    assert command is not None

    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]

    assert [one.name for one in options if not one.help] == []
