"""May this session be read? The policy gate before a log is opened and again after it was read (S-144 to S-148)."""

import os
from typing import Literal, NamedTuple

from ..core.policy import Policy, judge_encoded, judge_path
from ..core.repository import read_restriction
from .reader import Gate

_SWITCHED_OFF = "collection is switched off"


class Verdict(NamedTuple):
    """What the policy says of a session, and why; ``reason`` names no folder."""

    state: Literal["ok", "disabled", "denied"]
    reason: str = ""


ALLOWED = Verdict("ok")


class Gatekeeper:
    """Judges sessions by one policy; a folder is looked at once.

    A repository's file counts as it was when its folder was first judged here, so a keeper lives for one run.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._folders: dict[str, Verdict] = {}
        self._encoded: dict[str, Verdict] = {}

    def judge_gate(self, gate: Gate) -> Verdict:
        """Judge what a reader knows of a session's folders before its log is opened."""
        if self._policy.disabled:
            return Verdict("disabled", _SWITCHED_OFF)
        if gate.encoded:
            return self._judge_encoded(gate.encoded)
        if gate.unknown and self._policy.has_paths():
            return Verdict("denied", gate.unknown)
        return self.judge_folders(gate.dirs)

    def _judge_encoded(self, name: str) -> Verdict:
        verdict = self._encoded.get(name)
        if verdict is None:
            state = judge_encoded(self._policy, name)
            verdict = ALLOWED if state == "ok" else Verdict(state, "its folder is denied by the policy")
            self._encoded[name] = verdict
        return verdict

    def judge_folders(self, folders: tuple[str, ...] | list[str]) -> Verdict:
        """Judge the recorded folders of a session: one that may not be listened to is enough to refuse it."""
        if self._policy.disabled:
            return Verdict("disabled", _SWITCHED_OFF)
        verdicts = [self._judge_folder(folder) for folder in folders]
        for state in ("disabled", "denied"):
            if refused := next((verdict for verdict in verdicts if verdict.state == state), None):
                return refused
        return ALLOWED

    def _judge_folder(self, folder: str) -> Verdict:
        verdict = self._folders.get(folder)
        if verdict is None:
            verdict = self._folders[folder] = self._look_at(folder)
        return verdict

    def _look_at(self, folder: str) -> Verdict:
        """Judge one absolute folder; one that is gone gets the user's rules only (S-155)."""
        resolved = os.path.realpath(folder) if self._policy.has_paths() else ""
        state = judge_path(self._policy, folder, resolved)
        if state != "ok":
            return Verdict(state, "its folder is denied by the policy")
        if os.path.isdir(folder) and (restriction := read_restriction(folder)).disabled:
            return Verdict("disabled", restriction.problem or "its repository switches collection off")
        return ALLOWED
