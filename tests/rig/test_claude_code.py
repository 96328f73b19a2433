"""The real Claude Code with our installed hooks: every correction once, nothing else, nothing left running."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from ruamel.yaml import YAML

sys.path.insert(0, os.path.dirname(__file__))
from sandbox import Played, find_reason_to_skip, play

REASON = find_reason_to_skip()
pytestmark = [pytest.mark.rig, pytest.mark.slow, pytest.mark.skipif(bool(REASON), reason=REASON)]

USE_UV = "No, that's wrong, use uv instead of pip"

# scenario: (the person's corrections that must be there, those that may be there)
SCENARIOS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "one-prompt": ((), ()),
    "correction": ((USE_UV, "Still wrong. Why did you not read the README?"), ()),
    "skill-slash": ((), ()),
    "skill-tool": (("No, wrong name, it should be Grace",), ()),
    "fork": ((), ()),
    "forked-correction": ((USE_UV,), ()),
    "tui-queue": (("Actually, use another way",), ()),
    "tui-deny": (
        ("No, still wrong, make file three", "No, make file two instead", "do not touch files, ask me first"),
        (),
    ),
    "tui-subagent": ((), ()),
    "words-while-a-tool-runs": ((USE_UV,), ()),
    "words-of-refusal": (("No, that's wrong, the file should be called two.txt, not one.txt",), ()),
    "hooks-switched-off": ((USE_UV,), ()),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_correction_of_the_person_is_kept_once_and_nothing_else(scenario: str, tmp_path: Path) -> None:
    must, may = SCENARIOS[scenario]

    played = play(scenario, tmp_path)

    assert played.status == 0
    assert (played.out / "install.txt").read_text().endswith("exit 0\n")
    kept = Counter(_read_descriptions(played))
    assert {text: kept[text] for text in must} == dict.fromkeys(must, 1)
    assert set(kept) <= {*must, *may}
    assert set(kept.values()) <= {1}
    assert played.find_hook_errors() == []
    assert played.read_json("left.json") == []
    assert _count_captured(played.read_json("sweep-2.json")) == 0


def _read_descriptions(played: Played) -> list[str]:
    """Return the descriptions of all entries that no verdict took back, in the project and in its store."""
    found: list[str] = []
    for log in played.home.rglob("corrections/log.yaml"):
        retracted_file = log.with_name("retracted.yaml")
        retracted = _read_ids(retracted_file) if retracted_file.exists() else set()
        entries = YAML(typ="safe").load(log)["corrections"]
        found += [entry["description"] for entry in entries if entry["id"] not in retracted]
    return found


def _read_ids(path: Path) -> set[str]:
    loaded = YAML(typ="safe").load(path)
    rows = loaded["retracted"] if isinstance(loaded, dict) else loaded
    return {row["id"] for row in rows}


def _count_captured(sweep: dict[str, object]) -> int:
    stages = sweep["stages"]
    assert isinstance(stages, dict)
    return sum(stages["late"].get(name, 0) for name in ("logged", "queued"))
