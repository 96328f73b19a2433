"""May this folder be listened to, and what is scrubbed: the settings as the sweep and the commands use them."""

import os
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ..core.config import load, make_policy
from ..core.policy import judge_encoded, judge_path
from ..core.repository import read_restriction
from ..core.scrub import ScrubRules, default_rules, prepare_scrub
from ..core.shapes import Places
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
        self.judge_folder = lru_cache(maxsize=1024)(self._judge_folder)

    @cached_property
    def scrub_rules(self) -> ScrubRules:
        """The rules with the person's own patterns; prepared only when a text is there to be scrubbed."""
        own = self.settings
        if not own.scrub_patterns and not own.scrub_emails and own.scrub_hosts is None:
            return default_rules()
        return ScrubRules(prepare_scrub(own.scrub_patterns, emails=own.scrub_emails, hosts=own.scrub_hosts))

    def _judge_folder(self, folder: str) -> "Judgement":
        """Judge a folder that a session worked in, its repository's file included; ``""`` is an unknown one."""
        if not folder:
            return "denied" if self.policy.has_paths() else judge_path(self.policy, "/")
        resolved = os.path.realpath(folder) if self.policy.has_paths() else ""
        return judge_path(self.policy, folder, resolved, read_restriction(folder))

    def may_open(self, gate: Gate) -> bool:
        """Whether a session's log may be opened, by what is known before (S-2, S-145)."""
        if self.policy.disabled or not self.settings.capture_enabled:
            return False
        if gate.unknown and self.policy.has_paths():
            return False
        if gate.encoded and judge_encoded(self.policy, gate.encoded) != "ok":
            return False
        return all(self.judge_folder(folder) == "ok" for folder in gate.dirs)
