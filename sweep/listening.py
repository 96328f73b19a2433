"""May this folder be listened to, and what is scrubbed: the settings as the sweep and the commands use them."""

from functools import cached_property
from typing import TYPE_CHECKING

from ..core.config import load, make_policy
from ..core.policy import judge_path
from ..core.scrub import ScrubRules
from ..core.scrub_own import make_scrub_rules
from ..core.shapes import Places
from ..sessions.gate import Gatekeeper
from ..sessions.reader import Gate

if TYPE_CHECKING:
    from ..core.policy import Judgement


class Listening:
    """The settings in force and what follows from them.

    Attributes:
        settings: of ``config.toml``.
        policy: the person's rules on where may be listened.
        sources: the files that they come from, as they were read.
    """

    def __init__(self, places: Places) -> None:
        """Read the settings.

        Raises:
            TellbackError: a settings file is there and cannot be understood: then nothing may be listened to.
        """
        loaded = load(places)
        self.settings = loaded.settings
        self.policy = make_policy(loaded)
        self.sources = loaded.sources
        self._keeper = Gatekeeper(self.policy)

    @cached_property
    def scrub_rules(self) -> ScrubRules:
        """The rules with the person's own patterns; prepared only when a text is there to be scrubbed."""
        return make_scrub_rules(self.settings)

    def reads(self, harness: str) -> bool:
        """Whether sweeps read the session logs of *harness*; OpenCode's two readers are one by the name `opencode`."""
        names = self.settings.sessions_harnesses
        return names is None or harness in names or harness.partition("-v")[0] in names

    def judge_folder(self, folder: str) -> "Judgement":
        """Judge a folder that a session worked in, its repository's file included; ``""`` is an unknown one."""
        if not folder:
            return "denied" if self.policy.has_paths() else judge_path(self.policy, "/")
        return self._keeper.judge_folders((folder,)).state

    def may_open(self, gate: Gate) -> bool:
        """Whether a session's log may be opened, by what is known before (S-2, S-145)."""
        return self.settings.capture_enabled and self._keeper.judge_gate(gate).state == "ok"
