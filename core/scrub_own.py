"""What is scrubbed by a person's settings: the known secrets, and the patterns of their own. Cold."""

from .keys import Settings
from .scrub import ScrubRules, default_rules, prepare_scrub


def make_scrub_rules(settings: Settings) -> ScrubRules:
    """Return the rules by which every text is scrubbed before it is written."""
    if not settings.scrub_patterns and not settings.scrub_emails and settings.scrub_hosts is None:
        return default_rules()
    return ScrubRules(prepare_scrub(settings.scrub_patterns, emails=settings.scrub_emails, hosts=settings.scrub_hosts))
