"""May this folder be listened to? The user's rules and a repository's restriction, as values. Hot and pure.

Settings give the rules (S-143 to S-148), the nearest ``.tellback.toml`` the restriction (S-202), which only ever
narrows. Nothing here touches a file: links are resolved by the caller, who passes both spellings.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Judgement = Literal["ok", "disabled", "denied"]

_FOLDS_CASE = sys.platform in ("darwin", "win32")
_ENCODED_LIMIT = 200  # Claude Code cuts longer folder names there and adds "-" and a hash


class Policy:
    """The user's rules on where Tellback may listen.

    Attributes:
        disabled: nothing is collected anywhere (``collect.disabled`` or ``~/.claude/feedback-config.json``).
        deny_paths: absolute folders, each as written and again with its links resolved.
        opt_in_paths: the same; they count only with ``opt_in_only``.
        opt_in_only: outside every ``opt_in_paths`` entry nothing is collected.
        folds_case: paths are compared without case, as macOS and Windows do.
    """

    __slots__ = ("deny_paths", "disabled", "folds_case", "opt_in_only", "opt_in_paths")

    def __init__(
        self,
        disabled: bool = False,
        deny_paths: "tuple[str, ...]" = (),
        opt_in_paths: "tuple[str, ...]" = (),
        opt_in_only: bool = False,
        folds_case: bool = _FOLDS_CASE,
    ) -> None:
        self.disabled = disabled
        self.deny_paths = deny_paths
        self.opt_in_paths = opt_in_paths
        self.opt_in_only = opt_in_only
        self.folds_case = folds_case

    def has_paths(self) -> bool:
        """Whether a judgement depends on the folder, so that the caller must resolve its links."""
        return bool(self.deny_paths) or self.opt_in_only


class Restriction:
    """What a repository's ``.tellback.toml`` switches off.

    Attributes:
        disabled: nothing of this repository is collected; also when its file cannot be read or parsed.
        push: ``False`` is a veto.
        path: the file, for doctor and for comparing; ``""`` when there is none.
        problem: why the file counts as ``disabled`` although it does not say so; ``""`` when it was understood.
    """

    __slots__ = ("disabled", "path", "problem", "push")

    def __init__(self, disabled: bool = False, push: bool = True, path: str = "", problem: str = "") -> None:
        self.disabled = disabled
        self.push = push
        self.path = path
        self.problem = problem


def judge_path(
    policy: Policy, folder: str, resolved: str = "", restriction: "Restriction | None" = None
) -> "Judgement":
    """Judge one absolute *folder*; *resolved* is the same with its links resolved, ``""`` when that is not known."""
    if policy.disabled or (restriction is not None and restriction.disabled):
        return "disabled"
    spellings = (folder, resolved) if resolved and resolved != folder else (folder,)
    if any(is_within(spelling, policy.deny_paths, policy.folds_case) for spelling in spellings):
        return "denied"
    if policy.opt_in_only and not any(
        is_within(spelling, policy.opt_in_paths, policy.folds_case) for spelling in spellings
    ):
        return "denied"
    return "ok"


def is_within(folder: str, entries: "tuple[str, ...]", folds_case: bool) -> bool:
    """Whether *folder* is one of *entries* or below one, component by component; a root holds every folder."""
    parts = _split(folder, folds_case)
    for entry in entries:
        wanted = _split(entry, folds_case)
        if _is_root(entry) or parts[: len(wanted)] == wanted:
            return True
    return False


def judge_encoded(policy: Policy, name: str) -> "Judgement":
    """Judge a session by the *name* of its folder below Claude Code's ``projects/``, before the file is opened.

    The name lost the path's separators, so a sibling that shares the encoded prefix (``/a/b-c`` beside ``/a/b``) is
    judged like the folder itself: never too mild for ``deny_paths``, and for ``opt_in_paths`` to be judged again by
    the recorded folder once the file is read.
    """
    if policy.disabled:
        return "disabled"
    if any(_is_encoded_within(name, entry, policy.folds_case) for entry in policy.deny_paths):
        return "denied"
    if policy.opt_in_only and not any(
        _is_encoded_within(name, entry, policy.folds_case) for entry in policy.opt_in_paths
    ):
        return "denied"
    return "ok"


def encode_folder(folder: str) -> str:
    """Return Claude Code's name for *folder*, uncut: each UTF-16 unit outside ``[A-Za-z0-9]`` becomes ``-``."""
    return "".join(c if c.isascii() and c.isalnum() else "-" * (1 + (ord(c) > 0xFFFF)) for c in folder)


def _is_encoded_within(name: str, entry: str, folds_case: bool) -> bool:
    if _is_root(entry):
        return True
    wanted = encode_folder(entry)
    if folds_case:
        name, wanted = name.lower(), wanted.lower()
    return name == wanted or name.startswith(wanted[:_ENCODED_LIMIT] + "-")


def _split(path: str, folds_case: bool) -> "list[str]":
    """Return the components of an absolute path, ``..`` taken back: ``["C:", "x"]`` for ``C:\\x``, ``[]`` for ``/``."""
    if _has_drive(path):
        path = path.replace("\\", "/")
    if folds_case:
        path = path.casefold()
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    return parts


def _has_drive(path: str) -> bool:
    return path[1:2] == ":" or path[:2] == "\\\\"


def _is_root(entry: str) -> bool:
    return not entry.strip("/") or (_has_drive(entry) and not entry[2:].strip("/\\"))
