"""Every setting of ``config.toml``: the dataclass is the table. The docs (docs/settings.md) list the same rows."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, NamedTuple

from .duration import parse_duration

Kind = Literal["bool", "whole", "number", "text", "word", "span", "path", "paths", "patterns", "names"]

# The first part of a key and of an attribute: ``collect.deny_paths`` is ``Settings.collect_deny_paths``.
SECTIONS = ("collect", "sessions", "hooks", "capture", "scrub", "analyze", "learning", "recorder")


class Spec(NamedTuple):
    """One key of the table.

    Attributes:
        name: as in the file, ``collect.deny_paths``.
        attribute: of ``Settings``.
        kind: ``span`` is a time like ``10m`` (seconds in ``Settings``); ``paths``, ``patterns`` and ``names`` are
            lists; a ``word`` is one of *choices*.
        default: as in ``Settings``.
        about: one line for people.
        choices: of a ``word``.
        least, most: bounds of a number or a span, both allowed.
        may_be_none: ``None`` is a value, written by leaving the key out.
        in_repository: a repository's ``.tellback.toml`` may set it, to restrict.
        is_fixed: cannot be changed (L-37).
    """

    name: str
    attribute: str
    kind: Kind
    default: Any
    about: str
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float = float("inf")
    may_be_none: bool = False
    in_repository: bool = False
    is_fixed: bool = False


def _key(kind: Kind, default: Any, about: str, **rest: Any) -> Any:
    if kind == "span":
        default = parse_duration(default)
    return field(default=default, metadata={"kind": kind, "about": about, **rest})


@dataclass(frozen=True)
class Settings:
    """The settings in force on this machine; spans are seconds, paths are absolute unless they say otherwise.

    A relative path (``analyze.output``, ``learning.dir``) is one below the project or the working directory.
    """

    collect_disabled: bool = _key("bool", False, "collect nothing anywhere", in_repository=True)
    collect_deny_paths: tuple[str, ...] = _key("paths", (), "folders in which nothing is collected")
    collect_opt_in_paths: tuple[str, ...] = _key("paths", (), "with opt_in_only: the only folders to collect in")
    collect_opt_in_only: bool = _key("bool", False, "collect in opt_in_paths only")
    sessions_quiet_s: float = _key("span", "10m", "rest of a session before a push, and between two sweeps")
    sessions_push_batch: int = _key("whole", 10, "sessions that one sweep pushes at most", least=1)
    sessions_push_budget_s: float = _key("span", "60s", "time that one push may take", least=1)
    sessions_push: bool = _key("bool", True, "false vetoes any push", in_repository=True)
    sessions_harnesses: tuple[str, ...] | None = _key(
        "names",
        None,
        "the harnesses whose session logs sweeps read; unset: all",
        choices=("claude-code", "codex", "copilot", "gemini-cli", "opencode"),
        may_be_none=True,
    )
    sessions_policy_ttl_s: float = _key("span", "5m", "how long the server's policy is believed")
    url: str | None = _key("text", None, "team server; without one everything stays here", may_be_none=True)
    key: str | None = _key("text", None, "key for the team server", may_be_none=True)
    machine: str | None = _key("text", None, "name of this machine; without one its host name", may_be_none=True)
    model: str | None = _key("text", None, "model named in what is submitted", may_be_none=True)
    scrub_patterns: tuple[str, ...] = _key("patterns", (), "regular expressions of further secrets")
    scrub_emails: bool = _key("bool", False, "mask e-mail addresses too")
    scrub_hosts: tuple[str, ...] | None = _key(
        "names", None, "mask IP addresses, internal host names and these names too", may_be_none=True
    )
    hooks_deadline_s: float = _key(
        "span", "4s", "most that a turn-end hook takes; a prompt hook 1s", least=0.1, most=60
    )
    capture_enabled: bool = _key("bool", True, "write corrections and learnings down")
    capture_acknowledge: bool = _key("bool", True, "say in one line what was written")
    capture_snippets: bool = _key("bool", True, "keep excerpts of messages with outcomes")
    capture_dataset: str | None = _key("text", None, "label for the corrections of a project", may_be_none=True)
    capture_point: Literal["strict", "write", "report"] = _key(
        "word", "write", "how sure the detector must be to write", choices=("strict", "write", "report")
    )
    capture_brief: bool = _key("bool", True, "brief the agent when a session starts")
    analyze_session_dir: str = _key("path", "~/.claude/projects/", "where sessions to analyse lie")
    analyze_output: str = _key("path", "feedback-store/feedback.jsonl", "where `analyze` writes its events")
    analyze_min_invocations: int = _key("whole", 5, "calls before a skill gets a rate", least=1)
    analyze_window: int = _key("whole", 3, "turns after a call that tell its outcome", least=1)
    analyze_archive_days: int = _key("whole", 90, "age at which events are archived", least=1)
    analyze_trend_days: int = _key("whole", 30, "days that a trend compares", least=1)
    analyze_stable_delta: float = _key("number", 0.05, "change of a rate that still counts as stable", most=1)
    learning_dir: str = _key("path", ".planning/patterns", "the learning files of a project")
    learning_skills_dir: str = _key("path", ".claude/skills", "the skills of a project")
    learning_min_corrections_for_refinement: int = _key("whole", 3, "corrections before a refinement", least=1)
    learning_min_confidence: float = _key("number", 0.7, "confidence before a refinement", most=1)
    learning_max_refinements_per_skill: int = _key("whole", 1, "refinements of a skill at a time")
    learning_cooldown_days: int = _key("whole", 7, "days between two refinements of a skill")
    learning_max_content_change_percent: float = _key("number", 20.0, "most of a skill that one may change", most=100)
    learning_max_metadata_changes: int = _key("whole", 3, "most metadata fields that one may change")
    learning_require_user_confirmation: bool = _key("bool", True, "a person approves each refinement", is_fixed=True)
    learning_preserve_original_on_refinement: bool = _key("bool", True, "keep the skill as it was before")
    learning_drift_threshold: float = _key("number", 60.0, "drift in percent that is reported", most=100)
    learning_unused_days: int = _key("whole", 90, "days without use after which `review` asks of a learning", least=1)
    learning_cross_session_weight: float = _key("number", 2.0, "weight of a repeat in another session", least=1, most=2)
    recorder_lookback_turns: int = _key("whole", 3, "turns that a skill call stays accountable", least=1)
    recorder_friction_threshold: int = _key("whole", 2, "failures in a row that are friction", least=1)
    recorder_skills_roots: tuple[str, ...] = _key(
        "paths", ("~/.claude/skills", ".claude/skills"), "where skills lie; relative: in the project"
    )

    @property
    def prompt_deadline_s(self) -> float:
        """The most that a prompt hook takes: one second, or less when ``hooks.deadline`` is less."""
        return min(1.0, self.hooks_deadline_s)


def _spec_of(attribute: str, default: Any, metadata: dict[str, Any]) -> Spec:
    section, _, rest = attribute.partition("_")
    name = f"{section}.{rest}" if section in SECTIONS else attribute
    if metadata["kind"] == "span":
        name = name.removesuffix("_s")
    return Spec(name=name, attribute=attribute, default=default, **metadata)


SPECS: dict[str, Spec] = {
    spec.name: spec
    for spec in (
        _spec_of(item.name, item.default, dict(item.metadata))
        for item in fields(Settings)
        if item.default is not MISSING
    )
}
