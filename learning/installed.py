"""Is a typed command a skill that is really installed? (A-36, A-91)

A skill is a folder with a SKILL.md below a skills root, in the person's home or the session's project; a plugin's is
named ``plugin:name``; a custom command is a Markdown file below ``commands/``, in a sub-folder named ``folder:name``.
That is Claude Code's way; the other harnesses log a typed name only once they have found what it names.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from ..core.paths import find_claude_config
from ..sessions import claude_code


def make_is_installed(harness: str, cwds: Iterable[str], skills_roots: Iterable[str] = ()) -> Callable[[str], bool]:
    """Return whether a typed name is a skill; only Claude Code logs names that the program did not find."""
    return Installed(cwds, skills_roots) if harness == claude_code.HARNESS else lambda name: bool(name)


class Installed:
    """Looks names up in the roots that count for one session; an answer is remembered for the run."""

    def __init__(self, cwds: Iterable[str], skills_roots: Iterable[str] = ()) -> None:
        self._cwds = tuple(cwds)
        self._roots = tuple(skills_roots)

    def __call__(self, name: str) -> bool:
        """Whether a skill or command of this name is there."""
        if not name or name.startswith(("/", ".")) or "\\" in name or ".." in name.split("/"):
            return False
        bases = [find_claude_config(), *(Path(cwd) / ".claude" for cwd in self._cwds)]
        named = [Path(root) for root in self._roots if Path(root).is_absolute()]
        return (
            any(_has_skill(root, name) for root in dict.fromkeys([*named, *(base / "skills" for base in bases)]))
            or any(_has_command(base / "commands", name) for base in bases)
            or _has_plugin_skill(find_claude_config() / "plugins", name)
        )


@lru_cache(maxsize=4096)
def _has_skill(root: Path, name: str) -> bool:
    return (root / name / "SKILL.md").is_file()


@lru_cache(maxsize=4096)
def _has_command(root: Path, name: str) -> bool:
    return (root / (name.replace(":", "/") + ".md")).is_file()


@lru_cache(maxsize=1024)
def _has_plugin_skill(plugins: Path, name: str) -> bool:
    """Whether a plugin of the first half of ``plugin:name`` brings the second, wherever its cache put it."""
    plugin, colon, skill = name.partition(":")
    if not colon or not plugins.is_dir():
        return False
    homes = [path for path in plugins.rglob(_as_pattern(plugin)) if path.is_dir()]
    return any(
        found
        for home in homes
        for found in (
            *home.rglob(f"skills/{_as_pattern(skill)}/SKILL.md"),
            *home.rglob(f"commands/{_as_pattern(skill)}.md"),
        )
    )


def _as_pattern(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
